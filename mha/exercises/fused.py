"""Exercise 3: all heads in one projection each, to be finished step by step."""

from typing import NoReturn

import torch
from torch import nn


def todo(step: str, ask: str) -> NoReturn:
    """Say which step comes next; your code takes the place of each call."""
    raise NotImplementedError(f"{step}\n  ask       {ask}")


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
        todo(
            "step 1 of 13, refuse a d_out that the heads cannot share evenly.",
            "Which operator gives the remainder, and which error says that a value "
            "will not do?",
        )

        # 2. The width of one head.
        todo(
            "step 2 of 13, set num_heads, and head_dim, the width of one head.",
            "Together all heads are d_out wide: how wide is one?",
        )

        # As in the single head, for all heads at once:
        self.d_out = d_out
        self.context_length = context_length
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)

        # 3. The layer where the heads meet: out_proj.
        todo(
            "step 3 of 13, make out_proj, which reads all heads together.",
            "How wide are they when they are glued?",
        )

        # As in the single head, one for all heads:
        self.dropout = nn.Dropout(dropout)
        ones = torch.ones(context_length, context_length)
        self.register_buffer("mask", torch.triu(ones, diagonal=1))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Take (b, num_tokens, d_in) to (b, num_tokens, d_out)."""
        # 4. No more tokens than context_length.
        todo(
            "step 4 of 13, read b and num_tokens off x, refuse a long text.",
            "Which shape has x, and what would the mask do to a text that is longer "
            "than context_length?",
        )

        # 5. Queries, keys and values: (b, num_tokens, d_out) each.
        todo(
            "step 5 of 13, make queries, keys and values of x.",
            "The queries of how many heads does one call of W_query make?",
        )

        # 6. The head axis split off: (b, num_tokens, num_heads, head_dim).
        todo(
            "step 6 of 13, split off the head axis.",
            "A token's numbers lie head after head in memory: between which of "
            "them does view draw a boundary?",
        )

        # 7. Heads before tokens: (b, num_heads, num_tokens, head_dim).
        todo(
            "step 7 of 13, bring heads in front of tokens.",
            "@ multiplies the last two axes: which two must they be, and which "
            "function moves numbers with axes?",
        )

        # 8. Scores: (b, num_heads, num_tokens, num_tokens).
        todo(
            "step 8 of 13, make attn_scores, in each head every query with every key.",
            "Which two axes of keys change places, now that there are four?",
        )

        # 9. Later tokens hidden.
        todo(
            "step 9 of 13, hide the later tokens in attn_scores.",
            "It worked in the single head: does it need axes for texts and heads now?",
        )

        # 10. Scores become weights, and some are dropped in training.
        todo(
            "step 10 of 13, make attn_weights: scale, share out, drop.",
            "How many products does one score add up now?",
        )

        # 11. Averages of the values: (b, num_heads, num_tokens, head_dim).
        todo(
            "step 11 of 13, make context_vec, averages of the values.",
            "Which axis of attn_weights is summed over, and which axes stay?",
        )

        # 12. Heads glued: (b, num_tokens, d_out).
        todo(
            "step 12 of 13, glue the heads of context_vec.",
            "Which numbers belong to one token, and which axis is between them now?",
        )

        # 13. The heads meet: (b, num_tokens, d_out).
        todo(
            "step 13 of 13, return what out_proj makes of context_vec.",
            "What could the heads not do without it?",
        )
