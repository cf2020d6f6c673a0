"""Multi-head attention as a list of single heads.

Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.2.2: the heads and
their concatenation, without the output projection.
"""

import torch
from torch import Tensor, nn

from mha.causal import CausalAttention


# --8<-- [start:MultiHeadAttentionWrapper]
class MultiHeadAttentionWrapper(nn.Module):
    """Run several causal heads one after the other and glue their outputs.

    Args:
        d_in: Width of each token that comes in.
        d_out: Width of EACH head; a token goes out num_heads * d_out wide.
        context_length: The most tokens that one text may have.
        dropout: Probability that an attention weight is dropped in training.
        num_heads: Number of heads.
        qkv_bias: Whether queries, keys and values have a bias.

    Raises:
        ValueError: If a size is below 1 or dropout is outside [0, 1].
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
        if num_heads < 1:
            raise ValueError(f"num_heads must be at least 1, got {num_heads=}")
        self.d_out = d_out
        self.num_heads = num_heads
        self.head_dim = d_out
        self.context_length = context_length
        self.heads = nn.ModuleList(
            CausalAttention(d_in, d_out, context_length, dropout, qkv_bias)
            for _ in range(num_heads)
        )

    def forward(self, x: Tensor) -> Tensor:
        """Attend with every head in turn.

        Args:
            x: Texts as numbers, (b, num_tokens, d_in).

        Returns:
            Context vectors, (b, num_tokens, num_heads * d_out).

        Raises:
            ValueError: If x has another shape, is empty or is too long.
        """
        context_vecs = [head(x) for head in self.heads]
        return torch.cat(context_vecs, dim=-1)  # (b, num_tokens, num_heads * d_out)


# --8<-- [end:MultiHeadAttentionWrapper]
