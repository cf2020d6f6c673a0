"""Exercise 1, finished: one causal head."""

import torch
from torch import nn


class CausalAttention(nn.Module):
    """Let every token look at itself and at the tokens before it.

    Args:
        d_in: Width of each token that comes in.
        d_out: Width of each token that goes out.
        context_length: The most tokens that one text may have.
        dropout: Probability that an attention weight is dropped in training.
        qkv_bias: Whether queries, keys and values have a bias.
    """

    mask: torch.Tensor

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        self.d_out = d_out
        self.context_length = context_length

        # 1. Layers of weights: W_query, W_key, W_value.
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

        # 2. What drops weights: dropout.
        self.dropout = nn.Dropout(dropout)

        # 3. The mask, with ones where a token is later.
        ones = torch.ones(context_length, context_length)
        self.register_buffer("mask", torch.triu(ones, diagonal=1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Take (b, num_tokens, d_in) to (b, num_tokens, d_out)."""
        # 4. No more tokens than context_length.
        num_tokens = x.shape[1]
        if num_tokens > self.context_length:
            raise ValueError(
                "num_tokens must be at most context_length, "
                f"got {num_tokens=} and context_length={self.context_length}"
            )

        # 5. Queries, keys and values: (b, num_tokens, d_out) each.
        queries = self.W_query(x)
        keys = self.W_key(x)
        values = self.W_value(x)

        # 6. Scores: (b, num_tokens, num_tokens).
        attn_scores = queries @ keys.transpose(1, 2)

        # 7. Later tokens hidden.
        later = self.mask[:num_tokens, :num_tokens].bool()
        attn_scores = attn_scores.masked_fill(later, -torch.inf)

        # 8. Scores become weights.
        attn_weights = torch.softmax(attn_scores / self.d_out**0.5, dim=-1)

        # 9. Some weights dropped, in training.
        attn_weights = self.dropout(attn_weights)

        # 10. Each token's average of the values: (b, num_tokens, d_out).
        return attn_weights @ values
