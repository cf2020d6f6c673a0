"""Gluing and projecting is adding: each head has its own columns of out_proj."""

import torch

from mha import MultiHeadAttention, unfuse
from mha.examples import batch

# --8<-- [start:example]
torch.manual_seed(123)
fused = MultiHeadAttention(3, 20, 8, 0.0, num_heads=4)
stacked, out_proj = unfuse(fused)

total = out_proj.bias
for i, head in enumerate(stacked.heads):
    columns = out_proj.weight[:, i * fused.head_dim : (i + 1) * fused.head_dim]
    total = total + head(batch) @ columns.T  # (b, num_tokens, d_out)

torch.testing.assert_close(total, fused(batch))
print("four heads, each projected by itself and added, are the layer")
# --8<-- [end:example]
