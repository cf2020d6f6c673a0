"""Every error of the layers: the rule first, then what came."""

import pytest
import torch
from cases import ARGUMENTS, GLUED, HAS_HEADS, make, says, texts

from mha import GroupedQueryAttention


@pytest.mark.parametrize("size", [0, -1, -21])
@pytest.mark.parametrize("name", ["d_in", "d_out", "context_length"])
def test_sizes_are_at_least_one(layer_class, name, size):
    sizes = ARGUMENTS[layer_class] | {name: size}
    message = (
        "d_in, d_out and context_length must be at least 1, got "
        "d_in={d_in}, d_out={d_out} and context_length={context_length}"
    )
    if layer_class in GLUED:
        message = (
            "d_in, d_out, context_length and num_heads must be at least 1, got d_in="
            "{d_in}, d_out={d_out}, context_length={context_length} and num_heads=3"
        )
    if layer_class is GroupedQueryAttention:
        message = (
            "d_in, d_out, context_length, num_heads and num_kv_heads must be at least "
            "1, got d_in={d_in}, d_out={d_out}, context_length={context_length}, "
            "num_heads=6 and num_kv_heads=3"
        )

    with says(message.format(**sizes)):
        layer_class(**sizes)


@pytest.mark.parametrize("num_heads", [0, -1, -3])
@pytest.mark.parametrize("layer_class", HAS_HEADS)
def test_there_is_at_least_one_head(layer_class, num_heads):
    message = f"num_heads must be at least 1, got {num_heads=}"
    if layer_class in GLUED:
        message = (
            "d_in, d_out, context_length and num_heads must be at least 1, "
            f"got d_in=4, d_out=21, context_length=11 and {num_heads=}"
        )
    if layer_class is GroupedQueryAttention:
        message = (
            "d_in, d_out, context_length, num_heads and num_kv_heads must be at least "
            f"1, got d_in=4, d_out=42, context_length=11, {num_heads=} and "
            "num_kv_heads=3"
        )

    with says(message):
        make(layer_class, num_heads=num_heads)


@pytest.mark.parametrize(("d_out", "num_heads"), [(10, 4), (21, 2), (3, 21)])
@pytest.mark.parametrize("layer_class", [*GLUED, GroupedQueryAttention])
def test_d_out_is_divisible_by_num_heads(layer_class, d_out, num_heads):
    with says(f"d_out must be divisible by num_heads, got {d_out=} and {num_heads=}"):
        make(layer_class, d_out=d_out, num_heads=num_heads)


@pytest.mark.parametrize("dropout", [-0.1, 1.001, 1.5, 2, float("nan")])
def test_dropout_is_a_probability(layer_class, dropout):
    with says(f"dropout must be between 0 and 1, got {dropout=}"):
        make(layer_class, dropout=dropout)


@pytest.mark.parametrize("dropout", [0, 1, 0.0, 1.0])
def test_dropout_may_be_none_or_all(layer_class, dropout):
    assert torch.nn.Dropout in map(type, make(layer_class, dropout=dropout).modules())


def test_every_size_may_be_one(layer_class):
    ones = dict.fromkeys(ARGUMENTS[layer_class].keys() - {"dropout"}, 1)
    layer = make(layer_class, **ones)

    assert layer(torch.ones(1, 1, 1, dtype=torch.float64)).shape == (1, 1, 1)


SHAPES = {
    "a word": (4,),
    "a text without a batch": (5, 4),
    "one axis too many": (2, 3, 5, 4),
    "a number": (),
    "too narrow": (2, 5, 3),
    "too wide": (2, 5, 5),
    "axes swapped": (2, 4, 5),
    "no texts": (0, 5, 4),
    "no tokens": (2, 0, 4),
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES.keys())
def test_x_has_three_axes_the_right_width_and_something_in_it(
    layer_class, device, shape
):
    layer = make(layer_class, device)
    x = torch.zeros(shape, dtype=torch.float64, device=device)

    with says(f"x must be (b, num_tokens, d_in=4) and not empty, got {shape}"):
        layer(x)


@pytest.mark.parametrize("num_tokens", [12, 100])
def test_a_text_is_not_longer_than_context_length(layer_class, num_tokens):
    layer = make(layer_class)

    with says(
        "num_tokens must be at most context_length, "
        f"got {num_tokens=} and context_length=11"
    ):
        layer(texts(num_tokens=num_tokens))


def test_a_mask_for_one_token_does_not_hide_from_two(layer_class):
    layer = make(layer_class, context_length=1)

    with says(
        "num_tokens must be at most context_length, "
        "got num_tokens=2 and context_length=1"
    ):
        layer(texts(num_tokens=2))
