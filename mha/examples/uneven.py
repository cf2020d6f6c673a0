"""A width that the heads cannot share evenly is refused."""

from mha import MultiHeadAttention

# --8<-- [start:example]
try:
    MultiHeadAttention(3, 10, 6, 0.0, num_heads=4)
except ValueError as error:
    print(error)
# --8<-- [end:example]
