"""Small whole programs that the pages show; `output/` holds what they print.

Here is what several of them need: a sentence, a test for leaks, a count of costs.
"""

# --8<-- [start:sentence]
import torch

inputs = torch.tensor(
    [
        [0.43, 0.15, 0.89],  # Your
        [0.55, 0.87, 0.66],  # journey
        [0.57, 0.85, 0.64],  # starts
        [0.22, 0.58, 0.33],  # with
        [0.77, 0.25, 0.10],  # one
        [0.05, 0.80, 0.55],  # step
    ]
)
batch = torch.stack([inputs, inputs])
# --8<-- [end:sentence]


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
# --8<-- [start:cost]
from torch.utils.flop_counter import FlopCounterMode


def cost(layer: torch.nn.Module, x: torch.Tensor) -> str:
    """Count projections, bytes of masks, and operations in matrix products."""
    projections = sum(isinstance(part, torch.nn.Linear) for part in layer.modules())
    mask_mib = sum(buffer.nbytes for buffer in layer.buffers()) / 2**20
    with FlopCounterMode(display=False) as counter:
        layer(x)
    operations = counter.get_total_flops()
    return (
        f"{projections:2} projections, {mask_mib:2.0f} MiB of masks, "
        f"{operations:,} operations"
    )


# --8<-- [end:cost]
