"""Heads on several devices, compared with the layer on one.

torchrun --nproc-per-node 2 -m mha.examples.sharded
"""

# --8<-- [start:imports]
import os
import sys
from copy import deepcopy
from datetime import timedelta

import torch
from torch import distributed
from torch.distributed.tensor import DTensor
from torch.distributed.tensor.debug import CommDebugMode

from mha import MultiHeadAttention
from mha.examples import batch
from mha.parallel import make_mesh, shard_heads

# --8<-- [end:imports]


# --8<-- [start:join]
def join() -> str:
    """Join the processes that torchrun started; return the kind of their devices."""
    device_type, backend = "cpu", "gloo"
    if torch.cuda.device_count() >= int(os.environ["LOCAL_WORLD_SIZE"]):
        device_type, backend = "cuda", "nccl"
        torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
    patience = timedelta(seconds=60)  # a rank that is silent for longer is an error
    distributed.init_process_group(backend, timeout=patience)
    return device_type


# --8<-- [end:join]
# --8<-- [start:held]
def held(spread: MultiHeadAttention, single: MultiHeadAttention) -> str:
    """Say which heads this process holds, found by comparing the rows of W_query."""
    own_rows, own_columns = (
        part.weight.to_local()
        for part in (spread.W_query, spread.out_proj)
        if isinstance(part.weight, DTensor)
    )
    own = own_rows.split(single.head_dim)
    heads = [
        i
        for i, rows in enumerate(single.W_query.weight.split(single.head_dim))
        if any(torch.equal(rows, some) for some in own)
    ]
    return (
        f"rank {distributed.get_rank()}: heads {heads}, "
        f"W_query {tuple(own_rows.shape)}, out_proj {tuple(own_columns.shape)}"
    )


# --8<-- [end:held]
# --8<-- [start:compare]
def gradient(tensor: torch.Tensor) -> torch.Tensor | None:
    """The whole gradient of a tensor, with the rows that other devices hold."""
    grad = tensor.grad
    return grad.full_tensor() if isinstance(grad, DTensor) else grad


def compare(spread: MultiHeadAttention, single: MultiHeadAttention) -> str:
    """Count what the spread layer sends; its numbers must be the single layer's."""
    x, x_too = (batch.to(single.mask.device, copy=True) for _ in range(2))
    with CommDebugMode() as forward:
        out = spread(x.requires_grad_())
    with CommDebugMode() as backward:
        out.square().sum().backward()
    expected = single(x_too.requires_grad_())
    expected.square().sum().backward()

    torch.testing.assert_close(out, expected)
    ours, theirs = [x, *spread.parameters()], [x_too, *single.parameters()]
    for mine, other in zip(ours, theirs):
        torch.testing.assert_close(gradient(mine), gradient(other))
    return (
        f"all-reduces: {forward.get_total_counts()} forward, "
        f"{backward.get_total_counts()} backward\n"
        "outputs and gradients are those of the layer on one device"
    )


# --8<-- [end:compare]
# --8<-- [start:main]
def main() -> None:
    """Spread four heads over all processes; the first one reports for all."""
    if not distributed.is_torchelastic_launched():
        sys.exit("start with: torchrun --nproc-per-node 2 -m mha.examples.sharded")
    device_type = join()
    torch.manual_seed(123)
    single = MultiHeadAttention(3, 8, 6, 0.0, num_heads=4).to(device_type)
    spread = shard_heads(deepcopy(single), make_mesh(device_type))

    lines = [""] * distributed.get_world_size()
    distributed.all_gather_object(lines, held(spread, single))
    lines.append(compare(spread, single))
    if distributed.get_rank() == 0:
        print("\n".join(lines))
    distributed.destroy_process_group()


# --8<-- [end:main]
if __name__ == "__main__":
    main()
