"""All heads at once, with the published numbers."""

import torch

from mha import MultiHeadAttention
from mha.examples import batch

# --8<-- [start:example]
torch.manual_seed(123)
fused = MultiHeadAttention(3, 2, 6, 0.0, num_heads=2)

with torch.no_grad():
    context_vecs = fused(batch)
print(context_vecs.shape)
print(context_vecs[0])

gpt_2 = MultiHeadAttention(768, 768, 1024, 0.0, num_heads=12)
print(f"{sum(weight.numel() for weight in gpt_2.parameters()):,} weights")
# --8<-- [end:example]
