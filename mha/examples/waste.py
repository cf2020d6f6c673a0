"""What a list of heads costs: many small projections, and a mask for each head."""

import torch

from mha import MultiHeadAttentionWrapper
from mha.examples import cost

# --8<-- [start:example]
with torch.device("meta"):  # shapes without numbers: nothing is computed
    tokens = torch.rand(1, 1024, 768)
    heads = MultiHeadAttentionWrapper(768, 64, 1024, 0.0, num_heads=12)
    reader = torch.nn.Linear(768, 768)  # the output projection that follows

print("stacked", cost(torch.nn.Sequential(heads, reader), tokens))
# --8<-- [end:example]
