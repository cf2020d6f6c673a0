"""Multi-head attention with all heads in one projection each.

Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.2.2, with the mask
that section 3.2.3 describes.
"""

import torch
from torch import Tensor, nn


# --8<-- [start:MultiHeadAttention]
class MultiHeadAttention(nn.Module):
    """Project once for all heads, split, attend, glue and project again.

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

    mask: Tensor

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
        ones = torch.ones(context_length, context_length)
        self.register_buffer("mask", torch.triu(ones, diagonal=1))

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

        keys = self.W_key(x)  # (b, num_tokens, d_out)
        queries = self.W_query(x)  # (b, num_tokens, d_out)
        values = self.W_value(x)  # (b, num_tokens, d_out)

        # Split off the head axis: (b, num_tokens, num_heads, head_dim).
        keys = keys.view(b, num_tokens, -1, self.head_dim)
        queries = queries.view(b, num_tokens, -1, self.head_dim)
        values = values.view(b, num_tokens, -1, self.head_dim)

        keys = keys.transpose(1, 2)  # (b, num_heads, num_tokens, head_dim)
        queries = queries.transpose(1, 2)  # (b, num_heads, num_tokens, head_dim)
        values = values.transpose(1, 2)  # (b, num_heads, num_tokens, head_dim)

        # Every query with every key: (b, num_heads, num_tokens, num_tokens).
        attn_scores = (queries / self.head_dim**0.5) @ keys.transpose(2, 3)
        later = self.mask[:num_tokens, :num_tokens].bool()  # (num_tokens, num_tokens)
        attn_scores.masked_fill_(later, -torch.inf)
        attn_weights = torch.softmax(attn_scores, dim=-1)
        attn_weights = self.dropout(attn_weights)

        context_vec = (attn_weights @ values).transpose(1, 2)
        context_vec = context_vec.contiguous().view(b, num_tokens, -1)
        return self.out_proj(context_vec)  # (b, num_tokens, d_out)


# --8<-- [end:MultiHeadAttention]
