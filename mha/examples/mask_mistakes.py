"""Two masks that look right: filled with 0, and one place too many."""

# --8<-- [start:example]
import torch

attn_scores = torch.tensor([[1.0, 3.0, 2.0], [2.0, 1.0, 0.0], [0.0, 1.0, 3.0]])
later = torch.triu(torch.ones(3, 3), diagonal=1).bool()
itself_too = torch.triu(torch.ones(3, 3), diagonal=0).bool()

filled_with_0 = attn_scores.masked_fill(later, 0.0)
print("token 1, filled with 0:  ", torch.softmax(filled_with_0, dim=-1)[0])

nothing_left = attn_scores.masked_fill(itself_too, -torch.inf)
print("token 1, itself too gone:", torch.softmax(nothing_left, dim=-1)[0])
# --8<-- [end:example]
