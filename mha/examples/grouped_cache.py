"""Token by token with a cache, or all at once: the same numbers."""

import torch

from mha import GroupedQueryAttention
from mha.examples import batch

# --8<-- [start:example]
torch.manual_seed(123)
layer = GroupedQueryAttention(3, 20, 8, 0.0, num_heads=4, num_kv_heads=2)

for sizes in [1, 1, 1, 1, 1, 1], [3, 1, 2]:
    cache, context_vecs = layer.empty_cache(b=2), []
    for new in batch.split(sizes, dim=1):
        context_vec, cache = layer.extend(new, cache)
        context_vecs.append(context_vec)
        print("new", new.shape[1], "cache", tuple(cache.keys.shape))
    torch.testing.assert_close(torch.cat(context_vecs, dim=1), layer(batch))
    print("the same numbers as from the whole text")
# --8<-- [end:example]
