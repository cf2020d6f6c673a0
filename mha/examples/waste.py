"""What a list of heads costs: the arithmetic is the same, the rest is not."""

from mha import MultiHeadAttention, MultiHeadAttentionWrapper

# --8<-- [start:example]
import torch
from torch.utils.flop_counter import FlopCounterMode

with torch.device("meta"):  # shapes without numbers: nothing is computed
    x = torch.rand(1, 1024, 768)
    stacked = torch.nn.Sequential(
        MultiHeadAttentionWrapper(768, 64, 1024, 0.0, num_heads=12),
        torch.nn.Linear(768, 768),  # what the fused layer calls out_proj
    )
    fused = MultiHeadAttention(768, 768, 1024, 0.0, num_heads=12)

for name, layer in ("stacked", stacked), ("fused  ", fused):
    projections = sum(isinstance(part, torch.nn.Linear) for part in layer.modules())
    mask_mib = sum(buffer.nbytes for buffer in layer.buffers()) / 2**20
    with FlopCounterMode(display=False) as counter:
        layer(x)
    operations = counter.get_total_flops() / 1e9
    print(f"{name} {projections:2} projections, {mask_mib:2.0f} MiB of masks,", end=" ")
    print(f"{operations:.2f} billion operations")
# --8<-- [end:example]
