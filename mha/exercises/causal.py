"""Exercise 1: one causal head, to be finished step by step."""

from typing import NoReturn

import torch
from torch import nn


def todo(step: str, ask: str) -> NoReturn:
    """Say which step comes next; your code takes the place of each call."""
    raise NotImplementedError(f"{step}\n  ask       {ask}")


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
        todo(
            "step 1 of 10, make W_query, W_key and W_value.",
            "How wide is what each takes, how wide is what it gives, and when "
            "has it a bias?",
        )

        # 2. What drops weights: dropout.
        todo(
            "step 2 of 10, make dropout.",
            "Which layer of PyTorch drops in training, and not in eval?",
        )

        # 3. The mask, with ones where a token is later.
        todo(
            "step 3 of 10, make the mask, ones for later tokens and zeros elsewhere.",
            "On which diagonal do the ones begin, and how does a tensor that is "
            "not learned follow the layer to a GPU?",
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Take (b, num_tokens, d_in) to (b, num_tokens, d_out)."""
        # 4. No more tokens than context_length.
        todo(
            "step 4 of 10, refuse a text that is too long, with a ValueError.",
            "Which two numbers does its reader need?",
        )

        # 5. Queries, keys and values: (b, num_tokens, d_out) each.
        todo(
            "step 5 of 10, make queries, keys and values of x.",
            "Which of your layers makes which?",
        )

        # 6. Scores: (b, num_tokens, num_tokens).
        todo(
            "step 6 of 10, make attn_scores, every query with every key.",
            "Which two axes of keys change places, so that @ fits?",
        )

        # 7. Later tokens hidden.
        todo(
            "step 7 of 10, hide the later tokens in attn_scores.",
            "How much of the mask does this text need, and of which score does "
            "softmax make exactly 0?",
        )

        # 8. Scores become weights.
        todo(
            "step 8 of 10, make attn_weights of attn_scores.",
            "What keeps scores small when heads are wide, and over which axis "
            "does a query share its budget?",
        )

        # 9. Some weights dropped, in training.
        todo(
            "step 9 of 10, drop some attn_weights, in training only.",
            "Which part of the layer knows the mode?",
        )

        # 10. Each token's average of the values: (b, num_tokens, d_out).
        todo(
            "step 10 of 10, return each token's average of the values.",
            "What stands on the left of @, what on the right?",
        )
