"""The softmax runs over the keys: each row of weights adds up to one."""

# --8<-- [start:example]
import torch

attn_scores = torch.tensor([[1.0, 3.0, 2.0], [2.0, 1.0, 0.0], [0.0, 1.0, 3.0]])

for dim in -1, -2:
    attn_weights = torch.softmax(attn_scores, dim=dim)
    print(f"softmax over {dim=}")
    print("  rows, what a query spends:", attn_weights.sum(dim=-1))
    print("  columns, what a key gets: ", attn_weights.sum(dim=-2))
# --8<-- [end:example]
