"""Four heads of queries with four, two and one head of keys and values."""

import torch

from mha import GroupedQueryAttention
from mha.examples import batch

# --8<-- [start:example]
for num_kv_heads in 4, 2, 1:
    torch.manual_seed(123)
    layer = GroupedQueryAttention(3, 20, 8, 0.0, num_heads=4, num_kv_heads=num_kv_heads)
    weights = sum(parameter.numel() for parameter in layer.parameters())
    rows = layer.W_key.out_features
    print(f"{num_kv_heads} kv heads:", tuple(layer(batch).shape), end=", ")
    print(f"{rows} rows in W_key, {weights} weights")
# --8<-- [end:example]
