"""Figures that the textbook and its notebooks print, and what they imply."""

import pytest
import torch
from cases import INPUTS
from torch.testing import assert_close

from mha import CausalAttention, MultiHeadAttention, MultiHeadAttentionWrapper
from mha.sdpa import SDPAMultiHeadAttention

HEAD_1 = [
    [-0.4519, 0.2216],
    [-0.5874, 0.0058],
    [-0.6300, -0.0632],
    [-0.5675, -0.0843],
    [-0.5526, -0.0981],
    [-0.5299, -0.1081],
]
HEAD_2 = [
    [0.4772, 0.1063],
    [0.5891, 0.3257],
    [0.6202, 0.3860],
    [0.5478, 0.3589],
    [0.5321, 0.3428],
    [0.5077, 0.3493],
]
FUSED = [
    [0.3190, 0.4858],
    [0.2943, 0.3897],
    [0.2856, 0.3593],
    [0.2693, 0.3873],
    [0.2639, 0.3928],
    [0.2575, 0.4028],
]
STACKED = [row_1 + row_2 for row_1, row_2 in zip(HEAD_1, HEAD_2)]


@pytest.mark.parametrize(
    ("layer_class", "num_heads", "published"),
    [
        (CausalAttention, {}, HEAD_1),
        (MultiHeadAttentionWrapper, {"num_heads": 2}, STACKED),
        (MultiHeadAttention, {"num_heads": 2}, FUSED),
        (SDPAMultiHeadAttention, {"num_heads": 2}, FUSED),
    ],
)
def test_seed_123_gives_the_published_numbers(
    layer_class, num_heads, published, device
):
    layer = layer_class(3, 2, 6, 0.0, **num_heads).to(device)
    batch = torch.tensor([INPUTS, INPUTS], device=device)

    context_vecs = layer(batch)

    expected = torch.tensor([published, published], device=device)
    # Half a unit of the fourth digit that is printed, and float32's own rounding.
    assert_close(context_vecs, expected, atol=0.51e-4, rtol=0)


@pytest.mark.parametrize(
    "layer_class", [MultiHeadAttention, SDPAMultiHeadAttention], ids=["fused", "sdpa"]
)
def test_gpt_2_sizes_have_the_published_number_of_parameters(layer_class):
    with torch.device("meta"):
        layer = layer_class(768, 768, 1024, 0.0, 12)

    assert sum(parameter.numel() for parameter in layer.parameters()) == 2_360_064
    assert 4 * 768 * 768 + 768 == 2_360_064


def test_first_context_vec_is_the_first_value():
    head = CausalAttention(3, 2, 6, 0.0).double()
    x = torch.tensor([INPUTS], dtype=torch.float64)

    assert_close(head(x)[:, 0], head.W_value(x)[:, 0])


def test_last_context_vec_needs_no_mask():
    head = CausalAttention(3, 2, 6, 0.0).double()
    x = torch.tensor([INPUTS], dtype=torch.float64)
    scores = head.W_query(x) @ head.W_key(x).mT / 2**0.5
    unmasked = torch.softmax(scores, dim=-1) @ head.W_value(x)

    assert_close(head(x)[:, -1], unmasked[:, -1])


def test_first_columns_of_stacked_heads_are_one_head_of_the_same_seed():
    x = torch.tensor([INPUTS])
    torch.manual_seed(5)
    head = CausalAttention(3, 2, 6, 0.0)
    torch.manual_seed(5)
    stacked = MultiHeadAttentionWrapper(3, 2, 6, 0.0, num_heads=2)

    assert torch.equal(stacked(x)[:, :, :2], head(x))
