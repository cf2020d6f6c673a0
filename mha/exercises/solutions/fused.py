"""Exercise 3, finished: all heads in one projection each."""

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Project once for all heads, split, attend, glue and project again.

    Args:
        d_in: Width of each token that comes in.
        d_out: Width of ALL heads together, and of each token that goes out.
        context_length: The most tokens that one text may have.
        dropout: Probability that an attention weight is dropped in training.
        num_heads: Number of heads; each is d_out // num_heads wide.
        qkv_bias: Whether queries, keys and values have a bias.
    """

    mask: torch.Tensor

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

        # 1. A d_out that the heads can share.
        if d_out % num_heads != 0:
            raise ValueError(
                f"d_out must be divisible by num_heads, got {d_out=} and {num_heads=}"
            )

        # 2. The width of one head.
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads

        # As in the single head, for all heads at once:
        self.d_out = d_out
        self.context_length = context_length
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

        # 3. The layer where the heads meet: out_proj.
        self.out_proj = nn.Linear(d_out, d_out)

        # As in the single head, one for all heads:
        self.dropout = nn.Dropout(dropout)
        ones = torch.ones(context_length, context_length)
        self.register_buffer("mask", torch.triu(ones, diagonal=1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Take (b, num_tokens, d_in) to (b, num_tokens, d_out)."""
        # 4. No more tokens than context_length.
        b, num_tokens, _ = x.shape
        if num_tokens > self.context_length:
            raise ValueError(
                "num_tokens must be at most context_length, "
                f"got {num_tokens=} and context_length={self.context_length}"
            )

        # 5. Queries, keys and values: (b, num_tokens, d_out) each.
        queries = self.W_query(x)
        keys = self.W_key(x)
        values = self.W_value(x)

        # 6. The head axis split off: (b, num_tokens, num_heads, head_dim).
        queries = queries.view(b, num_tokens, self.num_heads, self.head_dim)
        keys = keys.view(b, num_tokens, self.num_heads, self.head_dim)
        values = values.view(b, num_tokens, self.num_heads, self.head_dim)

        # 7. Heads before tokens: (b, num_heads, num_tokens, head_dim).
        queries = queries.transpose(1, 2)
        keys = keys.transpose(1, 2)
        values = values.transpose(1, 2)

        # 8. Scores: (b, num_heads, num_tokens, num_tokens).
        attn_scores = queries @ keys.transpose(2, 3)

        # 9. Later tokens hidden.
        later = self.mask[:num_tokens, :num_tokens].bool()
        attn_scores = attn_scores.masked_fill(later, -torch.inf)

        # 10. Scores become weights, and some are dropped in training.
        attn_weights = torch.softmax(attn_scores / self.head_dim**0.5, dim=-1)
        attn_weights = self.dropout(attn_weights)

        # 11. Averages of the values: (b, num_heads, num_tokens, head_dim).
        context_vec = attn_weights @ values

        # 12. Heads glued: (b, num_tokens, d_out).
        context_vec = context_vec.transpose(1, 2).contiguous().view(b, num_tokens, -1)

        # 13. The heads meet: (b, num_tokens, d_out).
        return self.out_proj(context_vec)
