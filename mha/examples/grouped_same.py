"""As many heads of keys and values as heads: the fused layer, and its weights load."""

import torch

from mha import GroupedQueryAttention, MultiHeadAttention
from mha.examples import batch

# --8<-- [start:example]
torch.manual_seed(123)
fused = MultiHeadAttention(3, 20, 8, 0.0, num_heads=4)
torch.manual_seed(123)
grouped = GroupedQueryAttention(3, 20, 8, 0.0, num_heads=4, num_kv_heads=4)

print("same seed, same numbers:", torch.equal(grouped(batch), fused(batch)))
print(grouped.load_state_dict(fused.state_dict(), strict=True))
# --8<-- [end:example]
