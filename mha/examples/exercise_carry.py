"""Weights carried from stacked to fused by hand, compared with fuse."""

# --8<-- [start:task]
import torch

from mha import MultiHeadAttention, MultiHeadAttentionWrapper, fuse

torch.manual_seed(123)
stacked = MultiHeadAttentionWrapper(6, 2, 5, 0.0, num_heads=4)
by_hand = MultiHeadAttention(6, 8, 5, 0.0, num_heads=4)
# --8<-- [end:task]

# --8<-- [start:answer]
with torch.no_grad():
    for name in "W_query.weight", "W_key.weight", "W_value.weight":
        rows = torch.cat([head.get_parameter(name) for head in stacked.heads])
        by_hand.get_parameter(name).copy_(rows)
    by_hand.out_proj.weight.copy_(torch.eye(8))
    by_hand.out_proj.bias.zero_()
# --8<-- [end:answer]

# --8<-- [start:compare]
wanted = fuse(stacked).state_dict()
for name, tensor in by_hand.state_dict().items():
    print(name, "equal" if torch.equal(tensor, wanted[name]) else "not equal")
# --8<-- [end:compare]
