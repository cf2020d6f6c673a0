"""What the cache of one layer holds for each token: 32 heads, 128 wide."""

# --8<-- [start:example]
import torch

from mha import GroupedQueryAttention

for num_kv_heads in 32, 8, 1:
    layer = GroupedQueryAttention(4096, 4096, 1, 0.0, 32, num_kv_heads)
    for dtype in torch.bfloat16, torch.float32:
        layer = layer.to(dtype)
        token = torch.zeros(1, 1, 4096, dtype=dtype)
        _, cache = layer.extend(token, layer.empty_cache(b=1))
        held = cache.keys.nbytes + cache.values.nbytes
        text = held * 8192 * 32 / 2**30  # 8,192 tokens in 32 layers
        print(f"{num_kv_heads:2} kv: {held:6,} bytes, {text:5.3g} GiB, {dtype}")
# --8<-- [end:example]
