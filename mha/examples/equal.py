"""Stacked and fused are one model: carry the weights over and compare."""

import torch

from mha import MultiHeadAttentionWrapper, fuse
from mha.examples import batch

# --8<-- [start:example]
torch.manual_seed(123)
stacked = MultiHeadAttentionWrapper(3, 2, 6, 0.0, num_heads=2)
fused = fuse(stacked)

big = fused.W_query.weight
small = stacked.get_parameter("heads.1.W_query.weight")
print("rows 3 and 4 are head 2:", torch.equal(big[2:], small))

torch.testing.assert_close(fused(batch), stacked(batch))
print("the same numbers out")
# --8<-- [end:example]
