"""What all heads at once cost, counted like the list of heads before."""

import torch

from mha import MultiHeadAttention
from mha.examples import cost

# --8<-- [start:example]
with torch.device("meta"):
    tokens = torch.rand(1, 1024, 768)
    fused = MultiHeadAttention(768, 768, 1024, 0.0, num_heads=12)

print("fused  ", cost(fused, tokens))
# --8<-- [end:example]
