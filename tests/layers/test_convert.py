import pytest
import torch
from cases import gradients, make, says, texts
from torch import nn
from torch.testing import assert_close

from mha import (
    CausalAttention,
    MultiHeadAttention,
    MultiHeadAttentionWrapper,
    SDPAMultiHeadAttention,
    fuse,
    unfuse,
)

WIDTHS = pytest.mark.parametrize(
    ("d_in", "head_dim", "num_heads"),
    [(4, 7, 3), (7, 4, 3), (3, 1, 5), (5, 6, 1), (1, 1, 1), (21, 7, 3)],
)


def stacked_of(d_in=4, head_dim=7, num_heads=3, device="cpu", **changes):
    sizes = {"d_in": d_in, "d_out": head_dim, "num_heads": num_heads}
    return make(MultiHeadAttentionWrapper, device, **sizes, **changes)


def fused_of(d_in=4, head_dim=7, num_heads=3, device="cpu", **changes):
    sizes = {"d_in": d_in, "d_out": num_heads * head_dim, "num_heads": num_heads}
    return make(MultiHeadAttention, device, **sizes, **changes)


def assert_same_state(ours, theirs):
    assert list(ours.state_dict()) == list(theirs.state_dict())
    for name, tensor in theirs.state_dict().items():
        assert torch.equal(ours.state_dict()[name], tensor), name


@WIDTHS
def test_fused_equals_the_heads_alone(d_in, head_dim, num_heads, qkv_bias, device):
    stacked = stacked_of(d_in, head_dim, num_heads, device, qkv_bias=qkv_bias)
    x = texts(device, d_in=d_in)

    assert_close(fuse(stacked)(x), stacked(x))


@pytest.mark.parametrize("bias", [False, True], ids=["plain_proj", "proj_bias"])
@WIDTHS
def test_fused_equals_the_heads_and_what_follows(
    d_in, head_dim, num_heads, qkv_bias, bias, device
):
    stacked = stacked_of(d_in, head_dim, num_heads, device, qkv_bias=qkv_bias)
    width = num_heads * head_dim
    out_proj = nn.Linear(width, width, bias=bias).double().to(device)
    x = texts(device, d_in=d_in)

    assert_close(fuse(stacked, out_proj)(x), out_proj(stacked(x)))


@WIDTHS
def test_heads_and_projection_equal_the_fused_layer(
    d_in, head_dim, num_heads, qkv_bias, device
):
    fused = fused_of(d_in, head_dim, num_heads, device, qkv_bias=qkv_bias)
    x = texts(device, d_in=d_in)

    stacked, out_proj = unfuse(fused)

    assert_close(out_proj(stacked(x)), fused(x))


@WIDTHS
def test_there_and_back_again_changes_no_bit(d_in, head_dim, num_heads, qkv_bias):
    fused = fused_of(d_in, head_dim, num_heads, qkv_bias=qkv_bias)

    assert_same_state(fuse(*unfuse(fused)), fused)


@WIDTHS
def test_back_and_there_again_changes_no_bit(d_in, head_dim, num_heads, qkv_bias):
    stacked = stacked_of(d_in, head_dim, num_heads, qkv_bias=qkv_bias)
    width = num_heads * head_dim
    out_proj = nn.Linear(width, width).double()

    stacked_again, out_proj_again = unfuse(fuse(stacked, out_proj))

    assert_same_state(stacked_again, stacked)
    assert_same_state(out_proj_again, out_proj)


def test_rows_of_the_fused_layer_are_the_heads_in_order(device, qkv_bias):
    stacked = stacked_of(device=device, qkv_bias=qkv_bias)

    fused = fuse(stacked)

    for name, _ in stacked.heads[0].named_parameters():
        rows = [head.get_parameter(name) for head in stacked.heads]
        assert torch.equal(fused.get_parameter(name), torch.cat(rows))


def test_gradients_are_carried_as_rows_too(device, qkv_bias):
    stacked = stacked_of(device=device, qkv_bias=qkv_bias)
    fused = fuse(stacked)
    x = texts(device).requires_grad_()
    upstream = torch.randn_like(stacked(x))

    ours, *of_fused = gradients(fused, x, fused(x), upstream)
    theirs, *of_heads = gradients(stacked, x, stacked(x), upstream)

    per_head = len(of_heads) // 3
    rows = [torch.cat(of_heads[i::per_head]) for i in range(per_head)]
    assert_close(ours, theirs)
    assert_close(of_fused[:per_head], rows)


def test_nothing_follows_means_the_identity(device):
    out_proj = fuse(stacked_of(device=device)).out_proj

    assert torch.equal(out_proj.weight.cpu(), torch.eye(21).double())
    assert out_proj.bias.count_nonzero() == 0


@pytest.mark.parametrize(
    "dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64]
)
@pytest.mark.parametrize("out_proj", [None, nn.Linear(21, 21, bias=False)])
def test_dtype_and_device_stay(device, dtype, out_proj):
    if out_proj is not None:
        out_proj = out_proj.to(device, dtype)
    stacked = stacked_of(device=device).to(dtype)

    fused = fuse(stacked, out_proj)
    again, out_proj_again = unfuse(fused)

    for module in (fused, again, out_proj_again):
        for tensor in [*module.parameters(), *module.buffers()]:
            assert tensor.dtype == dtype
            assert tensor.device.type == device


def test_mask_of_another_dtype_stays_as_it_is():
    stacked = stacked_of().half()
    for head in stacked.heads:
        head.mask = head.mask.float()

    fused = fuse(stacked)
    again, _ = unfuse(fused)

    assert fused.mask.dtype == torch.float32
    assert {head.mask.dtype for head in again.heads} == {torch.float32}


@pytest.mark.parametrize("mode", [True, False], ids=["train", "eval"])
def test_dropout_and_training_mode_stay(mode):
    stacked = stacked_of(dropout=0.25).train(mode)

    fused = fuse(stacked)
    again, out_proj = unfuse(fused)

    assert fused.dropout.p == 0.25
    assert [head.dropout.p for head in again.heads] == [0.25] * 3
    modules = [*fused.modules(), *again.modules(), *out_proj.modules()]
    assert {module.training for module in modules} == {mode}


def test_sizes_stay():
    fused = fuse(stacked_of())
    stacked, _ = unfuse(fused)

    assert (fused.d_in, fused.d_out, fused.context_length) == (4, 21, 11)
    assert (fused.num_heads, fused.head_dim) == (3, 7)
    assert (stacked.d_out, stacked.context_length, stacked.num_heads) == (7, 11, 3)
    assert [head.d_in for head in stacked.heads] == [4] * 3


def random_state(device):
    state = [torch.get_rng_state()]
    return state + ([torch.cuda.get_rng_state()] if device == "cuda" else [])


def test_no_random_number_is_drawn(device):
    stacked, out_proj = stacked_of(device=device), nn.Linear(21, 21).double()
    before = random_state(device)

    unfuse(fuse(stacked, out_proj.to(device)))

    assert all(map(torch.equal, random_state(device), before))


def tensors_of(*modules):
    return [tensor for module in modules for tensor in module.state_dict().values()]


def test_fuse_copies_and_does_not_share(device):
    stacked, out_proj = stacked_of(device=device), nn.Linear(21, 21).double().to(device)
    x = texts(device)
    fused = fuse(stacked, out_proj)
    expected = fused(x)

    for tensor in tensors_of(stacked, out_proj):
        tensor.zero_()

    assert torch.equal(fused(x), expected)


def test_unfuse_copies_and_does_not_share(device):
    fused, x = fused_of(device=device), texts(device)
    stacked, out_proj = unfuse(fused)
    expected = out_proj(stacked(x))

    for tensor in tensors_of(fused):
        tensor.zero_()

    assert torch.equal(out_proj(stacked(x)), expected)


def test_heads_do_not_share_a_mask_with_each_other():
    stacked, _ = unfuse(fused_of())

    addresses = {tensor.data_ptr() for tensor in tensors_of(stacked)}

    assert len(addresses) == len(tensors_of(stacked))


def test_what_comes_out_can_be_trained(qkv_bias):
    fused = fuse(stacked_of(qkv_bias=qkv_bias))
    stacked, out_proj = unfuse(fused)

    for module in (fused, stacked, out_proj):
        for parameter in module.parameters():
            assert parameter.is_leaf
            assert parameter.requires_grad


def test_masks_are_carried_not_made_anew():
    stacked = stacked_of()
    for head in stacked.heads:
        head.mask.zero_()  # heads that may look ahead

    fused = fuse(stacked)
    again, _ = unfuse(fused)

    assert fused.mask.count_nonzero() == 0
    assert again.heads[2].mask.count_nonzero() == 0


def test_sdpa_layer_comes_apart_by_way_of_the_fused_one(device):
    fused = fuse(stacked_of(device=device))
    sdpa, x = make(SDPAMultiHeadAttention, device), texts(device)

    sdpa.load_state_dict(fused.state_dict(), strict=True)

    assert_close(sdpa(x), fused(x))


@pytest.mark.parametrize(
    ("in_features", "out_features"), [(21, 20), (20, 21), (7, 7), (1, 1), (3, 7)]
)
def test_out_proj_is_as_wide_as_all_heads(in_features, out_features):
    with says(
        "out_proj must map 21 to 21, torch.float64, cpu, "
        f"got {in_features} to {out_features}, torch.float32, cpu"
    ):
        fuse(stacked_of(), nn.Linear(in_features, out_features))


@pytest.mark.parametrize(
    ("dtype", "device"), [(torch.float32, "cpu"), (torch.float64, "meta")]
)
def test_out_proj_is_where_and_what_the_heads_are(dtype, device):
    out_proj = nn.Linear(21, 21, dtype=dtype, device=device)

    with says(
        "out_proj must map 21 to 21, torch.float64, cpu, "
        f"got 21 to 21, {dtype}, {device}"
    ):
        fuse(stacked_of(), out_proj)


ODD_HEADS = {
    "d_in": {"d_in": 5},
    "d_out": {"d_out": 6},
    "context_length": {"context_length": 9},
    "dropout": {"dropout": 0.5},
    "bias": {"qkv_bias": True},
}


@pytest.mark.parametrize("changes", ODD_HEADS.values(), ids=ODD_HEADS)
@pytest.mark.parametrize("place", [0, 1, 2])
def test_heads_of_several_kinds_are_refused(changes, place):
    stacked = stacked_of()
    stacked.heads[place] = make(CausalAttention, **changes)

    with pytest.raises(ValueError, match=r"^heads must be of one kind, got \["):
        fuse(stacked)


def test_heads_of_several_dtypes_are_refused():
    stacked = stacked_of()
    stacked.heads[1].float()
    names = "['W_query.weight', 'W_key.weight', 'W_value.weight']"
    kind = f"4 to 7, 11 tokens, dropout 0.0, {names}, torch.float"

    with says(f"heads must be of one kind, got {[f'{kind}32, cpu', f'{kind}64, cpu']}"):
        fuse(stacked)


def test_a_head_more_or_less_is_no_matter():
    stacked, x = stacked_of(), texts()
    stacked.heads.append(make(CausalAttention))

    assert_close(fuse(stacked)(x), stacked(x))


def test_no_heads_are_refused():
    stacked = stacked_of()
    stacked.heads = nn.ModuleList()

    with says("heads must be of one kind, got []"):
        fuse(stacked)


def test_conversion_works_where_new_tensors_are_made_elsewhere():
    stacked = stacked_of()

    with torch.device("meta"):
        fused = fuse(stacked)

    assert {tensor.device.type for tensor in tensors_of(fused)} == {"cpu"}


def test_what_was_frozen_learns_again():
    stacked = stacked_of().requires_grad_(False)

    fused = fuse(stacked)

    assert all(parameter.requires_grad for parameter in fused.parameters())
