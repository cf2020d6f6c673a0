"""repeat_interleave puts copies side by side, repeat lays the whole row down again."""

# --8<-- [start:example]
import torch

keys = torch.tensor([[1, 1], [2, 2]]).view(1, 2, 1, 2)  # head 1 is ones, head 2 twos

print("repeat_interleave", keys.repeat_interleave(2, dim=1)[0, :, 0].tolist())
print("repeat           ", keys.repeat(1, 2, 1, 1)[0, :, 0].tolist())
# --8<-- [end:example]
