"""From a multi-head layer to a grouped one: the keys and values of a group averaged."""

import torch

from mha import MultiHeadAttention, group
from mha.examples import batch

# --8<-- [start:example]
torch.manual_seed(123)
fused = MultiHeadAttention(3, 20, 8, 0.0, num_heads=4)

for num_kv_heads in 4, 2, 1:
    grouped = group(fused, num_kv_heads)
    apart = (grouped(batch) - fused(batch)).abs().max().item()
    print(f"{num_kv_heads} kv heads: at most {apart:.4f} apart")

first_two = fused.W_key.weight[:10].view(2, 5, 3)
mean = group(fused, 2).W_key.weight[:5]
print(
    "rows 1 to 5 are the mean of heads 1 and 2:", torch.equal(mean, first_two.mean(0))
)
# --8<-- [end:example]
