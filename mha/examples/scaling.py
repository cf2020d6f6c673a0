"""Scores grow with the width of a head, unless they are divided by its root."""

# --8<-- [start:example]
import torch

torch.manual_seed(123)
print("       spread    largest of 16 weights, scores")
print("width  of scores   as they are   / sqrt(width)   / width")
for width in 2, 16, 64, 256, 1024:
    queries, keys = torch.randn(2, 1000, 16, width)
    attn_scores = queries @ keys.transpose(1, 2)
    print(f"{width:5} {attn_scores.std():8.1f}", end="")
    for divisor in 1, width**0.5, width:
        attn_weights = torch.softmax(attn_scores / divisor, dim=-1)
        print(f"{attn_weights.amax(dim=-1).mean():14.2f}", end="")
    print()
# --8<-- [end:example]
