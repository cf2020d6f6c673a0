import torch
from cases import make, texts
from torch import nn
from torch.testing import assert_close

from mha import CausalAttention


def test_submodules_are_made_in_the_contracts_order():
    torch.manual_seed(7)
    linears = [nn.Linear(4, 7) for _ in range(3)]
    torch.manual_seed(7)

    head = CausalAttention(4, 7, 11, 0.0, qkv_bias=True)

    for ours, theirs in zip([head.W_query, head.W_key, head.W_value], linears):
        assert torch.equal(ours.weight, theirs.weight)
        assert torch.equal(ours.bias, theirs.bias)
    assert [name for name, _ in head.named_children()] == [
        "W_query",
        "W_key",
        "W_value",
        "dropout",
    ]


def test_mask_hides_what_comes_later():
    head = CausalAttention(4, 7, 3, 0.0)

    expected = torch.tensor([[0.0, 1, 1], [0, 0, 1], [0, 0, 0]])
    assert_close(head.state_dict()["mask"], expected, atol=0, rtol=0)


def test_qkv_bias_is_off_unless_asked_for():
    head = CausalAttention(4, 7, 11, 0.0)

    assert [name for name, _ in head.named_parameters()] == [
        "W_query.weight",
        "W_key.weight",
        "W_value.weight",
    ]


def test_attributes_that_readers_use():
    head = CausalAttention(d_in=4, d_out=7, context_length=11, dropout=0.25)

    assert (head.d_in, head.d_out, head.context_length) == (4, 7, 11)
    assert head.dropout.p == 0.25


def test_scores_as_large_as_a_thousand_do_not_overflow(device):
    head = make(CausalAttention, device).half()
    with torch.no_grad():
        head.W_query.weight.mul_(100)

    assert head(texts(device).half()).isfinite().all()


def test_mask_moves_with_the_layer(device):
    head = CausalAttention(4, 7, 11, 0.0).to(device)

    assert head.mask.device.type == device
