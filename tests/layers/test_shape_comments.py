import runpy
import sys
from pathlib import Path

import pytest
from cases import GROUPED_SIZES, SIZES, make, texts
from shape_comments import broken_promises, promises

from mha import (
    CausalAttention,
    GroupedQueryAttention,
    MultiHeadAttention,
    MultiHeadAttentionWrapper,
    SDPAMultiHeadAttention,
    causal,
    examples,
    fused,
    grouped,
    sdpa,
    stacked,
)


@pytest.mark.parametrize(
    ("module", "layer_class", "d_out", "at_least"),
    [
        (causal, CausalAttention, 7, 6),
        (stacked, MultiHeadAttentionWrapper, 7, 0),
        (fused, MultiHeadAttention, 21, 11),
        (sdpa, SDPAMultiHeadAttention, 21, 5),
    ],
    ids=["causal", "stacked", "fused", "sdpa"],
)
def test_shape_comments_are_true(module, layer_class, d_out, at_least):
    layer, x, sizes = make(layer_class), texts(), SIZES | {"d_out": d_out}
    made = promises(Path(module.__file__).read_text(encoding="utf-8"), sizes)

    assert broken_promises(module.__file__, lambda: layer(x), sizes) == []
    assert len(made) >= at_least


def test_shape_comments_of_the_grouped_layer_are_true():
    sizes = GROUPED_SIZES | {"d_out": 42, "num_new": 2, "num_tokens": 5}
    layer, x = make(GroupedQueryAttention), texts()
    _, cache = layer.extend(x[:, :3], layer.empty_cache(b=2))
    made = promises(Path(grouped.__file__).read_text(encoding="utf-8"), sizes)

    broken = broken_promises(
        grouped.__file__, lambda: layer.extend(x[:, 3:], cache), sizes
    )

    assert broken == []
    assert len(made) >= 13


EXAMPLES = Path(examples.__file__).parent
EXAMPLE_SIZES = {
    "first_steps.py": {"b": 2, "num_tokens": 5, "d_in": 768},
    "grouped_walk.py": {
        "b": 2,
        "num_tokens": 6,
        "d_in": 3,
        "d_out": 20,
        "num_heads": 4,
        "num_kv_heads": 2,
        "head_dim": 5,
    },
    "influence.py": {"b": 1, "num_tokens": 6, "d_in": 3},
    "sum_of_heads.py": {"b": 2, "num_tokens": 6, "d_out": 20},
    "walk.py": {
        "b": 2,
        "num_tokens": 6,
        "d_in": 3,
        "d_out": 20,
        "num_heads": 4,
        "head_dim": 5,
    },
}


@pytest.mark.parametrize("name", EXAMPLE_SIZES)
def test_shape_comments_of_examples_are_true(name):
    path, sizes = EXAMPLES / name, EXAMPLE_SIZES[name]

    assert broken_promises(path, lambda: runpy.run_path(str(path)), sizes) == []


def test_every_example_with_a_shape_comment_is_in_the_table():
    sizes = GROUPED_SIZES | {"d_out": 42}
    promising = [
        path.name
        for path in sorted(EXAMPLES.glob("*.py"))
        if promises(path.read_text(encoding="utf-8"), sizes)
    ]

    missing = {*promising} - {*EXAMPLE_SIZES}
    assert missing == set(), "say in EXAMPLE_SIZES how large their axes are"
    assert {*EXAMPLE_SIZES} - {*promising} == set(), "no comment there has a shape"


EXAMPLE = """\
import torch

def forward(x):
    queries = x.transpose(1, 2)  # (b, d_in, num_tokens): turned, see (1)
    both = torch.cat(
        [part for part in (x, x)],
        dim=2,
    )  # (b, num_tokens, 2 * d_in)
    # Two of one shape, (b, num_tokens, d_in).
    same = x + 0
    # a reason
    other = x[
        :
    ]

    number = 3  # no shape (or so)
    first, x.last = x[0], x[0]  # (num_tokens, d_in)
    row = both[0, 0]  # (b, num_tokens, 2 * d_in) -> (2 * d_in,)
    return [
        part for part in [queries]
    ][0]  # (b, d_in, num_tokens)
"""


def run_example(tmp_path, source):
    """Broken promises of a module that is written, then run on a text."""
    path = tmp_path / "example.py"
    path.write_text(source, encoding="utf-8")
    forward = runpy.run_path(str(path))["forward"]
    return broken_promises(path, lambda: forward(texts()), SIZES)


def test_every_way_to_promise_a_shape_is_read():
    made = promises(EXAMPLE, SIZES)

    assert [(promise.last, promise.names, promise.shape) for promise in made] == [
        (4, ("queries",), (2, 4, 5)),
        (8, ("both",), (2, 5, 8)),
        (10, ("same",), (2, 5, 4)),
        (14, ("other",), (2, 5, 4)),
        (17, ("first", "x.last"), (5, 4)),
        (18, ("row",), (8,)),
        (21, ("return",), (2, 4, 5)),
    ]


def test_true_promises_are_kept(tmp_path):
    assert run_example(tmp_path, EXAMPLE) == []


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("(b, d_in, num_tokens):", "(b, num_tokens, d_in):", "4: queries must be"),
        ("(b, num_tokens, 2 * d_in)\n", "(b, num_tokens, d_in)\n", "8: both must be"),
        ("shape, (b, num_tokens, d_in)", "shape, (b, d_in)", "10: same must be"),
        ("shape, (b, num_tokens, d_in)", "shape, (b, d_in)", "14: other must be"),
        ("(num_tokens, d_in)\n", "(d_in, num_tokens)\n", "17: x.last must be"),
        ("-> (2 * d_in,)", "-> (d_in,)", "18: row must be"),
        ("[0]  # (b, d_in, num_tokens)", "[0]  # (b, d_in)", "21: return must be"),
        (
            "number = 3  # no shape (or so)",
            "number = 3  # (b, d_in)",
            "16: number must",
        ),
    ],
)
def test_a_wrong_shape_comment_is_found(tmp_path, right, wrong, message):
    assert EXAMPLE.count(right) == 1

    broken = run_example(tmp_path, EXAMPLE.replace(right, wrong))

    assert any(message in each for each in broken), broken


def test_a_broken_promise_says_where_and_what(tmp_path):
    source = "def forward(x):\n    y = x  # (b, d_in)\n"

    assert run_example(tmp_path, source) == [
        "example.py:2: y must be (2, 4), as its comment says, got (2, 5, 4)"
    ]


def test_a_promise_that_never_runs_is_found(tmp_path):
    source = "def forward(x):\n    if x is None:\n        x = 3  # (b, num_tokens)\n"

    assert run_example(tmp_path, source) == [
        "example.py:3: the line of a shape comment must run, but never did"
    ]


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("y = x  # (b, hed_dim)\n", "axes must be known, got '# .b, hed_dim.'"),
        ("y = x  # (n, m)\n", "axes must be known, got '# .n, m.'"),
        ("y = x  # (b, d_in) or (d_in, b)\n", "must promise one shape"),
        ("f(x)  # (b, d_in)\n", "must follow what is assigned or returned, got line 1"),
        ("# (b, d_in)\n\ny = x\n", "must follow what is assigned or returned"),
        ("y = f(\n    x,  # (b, d_in)\n)\n", "got line 2: # .b, d_in."),
    ],
)
def test_a_comment_that_cannot_be_checked_is_an_error(source, message):
    with pytest.raises(ValueError, match=message):
        promises(source, SIZES)


def test_module_level_lines_are_checked_too(tmp_path):
    path = tmp_path / "walk.py"
    path.write_text("import torch\nx = torch.ones(2, 5)  # (b, d_in)\n", "utf-8")

    broken = broken_promises(path, lambda: runpy.run_path(str(path)), SIZES)

    assert broken == ["walk.py:2: x must be (2, 4), as its comment says, got (2, 5)"]


def test_the_tracer_that_was_there_comes_back(tmp_path):
    path = tmp_path / "empty.py"
    path.write_text("", encoding="utf-8")
    before = sys.gettrace()

    with pytest.raises(ZeroDivisionError):
        broken_promises(path, lambda: 1 / 0, SIZES)

    assert sys.gettrace() is before
