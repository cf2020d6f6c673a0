"""The numbers 0 to 11 as three tokens of four, split into two heads of two."""

# --8<-- [start:example]
import torch

x = torch.arange(12).view(1, 3, 4)  # three tokens of four numbers
print(x[0].tolist())

heads = x.view(1, 3, 2, 2).transpose(1, 2)
print("head 1", heads[0, 0].tolist())
print("head 2", heads[0, 1].tolist())
# --8<-- [end:example]
