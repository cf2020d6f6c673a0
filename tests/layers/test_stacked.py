import torch
from cases import make, texts

from mha import CausalAttention, MultiHeadAttentionWrapper


def test_stacked_is_its_heads_side_by_side(device):
    stacked = make(MultiHeadAttentionWrapper, device)
    x = texts(device)

    side_by_side = torch.cat([head(x) for head in stacked.heads], dim=2)

    assert torch.equal(stacked(x), side_by_side)


def test_heads_are_made_one_after_the_other():
    torch.manual_seed(7)
    heads = [CausalAttention(4, 7, 11, 0.0, qkv_bias=True) for _ in range(3)]
    torch.manual_seed(7)

    stacked = MultiHeadAttentionWrapper(4, 7, 11, 0.0, 3, qkv_bias=True)

    for ours, theirs in zip(stacked.heads, heads):
        for name, parameter in theirs.named_parameters():
            assert torch.equal(ours.get_parameter(name), parameter)


def test_heads_get_every_argument():
    stacked = MultiHeadAttentionWrapper(4, 7, 11, 0.25, 3, qkv_bias=True)

    for head in stacked.heads:
        assert (head.d_in, head.d_out, head.context_length) == (4, 7, 11)
        assert head.dropout.p == 0.25
        assert head.W_query.bias is not None


def test_there_is_no_output_projection_and_no_bias_unless_asked_for():
    stacked = MultiHeadAttentionWrapper(4, 7, 11, 0.0, 2)

    assert [name for name, _ in stacked.named_parameters()] == [
        "heads.0.W_query.weight",
        "heads.0.W_key.weight",
        "heads.0.W_value.weight",
        "heads.1.W_query.weight",
        "heads.1.W_key.weight",
        "heads.1.W_value.weight",
    ]


def test_attributes_that_readers_use():
    stacked = MultiHeadAttentionWrapper(4, 7, 11, 0.0, 3)

    assert (stacked.d_out, stacked.num_heads, stacked.head_dim) == (7, 3, 7)
    assert stacked.context_length == 11
