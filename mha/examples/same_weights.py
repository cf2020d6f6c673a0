"""More heads are not more weights: the width is shared out."""

# --8<-- [start:example]
from mha import MultiHeadAttention

for num_heads in 1, 2, 4, 8:
    layer = MultiHeadAttention(64, 64, 16, 0.0, num_heads)
    weights = sum(parameter.numel() for parameter in layer.parameters())
    print(f"{num_heads} x width {layer.head_dim:2}: {weights} weights")
# --8<-- [end:example]
