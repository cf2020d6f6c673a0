"""The same shape without transposing: tokens and heads are mixed."""

# --8<-- [start:example]
import torch

x = torch.arange(12).view(1, 3, 4)
mixed = x.view(1, 2, 3, 2)
print("not a head", mixed[0, 0].tolist())
print("not a head", mixed[0, 1].tolist())
# --8<-- [end:example]
