"""The right layer in steps, one method each, so that a mistake can replace one step.

It computes what `mha/fused.py` computes; a test holds the two together.
"""

import torch
from torch import Tensor, nn


class Layer(nn.Module):
    """Multi-head causal self-attention, with nothing wrong."""

    later: Tensor

    # --8<-- [start:constructor]
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
        if d_out % num_heads != 0:
            raise ValueError(
                f"d_out must be divisible by num_heads, got {d_out=} and {num_heads=}"
            )
        self.d_in = d_in
        self.d_out = d_out
        self.context_length = context_length
        self.num_heads = num_heads
        self.head_dim = d_out // num_heads
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
        self.dropout = nn.Dropout(dropout)
        ones = torch.ones(context_length, context_length, dtype=torch.bool)
        self.register_buffer("later", torch.triu(ones, diagonal=1))

    # --8<-- [end:constructor]
    # --8<-- [start:forward]
    def forward(self, x: Tensor) -> Tensor:
        """Take (b, num_tokens, d_in) to (b, num_tokens, d_out)."""
        queries, keys, values = self.project(x)
        queries, keys, values = (
            self.split(queries),
            self.split(keys),
            self.split(values),
        )
        attn_scores = self.hide(self.scale(self.score(queries, keys)))
        attn_weights = self.drop(self.share(attn_scores))
        context_vec = self.merge(self.mix(attn_weights, values))
        return self.finish(context_vec, x)

    # --8<-- [end:forward]
    # --8<-- [start:project]
    def project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        return self.W_query(x), self.W_key(x), self.W_value(x)

    # --8<-- [end:project]
    # --8<-- [start:split]
    def split(self, t: Tensor) -> Tensor:
        b, num_tokens, _ = t.shape
        return t.view(b, num_tokens, self.num_heads, self.head_dim).transpose(1, 2)

    # --8<-- [end:split]
    # --8<-- [start:score]
    def score(self, queries: Tensor, keys: Tensor) -> Tensor:
        return queries @ keys.transpose(2, 3)

    # --8<-- [end:score]
    # --8<-- [start:hide]
    def hide(self, attn_scores: Tensor) -> Tensor:
        num_tokens = attn_scores.shape[-1]
        later = self.later[:num_tokens, :num_tokens]
        return attn_scores.masked_fill(later, -torch.inf)

    # --8<-- [end:hide]
    # --8<-- [start:scale]
    def scale(self, attn_scores: Tensor) -> Tensor:
        return attn_scores / self.head_dim**0.5

    # --8<-- [end:scale]
    # --8<-- [start:share]
    def share(self, attn_scores: Tensor) -> Tensor:
        return torch.softmax(attn_scores, dim=-1)

    # --8<-- [end:share]
    # --8<-- [start:drop]
    def drop(self, attn_weights: Tensor) -> Tensor:
        return self.dropout(attn_weights)

    # --8<-- [end:drop]
    # --8<-- [start:mix]
    def mix(self, attn_weights: Tensor, values: Tensor) -> Tensor:
        return attn_weights @ values

    # --8<-- [end:mix]
    # --8<-- [start:merge]
    def merge(self, context_vec: Tensor) -> Tensor:
        b, _, num_tokens, _ = context_vec.shape
        return context_vec.transpose(1, 2).reshape(b, num_tokens, self.d_out)

    # --8<-- [end:merge]
    # --8<-- [start:finish]
    def finish(self, context_vec: Tensor, x: Tensor) -> Tensor:
        return self.out_proj(context_vec)

    # --8<-- [end:finish]


class GroupedLayer(Layer):
    """Grouped-query attention in the same steps, with nothing wrong."""

    # --8<-- [start:grouped-constructor]
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
        super().__init__(d_in, d_out, context_length, dropout, num_heads, qkv_bias)
        if num_heads % num_kv_heads != 0:
            raise ValueError(
                "num_heads must be divisible by num_kv_heads, "
                f"got {num_heads=} and {num_kv_heads=}"
            )
        self.num_kv_heads = num_kv_heads
        width = num_kv_heads * self.head_dim
        self.W_key = nn.Linear(d_in, width, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, width, bias=qkv_bias)

    # --8<-- [end:grouped-constructor]
    # --8<-- [start:grouped-split]
    def split(self, t: Tensor) -> Tensor:
        b, num_tokens, _ = t.shape
        heads = t.view(b, num_tokens, -1, self.head_dim).transpose(1, 2)
        copies = self.num_heads // heads.shape[1]  # of queries one
        return self.spread(heads, copies)

    # --8<-- [end:grouped-split]
    # --8<-- [start:spread]
    def spread(self, heads: Tensor, copies: int) -> Tensor:
        return heads.repeat_interleave(copies, dim=1)

    # --8<-- [end:spread]
