"""Scores grow with the width of a head, unless they are divided by its root."""

# --8<-- [start:example]
import torch

torch.manual_seed(123)
print("width   spread   largest of 16 weights   both after / sqrt(width)")
for width in 2, 16, 64, 256, 1024:
    queries, keys = torch.randn(2, 1000, 16, width)
    attn_scores = queries @ keys.transpose(1, 2)
    scaled = attn_scores / width**0.5
    spreads = [scores.std().item() for scores in (attn_scores, scaled)]
    largest = [
        torch.softmax(scores, dim=-1).amax(dim=-1).mean().item()
        for scores in (attn_scores, scaled)
    ]
    print(
        f"{width:5}   {spreads[0]:6.1f}   {largest[0]:21.2f}   "
        f"{spreads[1]:.1f}   {largest[1]:.2f}"
    )
# --8<-- [end:example]
