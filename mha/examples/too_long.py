"""More tokens than context_length: an error, not a silent leak."""

import torch

from mha import CausalAttention

# --8<-- [start:example]
short = CausalAttention(d_in=3, d_out=2, context_length=6, dropout=0.0)
try:
    short(torch.rand(1, 7, 3))
except ValueError as error:
    print(error)
# --8<-- [end:example]
