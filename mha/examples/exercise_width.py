"""The same width from both forms: what d_out means in each."""

# --8<-- [start:answer]
import torch

from mha import MultiHeadAttention, MultiHeadAttentionWrapper

x = torch.rand(2, 5, 6)  # tokens of six numbers
stacked = MultiHeadAttentionWrapper(6, 2, 5, 0.0, num_heads=4)
fused = MultiHeadAttention(6, 8, 5, 0.0, num_heads=4)
for layer in stacked, fused:
    weights = sum(parameter.numel() for parameter in layer.parameters())
    print(type(layer).__name__, tuple(layer(x).shape), weights, "weights")
# --8<-- [end:answer]
