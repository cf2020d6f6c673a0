"""PyTorch's own kernel computes the same function from the same weights."""

import torch

from mha import MultiHeadAttention, SDPAMultiHeadAttention
from mha.examples import batch

# --8<-- [start:example]
torch.manual_seed(123)
fused = MultiHeadAttention(3, 20, 8, 0.0, num_heads=4)
sdpa = SDPAMultiHeadAttention(3, 20, 8, 0.0, num_heads=4)
print(sdpa.load_state_dict(fused.state_dict()))

torch.testing.assert_close(sdpa(batch), fused(batch))
print("the same numbers out, with", len(list(sdpa.buffers())), "masks held")
# --8<-- [end:example]
