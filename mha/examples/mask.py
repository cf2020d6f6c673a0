"""The causal mask: True hides, and hidden scores become -inf before the softmax."""

# --8<-- [start:example]
import torch

attn_scores = torch.tensor([[1.0, 3.0, 2.0], [2.0, 1.0, 0.0], [0.0, 1.0, 3.0]])

later = torch.triu(torch.ones(3, 3), diagonal=1).bool()
print(later)

masked = attn_scores.masked_fill(later, -torch.inf)
print(masked)
print(torch.softmax(masked, dim=-1))
# --8<-- [end:example]
