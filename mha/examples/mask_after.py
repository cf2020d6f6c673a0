"""Masking after the softmax takes a second step to be right."""

# --8<-- [start:example]
import torch

attn_scores = torch.tensor([[1.0, 3.0, 2.0], [2.0, 1.0, 0.0], [0.0, 1.0, 3.0]])
later = torch.triu(torch.ones(3, 3), diagonal=1).bool()
before = torch.softmax(attn_scores.masked_fill(later, -torch.inf), dim=-1)

after = torch.softmax(attn_scores, dim=-1).masked_fill(later, 0.0)
print("rows add up to", after.sum(dim=-1))

repaired = after / after.sum(dim=-1, keepdim=True)
print("divided by that, the same:", torch.allclose(before, repaired))
# --8<-- [end:example]
