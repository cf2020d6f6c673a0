"""What holds for the sizes of the layer tests holds for any sizes."""

import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.testing import assert_close

from mha import (
    GroupedQueryAttention,
    MultiHeadAttention,
    SDPAMultiHeadAttention,
    fuse,
    group,
    plain,
    unfuse,
)

SIZES = st.fixed_dictionaries(
    {
        "b": st.integers(1, 4),
        "num_tokens": st.integers(1, 9),
        "num_heads": st.integers(1, 5),
        "head_dim": st.integers(1, 6),
        "d_in": st.integers(1, 9),
        "longer": st.integers(0, 4),
        "qkv_bias": st.booleans(),
        "seed": st.integers(0, 2**32 - 1),
    }
)
# A first call in torch takes longer than the next ones: a deadline would say nothing.
# The same examples every time, so that a run that passed passes again.
any_sizes = settings(deadline=None, derandomize=True, max_examples=40)


def layers_and_texts(sizes):
    """All forms with the same weights, and texts, in float64."""
    torch.manual_seed(sizes["seed"])
    arguments = [
        sizes["d_in"],
        sizes["num_heads"] * sizes["head_dim"],
        sizes["num_tokens"] + sizes["longer"],
        0.0,
        sizes["num_heads"],
        sizes["qkv_bias"],
    ]
    fused = MultiHeadAttention(*arguments).double()
    sdpa = SDPAMultiHeadAttention(*arguments).double()
    sdpa.load_state_dict(fused.state_dict(), strict=True)
    shape = sizes["b"], sizes["num_tokens"], sizes["d_in"]
    return fused, sdpa, *unfuse(fused), torch.randn(shape, dtype=torch.float64)


def lists(linear):
    """The weights of one projection for plain.py."""
    bias = torch.zeros(linear.out_features) if linear.bias is None else linear.bias
    return linear.weight.tolist(), bias.tolist()


@any_sizes
@given(SIZES)
def test_all_forms_are_equal(sizes):
    fused, sdpa, stacked, out_proj, x = layers_and_texts(sizes)
    weights = [
        lists(linear)
        for linear in (fused.W_query, fused.W_key, fused.W_value, fused.out_proj)
    ]

    on_lists = [
        plain.multi_head_attention(text, *weights, sizes["num_heads"])
        for text in x.tolist()
    ]

    assert fused(x).shape == (*x.shape[:2], sizes["num_heads"] * sizes["head_dim"])
    assert_close(sdpa(x), fused(x))
    assert_close(out_proj(stacked(x)), fused(x))
    assert_close(torch.tensor(on_lists, dtype=torch.float64), fused(x))


@any_sizes
@given(SIZES)
def test_fuse_and_unfuse_change_no_bit(sizes):
    fused, _, stacked, out_proj, _ = layers_and_texts(sizes)

    again = fuse(stacked, out_proj)
    stacked_again, out_proj_again = unfuse(again)

    for ours, theirs in [
        (again, fused),
        (stacked_again, stacked),
        (out_proj_again, out_proj),
    ]:
        assert list(ours.state_dict()) == list(theirs.state_dict())
        for name, tensor in theirs.state_dict().items():
            assert torch.equal(ours.state_dict()[name], tensor)


@any_sizes
@given(SIZES, st.data())
def test_a_prefix_gives_the_prefix(sizes, data):
    fused, sdpa, stacked, _, x = layers_and_texts(sizes)
    num_tokens = data.draw(st.integers(1, sizes["num_tokens"]), label="prefix")

    for layer in (fused, sdpa, stacked, stacked.heads[0]):
        assert_close(layer(x[:, :num_tokens]), layer(x)[:, :num_tokens])


@any_sizes
@given(SIZES, st.data())
def test_later_tokens_have_no_gradient(sizes, data):
    fused, sdpa, stacked, _, x = layers_and_texts(sizes)
    i = data.draw(st.integers(0, sizes["num_tokens"] - 1), label="token")
    x.requires_grad_()

    for layer in (fused, sdpa, stacked, stacked.heads[0]):
        (gradient,) = torch.autograd.grad(layer(x)[:, i].sum(), x)

        assert gradient[:, i + 1 :].count_nonzero() == 0


GROUPS = st.fixed_dictionaries(
    {"num_kv_heads": st.integers(1, 4), "group_size": st.integers(1, 4)}
)


def grouped_of(sizes, groups):
    """A grouped layer of these sizes in float64."""
    torch.manual_seed(sizes["seed"])
    num_heads = groups["num_kv_heads"] * groups["group_size"]
    return GroupedQueryAttention(
        sizes["d_in"],
        num_heads * sizes["head_dim"],
        sizes["num_tokens"] + sizes["longer"],
        0.0,
        num_heads,
        groups["num_kv_heads"],
        sizes["qkv_bias"],
    ).double()


@any_sizes
@given(SIZES, GROUPS, st.data())
def test_a_text_in_any_chunks_gives_what_the_whole_gives(sizes, groups, data):
    layer = grouped_of(sizes, groups)
    shape = sizes["b"], sizes["num_tokens"], sizes["d_in"]
    x = torch.randn(shape, dtype=torch.float64)
    cache, context_vecs, start = layer.empty_cache(sizes["b"]), [], 0

    while start < sizes["num_tokens"]:
        end = data.draw(st.integers(start + 1, sizes["num_tokens"]))
        context_vec, cache = layer.extend(x[:, start:end], cache)
        context_vecs.append(context_vec)
        start = end

    assert_close(torch.cat(context_vecs, dim=1), layer(x))


@any_sizes
@given(SIZES, GROUPS)
def test_pooled_heads_are_the_means_of_their_groups(sizes, groups):
    num_heads = groups["num_kv_heads"] * groups["group_size"]
    fused = layers_and_texts(sizes | {"num_heads": num_heads})[0]

    grouped = group(fused, groups["num_kv_heads"])

    heads = fused.W_key.weight.split(sizes["head_dim"])
    size = groups["group_size"]
    means = [sum(heads[i : i + size]) / size for i in range(0, num_heads, size)]
    assert_close(grouped.W_key.weight, torch.cat(means))
