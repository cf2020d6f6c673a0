"""Odd layers, one for each property: what is seen, and which code it gets."""

import importlib.metadata
import re
import sys

import pytest
import torch
from torch import nn

from mha import MultiHeadAttentionWrapper
from mha.checker import check, codes
from mha.mistakes.heads import HeadsAveraged
from mha.mistakes.layer import Layer
from mha.mistakes.mask import MaskOneTooLate
from mha.mistakes.state import GraphBreak


class RemembersTheLength(Layer):
    before = None

    def forward(self, x):
        longer = self.before is not None and x.shape[1] != self.before
        self.before = x.shape[1]
        return super().forward(x) * (2 if longer else 1)


class GrowsWithTheLength(Layer):
    def finish(self, context_vec, x):
        return super().finish(context_vec * x.shape[1], x)


class LosesTheTokenAxis(Layer):
    def finish(self, context_vec, x):
        return super().finish(context_vec, x).squeeze(1)


class OneTooLateAndTanh(MaskOneTooLate):
    def scale(self, attn_scores):
        return torch.tanh(super().scale(attn_scores))


class LeaksUnderDropout(Layer):
    def hide(self, attn_scores):
        if self.training and self.dropout.p > 0:
            return attn_scores
        return super().hide(attn_scores)


class OtherNumbersInHalf(Layer):
    def finish(self, context_vec, x):
        out = super().finish(context_vec, x)
        return 2 * out if x.dtype == torch.float16 else out


class StaysOnTheCPU(Layer):
    def forward(self, x):
        out = super().forward(x)
        return torch.zeros(out.shape, device="cpu") if x.is_meta else out


class KnowsNoMeta(Layer):
    def forward(self, x):
        if x.is_meta:
            raise NotImplementedError("not implemented for meta")
        return super().forward(x)


class ReadsMemoryInOrder(Layer):
    def forward(self, x):
        b, n, d = x.shape
        return super().forward(x.as_strided((b, n, d), (n * d, d, 1)))


class WeightsAsBuffers(Layer):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        for name in ("W_query", "W_key", "W_value", "out_proj"):
            weight = getattr(self, name).weight.detach()
            delattr(self, name)
            self.register_buffer(name, weight)

    def project(self, x):
        return x @ self.W_query.T, x @ self.W_key.T, x @ self.W_value.T

    def finish(self, context_vec, x):
        return context_vec @ self.out_proj.T


class AveragedAndLouder(HeadsAveraged):
    def mix(self, attn_weights, values):
        return 1.7 * super().mix(attn_weights, values)


class UnusedRows(Layer):
    def score(self, queries, keys):
        return queries[..., :-1] @ keys[..., :-1].transpose(2, 3)


class InfiniteGradient(Layer):
    def finish(self, context_vec, x):
        nothing = self.W_key.weight - self.W_key.weight.detach()
        return super().finish(context_vec, x) + nothing.clamp(min=0).sqrt().sum()


class OneTextAtATime(Layer):
    def forward(self, x):
        assert len(x) == 1, "one text at a time"
        return super().forward(x)


class GivesBackTheWidthItGot(Layer):
    def __init__(self, d_in, d_out, *args, **kwargs):
        super().__init__(d_in, d_out, *args, **kwargs)
        self.out_proj = nn.Linear(d_out, d_in)


class OnlyUpwards(Layer):
    def forward(self, x):
        assert self.d_in <= self.d_out, "the width must not shrink"
        return super().forward(x)


class TwoTokensAtLeast(Layer):
    def forward(self, x):
        assert x.shape[1] > 1, "two tokens at least"
        return super().forward(x)


class NoBiasPlease(Layer):
    def __init__(self, *args, qkv_bias=False, **kwargs):
        assert not qkv_bias, "there is no bias"
        super().__init__(*args, **kwargs)


class ReluOnQueries(Layer):
    def project(self, x):
        queries, keys, values = super().project(x)
        return queries.relu(), keys, values


class DropsHiddenScores(Layer):
    def hide(self, attn_scores):
        return self.dropout(super().hide(attn_scores))

    def drop(self, attn_weights):
        return attn_weights


class TokensFirst(Layer):
    def forward(self, x):
        num_tokens = x.shape[0]
        assert num_tokens == 5, "the mask does not fit"
        return super().forward(x.transpose(0, 1)).transpose(0, 1)


WRONG = {
    RemembersTheLength: ("remembers-calls", "after a call with another text"),
    GrowsWithTheLength: ("mask-only-for-some-lengths", "alone and as the first of"),
    LosesTheTokenAxis: ("batch-squeezed", "2 x 1 tokens came out as (2, "),
    OneTooLateAndTanh: ("mask-one-too-late", "when only token 2 was changed"),
    LeaksUnderDropout: ("mask-only-in-eval", "in training output 1 moved"),
    OtherNumbersInHalf: ("mask-overflows-half", "in torch.float16 the numbers were"),
    StaysOnTheCPU: ("mask-not-a-buffer", "the output was on cpu"),
    KnowsNoMeta: ("mask-not-a-buffer", "not implemented for meta"),
    ReadsMemoryInOrder: ("needs-contiguous-input", "numbers differed by"),
    WeightsAsBuffers: ("weights-not-registered", "no matrix at all"),
    AveragedAndLouder: ("heads-averaged", "dimensions only"),
    UnusedRows: ("weights-do-not-learn", "rows of W_query.weight got no gradient"),
    InfiniteGradient: ("weights-do-not-learn", "of W_key.weight is not finite"),
    OneTextAtATime: ("batch-fixed", "another number of texts did not"),
    GivesBackTheWidthItGot: ("widths-mixed-up", "expected (2, 5, 12)"),
    OnlyUpwards: ("forward-raises", "d_in=18"),
    TwoTokensAtLeast: ("mask-not-cut", "two tokens at least"),
    ReluOnQueries: ("not-softmax-of-products", "f(-x) and -f(x) were"),
    DropsHiddenScores: ("dropout-on-scores", "are not finite"),
    TokensFirst: ("batch-mixed", "5 texts of 2 tokens did not"),
    NoBiasPlease: ("forward-raises", "there is no bias"),
}


@pytest.mark.parametrize("layer_class", WRONG, ids=lambda one: one.__name__)
def test_what_does_not_hold_gets_its_code(layer_class):
    code, seen = WRONG[layer_class]

    found = check(layer_class, form="fused").finding

    assert found is not None
    assert found.code == code
    assert seen in found.seen


class Frozen(Layer):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.W_key.weight.requires_grad_(False)


class Lazy(Layer):
    def __init__(self, d_in, d_out, *args, **kwargs):
        super().__init__(d_in, d_out, *args, **kwargs)
        self.W_query = nn.LazyLinear(d_out, bias=kwargs.get("qkv_bias", False))


class Unreadable(Layer):
    __signature__ = "not a signature"


class ChangesSettings(Layer):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        torch.set_num_threads(3)
        torch.set_default_device("cpu:0")


class HeadsOneByOne(MultiHeadAttentionWrapper):
    pass


@pytest.mark.parametrize(
    "layer_class", [Frozen, Lazy, Unreadable, ChangesSettings, HeadsOneByOne]
)
def test_odd_and_right_is_right(layer_class):
    assert str(check(layer_class)).startswith("Right: ")


def test_the_callers_settings_are_kept():
    threads = torch.get_num_threads()

    check(ChangesSettings)

    assert torch.get_num_threads() == threads
    assert torch.get_default_device() == torch.device("cpu")


def test_a_list_of_heads_is_seen_from_its_width():
    assert check(HeadsOneByOne).form == "stacked"


def test_another_default_device_is_no_matter():
    with torch.device("meta"):
        report = check(Layer)

    assert report.status == "right"


class WithoutTheSwitch(Layer):
    def __init__(self, d_in, d_out, context_length, dropout, num_heads):
        super().__init__(d_in, d_out, context_length, dropout, num_heads)


class MultiHeadOfOtherNames(Layer):
    def __init__(self, d_in, d_out, context_length, dropout, n_heads):
        super().__init__(d_in, d_out, context_length, dropout, n_heads)


@pytest.mark.parametrize(
    ("layer_class", "unknown"),
    [(WithoutTheSwitch, "qkv_bias"), (MultiHeadOfOtherNames, "num_heads")],
)
def test_another_constructor_is_not_judged(layer_class, unknown):
    report = check(layer_class)

    assert report.status == "unjudged"
    assert f"unexpected keyword argument '{unknown}'" in report.note


class AsksForAllMemory(Layer):
    def forward(self, x):
        raise MemoryError


class AsksTorchForAllMemory(Layer):
    def forward(self, x):
        return torch.empty(2**46) + super().forward(x)


@pytest.mark.parametrize("layer_class", [AsksForAllMemory, AsksTorchForAllMemory])
def test_memory_without_end_is_not_judged(layer_class):
    report = check(layer_class)

    assert report.status == "unjudged"
    assert "memory" in report.note


class Misspelt(Layer):
    def finish(self, context_vec, x):
        return self.out_project(context_vec)


def test_an_error_names_its_line():
    found = check(Misspelt, form="fused").finding

    assert found is not None
    assert found.code == "forward-raises"
    assert re.search(r"no attribute 'out_project'.* in line \d+$", found.seen)


def test_a_mistake_without_a_question_is_refused():
    class Untold(Layer):
        """Something is wrong."""

    with pytest.raises(ValueError, match="must have an Expected: and an Ask:"):
        codes.read("mask", Untold)


class Leaves(Layer):
    def forward(self, x):
        sys.exit("good bye")


def test_a_layer_that_ends_the_program_is_not_judged():
    report = check(Leaves)

    assert (report.status, "SystemExit" in str(report)) == ("unjudged", True)


def test_large_scores_take_the_other_branch_of_the_graph_break():
    layer = GraphBreak(4, 6, 5, 0.0, 2).double()
    right = Layer(4, 6, 5, 0.0, 2).double()
    right.load_state_dict(layer.state_dict())
    x = torch.randn(1, 3, 4, dtype=torch.float64) * 1e5

    assert layer(x).shape == right(x).shape


@pytest.mark.parametrize(
    ("urls", "expected"),
    [
        (
            ["Documentation, https://some.where/heads/"],
            "https://some.where/heads/pitfalls/mask/#mask-missing",
        ),
        (["Source, https://some.where/code"], "docs/pitfalls/mask.md#mask-missing"),
        (None, "docs/pitfalls/mask.md#mask-missing"),
    ],
)
def test_the_link_leads_to_the_site_or_else_to_the_file(monkeypatch, urls, expected):
    class Metadata:
        def get_all(self, name):
            return urls

    monkeypatch.setattr(codes, "metadata", lambda name: Metadata())

    assert codes.finding("mask-missing", "").link == expected


def test_a_package_that_is_not_installed_has_no_address(monkeypatch):
    def missing(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(codes, "metadata", missing)

    assert codes.site() == ""
