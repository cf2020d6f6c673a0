"""Exercise of chapter 6.2, to be finished: heads that share keys and values."""

from typing import NoReturn

import torch
from torch import nn


def todo(step: str, ask: str) -> NoReturn:
    """Say which step comes next; your code takes the place of each call."""
    raise NotImplementedError(f"{step}\n  ask       {ask}")


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
        todo(
            "step 1 of 4, refuse a num_heads that num_kv_heads cannot share evenly.",
            "Every head of keys serves equally many heads: which remainder is 0?",
        )

        # 2. Layers of weights: W_query, W_key, W_value.
        todo(
            "step 2 of 4, make W_query, W_key and W_value.",
            "How many heads has each of them, and how wide is one?",
        )

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
        todo(
            "step 3 of 4, make queries, keys and values of x, heads before tokens.",
            "Which of the three have fewer heads, and which axis does view split?",
        )

        # 4. Keys and values for every head; the rest is done by attend.
        todo(
            "step 4 of 4, give each head keys and values, return what attend makes.",
            "Heads 1 and 2 share: which two places must be copies of one another?",
        )

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
