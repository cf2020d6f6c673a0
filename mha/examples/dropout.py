"""Dropout drops attention weights, in training only."""

import torch

from mha import MultiHeadAttention
from mha.examples import batch

# --8<-- [start:example]
torch.manual_seed(123)
layer = MultiHeadAttention(3, 20, 8, dropout=0.5, num_heads=4)

print("training, two calls agree:", torch.equal(layer(batch), layer(batch)))
layer.eval()
print("eval,     two calls agree:", torch.equal(layer(batch), layer(batch)))
# --8<-- [end:example]
