"""A word of eight numbers, cut into two heads and glued together again."""

from mha.plain import glued_together, head_1, head_2, word

# --8<-- [start:example]
print("word          ", word)
print("head 1        ", head_1)
print("head 2        ", head_2)
print("glued together", glued_together)
# --8<-- [end:example]
