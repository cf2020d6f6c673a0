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
        A fused layer with the heads' dtype, device, dropout and training mode.

    Raises:
        ValueError: If out_proj is not num_heads * d_out wide on both sides.
    """
    width = stacked.num_heads * stacked.d_out
    if out_proj is not None and out_proj.weight.shape != (width, width):
        raise ValueError(
            f"out_proj must map num_heads * d_out = {width} numbers to {width}, "
            f"got {out_proj.in_features} to {out_proj.out_features}"
        )
    first = cast(CausalAttention, stacked.heads[0])

    weights = {"mask": first.mask.clone()}
    for name, _ in first.named_parameters():
        weights[name] = torch.cat([head.get_parameter(name) for head in stacked.heads])
    weights["out_proj.weight"] = torch.eye(width).to(first.W_query.weight)
    weights["out_proj.bias"] = torch.zeros(width).to(first.W_query.weight)
    if out_proj is not None:
        for name, parameter in out_proj.named_parameters():
            weights[f"out_proj.{name}"] = parameter.clone()

    with torch.device("meta"):  # the new layer draws no random numbers
        fused = MultiHeadAttention(
            first.d_in,
            width,
            first.context_length,
            first.dropout.p,
            stacked.num_heads,
            qkv_bias="W_query.bias" in weights,
        )
    fused.load_state_dict(weights, assign=True)
    return fused.train(stacked.training)


# --8<-- [end:fuse]
# --8<-- [start:unfuse]
def unfuse(fused: MultiHeadAttention) -> tuple[MultiHeadAttentionWrapper, nn.Linear]:
    """Take the fused layer apart, so that fused(x) equals out_proj(stacked(x)).

    Args:
        fused: The layer. Its weights are copied, not shared.

    Returns:
        The heads and the output projection, with the layer's dtype, device, dropout
        and training mode.
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
