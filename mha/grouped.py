"""Multi-head attention in which several heads share their keys and values.

Source: Ainslie et al., "GQA: Training Generalized Multi-Query Transformer Models from
Multi-Head Checkpoints" (2023), section 2.2; one head of keys and values for all is
Shazeer, "Fast Transformer Decoding: One Write-Head is All You Need" (2019), section 3.
"""

# --8<-- [start:imports]
from typing import NamedTuple

import torch
from torch import Tensor, nn

# --8<-- [end:imports]


# --8<-- [start:KeyValueCache]
class KeyValueCache(NamedTuple):
    """What a layer keeps of the tokens so far, once for each group of heads.

    Attributes:
        keys: Keys of the tokens so far, (b, num_kv_heads, num_cached, head_dim).
        values: Values of the tokens so far, of the same shape.
    """

    keys: Tensor
    values: Tensor


# --8<-- [end:KeyValueCache]
# --8<-- [start:GroupedQueryAttention]
class GroupedQueryAttention(nn.Module):
    """The fused layer, with fewer heads of keys and values than of queries.

    Heads are grouped in order: the first num_heads // num_kv_heads heads read the first
    keys and values, the next ones the second. With num_kv_heads=1 this is multi-query
    attention, with num_kv_heads=num_heads the fused layer, whose weights then load.

    Args:
        d_in: Width of each token that comes in.
        d_out: Width of ALL heads together, and of each token that goes out.
        context_length: The most tokens that one text may have.
        dropout: Probability that an attention weight is dropped in training.
        num_heads: Number of heads; each is d_out // num_heads wide.
        num_kv_heads: Number of heads of keys and values, as wide as the others.
        qkv_bias: Whether queries, keys and values have a bias.

    Raises:
        ValueError: If a size is below 1, d_out is not divisible by num_heads or
            num_heads not by num_kv_heads, or dropout is outside [0, 1].
    """

    mask: Tensor

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
        if min(d_in, d_out, context_length, num_heads, num_kv_heads) < 1:
            raise ValueError(
                "d_in, d_out, context_length, num_heads and num_kv_heads must be at "
                f"least 1, got {d_in=}, {d_out=}, {context_length=}, {num_heads=} and "
                f"{num_kv_heads=}"
            )
        if d_out % num_heads != 0:
            raise ValueError(
                f"d_out must be divisible by num_heads, got {d_out=} and {num_heads=}"
            )
        if num_heads % num_kv_heads != 0:
            raise ValueError(
                "num_heads must be divisible by num_kv_heads, "
                f"got {num_heads=} and {num_kv_heads=}"
            )
        if not 0 <= dropout <= 1:
            raise ValueError(f"dropout must be between 0 and 1, got {dropout=}")
        self.d_in = d_in
        self.d_out = d_out
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = d_out // num_heads
        self.context_length = context_length
        kv_width = num_kv_heads * self.head_dim
        self.W_query = nn.Linear(d_in, d_out, bias=qkv_bias)
        self.W_key = nn.Linear(d_in, kv_width, bias=qkv_bias)
        self.W_value = nn.Linear(d_in, kv_width, bias=qkv_bias)
        self.out_proj = nn.Linear(d_out, d_out)
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
        queries, keys, values = self.project(x)
        num_tokens = x.shape[1]
        if num_tokens > self.context_length:
            raise ValueError(
                "num_tokens must be at most context_length, "
                f"got {num_tokens=} and context_length={self.context_length}"
            )
        return self.attend(queries, keys, values)

    def empty_cache(self, b: int) -> KeyValueCache:
        """Remember nothing yet, for b texts; under autocast, in its dtype."""
        if b < 1:
            raise ValueError(f"b must be at least 1, got {b=}")
        keys = self.W_key(self.W_key.weight.new_empty(b, 0, self.d_in))
        nothing = keys.new_empty(b, self.num_kv_heads, 0, self.head_dim)
        return KeyValueCache(nothing, nothing)

    def extend(self, x: Tensor, cache: KeyValueCache) -> tuple[Tensor, KeyValueCache]:
        """Attend with new tokens to themselves and to all that the cache holds.

        Args:
            x: The tokens that come next in each text, (b, num_new, d_in).
            cache: What was kept of the tokens before. It is not changed.

        Returns:
            Context vectors of the new tokens, (b, num_new, d_out), and a cache that
            holds the new tokens too.

        Raises:
            ValueError: If x has another shape or is empty, if the cache does not fit in
                shape, dtype or device, or if both together are too long. Whose keys
                and values a cache holds is not checked.
        """
        queries, keys, values = self.project(x)
        num_new = x.shape[1]
        num_cached = cache.keys.shape[2] if cache.keys.dim() > 2 else 0
        rows = (*keys.shape[:2], num_cached, self.head_dim)
        for name, part in ("keys", cache.keys), ("values", cache.values):
            if (part.shape, part.dtype, part.device) != (rows, keys.dtype, keys.device):
                raise ValueError(
                    f"keys and values of the cache must be (b={len(x)}, "
                    f"num_kv_heads={self.num_kv_heads}, {num_cached=}, "
                    f"head_dim={self.head_dim}), {keys.dtype}, {keys.device}, "
                    f"got {name} of {tuple(part.shape)}, {part.dtype}, {part.device}"
                )
        if num_cached + num_new > self.context_length:
            raise ValueError(
                "cached and new tokens together must be at most context_length, "
                f"got {num_cached=}, {num_new=} and "
                f"context_length={self.context_length}"
            )

        # Of all tokens so far: (b, num_kv_heads, num_tokens, head_dim).
        keys = torch.cat([cache.keys, keys], dim=2)
        values = torch.cat([cache.values, values], dim=2)

        return self.attend(queries, keys, values), KeyValueCache(keys, values)

    def project(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Make queries for every head, keys and values for every group of heads."""
        if x.dim() != 3 or x.shape[2] != self.d_in or 0 in x.shape:
            raise ValueError(
                f"x must be (b, num_tokens, d_in={self.d_in}) and not empty, "
                f"got {tuple(x.shape)}"
            )
        b, num_new, _ = x.shape

        keys = self.W_key(x)  # (b, num_new, num_kv_heads * head_dim)
        queries = self.W_query(x)  # (b, num_new, d_out)
        values = self.W_value(x)  # (b, num_new, num_kv_heads * head_dim)

        # Split off the head axis, of another length for queries.
        keys = keys.view(b, num_new, -1, self.head_dim)
        queries = queries.view(b, num_new, -1, self.head_dim)
        values = values.view(b, num_new, -1, self.head_dim)

        keys = keys.transpose(1, 2)  # (b, num_kv_heads, num_new, head_dim)
        queries = queries.transpose(1, 2)  # (b, num_heads, num_new, head_dim)
        values = values.transpose(1, 2)  # (b, num_kv_heads, num_new, head_dim)
        return queries, keys, values

    def attend(self, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        """Let the queries of the last tokens read the keys and values of all."""
        b, _, num_new, _ = queries.shape
        num_tokens = keys.shape[2]
        new = slice(num_tokens - num_new, num_tokens)  # the new tokens are the last

        group_size = self.num_heads // self.num_kv_heads
        # Once for each head that reads them: (b, num_heads, num_tokens, head_dim).
        keys = keys.repeat_interleave(group_size, dim=1)
        values = values.repeat_interleave(group_size, dim=1)

        # Every new query with every key: (b, num_heads, num_new, num_tokens).
        attn_scores = (queries / self.head_dim**0.5) @ keys.transpose(2, 3)
        later = self.mask[new, :num_tokens].bool()  # (num_new, num_tokens)
        attn_scores.masked_fill_(later, -torch.inf)
        attn_weights = torch.softmax(attn_scores, dim=-1)
        attn_weights = self.dropout(attn_weights)

        context_vec = (attn_weights @ values).transpose(1, 2)
        context_vec = context_vec.contiguous().view(b, num_new, -1)
        return self.out_proj(context_vec)  # (b, num_new, d_out)


# --8<-- [end:GroupedQueryAttention]
