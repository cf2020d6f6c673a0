"""Sizes that all differ, so that a swapped axis shows, and what tests do with them."""

import re

import pytest
import torch

from mha import (
    CausalAttention,
    GroupedQueryAttention,
    MultiHeadAttention,
    MultiHeadAttentionWrapper,
    SDPAMultiHeadAttention,
)

SIZES = {
    "b": 2,
    "num_tokens": 5,
    "num_heads": 3,
    "head_dim": 7,
    "d_in": 4,
    "context_length": 11,
}
GROUPED_SIZES = SIZES | {"num_heads": 6, "num_kv_heads": 3}
ONE_HEAD = {"d_in": 4, "d_out": 7, "context_length": 11, "dropout": 0.0}
ALL_HEADS = {
    "d_in": 4,
    "d_out": 21,
    "context_length": 11,
    "dropout": 0.0,
    "num_heads": 3,
}
GROUPS = ALL_HEADS | {"d_out": 42, "num_heads": 6, "num_kv_heads": 3}
GROUPINGS = pytest.mark.parametrize("num_kv_heads", [1, 2, 3, 6])
ARGUMENTS = {
    CausalAttention: ONE_HEAD,
    MultiHeadAttentionWrapper: ONE_HEAD | {"num_heads": 3},
    MultiHeadAttention: ALL_HEADS,
    SDPAMultiHeadAttention: ALL_HEADS,
    GroupedQueryAttention: GROUPS,
}
GLUED = [MultiHeadAttention, SDPAMultiHeadAttention]
HAS_HEADS = [MultiHeadAttentionWrapper, *GLUED, GroupedQueryAttention]
WIDTH_OUT = {
    CausalAttention: 7,
    MultiHeadAttentionWrapper: 21,
    MultiHeadAttention: 21,
    SDPAMultiHeadAttention: 21,
    GroupedQueryAttention: 42,
}
INPUTS = [
    [0.43, 0.15, 0.89],  # Your
    [0.55, 0.87, 0.66],  # journey
    [0.57, 0.85, 0.64],  # starts
    [0.22, 0.58, 0.33],  # with
    [0.77, 0.25, 0.10],  # one
    [0.05, 0.80, 0.55],  # step
]


def cuda_or_skip(available: bool, required: bool) -> None:
    """Skip where there is no GPU; fail instead where one is required."""
    if not available and required:
        pytest.fail("MHA_REQUIRE_CUDA=1 asks for a GPU, but torch sees none")
    if not available:
        pytest.skip("torch sees no GPU")


def make(layer_class, device="cpu", **changes):
    """A layer in float64 with the sizes above; changes replace its arguments."""
    return layer_class(**(ARGUMENTS[layer_class] | changes)).double().to(device)


def texts(device="cpu", **changes):
    """Random texts in float64 with the sizes above."""
    sizes = SIZES | changes
    shape = sizes["b"], sizes["num_tokens"], sizes["d_in"]
    return torch.randn(shape, dtype=torch.float64).to(device)


def gradients(layer, x, context_vec, upstream):
    """Gradients of the input, then of every parameter."""
    wanted = [x, *layer.parameters()]
    return torch.autograd.grad(context_vec, wanted, upstream)


def says(message):
    """Expect a ValueError with exactly this message."""
    return pytest.raises(ValueError, match=rf"^{re.escape(message)}\Z")
