"""The benchmark: equal forms, true costs, and a row for what could not be measured."""

import math
from contextlib import contextmanager
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch import nn
from torch.nn.attention.flex_attention import flex_attention
from torch.testing import assert_close

from mha import measured
from mha.bench import (
    PRODUCT,
    REFERENCE,
    TOKENS,
    Group,
    Plan,
    Results,
    Row,
    Setting,
    cost,
    full_plan,
    ratio,
    read,
    records,
    run,
    spread,
    ticks,
    write,
)
from mha.bench import rounds as running
from mha.bench.forms import FORMS, Builtin, FastPath
from mha.sdpa import SDPAMultiHeadAttention

PLAN = Plan("cpu", ("float32",), ((24, 3),), (5, 7), 2, False)
SETTING = Setting("cpu", "float32", 24, 3, 7, False)


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(running, "SIDE", {"cpu": 64})
    monkeypatch.setattr(cost, "BLOCK", 0.001)
    running.needed.cache_clear()
    running.compile_error.cache_clear()


def groups(plan: Plan) -> list[Group]:
    return list(run(plan, lambda name: None))


# Forms


def layer(context_length: int = 7) -> SDPAMultiHeadAttention:
    torch.manual_seed(123)
    made = SDPAMultiHeadAttention(24, 24, context_length, 0.0, 3, qkv_bias=True)
    return made.double().eval()


@pytest.mark.parametrize(
    "form", sorted(set(FORMS) - {"FlexAttention"})
)  # see the next test
@pytest.mark.parametrize("num_tokens", [7, 5])
def test_all_forms_are_one_function(form: str, num_tokens: int):
    source, made = layer(), FORMS[form](layer()).double().eval()
    x = torch.randn(2, num_tokens, 24, dtype=torch.float64)
    too = x.clone()

    out, wanted = made(x.requires_grad_()), source(too.requires_grad_())
    out.square().sum().backward()
    wanted.square().sum().backward()

    assert_close(out, wanted)
    assert_close(x.grad, too.grad)


@pytest.mark.filterwarnings("ignore:.*torch.jit.script_method", "ignore:flex_attention")
@torch.no_grad()
def test_flex_attention_is_the_same_function_forward():
    source, made = layer().float(), FORMS["FlexAttention"](layer().float())
    made.attend = flex_attention  # without a compiler, of which it warns
    x = torch.randn(2, 5, 24)

    for text in x, x[:, :4], x:  # the mask of a length is made once
        assert_close(made(text), source(text))


@pytest.mark.parametrize("form", [Builtin, FastPath])
@torch.no_grad()
def test_only_the_fast_path_takes_the_fast_path(form, monkeypatch):
    taken = []
    native = torch._native_multi_head_attention
    monkeypatch.setattr(
        torch,
        "_native_multi_head_attention",
        lambda *all_: taken.append(1) or native(*all_),
    )

    source = SDPAMultiHeadAttention(24, 24, 7, 0.0, 2, qkv_bias=True)  # 2 heads: even
    form(source).eval()(torch.randn(1, 7, 24))

    assert len(taken) == (form is FastPath)


def test_the_heads_of_the_stacked_form_share_a_mask():
    heads = FORMS["stacked"](layer())[0].heads

    assert len({head.mask.data_ptr() for head in heads}) == 1


# Costs


def test_memory_is_what_is_held_at_once_less_what_stays():
    def call():
        first = torch.ones(1000)  # 4,000 bytes
        second = first + 1  # and 4,000
        del first
        third = second + 1  # at the highest point two of three
        return third[:10].clone()

    assert cost.extra_bytes(call, "cpu") == 2 * 4000
    assert cost.peak_bytes(call) == 2 * 4000 + 40


def test_memory_of_the_kernel_is_linear_and_of_scores_quadratic():
    def extra(form: str, num_tokens: int) -> int:
        layers = running.Layers("cpu", "float32", 64, 4, num_tokens)
        setting = Setting("cpu", "float32", 64, 4, num_tokens, False)
        return cost.extra_bytes(layers.candidate(setting, form, False).again, "cpu")

    assert extra("sdpa", 4096) <= 4.4 * extra("sdpa", 1024)  # in blocks from 768 on
    assert extra("fused", 1024) > 12 * extra("fused", 256)


def test_operators_share_the_time():
    found = cost.operators(lambda: torch.ones(300, 300) @ torch.ones(300, 300), "cpu")

    assert "aten::mm" in {operator.name for operator in found}
    assert math.isclose(sum(operator.share for operator in found), 1)
    assert [o.share for o in found] == sorted((o.share for o in found), reverse=True)


def test_short_calls_are_repeated_and_long_ones_are_not():
    assert cost.repeats(cost.BLOCK / 10) == 10
    assert cost.repeats(10 * cost.BLOCK) == 1


def test_a_call_takes_time():
    assert cost.seconds(lambda: torch.ones(3), 2) > 0


def test_free_memory_is_at_most_all_and_unknown_elsewhere(monkeypatch):
    assert cost.free_bytes("cpu") > 0

    def missing(*_):
        raise FileNotFoundError

    monkeypatch.setattr(cost.Path, "read_text", missing)
    assert cost.free_bytes("cpu") == math.inf


def test_on_a_gpu_torch_counts_the_memory(monkeypatch):
    held = iter([100, 160])  # before the call and after it, with what it leaves
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda: next(held))
    monkeypatch.setattr(torch.cuda, "max_memory_allocated", lambda: 400)
    for name in "reset_peak_memory_stats", "synchronize":
        monkeypatch.setattr(torch.cuda, name, lambda: None)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (5, 9))

    assert cost.extra_bytes(lambda: torch.ones(1), "cuda") == (400 - 100) - (160 - 100)
    assert cost.free_bytes("cuda") == 5


def test_on_a_gpu_its_own_time_counts(monkeypatch):
    kernel = SimpleNamespace(
        key="gemm", count=2, self_device_time_total=3, self_device_memory_usage=8
    )
    launch = SimpleNamespace(
        key="launch", count=2, self_device_time_total=1, self_device_memory_usage=0
    )
    watched = []

    @contextmanager
    def profile(activities, profile_memory):
        watched.extend(activities)
        yield SimpleNamespace(key_averages=lambda: [launch, kernel])

    monkeypatch.setattr(cost, "profile", profile)

    found = cost.operators(lambda: torch.ones(1), "cuda")

    assert found == [
        cost.Operator("gemm", 2, 0.75, 8),
        cost.Operator("launch", 2, 0.25, 0),
    ]
    assert torch.profiler.ProfilerActivity.CUDA in watched


# Runs


def test_a_run_measures_every_form_at_every_setting():
    told = []

    found = list(run(PLAN, told.append))

    assert [group.setting for group in found] == [
        Setting("cpu", "float32", 24, 3, num_tokens, backward)
        for num_tokens in (5, 7)
        for backward in (False, True)
    ]
    assert len(told) == ticks(PLAN)
    assert len(found) == PLAN.sizes
    for group in found:
        assert all(len(row.times) == 2 and min(row.times) > 0 for row in group.rows)
        assert all(row.note == "" and not row.wrong for row in group.rows)
        assert group.row(REFERENCE)
        assert (group.row(PRODUCT) is None) == group.setting.backward
        profiled = {row.form for row in group.rows if row.operators}
        assert profiled == (set() if group.setting.backward else set(running.PROFILED))


def test_all_forms_get_the_same_text_and_weights():
    layers = running.Layers("cpu", "float32", 24, 3, 7)
    some = [layers.candidate(SETTING, form, False) for form in ("fused", "sdpa")]

    assert torch.equal(some[0].x, some[1].x)
    for name, weight in some[1].layer.named_parameters():
        assert torch.equal(weight, some[0].layer.get_parameter(name))


def test_a_run_leaves_torchs_seed_alone():
    torch.manual_seed(5)
    wanted = torch.rand(3)

    torch.manual_seed(5)
    running.Layers("cpu", "float32", 24, 3, 7).candidate(SETTING, "fused", False)

    assert torch.equal(torch.rand(3), wanted)


class LooksAhead(nn.Module):
    """Forgets the mask."""

    def __init__(self, source: SDPAMultiHeadAttention):
        super().__init__()
        self.layer = FORMS["fused"](source)
        self.layer.mask.zero_()

    def forward(self, x):
        return self.layer(x)


def test_a_form_that_computes_something_else_is_not_timed(monkeypatch):
    monkeypatch.setitem(FORMS, "sdpa", LooksAhead)

    for group in groups(PLAN):
        row = next(row for row in group.rows if row.form == "sdpa")
        assert row.wrong
        assert row.note == "not the same function"
        assert row.difference > 1000 * running.STEPS_APART / 10
        assert row.times == ()
        assert group.row("fused") is not None


def test_nothing_that_is_not_a_number_passes_as_equal(monkeypatch):
    nan = torch.full((3,), torch.nan)
    row = running.weighed(Row("sdpa"), SETTING, None, running.apart([nan], [nan]))

    assert row.wrong


def test_what_does_not_fit_is_said_and_the_rest_goes_on(monkeypatch):
    monkeypatch.setattr(running, "PROBES", (2, 3, 4))
    needs = running.needed(replace(SETTING, num_tokens=0), "fused", 400)
    monkeypatch.setattr(running, "free_bytes", lambda device: needs)

    found = groups(replace(PLAN, tokens=(5, 400)))

    fused = [next(r for r in group.rows if r.form == "fused") for group in found]
    assert [bool(row.times) for row in fused] == [True, True, False, False]
    assert fused[2].note.startswith("too little memory: it takes about 0.0 GB, ")
    assert all(group.row("sdpa") for group in found)


@pytest.mark.parametrize("form", ["stacked", "fused", "sdpa", "MultiheadAttention"])
@pytest.mark.parametrize("backward", [False, True])
def test_the_memory_that_a_size_needs_is_foreseen(form: str, backward: bool):
    setting = Setting("cpu", "float32", 64, 4, 1024, backward)

    foreseen = running.needed(replace(setting, num_tokens=0), form, 1024)

    made = cost.peak_bytes(lambda: running.made_and_called(setting, form))
    assert foreseen * running.MARGIN >= made
    assert foreseen <= 2 * made  # the kernel's blocks grow for short texts only


def test_a_square_is_continued_exactly():
    heights = [3 + 2 * n + 5 * n * n for n in (1, 2, 4)]

    assert running.through((1, 2, 4), heights, 10) == pytest.approx(523)


@pytest.mark.parametrize(
    ("error", "note"),
    [
        (RuntimeError("can't allocate\nmore"), "too little memory: can't allocate"),
        (RuntimeError("something else\nmore"), "something else"),
        (MemoryError(), "MemoryError"),
    ],
)
def test_an_error_is_a_note_and_the_rest_goes_on(error, note: str, monkeypatch):
    def broken(source):
        raise error

    monkeypatch.setitem(FORMS, "fused", broken)

    for group in groups(PLAN):
        assert next(row for row in group.rows if row.form == "fused").note == note
        assert group.row("sdpa") is not None


def test_without_a_compiler_the_rows_say_so(monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("no g++ here\nat all")

    monkeypatch.setattr(torch, "compile", broken)

    for group in groups(replace(PLAN, compiled=True)):
        rows = [row for row in group.rows if row.compiled]
        assert {row.note for row in rows} == {"not compiled: no g++ here"}
        assert len(rows) == len(running.COMPILED)
        assert group.row(REFERENCE) is not None


def test_compiled_forms_are_measured_too(monkeypatch):
    """With a backend that needs no compiler of C++; the layers test the compiling."""
    compiling = torch.compile
    monkeypatch.setattr(
        torch, "compile", lambda f, **how: compiling(f, **how, backend="aot_eager")
    )

    for group in groups(replace(PLAN, compiled=True, tokens=(7,), rounds=1)):
        for form in running.COMPILED:
            assert group.row(f"{form}, compiled") is not None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("tpu", (), 1, False), "device must be cpu or cuda, got 'tpu'"),
        (("cpu", (0, 8), 1, False), "at least 1, got tokens=.0, 8., rounds=1"),
        (("cpu", (8,), 0, False), "at least 1, got tokens=.8,., rounds=0"),
    ],
)
def test_a_plan_that_cannot_be_is_refused(arguments, said: str):
    with pytest.raises(ValueError, match=said):
        full_plan(*arguments)


def test_a_gpu_that_is_not_there_is_refused(monkeypatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)

    with pytest.raises(ValueError, match="must be one that torch sees, got 'cuda'"):
        full_plan("cuda", (), 1, False)


def test_a_plan_has_all_lengths_or_those_that_are_asked_for():
    assert full_plan("cpu", (), 1, False).tokens == TOKENS["cpu"]
    assert full_plan("cpu", (8, 4, 8), 1, False).tokens == (4, 8)


# Results


def test_operations_are_those_that_torch_counts():
    from torch.utils.flop_counter import FlopCounterMode

    with torch.no_grad(), FlopCounterMode(display=False) as counter:
        FORMS["fused"](layer()).double()(torch.randn(1, 7, 24, dtype=torch.float64))

    half = running.attention_operations(SETTING)
    assert running.operations(SETTING) + half == counter.get_total_flops()


def test_a_spread_is_the_middle_half():
    assert spread([5.0, 1.0, 2.0, 3.0, 4.0]) == records.Spread(2.0, 3.0, 4.0)
    assert spread([3.0]) == records.Spread(3.0, 3.0, 3.0)


def test_a_ratio_is_taken_round_by_round():
    slow_then_fast = Row("a", times=(2.0, 1.0, 0.5))
    twice_that = Row("b", times=(4.0, 2.0, 1.0))

    assert ratio(twice_that, slow_then_fast) == records.Spread(2.0, 2.0, 2.0)


def test_results_are_read_as_they_were_written(tmp_path: Path):
    results = Results({"command": "mha bench"}, True, tuple(groups(PLAN)))

    write(tmp_path / "bench.json", results)

    assert read(tmp_path / "bench.json") == results


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.pop("groups"),
        lambda data: data.update(groups=[3]),
        lambda data: data["groups"][0].pop("setting"),
        lambda data: data["groups"][0]["rows"][0].pop("form"),
        lambda data: data["groups"][0]["rows"][0].update(colour="red"),
        lambda data: data["groups"][0]["rows"][0].update(times=["soon"]),
    ],
)
def test_a_damaged_file_is_refused(change, tmp_path: Path):
    setting = asdict(SETTING)
    rows = [asdict(Row("fused", times=(1.0,)))]
    data = {
        "kind": records.KIND,
        "provenance": {},
        "complete": True,
        "groups": [{"setting": setting, "rows": rows}],
    }
    measured.write(tmp_path / "bench.json", data)
    assert read(tmp_path / "bench.json").groups[0].rows[0].median == 1.0
    change(data)
    measured.write(tmp_path / "bench.json", data)

    with pytest.raises(ValueError, match="must hold a run of this version"):
        read(tmp_path / "bench.json")


def test_lengths_grow():
    assert all(a < b for lengths in TOKENS.values() for a, b in pairwise(lengths))
