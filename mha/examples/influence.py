"""Does it read the future? Change one token and see which outputs move."""

import torch

from mha import CausalAttention
from mha.examples import influence, inputs

# --8<-- [start:example]
torch.manual_seed(123)
head = CausalAttention(d_in=3, d_out=2, context_length=6, dropout=0.0)
sentence = inputs.unsqueeze(0)  # (b, num_tokens, d_in)

with torch.no_grad():
    print(influence(head, sentence))
    head.mask.zero_()  # nothing is hidden any more
    print(influence(head, sentence))
# --8<-- [end:example]
