"""A tensor is one row of memory and strides; transposing moves no number."""

# --8<-- [start:example]
import torch

x = torch.arange(12).view(1, 3, 2, 2)
heads = x.transpose(1, 2)
print("x     has strides", x.stride(), "contiguous:", x.is_contiguous())
print("heads has strides", heads.stride(), "contiguous:", heads.is_contiguous())

try:
    heads.view(12)
except RuntimeError as error:
    print(error)

print(heads.contiguous().view(12).tolist())
# --8<-- [end:example]
