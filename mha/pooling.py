"""Heads of keys and values averaged, so that several heads share them.

Source: Ainslie et al., "GQA: Training Generalized Multi-Query Transformer Models from
Multi-Head Checkpoints" (2023), section 2.1: a mean for each group, and
training goes on from there.
"""

import torch
from torch import Tensor

from mha.fused import MultiHeadAttention
from mha.grouped import GroupedQueryAttention


# --8<-- [start:group]
def group(fused: MultiHeadAttention, num_kv_heads: int) -> GroupedQueryAttention:
    """Make a grouped layer whose keys and values are the means of their groups.

    With num_kv_heads = fused.num_heads it computes what the fused layer does; with
    fewer it is a start from which to train on.

    Args:
        fused: The layer. Its weights are copied, not shared.
        num_kv_heads: How many heads of keys and values remain.

    Returns:
        A grouped layer with the layer's dtype, device, dropout and training mode. All
        of its weights learn.

    Raises:
        ValueError: If num_kv_heads is below 1 or does not divide the heads.
    """
    old = fused.state_dict()
    with torch.device("meta"):  # the new layer draws no random numbers
        grouped = GroupedQueryAttention(
            fused.d_in,
            fused.d_out,
            fused.context_length,
            fused.dropout.p,
            fused.num_heads,
            num_kv_heads,
            qkv_bias="W_query.bias" in old,
        )
    weights: dict[str, Tensor] = {}
    for name, tensor in old.items():
        shared = name.startswith(("W_key.", "W_value."))
        weights[name] = mean(tensor, grouped) if shared else tensor.clone()
    grouped.load_state_dict(weights, assign=True)
    return grouped.train(fused.training)


def mean(rows: Tensor, grouped: GroupedQueryAttention) -> Tensor:
    """Average the rows of the heads of each group, place by place."""
    heads = rows.unflatten(0, (grouped.num_kv_heads, -1, grouped.head_dim))
    return heads.mean(dim=1).flatten(0, 1)


# --8<-- [end:group]
