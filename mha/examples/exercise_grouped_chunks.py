"""Whom new tokens must not read, when others came before them: by hand."""

# --8<-- [start:task]
import torch
from torch.nn.functional import scaled_dot_product_attention

from mha import GroupedQueryAttention

torch.manual_seed(123)
layer = GroupedQueryAttention(6, 8, 7, 0.0, num_heads=4, num_kv_heads=2)
x = torch.rand(2, 7, 6)
# --8<-- [end:task]


# --8<-- [start:answer]
def later(num_cached: int, num_new: int) -> torch.Tensor:
    """True where a token is later than a new one, (num_new, num_tokens)."""
    ones = torch.ones(num_new, num_cached + num_new)
    return ones.triu(diagonal=num_cached + 1).bool()


# --8<-- [end:answer]
# --8<-- [start:compare]
cache = layer.empty_cache(b=2)
for new in x.split([4, 1, 2], dim=1):
    num_cached, num_new = cache.keys.shape[2], new.shape[1]
    expected, cache = layer.extend(new, cache)
    queries, _, _ = layer.project(new)
    may_read = ~later(num_cached, num_new)
    heads = scaled_dot_product_attention(
        queries, *cache, attn_mask=may_read, enable_gqa=True
    )
    yours = layer.out_proj(heads.transpose(1, 2).flatten(2))
    apart = (yours - expected).abs().max().item()
    print(f"{num_cached} cached, {num_new} new:", "equal" if apart < 1e-6 else apart)
# --8<-- [end:compare]
