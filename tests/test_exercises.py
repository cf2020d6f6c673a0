"""Starters lead from step to step, solutions are right, and slips get their names."""

import importlib
import re
from pathlib import Path
from types import ModuleType

import pytest
import torch
from layers.shape_comments import broken_promises
from torch.testing import assert_close

import mha
from mha import check

ROOT = Path(mha.__file__).parent / "exercises"
STEP = re.compile(r"( *# (\d+)\. .+\n)((?:.+\n)+)")  # its comment, number and body
CLASSES = {
    "causal": "CausalAttention",
    "stacked": "MultiHeadAttentionWrapper",
    "fused": "MultiHeadAttention",
    "grouped": "GroupedQueryAttention",
}
STEPS = {"causal": 10, "stacked": 3, "fused": 13, "grouped": 4}
HEADS = {"causal": (), "stacked": (4,), "fused": (4,), "grouped": (4, 2)}
HEAD = "CausalAttention(d_in, d_out, context_length, dropout, qkv_bias)"
PLACES = [(form, done) for form in STEPS for done in range(STEPS[form])]


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    """Layers are so small that threads cost more than they save."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def source(name: str) -> str:
    return (ROOT / f"{name}.py").read_text("utf-8")


def split(name: str) -> tuple[str, str]:
    """A file before the class of its exercise, and from there on."""
    text = source(name)
    start = text.index(f"class {CLASSES[name.rpartition('/')[2]]}(")
    return text[:start], text[start:]


def bodies(name: str) -> list[str]:
    return [step[3] for step in STEP.finditer(split(name)[1])]


def begun(form: str, done: int) -> str:
    """A starter whose first steps are those of the solution."""
    before, text = split(form)
    answers = iter(bodies(f"solutions/{form}")[:done])
    return before + STEP.sub(lambda step: step[1] + next(answers, step[3]), text)


def layer_in(text: str, form: str) -> type[torch.nn.Module]:
    module = ModuleType("my_attention")
    exec(compile(text, "my_attention.py", "exec"), vars(module))
    return getattr(module, CLASSES[form])


def slipped(form: str, slip: str) -> str:
    """The solution with one slip, written as `right -> wrong`."""
    before, text = split(f"solutions/{form}")
    right, _, wrong = slip.partition(" -> ")
    assert text.count(right) == 1, slip
    return before + text.replace(right, wrong)


@pytest.mark.parametrize("form", CLASSES)
def test_a_solution_is_its_starter_with_the_steps_filled_in(form):
    starter, solution = split(form)[1], split(f"solutions/{form}")[1]

    assert STEP.sub(r"\1", starter) == STEP.sub(r"\1", solution)
    assert begun(form, STEPS[form]).endswith(solution)
    assert "todo" not in source(f"solutions/{form}")


def test_the_head_of_the_list_of_heads_is_the_head_of_exercise_1():
    head = split("solutions/causal")[1]

    assert head in source("stacked")
    assert head in source("solutions/stacked")


@pytest.mark.parametrize("form", CLASSES)
def test_a_starter_is_not_finished(form):
    module = importlib.import_module(f"mha.exercises.{form}")

    report = check(getattr(module, CLASSES[form]))

    assert (report.status, report.form) == ("unfinished", form)
    assert report.note.startswith(f"Not finished yet: step 1 of {STEPS[form]}, ")


@pytest.mark.parametrize(("form", "done"), PLACES)
def test_the_check_leads_from_step_to_step(form, done):
    report = check(layer_in(begun(form, done), form))

    first, second = report.note.splitlines()
    assert (report.status, report.form, report.finding) == ("unfinished", form, None)
    assert first.startswith(f"Not finished yet: step {done + 1} of {STEPS[form]}, ")
    assert first.endswith(".")
    assert second.startswith("  ask       ")
    assert second.endswith("?")


@pytest.mark.parametrize("form", CLASSES)
def test_a_solution_is_right(form):
    module = importlib.import_module(f"mha.exercises.solutions.{form}")

    report = check(getattr(module, CLASSES[form]))

    assert (report.status, report.form) == ("right", form)


@pytest.mark.parametrize("form", CLASSES)
def test_a_starter_holds_its_steps_in_order(form, monkeypatch):
    module, seen = importlib.import_module(f"mha.exercises.{form}"), []
    monkeypatch.setattr(module, "todo", lambda step, ask: seen.append(step))

    layer = getattr(module, CLASSES[form])(6, 8, 5, 0.0, *HEADS[form])
    layer(torch.rand(2, 5, 6))

    numbers = [int(step.split()[1]) for step in seen]
    assert numbers == list(range(1, STEPS[form] + 1))


@pytest.mark.parametrize("form", CLASSES)
def test_a_solution_computes_what_the_chapter_does(form):
    module = importlib.import_module(f"mha.exercises.solutions.{form}")
    arguments = [6, 8, 5, 0.0, *HEADS[form]]
    ours = getattr(mha, CLASSES[form])(*arguments).double()
    layer = getattr(module, CLASSES[form])(*arguments).double()
    x = torch.rand(2, 5, 6, dtype=torch.float64)

    layer.load_state_dict(ours.state_dict(), strict=True)

    assert_close(layer(x), ours(x))  # the chapter scales queries, a learner scores


@pytest.mark.parametrize("form", CLASSES)
def test_the_shape_comments_of_a_solution_are_true(form):
    module = importlib.import_module(f"mha.exercises.solutions.{form}")
    sizes = {"b": 2, "num_tokens": 5, "d_in": 6, "d_out": 21}
    sizes |= {"num_heads": 3, "num_kv_heads": 1, "head_dim": 7}
    heads = [3, 1][: len(HEADS[form])]
    layer = getattr(module, CLASSES[form])(6, 21, 8, 0.0, *heads)
    x = torch.rand(2, 5, 6)

    assert broken_promises(module.__file__, lambda: layer(x), sizes) == []


@pytest.mark.parametrize("form", CLASSES)
def test_a_solution_refuses_a_text_that_is_too_long(form):
    module = importlib.import_module(f"mha.exercises.solutions.{form}")
    layer = getattr(module, CLASSES[form])(6, 8, 5, 0.0, *HEADS[form])

    with pytest.raises(ValueError, match="num_tokens=7 and context_length=5"):
        layer(torch.rand(2, 7, 6))


def test_the_head_of_the_second_starter_works():
    module = importlib.import_module("mha.exercises.stacked")
    head, x = module.CausalAttention(6, 8, 5, 0.0), torch.rand(2, 5, 6)

    assert head(x).shape == (2, 5, 8)
    with pytest.raises(ValueError, match="num_tokens=7 and context_length=5"):
        head(torch.rand(2, 7, 6))


@torch.no_grad()
def test_what_the_grouped_starter_gives_works(monkeypatch):
    starter = importlib.import_module("mha.exercises.grouped")
    monkeypatch.setattr(starter, "todo", lambda step, ask: None)
    layer = starter.GroupedQueryAttention(6, 8, 5, 0.0, 4, 2)
    solution = importlib.import_module("mha.exercises.solutions.grouped")
    finished = solution.GroupedQueryAttention(6, 8, 5, 0.0, 4, 2)
    layer.out_proj = finished.out_proj
    parts = torch.rand(3, 2, 4, 5, 2)

    assert torch.equal(layer.attend(*parts), finished.attend(*parts))
    with pytest.raises(ValueError, match="num_tokens=7 and context_length=5"):
        layer(torch.rand(2, 7, 6))


def test_a_grouped_layer_refuses_heads_that_cannot_share():
    starter = importlib.import_module("mha.exercises.grouped")
    solution = importlib.import_module("mha.exercises.solutions.grouped")

    for module in starter, solution:
        with pytest.raises(ValueError, match="got d_out=8 and num_heads=3"):
            module.GroupedQueryAttention(6, 8, 5, 0.0, 3, 1)
    with pytest.raises(ValueError, match="got num_heads=4 and num_kv_heads=3"):
        solution.GroupedQueryAttention(6, 8, 5, 0.0, 4, 3)


def test_a_solution_refuses_heads_that_cannot_share():
    module = importlib.import_module("mha.exercises.solutions.fused")

    with pytest.raises(ValueError, match="got d_out=8 and num_heads=3"):
        module.MultiHeadAttention(6, 8, 5, 0.0, num_heads=3)


@pytest.mark.parametrize(
    ("slip", "code"),
    [
        ("self.W_value(x) -> self.W_key(x)", "values-from-keys"),
        ("queries @ keys -> keys @ queries", "queries-and-keys-swapped"),
        ("diagonal=1 -> diagonal=0", "mask-hides-itself"),
        ("torch.triu(ones, diagonal=1) -> torch.tril(ones)", "mask-keeps-hidden"),
        ("[:num_tokens, :num_tokens] -> ", "mask-not-cut"),
        ("-torch.inf -> 0.0", "mask-fills-zero"),
        ('self.register_buffer("mask",  -> self.mask = (', "mask-not-a-buffer"),
        ("dim=-1 -> dim=1", "softmax-over-queries"),
        ("self.d_out**0.5 -> self.d_out", "scale-without-root"),
        ("self.dropout(attn_weights) -> attn_weights", "dropout-never"),
        (
            "num_tokens = x. -> "
            "x = x[:, : self.context_length]\n        num_tokens = x.",
            "too-long-accepted",
        ),
        ("attn_weights @ values -> attn_weights.mT @ values", "weights-transposed"),
    ],
)
def test_a_slip_in_one_head_gets_its_name(slip, code):
    report = check(layer_in(slipped("causal", slip), "causal"))

    assert (report.status, report.finding.code) == ("wrong", code)


@pytest.mark.parametrize(
    ("slip", "code"),
    [
        ("nn.ModuleList( -> list(", "weights-not-registered"),
        ("dropout, qkv_bias) -> dropout)", "bias-never"),
        ("dropout, qkv_bias) -> 0.0, qkv_bias)", "dropout-never"),
        ("context_length, dropout, q -> d_out, dropout, q", "mask-of-another-size"),
        ("dim=-1 -> dim=1", "returns-another-shape"),
        ("torch.cat(context_vecs, dim=-1) -> context_vecs", "returns-no-tensor"),
        (
            "torch.cat(context_vecs, dim=-1) -> torch.stack(context_vecs, dim=-1)",
            "returns-another-shape",
        ),
        (
            "torch.cat(context_vecs, dim=-1) -> sum(context_vecs)",
            "returns-another-shape",
        ),
        (
            f"{HEAD}\n            for _ in range(num_heads) -> num_heads * [{HEAD}]",
            "too-few-weights",
        ),
    ],
)
def test_a_slip_in_the_list_of_heads_gets_its_name(slip, code):
    report = check(layer_in(slipped("stacked", slip), "stacked"))

    assert (report.status, report.finding.code) == ("wrong", code)


@pytest.mark.parametrize(
    ("slip", "code"),
    [
        ("queries = queries.transpose(1, 2)\n -> \n", "forward-raises"),
        ("self.head_dim**0.5 -> self.d_out**0.5", "scale-by-d-out"),
        ("self.head_dim**0.5 -> self.num_heads**0.5", "scale-by-num-heads"),
        ("dim=-1 -> dim=1", "softmax-over-heads"),
        (
            "context_vec.transpose(1, 2).contig -> context_vec.contig",
            "merge-without-transpose",
        ),
        ("self.out_proj(context_vec) -> context_vec", "out-proj-missing"),
        (
            "self.out_proj(context_vec) -> self.out_proj(context_vec) + x",
            "residual-inside",
        ),
        ("nn.Linear(d_out, d_out) -> nn.Linear(d_in, d_out)", "widths-mixed-up"),
        (".view(b, num_tokens, -1) -> .view(2, num_tokens, -1)", "batch-fixed"),
        ("attn_weights = self.dropout(attn_weights)\n -> \n", "dropout-never"),
        ("-torch.inf -> -1e9", "mask-overflows-half"),
    ],
)
def test_a_slip_in_the_fused_layer_gets_its_name(slip, code):
    report = check(layer_in(slipped("fused", slip), "fused"))

    assert (report.status, report.finding.code) == ("wrong", code)


@pytest.mark.parametrize(
    ("slip", "code"),
    [
        (
            "keys = keys.repeat_interleave(group_size, dim=1) -> "
            "keys = keys.repeat(1, group_size, 1, 1)",
            "groups-repeated-in-turn",
        ),
        (
            "values = values.repeat_interleave(group_size, dim=1) -> "
            "values = values.repeat(1, group_size, 1, 1)",
            "groups-repeated-in-turn",
        ),
        (
            "kv_width = num_kv_heads * self.head_dim -> "
            "kv_width, self.num_kv_heads = d_out, num_heads",
            "too-many-weights",
        ),
        ("queries = queries.transpose(1, 2) -> ", "forward-raises"),
    ],
)
def test_a_slip_in_the_grouped_layer_gets_its_name(slip, code):
    report = check(layer_in(slipped("grouped", slip), "grouped"))

    assert (report.status, report.finding.code) == ("wrong", code)
