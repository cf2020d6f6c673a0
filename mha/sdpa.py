"""Multi-head attention on PyTorch's own attention kernel.

Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.2; the kernel
behind `scaled_dot_product_attention` follows Dao et al., "FlashAttention" (2022), which
never holds the whole matrix of weights.
"""

# --8<-- [start:imports]
from collections.abc import MutableMapping
from typing import Any

import torch.nn.functional as F
from torch import Tensor, nn

# --8<-- [end:imports]


# --8<-- [start:SDPAMultiHeadAttention]
def forget_mask(
    module: nn.Module, state_dict: MutableMapping[str, Any], prefix: str, *_: object
) -> None:
    """Drop the mask of a fused layer from weights that are about to be loaded."""
    state_dict.pop(f"{prefix}mask", None)


class SDPAMultiHeadAttention(nn.Module):
    """The fused layer, its attention step left to scaled_dot_product_attention.

    The weights have the fused layer's names, so its state_dict loads here with
    strict=True. No mask is held.

    Args:
        d_in: Width of each token that comes in.
        d_out: Width of ALL heads together, and of each token that goes out.
        context_length: The most tokens that one text may have.
        dropout: Probability that an attention weight is dropped in training.
        num_heads: Number of heads; each is d_out // num_heads wide.
        qkv_bias: Whether queries, keys and values have a bias.

    Raises:
        ValueError: If a size is below 1, d_out is not divisible by num_heads,
            or dropout is outside [0, 1].
    """

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        num_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        if min(d_in, d_out, context_length, num_heads) < 1:
            raise ValueError(
                "d_in, d_out, context_length and num_heads must be at least 1, "
                f"got {d_in=}, {d_out=}, {context_length=} and {num_heads=}"
            )
        if d_out % num_heads != 0:
            raise ValueError(
                f"d_out must be divisible by num_heads, got {d_out=} and {num_heads=}"
            )
        if not 0 <= dropout <= 1:
            raise ValueError(f"dropout must be between 0 and 1, got {dropout=}")
        self.d_in = d_in
        self.d_out = d_out
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.context_length = context_length
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        self.register_load_state_dict_pre_hook(forget_mask)

    def forward(self, x: Tensor) -> Tensor:
        """Attend with all heads at once.

        Args:
            x: Texts as numbers, (b, num_tokens, d_in).

        Returns:
            Context vectors, (b, num_tokens, d_out).

        Raises:
            ValueError: If x has another shape, is empty or is too long.
        """
        if x.dim() != 3 or x.shape[2] != self.d_in or 0 in x.shape:
            raise ValueError(
                f"x must be (b, num_tokens, d_in={self.d_in}) and not empty, "
                f"got {tuple(x.shape)}"
            )
        b, num_tokens, _ = x.shape
        if num_tokens > self.context_length:
            raise ValueError(
                "num_tokens must be at most context_length, "
                f"got {num_tokens=} and context_length={self.context_length}"
            )

        # Project and split off the head axis: (b, num_tokens, num_heads, head_dim).
        keys = self.W_key(x).view(b, num_tokens, -1, self.head_dim)
        queries = self.W_query(x).view(b, num_tokens, -1, self.head_dim)
        values = self.W_value(x).view(b, num_tokens, -1, self.head_dim)

        context_vec = F.scaled_dot_product_attention(
            queries.transpose(1, 2),
            keys.transpose(1, 2),
            values.transpose(1, 2),
            dropout_p=self.dropout.p if self.dropout.training else 0.0,
            is_causal=True,
        )  # (b, num_heads, num_tokens, head_dim)

        context_vec = context_vec.transpose(1, 2).contiguous().view(b, num_tokens, -1)
        return self.out_proj(context_vec)  # (b, num_tokens, d_out)


# --8<-- [end:SDPAMultiHeadAttention]
