"""Weights carried from stacked heads to the fused layer, and back.

Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.2.2: the rows of
one big projection are the rows of the heads' small ones.
"""

# --8<-- [start:imports]
from copy import deepcopy
from typing import cast

import torch
from torch import nn

# --8<-- [end:imports]
from mha.causal import CausalAttention
from mha.fused import MultiHeadAttention
from mha.stacked import MultiHeadAttentionWrapper


# --8<-- [start:fuse]
def fuse(
    stacked: MultiHeadAttentionWrapper, out_proj: nn.Linear | None = None
) -> MultiHeadAttention:
    """Make the fused layer that computes out_proj(stacked(x)).

    Args:
        stacked: The heads. Their weights are copied, not shared.
        out_proj: What follows the heads; left out, nothing does (the identity).

    Returns:
        A fused layer with the heads' dtype, device, dropout and training mode. All of
        its weights learn, even where those of the heads were frozen.

    Raises:
        ValueError: If the heads differ in more than their weights, or out_proj is not
            as wide as all of them on both sides, in their dtype and on their device.
    """
    heads = [cast(CausalAttention, head) for head in stacked.heads]
    kinds = sorted({kind(head) for head in heads})
    if len(kinds) != 1:
        raise ValueError(f"heads must be of one kind, got {kinds}")
    first, like = heads[0], heads[0].W_query.weight
    width = len(heads) * first.d_out
    if out_proj is not None:
        wanted = f"{width} to {width}, {like.dtype}, {like.device}"
        rows, columns = out_proj.weight.shape
        given = (
            f"{columns} to {rows}, {out_proj.weight.dtype}, {out_proj.weight.device}"
        )
        if given != wanted:
            raise ValueError(f"out_proj must map {wanted}, got {given}")

    weights = {"mask": first.mask.clone()}
    for name, _ in first.named_parameters():
        weights[name] = torch.cat([head.get_parameter(name) for head in heads])
    weights["out_proj.weight"] = torch.eye(width, dtype=like.dtype, device=like.device)
    weights["out_proj.bias"] = torch.zeros(width, dtype=like.dtype, device=like.device)
    if out_proj is not None:
        for name, parameter in out_proj.named_parameters():
            weights[f"out_proj.{name}"] = parameter.clone()

    with torch.device("meta"):  # the new layer draws no random numbers
        fused = MultiHeadAttention(
            first.d_in,
            width,
            first.context_length,
            first.dropout.p,
            len(heads),
            qkv_bias="W_query.bias" in weights,
        )
    fused.load_state_dict(weights, assign=True)
    return fused.train(stacked.training)


def kind(head: CausalAttention) -> str:
    """What heads have to share to be heads of one layer."""
    weight, names = head.W_query.weight, [name for name, _ in head.named_parameters()]
    return (
        f"{head.d_in} to {head.d_out}, {head.context_length} tokens, "
        f"dropout {head.dropout.p}, {names}, {weight.dtype}, {weight.device}"
    )


# --8<-- [end:fuse]
# --8<-- [start:unfuse]
def unfuse(fused: MultiHeadAttention) -> tuple[MultiHeadAttentionWrapper, nn.Linear]:
    """Take the fused layer apart, so that fused(x) equals out_proj(stacked(x)).

    Args:
        fused: The layer. Its weights are copied, not shared.

    Returns:
        The heads and the output projection, with the layer's dtype, device, dropout
        and training mode. All of the heads' weights learn.
    """
    weights: dict[str, torch.Tensor] = {}
    for i in range(fused.num_heads):
        weights[f"heads.{i}.mask"] = fused.mask.clone()
        for name, parameter in fused.named_parameters():
            if not name.startswith("out_proj."):
                rows = parameter[i * fused.head_dim : (i + 1) * fused.head_dim]
                weights[f"heads.{i}.{name}"] = rows.clone()

    with torch.device("meta"):  # the new layer draws no random numbers
        stacked = MultiHeadAttentionWrapper(
            fused.d_in,
            fused.head_dim,
            fused.context_length,
            fused.dropout.p,
            fused.num_heads,
            qkv_bias="heads.0.W_query.bias" in weights,
        )
    stacked.load_state_dict(weights, assign=True)
    return stacked.train(fused.training), deepcopy(fused.out_proj)


# --8<-- [end:unfuse]
