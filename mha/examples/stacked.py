"""Two heads in a list: the first one is the single head of before."""

import torch

from mha import MultiHeadAttentionWrapper
from mha.examples import batch

# --8<-- [start:example]
torch.manual_seed(123)
stacked = MultiHeadAttentionWrapper(3, 2, 6, 0.0, num_heads=2)

with torch.no_grad():
    context_vecs = stacked(batch)
print(context_vecs.shape)
print(context_vecs[0])
# --8<-- [end:example]
