import copy
import pickle

import pytest
import torch
from cases import GROUPINGS, GROUPS, gradients, make, says, texts
from torch import nn
from torch.nn.functional import scaled_dot_product_attention
from torch.testing import assert_close

from mha import (
    GroupedQueryAttention,
    KeyValueCache,
    MultiHeadAttention,
    SDPAMultiHeadAttention,
)

CHUNKS = pytest.mark.parametrize(
    "sizes",
    [[1] * 7, [7], [4, 1, 1, 1], [1, 6], [2, 3, 2], [3, 4]],
    ids=lambda sizes: "+".join(map(str, sizes)),
)


def fused_like(grouped):
    """The fused layer with each group's rows once for every head, in order."""
    fused = make(
        MultiHeadAttention,
        grouped.W_query.weight.device,
        d_out=grouped.d_out,
        num_heads=grouped.num_heads,
        qkv_bias=grouped.W_query.bias is not None,
    )
    weights = grouped.state_dict()
    for name, rows in weights.items():
        if name.startswith(("W_key", "W_value")):
            heads = rows.split(grouped.head_dim)
            copies = grouped.num_heads // grouped.num_kv_heads
            weights[name] = torch.cat([h for head in heads for h in [head] * copies])
    fused.load_state_dict(weights, strict=True)
    return fused


def in_chunks(layer, x, sizes):
    """Context vectors and cache after the tokens came so many at a time."""
    cache, context_vecs = layer.empty_cache(len(x)), []
    for chunk in x.split(sizes, dim=1):
        context_vec, cache = layer.extend(chunk, cache)
        context_vecs.append(context_vec)
    return torch.cat(context_vecs, dim=1), cache


# The layer and its parts.


def test_submodules_are_made_in_the_contracts_order():
    torch.manual_seed(7)
    linears = [nn.Linear(4, width) for width in (42, 21, 21)] + [nn.Linear(42, 42)]
    torch.manual_seed(7)

    grouped = GroupedQueryAttention(**GROUPS, qkv_bias=True)

    ours = [grouped.W_query, grouped.W_key, grouped.W_value, grouped.out_proj]
    for linear, expected in zip(ours, linears):
        assert torch.equal(linear.weight, expected.weight)
        assert torch.equal(linear.bias, expected.bias)
    assert [name for name, _ in grouped.named_children()] == [
        "W_query",
        "W_key",
        "W_value",
        "out_proj",
        "dropout",
    ]


def test_only_the_output_projection_has_a_bias_unless_asked_for():
    assert [name for name, _ in GroupedQueryAttention(**GROUPS).named_parameters()] == [
        "W_query.weight",
        "W_key.weight",
        "W_value.weight",
        "out_proj.weight",
        "out_proj.bias",
    ]


def test_attributes_that_readers_use():
    grouped = GroupedQueryAttention(4, 42, 11, 0.25, 6, 3)

    assert (grouped.d_in, grouped.d_out, grouped.context_length) == (4, 42, 11)
    assert (grouped.num_heads, grouped.num_kv_heads, grouped.head_dim) == (6, 3, 7)
    assert grouped.dropout.p == 0.25


def test_mask_hides_what_comes_later():
    grouped = GroupedQueryAttention(**GROUPS | {"context_length": 3})

    expected = torch.tensor([[0.0, 1, 1], [0, 0, 1], [0, 0, 0]])
    assert_close(grouped.state_dict()["mask"], expected, atol=0, rtol=0)


@pytest.mark.parametrize(("num_heads", "num_kv_heads"), [(6, 4), (6, 5), (1, 2)])
def test_num_heads_is_divisible_by_num_kv_heads(num_heads, num_kv_heads):
    with says(
        "num_heads must be divisible by num_kv_heads, "
        f"got {num_heads=} and {num_kv_heads=}"
    ):
        make(GroupedQueryAttention, num_heads=num_heads, num_kv_heads=num_kv_heads)


@pytest.mark.parametrize("num_kv_heads", [0, -1, -3])
def test_there_is_at_least_one_head_of_keys_and_values(num_kv_heads):
    with says(
        "d_in, d_out, context_length, num_heads and num_kv_heads must be at least 1, "
        f"got d_in=4, d_out=42, context_length=11, num_heads=6 and {num_kv_heads=}"
    ):
        make(GroupedQueryAttention, num_kv_heads=num_kv_heads)


# The same numbers as other layers.


def test_grouped_equals_fused_of_the_same_seed_where_head_counts_agree(
    device, qkv_bias
):
    sizes = {"d_out": 42, "num_heads": 6, "qkv_bias": qkv_bias}
    torch.manual_seed(7)
    fused = make(MultiHeadAttention, device, **sizes)
    torch.manual_seed(7)
    grouped = make(GroupedQueryAttention, device, **sizes, num_kv_heads=6)
    x = texts(device).requires_grad_()
    upstream = torch.randn_like(fused(x))

    assert torch.equal(grouped(x), fused(x))
    assert_close(
        gradients(grouped, x, grouped(x), upstream),
        gradients(fused, x, fused(x), upstream),
    )


def test_weights_of_fused_load_there_and_back_where_head_counts_agree(device):
    fused = make(MultiHeadAttention, device, d_out=42, num_heads=6)
    grouped = make(GroupedQueryAttention, device, num_kv_heads=6)
    sdpa = make(SDPAMultiHeadAttention, device, d_out=42, num_heads=6)
    x = texts(device)

    grouped.load_state_dict(fused.state_dict(), strict=True)
    sdpa.load_state_dict(grouped.state_dict(), strict=True)

    assert list(grouped.state_dict()) == list(fused.state_dict())
    assert torch.equal(grouped(x), fused(x))
    assert_close(sdpa(x), fused(x))


@GROUPINGS
def test_grouped_equals_fused_with_rows_repeated(num_kv_heads, qkv_bias, device):
    grouped = make(
        GroupedQueryAttention, device, num_kv_heads=num_kv_heads, qkv_bias=qkv_bias
    )
    x = texts(device)

    assert_close(grouped(x), fused_like(grouped)(x))


@GROUPINGS
def test_a_shared_row_gets_the_sum_of_its_copies_gradients(
    num_kv_heads, qkv_bias, device
):
    grouped = make(
        GroupedQueryAttention, device, num_kv_heads=num_kv_heads, qkv_bias=qkv_bias
    )
    fused, x = fused_like(grouped), texts(device).requires_grad_()
    upstream = torch.randn_like(grouped(x))

    of_x, *ours = gradients(grouped, x, grouped(x), upstream)
    expected_of_x, *theirs = gradients(fused, x, fused(x), upstream)

    assert_close(of_x, expected_of_x)
    for (name, _), own, copies in zip(grouped.named_parameters(), ours, theirs):
        if name.startswith(("W_key", "W_value")):
            copies = copies.unflatten(0, (num_kv_heads, -1, 7)).sum(1).flatten(0, 1)
        assert_close(own, copies)


def by_kernel(layer, x):
    """The layer by scaled_dot_product_attention, which shares heads by itself."""
    context_vec = scaled_dot_product_attention(
        *layer.project(x), is_causal=True, enable_gqa=True
    )
    return layer.out_proj(context_vec.transpose(1, 2).flatten(2))


@GROUPINGS
def test_grouped_equals_pytorchs_own_sharing_of_heads(num_kv_heads, qkv_bias, device):
    layer = make(
        GroupedQueryAttention, device, num_kv_heads=num_kv_heads, qkv_bias=qkv_bias
    )
    x = texts(device).requires_grad_()
    upstream = torch.randn_like(layer(x))

    assert_close(layer(x), by_kernel(layer, x))
    assert_close(
        gradients(layer, x, layer(x), upstream),
        gradients(layer, x, by_kernel(layer, x), upstream),
    )


def test_one_head_of_keys_and_values_serves_all_in_multi_query_attention(device):
    layer = make(GroupedQueryAttention, device, num_kv_heads=1)
    x = texts(device)

    keys, values = layer.W_key(x), layer.W_value(x)
    heads = [
        scaled_dot_product_attention(queries, keys, values, is_causal=True)
        for queries in layer.W_query(x).split(7, dim=2)
    ]

    assert keys.shape == values.shape == (2, 5, 7)
    assert_close(layer(x), layer.out_proj(torch.cat(heads, dim=2)))


def test_repeat_where_repeat_interleave_is_meant_gives_other_numbers(device):
    layer = make(GroupedQueryAttention, device)
    x = texts(device)
    queries, keys, values = layer.project(x)

    wrong = scaled_dot_product_attention(
        queries, keys.repeat(1, 2, 1, 1), values.repeat(1, 2, 1, 1), is_causal=True
    )

    wrong = layer.out_proj(wrong.transpose(1, 2).flatten(2))
    assert wrong.shape == layer(x).shape
    assert (wrong - layer(x)).abs().amax() > 1e-3


def test_heads_of_one_group_may_be_exchanged_and_others_not(device):
    layer = make(GroupedQueryAttention, device)
    layer.out_proj = nn.Identity()
    x = texts(device)
    before = layer(x).split(7, dim=2)
    rows = layer.W_query.weight.data.split(7)

    def with_heads_in_order(*order):
        layer.W_query.weight.data = torch.cat([rows[i] for i in order])
        return layer(x).split(7, dim=2)

    assert_close(with_heads_in_order(1, 0, 2, 3, 4, 5)[0], before[1])
    assert_close(with_heads_in_order(1, 0, 2, 3, 4, 5)[1], before[0])
    assert (with_heads_in_order(2, 1, 0, 3, 4, 5)[0] - before[2]).abs().amax() > 1e-3


def test_a_layer_that_holds_some_of_the_groups_still_works(device):
    layer = make(GroupedQueryAttention, device, qkv_bias=True)
    whole, x = copy.deepcopy(layer), texts(device)
    whole.out_proj = nn.Identity()
    for name, rows in {"W_query": 14, "W_key": 7, "W_value": 7}.items():
        linear = layer.get_submodule(name)
        linear.weight = nn.Parameter(linear.weight[rows:])
        linear.bias = nn.Parameter(linear.bias[rows:])
    layer.out_proj.weight = nn.Parameter(layer.out_proj.weight[:, 14:])

    groups_2_and_3 = whole(x)[:, :, 14:]

    assert_close(layer(x), layer.out_proj(groups_2_and_3))


# The cache.


@CHUNKS
@GROUPINGS
def test_tokens_in_chunks_give_what_the_whole_text_gives(
    sizes, num_kv_heads, qkv_bias, device
):
    layer = make(
        GroupedQueryAttention, device, num_kv_heads=num_kv_heads, qkv_bias=qkv_bias
    )
    x = texts(device, num_tokens=7)

    context_vecs, _ = in_chunks(layer, x, sizes)

    assert_close(context_vecs, layer(x))


@CHUNKS
def test_gradients_flow_through_the_cache(sizes, device):
    layer = make(GroupedQueryAttention, device)
    x = texts(device, num_tokens=7).requires_grad_()
    upstream = torch.randn_like(layer(x))

    context_vecs, _ = in_chunks(layer, x, sizes)

    assert_close(
        gradients(layer, x, context_vecs, upstream),
        gradients(layer, x, layer(x), upstream),
    )


@pytest.mark.parametrize("enabled", [True, False])
def test_copies_for_each_head_are_kept_for_the_gradient_and_only_for_it(
    enabled, device
):
    layer, x, kept = make(GroupedQueryAttention, device), texts(device), []
    with torch.no_grad():
        _, cache = layer.extend(x[:, :4], layer.empty_cache(2))
    copies = 2 * 6 * 5 * 7  # numbers in the keys of every head, and in the values

    hooks = torch.autograd.graph.saved_tensors_hooks(kept.append, lambda _: None)
    with hooks, torch.set_grad_enabled(enabled):
        layer.extend(x[:, 4:], cache)

    assert [part.numel() for part in kept].count(copies) == 2 * enabled


def test_cached_tokens_change_with_no_new_one(device):
    layer = make(GroupedQueryAttention, device)
    x = texts(device).requires_grad_()
    _, cache = layer.extend(x[:, :2], layer.empty_cache(2))

    context_vecs, _ = layer.extend(x[:, 2:], cache)

    for i in range(3):
        upstream = torch.randn_like(context_vecs[:, i])
        (gradient,) = torch.autograd.grad(
            context_vecs[:, i], x, upstream, retain_graph=True
        )
        assert gradient[:, 3 + i :].count_nonzero() == 0
        assert gradient[:, : 3 + i].norm(dim=2).min() > 1e-3


def test_cache_holds_keys_and_values_once_for_each_group(device, qkv_bias):
    layer = make(GroupedQueryAttention, device, qkv_bias=qkv_bias)
    x = texts(device)

    _, cache = in_chunks(layer, x, [2, 1, 2])

    assert cache.keys.shape == cache.values.shape == (2, 3, 5, 7)
    assert_close(cache.keys.transpose(1, 2).flatten(2), layer.W_key(x))
    assert_close(cache.values.transpose(1, 2).flatten(2), layer.W_value(x))


@torch.no_grad()
def test_extending_leaves_the_old_cache_as_it_was(device):
    layer, x = make(GroupedQueryAttention, device), texts(device)
    _, cache = layer.extend(x[:, :3], layer.empty_cache(2))
    before = copy.deepcopy(cache)

    first, _ = layer.extend(x[:, 3:], cache)
    again, _ = layer.extend(x[:, 3:], cache)

    assert torch.equal(first, again)
    assert torch.equal(cache.keys, before.keys)
    assert torch.equal(cache.values, before.values)


def test_forward_knows_of_no_cache(device):
    layer, x = make(GroupedQueryAttention, device), texts(device)
    before = layer(x)

    in_chunks(layer, texts(device), [3, 2])

    assert torch.equal(layer(x), before)


@pytest.mark.parametrize(
    "dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64]
)
def test_cache_has_the_layers_dtype_and_device(device, dtype):
    layer = make(GroupedQueryAttention, device).to(dtype)
    x = texts(device).to(dtype)

    empty = layer.empty_cache(2)
    context_vecs, cache = in_chunks(layer, x, [2, 3])

    assert empty.keys.shape == empty.values.shape == (2, 3, 0, 7)
    for tensor in [*empty, *cache, context_vecs]:
        assert tensor.dtype == dtype
        assert tensor.device.type == device
    # As in the contract: some five roundings of numbers below 4.
    tolerance = 16 * torch.finfo(dtype).eps
    assert_close(context_vecs, layer(x), atol=tolerance, rtol=tolerance)


@torch.no_grad()
@pytest.mark.parametrize("weights", [torch.float32, torch.float64])
def test_under_autocast_a_cache_is_made_and_extended(device, weights):
    layer, x = make(GroupedQueryAttention, device).to(weights), texts(device)

    with torch.autocast(device, torch.bfloat16):
        dtype = layer.W_key(x.to(weights)).dtype
        context_vecs, cache = in_chunks(layer, x.to(weights), [2, 1, 2])
        whole = layer(x.to(weights))

    assert [part.dtype for part in cache] == [dtype, dtype]
    tolerance = 16 * torch.finfo(torch.bfloat16).eps  # as in the contract
    assert_close(context_vecs, whole, atol=tolerance, rtol=tolerance)


def test_cache_works_without_numbers():
    with torch.device("meta"):
        layer = make(GroupedQueryAttention, "meta").half()

    context_vecs, cache = in_chunks(layer, texts("meta").half(), [1, 4])

    assert context_vecs.shape == (2, 5, 42)
    assert {part.device.type for part in cache} == {"meta"}


def test_context_length_may_be_filled_to_the_last_token(device):
    layer, x = make(GroupedQueryAttention, device), texts(device, num_tokens=11)

    context_vecs, _ = in_chunks(layer, x, [6, 5])

    assert_close(context_vecs, layer(x))


@torch.no_grad()
def test_cache_is_copied_and_pickled(device):
    layer, x = make(GroupedQueryAttention, device), texts(device)
    _, cache = layer.extend(x[:, :3], layer.empty_cache(2))
    expected, _ = layer.extend(x[:, 3:], cache)

    for again in (copy.deepcopy(cache), pickle.loads(pickle.dumps(cache))):
        assert torch.equal(layer.extend(x[:, 3:], again)[0], expected)


def test_dropping_every_weight_drops_the_cached_ones_too(device):
    layer = make(GroupedQueryAttention, device, dropout=1.0)
    x = texts(device)
    _, cache = layer.extend(x[:, :3], layer.empty_cache(2))

    context_vecs, _ = layer.extend(x[:, 3:], cache)

    left = layer.out_proj.bias.expand_as(context_vecs)
    assert_close(context_vecs, left, atol=0, rtol=0)


@pytest.mark.parametrize(("num_cached", "num_new"), [(11, 1), (9, 3), (0, 12)])
def test_cached_and_new_tokens_fit_into_context_length(num_cached, num_new):
    layer = make(GroupedQueryAttention)
    cache = layer.empty_cache(2)
    if num_cached:
        _, cache = layer.extend(texts(num_tokens=num_cached), cache)

    with says(
        "cached and new tokens together must be at most context_length, "
        f"got {num_cached=}, {num_new=} and context_length=11"
    ):
        layer.extend(texts(num_tokens=num_new), cache)


@pytest.mark.parametrize("shape", [(5, 4), (2, 5, 3), (2, 0, 4), (0, 5, 4)])
def test_new_tokens_have_the_shape_of_texts(shape):
    layer = make(GroupedQueryAttention)
    x = torch.zeros(shape, dtype=torch.float64)

    with says(f"x must be (b, num_tokens, d_in=4) and not empty, got {shape}"):
        layer.extend(x, layer.empty_cache(2))


def cache_of(*shape, dtype=torch.float64, device="cpu"):
    return torch.zeros(shape, dtype=dtype, device=device)


FITTING = cache_of(2, 3, 4, 7)
ODD_PARTS = {
    "another batch": cache_of(1, 3, 4, 7),
    "every head": cache_of(2, 6, 4, 7),
    "one head": cache_of(2, 1, 4, 7),
    "another width": cache_of(2, 3, 4, 6),
    "axes swapped": cache_of(2, 4, 3, 7),
    "three axes": cache_of(2, 3, 7),
    "two axes": cache_of(2, 3),
    "no axes": cache_of(),
    "five axes": cache_of(2, 3, 4, 7, 1),
    "another dtype": cache_of(2, 3, 4, 7, dtype=torch.float32),
    "another device": cache_of(2, 3, 4, 7, device="meta"),
}


def says_what_the_cache_must_be(name, odd, num_cached):
    return says(
        f"keys and values of the cache must be (b=2, num_kv_heads=3, {num_cached=}, "
        "head_dim=7), torch.float64, cpu, "
        f"got {name} of {tuple(odd.shape)}, {odd.dtype}, {odd.device}"
    )


@pytest.mark.parametrize("odd", ODD_PARTS.values(), ids=ODD_PARTS.keys())
def test_a_cache_of_something_else_is_refused(odd):
    num_cached = odd.shape[2] if odd.dim() > 2 else 0

    with says_what_the_cache_must_be("keys", odd, num_cached):
        make(GroupedQueryAttention).extend(texts(), KeyValueCache(odd, odd))


@pytest.mark.parametrize(
    "odd",
    [*ODD_PARTS.values(), cache_of(2, 3, 5, 7), cache_of(2, 3, 3, 7)],
    ids=[*ODD_PARTS, "more tokens", "fewer tokens"],
)
def test_values_fit_the_keys(odd):
    with says_what_the_cache_must_be("values", odd, num_cached=4):
        make(GroupedQueryAttention).extend(texts(), KeyValueCache(FITTING, odd))


@pytest.mark.parametrize("of", ["other texts", "another layer"])
def test_a_cache_of_others_of_the_same_sizes_goes_unnoticed(of, device):
    layer, another = (make(GroupedQueryAttention, device) for _ in range(2))
    x = texts(device)
    if of == "other texts":
        _, cache = layer.extend(x[:, :3].flip(0), layer.empty_cache(2))
    else:
        _, cache = another.extend(x[:, :3], another.empty_cache(2))

    context_vecs, _ = layer.extend(x[:, 3:], cache)

    assert (context_vecs - layer(x)[:, 3:]).abs().amax() > 1e-3


def test_a_cache_may_be_for_one_text(device):
    layer, x = make(GroupedQueryAttention, device), texts(device, b=1)

    assert_close(in_chunks(layer, x, [2, 3])[0], layer(x))


@pytest.mark.parametrize("b", [0, -1])
def test_a_cache_is_for_at_least_one_text(b):
    with says(f"b must be at least 1, got {b=}"):
        make(GroupedQueryAttention).empty_cache(b)
