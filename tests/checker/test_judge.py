"""Every known mistake gets its own code; judging never raises and leaves no trace."""

import random
import subprocess
import sys
import time

import pytest
import torch
from torch import nn
from torch.testing import assert_close

import mha
from mha import check
from mha.checker.codes import MISTAKES, in_words
from mha.checker.explain import COMPUTED, in_groups
from mha.checker.variants import GroupsSplitAndMergedByView, GroupsSplitByView
from mha.mistakes.heads import MergeWithoutTranspose
from mha.mistakes.layer import GroupedLayer, Layer
from mha.mistakes.mask import MaskInverted, MaskNotCut
from mha.mistakes.scale import ScaleByDOut, ScaleMissing
from mha.mistakes.state import BiasAlways

SIZES = {"d_in": 4, "d_out": 21, "context_length": 11, "dropout": 0.0, "num_heads": 3}
FORMS = {
    mha.CausalAttention: "causal",
    mha.MultiHeadAttentionWrapper: "stacked",
    mha.MultiHeadAttention: "fused",
    mha.SDPAMultiHeadAttention: "fused",
    mha.GroupedQueryAttention: "grouped",
    Layer: "fused",
    GroupedLayer: "grouped",
}


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=lambda one: one.code)
def test_a_mistake_gets_its_own_code(mistake):
    report = check(mistake.layer_class, compiled=mistake.code == "graph-break")

    assert report.finding is not None
    assert report.finding.code == mistake.code
    assert 0 < len(report.finding.seen) <= 240
    assert "\n" not in report.finding.seen


IN_GROUPS = {
    "split-without-transpose": GroupsSplitByView,
    "split-and-merge-by-view": GroupsSplitAndMergedByView,
}
NOT_IN_GROUPS = {  # these heads, masks and constructors know one number of heads only
    "heads-attend-to-heads",
    "heads-ignored",
    "mask-for-every-head",
    "mask-of-another-size",
}


COMPUTED_IN_GROUPS = [
    one.code
    for one in MISTAKES.values()
    if one.family in COMPUTED and one.code not in NOT_IN_GROUPS
]


@pytest.mark.parametrize("code", COMPUTED_IN_GROUPS)
def test_a_mistake_gets_its_own_code_where_heads_share_keys(code):
    layer_class = IN_GROUPS.get(code) or in_groups(MISTAKES[code].layer_class)

    report = check(layer_class)

    assert report.form == "grouped"
    assert report.finding is not None
    assert report.finding.code == code


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=lambda one: one.code)
def test_a_mistake_says_what_is_wrong_what_is_expected_and_asks(mistake):
    assert mistake.wrong.endswith(".")
    assert mistake.expected.endswith(".")
    assert mistake.ask.endswith("?")
    assert mistake.code == in_words(mistake.layer_class.__name__)


def test_the_layer_in_steps_equals_the_fused_layer():
    steps, fused = Layer(**SIZES).double(), mha.MultiHeadAttention(**SIZES).double()
    steps.load_state_dict(fused.state_dict() | {"later": steps.later}, strict=False)
    x = torch.randn(2, 5, 4, dtype=torch.float64)

    context_vec = steps(x)

    assert_close(context_vec, fused(x))


def test_the_grouped_layer_in_steps_refuses_uneven_groups():
    with pytest.raises(ValueError, match="num_heads must be divisible by num_kv_heads"):
        GroupedLayer(**{**SIZES, "num_kv_heads": 2})


def test_the_grouped_layer_in_steps_equals_the_listing():
    sizes = {**SIZES, "d_out": 42, "num_heads": 6, "num_kv_heads": 3}
    steps = GroupedLayer(**sizes).double()
    grouped = mha.GroupedQueryAttention(**sizes).double()
    steps.load_state_dict(grouped.state_dict() | {"later": steps.later}, strict=False)
    x = torch.randn(2, 5, 4, dtype=torch.float64)

    context_vec = steps(x)

    assert_close(context_vec, grouped(x))


@pytest.mark.parametrize("layer_class", FORMS, ids=lambda one: one.__name__)
def test_the_layers_of_the_chapter_are_right(layer_class):
    report = check(layer_class, compiled=True)

    assert report.finding is None, str(report)
    assert (report.status, report.form) == ("right", FORMS[layer_class])


@pytest.mark.parametrize(
    ("faults", "code"),
    [
        ((MaskInverted, ScaleMissing), "mask-inverted"),
        ((MergeWithoutTranspose, ScaleByDOut), "merge-without-transpose"),
        ((MaskNotCut, BiasAlways), "mask-not-cut"),
    ],
)
def test_of_two_faults_the_first_cause_is_named(faults, code):
    report = check(type("Both", faults, {}))

    assert report.finding.code == code


def test_a_layer_that_changes_settings_leaves_no_trace():
    class Meddles(mha.MultiHeadAttention):
        def forward(self, x):
            torch.set_default_dtype(torch.float64)
            torch.use_deterministic_algorithms(True)
            torch.manual_seed(torch.randint(9, (1,)).item())
            random.seed(1)
            torch.set_grad_enabled(False)
            return super().forward(x)

    before = torch.get_rng_state(), random.getstate()

    check(Meddles)

    assert torch.equal(torch.get_rng_state(), before[0])
    assert random.getstate() == before[1]
    assert torch.get_default_dtype() == torch.float32
    assert torch.is_grad_enabled()
    assert not torch.are_deterministic_algorithms_enabled()


@pytest.mark.parametrize("mode", [torch.no_grad, torch.inference_mode])
def test_the_callers_grad_mode_makes_no_difference(mode):
    with mode():
        report = check(mha.MultiHeadAttention)

    assert report.status == "right"


def test_random_numbers_that_are_not_used_are_no_fault():
    class Reads(mha.MultiHeadAttention):
        def forward(self, x):
            torch.rand(1)
            return super().forward(x)

    assert check(Reads).status == "right"


def raising(error):
    class Raises(mha.MultiHeadAttention):
        def forward(self, x):
            raise error

    return Raises


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (KeyError("x"), "wrong"),
        (RecursionError(), "wrong"),
        (NotImplementedError("merge the heads"), "unfinished"),
        (SystemExit(3), "unjudged"),
    ],
)
def test_a_layer_that_raises_is_judged(error, status):
    assert check(raising(error)).status == status


def test_what_is_no_layer_is_not_judged():
    for thing in 3, None, int, mha.check:
        report = check(thing)

        assert report.status == "unjudged"
        assert report.note.startswith("A layer must be a class of nn.Module, got ")


def test_another_constructor_is_told_what_is_passed():
    class Other(nn.Module):
        def __init__(self, embed_dim, num_heads):
            super().__init__()

    report = check(Other)

    assert report.status == "unjudged"
    assert (
        "d_in=10, context_length=7, dropout=0.0, d_out=12, num_heads=3" in report.note
    )


def test_a_layer_that_returns_nothing_is_unfinished():
    class Empty(mha.MultiHeadAttention):
        def forward(self, x):
            pass

    assert check(Empty).note == "Not finished yet: forward returns nothing yet"


def test_a_layer_is_judged_in_time():
    check(mha.MultiHeadAttention)  # fills what is kept between two judgements
    start = time.process_time()

    check(mha.MultiHeadAttention)

    assert time.process_time() - start < 1


def test_importing_the_checker_does_not_import_the_compiler():
    code = "import sys, mha.checker\nassert 'torch._dynamo' not in sys.modules"

    done = subprocess.run([sys.executable, "-c", code], capture_output=True)

    assert done.returncode == 0, done.stderr.decode()
