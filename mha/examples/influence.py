"""Does it read the future? Change one token and see which outputs move."""

import torch

from mha import CausalAttention


# --8<-- [start:influence]
def influence(layer: torch.nn.Module, x: torch.Tensor) -> torch.Tensor:
    """How far output i moves when token j alone is changed, as a table [i, j]."""
    num_tokens = x.shape[1]
    moved = torch.zeros(num_tokens, num_tokens)
    for j in range(num_tokens):
        changed = x.clone()
        changed[:, j] += 1.0
        moved[:, j] = (layer(changed) - layer(x)).abs().amax(dim=(0, 2))
    return moved


# --8<-- [end:influence]
# --8<-- [start:example]
torch.manual_seed(123)
layer = CausalAttention(d_in=3, d_out=2, context_length=4, dropout=0.0)
x = torch.rand(1, 4, 3)

with torch.no_grad():
    print(influence(layer, x))
    layer.mask.zero_()  # nothing is hidden any more
    print(influence(layer, x))
# --8<-- [end:example]
