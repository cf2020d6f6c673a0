"""Exercise of chapter 6.2, finished: several heads share their keys and values."""

import torch
from torch import nn


class GroupedQueryAttention(nn.Module):
    """The fused layer, with fewer heads of keys and values than of queries.

    Args:
        d_in: Width of each token that comes in.
        d_out: Width of ALL heads together, and of each token that goes out.
        context_length: The most tokens that one text may have.
        dropout: Probability that an attention weight is dropped in training.
        num_heads: Number of heads; each is d_out // num_heads wide.
        num_kv_heads: Number of heads of keys and values, as wide as the others.
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
        num_kv_heads: int,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()

        # As in the fused layer:
        if d_out % num_heads != 0:
            raise ValueError(
                f"d_out must be divisible by num_heads, got {d_out=} and {num_heads=}"
            )
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = d_out // num_heads
        self.context_length = context_length

        # 1. A num_heads that the heads of keys and values can share.
        if num_heads % num_kv_heads != 0:
            raise ValueError(
                "num_heads must be divisible by num_kv_heads, "
                f"got {num_heads=} and {num_kv_heads=}"
            )

        # 2. Layers of weights: W_query, W_key, W_value.
        kv_width = num_kv_heads * self.head_dim
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, kv_width, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, kv_width, bias=qkv_bias)

        # As in the fused layer:
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        ones = torch.ones(context_length, context_length)
        self.register_buffer("mask", torch.triu(ones, diagonal=1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Take (b, num_tokens, d_in) to (b, num_tokens, d_out)."""
        num_tokens = x.shape[1]
        if num_tokens > self.context_length:
            raise ValueError(
                "num_tokens must be at most context_length, "
                f"got {num_tokens=} and context_length={self.context_length}"
            )

        # 3. Queries, keys and values, split, with heads before tokens.
        b = x.shape[0]
        queries = self.W_query(x).view(b, num_tokens, self.num_heads, self.head_dim)
        keys = self.W_key(x).view(b, num_tokens, self.num_kv_heads, self.head_dim)
        values = self.W_value(x).view(b, num_tokens, self.num_kv_heads, self.head_dim)
        queries = queries.transpose(1, 2)  # (b, num_heads, num_tokens, head_dim)
        keys = keys.transpose(1, 2)  # (b, num_kv_heads, num_tokens, head_dim)
        values = values.transpose(1, 2)  # (b, num_kv_heads, num_tokens, head_dim)

        # 4. Keys and values for every head; the rest is done by attend.
        group_size = self.num_heads // self.num_kv_heads
        keys = keys.repeat_interleave(group_size, dim=1)
        values = values.repeat_interleave(group_size, dim=1)
        return self.attend(queries, keys, values)

    def attend(
        self, queries: torch.Tensor, keys: torch.Tensor, values: torch.Tensor
    ) -> torch.Tensor:
        """Do what is left, as in the fused layer, with three tensors of one shape."""
        b, _, num_tokens, _ = queries.shape
        attn_scores = queries @ keys.transpose(2, 3)
        later = self.mask[:num_tokens, :num_tokens].bool()
        attn_scores = attn_scores.masked_fill(later, -torch.inf)
        attn_weights = torch.softmax(attn_scores / self.head_dim**0.5, dim=-1)
        attn_weights = self.dropout(attn_weights)
        context_vec = (attn_weights @ values).transpose(1, 2).contiguous()
        return self.out_proj(context_vec.view(b, num_tokens, -1))
