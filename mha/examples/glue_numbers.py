"""Gluing: transpose back first, or the numbers land in the wrong tokens."""

# --8<-- [start:example]
import torch

heads = torch.arange(12).view(1, 3, 2, 2).transpose(1, 2)

print("transposed back    ", heads.transpose(1, 2).reshape(1, 3, 4)[0].tolist())
print("not transposed back", heads.reshape(1, 3, 4)[0].tolist())
# --8<-- [end:example]
