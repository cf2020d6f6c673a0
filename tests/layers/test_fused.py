import pytest
import torch
from cases import make, texts
from torch import nn
from torch.testing import assert_close

from mha import MultiHeadAttention, SDPAMultiHeadAttention, unfuse

FUSED = pytest.mark.parametrize(
    "fused_class", [MultiHeadAttention, SDPAMultiHeadAttention]
)


@FUSED
def test_submodules_are_made_in_the_contracts_order(fused_class):
    torch.manual_seed(7)
    linears = [nn.Linear(4, 21) for _ in range(3)] + [nn.Linear(21, 21)]
    torch.manual_seed(7)

    fused = fused_class(4, 21, 11, 0.0, 3, qkv_bias=True)

    ours = [fused.W_query, fused.W_key, fused.W_value, fused.out_proj]
    for linear, expected in zip(ours, linears):
        assert torch.equal(linear.weight, expected.weight)
        assert torch.equal(linear.bias, expected.bias)
    assert [name for name, _ in fused.named_children()] == [
        "W_query",
        "W_key",
        "W_value",
        "out_proj",
        "dropout",
    ]


@FUSED
def test_only_the_output_projection_has_a_bias_unless_asked_for(fused_class):
    fused = fused_class(4, 21, 11, 0.0, 3)

    assert [name for name, _ in fused.named_parameters()] == [
        "W_query.weight",
        "W_key.weight",
        "W_value.weight",
        "out_proj.weight",
        "out_proj.bias",
    ]


@FUSED
def test_attributes_that_readers_use(fused_class):
    fused = fused_class(4, 21, 11, 0.25, 3)

    assert (fused.d_in, fused.d_out, fused.context_length) == (4, 21, 11)
    assert (fused.num_heads, fused.head_dim) == (3, 7)
    assert fused.dropout.p == 0.25


def test_mask_hides_what_comes_later():
    fused = MultiHeadAttention(4, 21, 3, 0.0, 3)

    expected = torch.tensor([[0.0, 1, 1], [0, 0, 1], [0, 0, 0]])
    assert_close(fused.state_dict()["mask"], expected, atol=0, rtol=0)


def test_glue_and_project_is_a_sum_over_heads(device, qkv_bias):
    fused = make(MultiHeadAttention, device, qkv_bias=qkv_bias)
    stacked, out_proj = unfuse(fused)
    x = texts(device)

    columns = out_proj.weight.split(7, dim=1)
    parts = [head(x) @ own.T for head, own in zip(stacked.heads, columns)]

    assert_close(fused(x), sum(parts) + out_proj.bias)


@FUSED
def test_a_layer_that_holds_some_of_the_heads_still_works(device, fused_class):
    fused = make(fused_class, device, qkv_bias=True)
    stacked, out_proj = unfuse(make(MultiHeadAttention, device, qkv_bias=True))
    for name in ["W_query", "W_key", "W_value"]:
        linear = fused.get_submodule(name)
        heads = [head.get_submodule(name) for head in stacked.heads]
        linear.weight = nn.Parameter(torch.cat([head.weight for head in heads[1:]]))
        linear.bias = nn.Parameter(torch.cat([head.bias for head in heads[1:]]))
    fused.out_proj.weight = nn.Parameter(out_proj.weight[:, 7:])
    x = texts(device)

    heads_2_and_3 = torch.cat([head(x) for head in stacked.heads[1:]], dim=2)

    expected = heads_2_and_3 @ out_proj.weight[:, 7:].T + fused.out_proj.bias
    assert_close(fused(x), expected)
