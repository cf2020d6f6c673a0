"""The layer that most people look for, and what it gives back."""

# --8<-- [start:example]
import torch

from mha import MultiHeadAttention

layer = MultiHeadAttention(
    d_in=768, d_out=768, context_length=1024, dropout=0.1, num_heads=12
)
x = torch.rand(2, 5, 768)  # (b, num_tokens, d_in)
print(layer(x).shape)
# --8<-- [end:example]
