import pytest
import torch
from cases import GROUPINGS, make, says, texts
from torch.testing import assert_close

from mha import GroupedQueryAttention, MultiHeadAttention, group


def fused_of(device="cpu", **changes):
    return make(MultiHeadAttention, device, d_out=42, num_heads=6, **changes)


def tensors_of(module):
    return [*module.state_dict().values()]


@GROUPINGS
def test_heads_of_keys_and_values_are_the_means_of_their_groups(
    num_kv_heads, qkv_bias, device
):
    fused = fused_of(device, qkv_bias=qkv_bias)

    grouped = group(fused, num_kv_heads)

    names = [name for name, _ in fused.named_parameters() if name[:3] in ("W_k", "W_v")]
    assert len(names) == 2 + 2 * qkv_bias
    for name in names:
        heads = fused.get_parameter(name).split(7)
        size = 6 // num_kv_heads
        means = [sum(heads[i : i + size]) / size for i in range(0, 6, size)]
        assert_close(grouped.get_parameter(name), torch.cat(means))


@GROUPINGS
def test_everything_else_stays_as_it_is(num_kv_heads, qkv_bias, device):
    fused = fused_of(device, qkv_bias=qkv_bias)
    fused.mask.zero_()  # a mask that was changed is carried, not made anew

    grouped = group(fused, num_kv_heads)

    assert list(grouped.state_dict()) == list(fused.state_dict())
    for name, tensor in fused.state_dict().items():
        if name[:3] not in ("W_k", "W_v"):
            assert torch.equal(grouped.state_dict()[name], tensor)


def test_as_many_heads_as_before_change_no_bit(device, qkv_bias):
    fused, x = fused_of(device, qkv_bias=qkv_bias), texts(device)

    grouped = group(fused, 6)

    for ours, theirs in zip(tensors_of(grouped), tensors_of(fused)):
        assert torch.equal(ours, theirs)
    assert torch.equal(grouped(x), fused(x))


@GROUPINGS
def test_heads_that_are_equal_in_each_group_lose_nothing(num_kv_heads, device):
    fused, x = fused_of(device, qkv_bias=True), texts(device)
    for linear in (fused.W_key, fused.W_value):
        for tensor in (linear.weight, linear.bias):
            heads = tensor.data.unflatten(0, (num_kv_heads, -1, 7))
            heads.copy_(heads[:, :1].expand_as(heads).clone())

    assert_close(group(fused, num_kv_heads)(x), fused(x))


def test_fewer_heads_compute_something_else(device):
    fused, x = fused_of(device), texts(device)

    assert (group(fused, 2)(x) - fused(x)).abs().amax() > 1e-3


def test_sizes_stay():
    grouped = group(fused_of(), 3)

    assert isinstance(grouped, GroupedQueryAttention)
    assert (grouped.d_in, grouped.d_out, grouped.context_length) == (4, 42, 11)
    assert (grouped.num_heads, grouped.num_kv_heads, grouped.head_dim) == (6, 3, 7)


@pytest.mark.parametrize("mode", [True, False], ids=["train", "eval"])
def test_dropout_and_training_mode_stay(mode):
    grouped = group(fused_of(dropout=0.25).train(mode), 3)

    assert grouped.dropout.p == 0.25
    assert {module.training for module in grouped.modules()} == {mode}


@pytest.mark.parametrize(
    "dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64]
)
def test_dtype_and_device_stay(device, dtype):
    for tensor in tensors_of(group(fused_of(device).to(dtype), 3)):
        assert tensor.dtype == dtype
        assert tensor.device.type == device


@GROUPINGS
def test_weights_are_copied_not_shared(num_kv_heads, device):
    fused, x = fused_of(device), texts(device)
    grouped = group(fused, num_kv_heads)
    expected = grouped(x)

    for tensor in tensors_of(fused):
        tensor.zero_()

    assert torch.equal(grouped(x), expected)


def test_what_comes_out_can_be_trained(qkv_bias):
    grouped = group(fused_of(qkv_bias=qkv_bias).requires_grad_(False), 3)

    for parameter in grouped.parameters():
        assert parameter.is_leaf
        assert parameter.requires_grad


def test_no_random_number_is_drawn():
    fused = fused_of()
    before = torch.get_rng_state()

    group(fused, 3)

    assert torch.equal(torch.get_rng_state(), before)


def test_a_number_of_groups_that_does_not_fit_is_refused():
    with says(
        "num_heads must be divisible by num_kv_heads, "
        "got num_heads=6 and num_kv_heads=4"
    ):
        group(fused_of(), 4)
