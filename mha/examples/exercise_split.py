"""The numbers 0 to 11 as two tokens of six, split into three heads of two."""

# --8<-- [start:task]
import torch

x = torch.arange(12).view(1, 2, 6)  # two tokens of six numbers
heads = x.view(1, 2, 3, 2).transpose(1, 2)
mixed = x.view(1, 3, 2, 2)  # the same shape
# --8<-- [end:task]

# --8<-- [start:answer]
for i in range(3):
    print(f"head {i + 1}", heads[0, i].tolist(), "not", mixed[0, i].tolist())
print("glued", heads.transpose(1, 2).reshape(1, 2, 6)[0].tolist())
print("not", heads.reshape(1, 2, 6)[0].tolist())
# --8<-- [end:answer]
