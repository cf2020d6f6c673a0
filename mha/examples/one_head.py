"""One causal head on a sentence of six tokens, given twice."""

import torch

from mha import CausalAttention
from mha.examples import batch

# --8<-- [start:example]
torch.manual_seed(123)
head = CausalAttention(d_in=3, d_out=2, context_length=6, dropout=0.0)

with torch.no_grad():
    context_vecs = head(batch)
print(context_vecs.shape)
print(context_vecs[0])
# --8<-- [end:example]
