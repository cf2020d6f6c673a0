"""The layers once more, as slow loops written from the formula.

For token i of one text and one head, with the queries q, keys k and values v:

    context_i = sum over j <= i of exp(q_i . k_j / sqrt(head_dim)) / total * v_j
"""

import math

import torch

from mha import (
    CausalAttention,
    GroupedQueryAttention,
    MultiHeadAttention,
    MultiHeadAttentionWrapper,
    SDPAMultiHeadAttention,
)


def attend(queries, keys, values):
    """One text, one head: (num_tokens, head_dim) three times, and once again."""
    context_vecs = []
    for i in range(len(queries)):
        powers = []
        for j in range(i + 1):
            score = (queries[i] * keys[j]).sum() / math.sqrt(len(queries[i]))
            powers.append(torch.exp(score))
        total = sum(powers)
        context_vecs.append(sum(powers[j] / total * values[j] for j in range(i + 1)))
    return torch.stack(context_vecs)


def project(text, linear, rows):
    """Some rows of one projection."""
    projected = text @ linear.weight[rows].T
    return projected if linear.bias is None else projected + linear.bias[rows]


def one_head(layer, x, rows, shared_rows=None):
    """The head that owns some rows of a layer's projections.

    Those of the keys and values may be other ones.
    """
    shared_rows = shared_rows or rows
    return torch.stack(
        [
            attend(
                project(text, layer.W_query, rows),
                project(text, layer.W_key, shared_rows),
                project(text, layer.W_value, shared_rows),
            )
            for text in x
        ]
    )


def causal(layer, x):
    return one_head(layer, x, slice(None))


def stacked(layer, x):
    return torch.cat([causal(head, x) for head in layer.heads], dim=2)


def fused(layer, x):
    width = layer.W_query.out_features // layer.num_heads
    heads = [
        one_head(layer, x, slice(i * width, (i + 1) * width))
        for i in range(layer.num_heads)
    ]
    return project(torch.cat(heads, dim=2), layer.out_proj, slice(None))


def grouped(layer, x):
    width = layer.W_query.out_features // layer.num_heads
    heads = []
    for i in range(layer.num_heads):
        j = i * layer.num_kv_heads // layer.num_heads  # the group that head i is in
        own, shared = (slice(k * width, (k + 1) * width) for k in (i, j))
        heads.append(one_head(layer, x, own, shared))
    return project(torch.cat(heads, dim=2), layer.out_proj, slice(None))


SPECIFIED = {
    CausalAttention: causal,
    MultiHeadAttentionWrapper: stacked,
    MultiHeadAttention: fused,
    SDPAMultiHeadAttention: fused,
    GroupedQueryAttention: grouped,
}
