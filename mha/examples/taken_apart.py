"""Any fused layer is a list of heads and a projection, gradients included."""

import torch

from mha import MultiHeadAttention, unfuse
from mha.examples import batch

# --8<-- [start:example]
torch.manual_seed(123)
fused = MultiHeadAttention(3, 20, 8, 0.0, num_heads=4)
stacked, out_proj = unfuse(fused)

x, x_too = batch.clone().requires_grad_(), batch.clone().requires_grad_()
fused(x).square().sum().backward()
out_proj(stacked(x_too)).square().sum().backward()

torch.testing.assert_close(x.grad, x_too.grad)
print("the same gradients back")
# --8<-- [end:example]
