"""Causal self-attention with one head.

Source: Vaswani et al., "Attention Is All You Need" (2017), equation 1 of section 3.2.1,
with the mask that section 3.2.3 describes.
"""

import torch
from torch import Tensor, nn


# --8<-- [start:CausalAttention]
class CausalAttention(nn.Module):
    """Let every token look at itself and at the tokens before it.

    Args:
        d_in: Width of each token that comes in.
        d_out: Width of each token that goes out.
        context_length: The most tokens that one text may have.
        dropout: Probability that an attention weight is dropped in training.
        qkv_bias: Whether queries, keys and values have a bias.

    Raises:
        ValueError: If a size is below 1 or dropout is outside [0, 1].
    """

    mask: Tensor

    def __init__(
        self,
        d_in: int,
        d_out: int,
        context_length: int,
        dropout: float,
        qkv_bias: bool = False,
    ) -> None:
        super().__init__()
        if min(d_in, d_out, context_length) < 1:
            raise ValueError(
                "d_in, d_out and context_length must be at least 1, "
                f"got {d_in=}, {d_out=} and {context_length=}"
            )
        if not 0 <= dropout <= 1:
            raise ValueError(f"dropout must be between 0 and 1, got {dropout=}")
        self.d_in = d_in
        self.d_out = d_out
        self.context_length = context_length
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.dropout = nn.Dropout(dropout)
        ones = torch.ones(context_length, context_length)
        self.register_buffer("mask", torch.triu(ones, diagonal=1))

    def forward(self, x: Tensor) -> Tensor:
        """Attend to the tokens of each text.

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
        num_tokens = x.shape[1]
        if num_tokens > self.context_length:
            raise ValueError(
                "num_tokens must be at most context_length, "
                f"got {num_tokens=} and context_length={self.context_length}"
            )

        queries = self.W_query(x)  # (b, num_tokens, d_out)
        keys = self.W_key(x)  # (b, num_tokens, d_out)
        values = self.W_value(x)  # (b, num_tokens, d_out)

        # Every query with every key: (b, num_tokens, num_tokens).
        attn_scores = (queries / self.d_out**0.5) @ keys.transpose(1, 2)
        later = self.mask[:num_tokens, :num_tokens].bool()  # (num_tokens, num_tokens)
        attn_scores.masked_fill_(later, -torch.inf)
        attn_weights = torch.softmax(attn_scores, dim=-1)
        attn_weights = self.dropout(attn_weights)

        return attn_weights @ values  # (b, num_tokens, d_out)


# --8<-- [end:CausalAttention]
