"""PyTorch's kernel shares keys and values among heads by itself."""

import torch

from mha import GroupedQueryAttention
from mha.examples import batch

# --8<-- [start:example]
from torch.nn.functional import scaled_dot_product_attention

torch.manual_seed(123)
layer = GroupedQueryAttention(3, 20, 8, 0.0, num_heads=4, num_kv_heads=2)
queries, keys, values = layer.project(batch)

kernel = scaled_dot_product_attention(
    queries, keys, values, is_causal=True, enable_gqa=True
)
context_vec = layer.out_proj(kernel.transpose(1, 2).flatten(2))

torch.testing.assert_close(context_vec, layer(batch))
print("the same numbers out, from", keys.shape[1], "heads of keys")
# --8<-- [end:example]
