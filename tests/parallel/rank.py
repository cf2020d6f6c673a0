"""One of several processes that share the heads: python rank.py FOLDER RANK RANKS.

What it saw goes into a file; test_several.py compares it with a layer in one process.
"""

import os
import sys
import time
from datetime import timedelta
from pathlib import Path

import torch
from torch import distributed
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.tensor.debug import CommDebugMode
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    parallelize_module,
)

from mha import MultiHeadAttention, SDPAMultiHeadAttention
from mha.parallel import make_mesh, shard_heads

SIZES = {"d_in": 3, "d_out": 28, "context_length": 11, "num_heads": 4}
SHAPE = (2, 5, 3)  # (b, num_tokens, d_in)
LEARNING_RATE = 0.1


def make(layer_class=MultiHeadAttention, seed=123, dropout=0.0, qkv_bias=True, **sizes):
    torch.manual_seed(seed)
    layer = layer_class(**SIZES | sizes, dropout=dropout, qkv_bias=qkv_bias)
    return layer.double()


def texts():
    torch.manual_seed(321)
    return torch.randn(SHAPE, dtype=torch.float64)


def upstream():
    """Gradients that arrive at the output, a different one for each number."""
    torch.manual_seed(213)
    return torch.randn(*SHAPE[:2], SIZES["d_out"], dtype=torch.float64)


def step(layer):
    optimizer = torch.optim.SGD(layer.parameters(), LEARNING_RATE)
    optimizer.step()


def whole(tensors):
    return {name: tensor.full_tensor() for name, tensor in tensors.items()}


def counted(mode):
    return {str(kind): count for kind, count in mode.get_comm_counts().items()}


def training(mesh, qkv_bias):
    """Forward, backward and one step; each rank starts with weights of its own."""
    own = make(seed=123 + mesh.get_rank(), qkv_bias=qkv_bias)
    layer, x = shard_heads(own, mesh), texts().requires_grad_()
    held = {name: p.to_local().clone() for name, p in layer.named_parameters()}
    with CommDebugMode() as forward:
        out = layer(x)
    with CommDebugMode() as backward:
        out.backward(upstream())
    gradients = whole({name: p.grad for name, p in layer.named_parameters()})
    step(layer)
    return {
        "held": held,
        "out": out.detach() + 0,  # waits for the sum
        "x.grad": x.grad + 0,
        "gradients": gradients,
        "stepped": whole(dict(layer.named_parameters())),
        "mask": layer.mask,
        "forward": counted(forward),
        "backward": counted(backward),
    }


def sent_backward(layer, x):
    out = layer(x)
    with CommDebugMode() as backward:
        out.sum().backward()
    return counted(backward)


def without_shared_input(mesh):
    """What goes back if each projection takes x by itself."""
    plan = {name: ColwiseParallel() for name in ("W_query", "W_key", "W_value")}
    layer = parallelize_module(make(), mesh, plan | {"out_proj": RowwiseParallel()})
    return sent_backward(layer, texts().requires_grad_())


@torch.no_grad()
def dropped(layer, seed):
    """Which attention weights this rank drops after a seed."""
    x, seen = texts(), []
    hook = layer.dropout.register_forward_hook(lambda *call: seen.append(call[-1] == 0))
    torch.manual_seed(seed)
    layer(x)
    hook.remove()
    return seen[0]


def message(mesh, layer):
    try:
        shard_heads(layer, mesh)
    except ValueError as error:
        return str(error)
    return None


def failure(layer):
    """The error of a layer whose partner is missing, and the seconds until it came."""
    start = time.monotonic()
    try:
        layer(texts()).sum().item()
    except RuntimeError as error:
        return str(error), time.monotonic() - start
    return None


def silence(patience):
    """The last rank does not answer; the others have a limit to their patience."""
    group = distributed.new_group(timeout=timedelta(seconds=patience))
    # Without a name it would equal the first mesh, and PyTorch would take that one.
    mesh = DeviceMesh.from_group(group, "cpu", mesh_dim_names=("impatient",))
    layer = shard_heads(make(), mesh)
    last = distributed.get_rank() == distributed.get_world_size() - 1
    seen = None if last else failure(layer)
    distributed.barrier()
    return seen


def run(folder, rank, ranks):
    torch.set_num_threads(1)
    store = distributed.FileStore(str(folder / "store"), ranks)
    distributed.init_process_group(
        "gloo",
        store=store,
        rank=rank,
        world_size=ranks,
        timeout=timedelta(seconds=60),
    )
    mesh = make_mesh("cpu")
    layer = shard_heads(make(dropout=0.5), mesh)
    with torch.no_grad():
        seen = {
            "sdpa": shard_heads(make(SDPAMultiHeadAttention), mesh)(texts()) + 0,
            "eval": layer.eval()(texts()) + 0,
        }
    layer.train()
    seen |= {
        "no_bias": training(mesh, qkv_bias=False),
        "qkv_bias": training(mesh, qkv_bias=True),
        "one by one": without_shared_input(mesh),
        "first layer": sent_backward(shard_heads(make(), mesh), texts()),
        "same seed": dropped(layer, 7),
        "own seed": dropped(layer, 7 + rank),
        "uneven": message(mesh, make(d_out=21, num_heads=3)),
    }
    if ranks == 2:
        seen["silence"] = silence(patience=6)
    if rank == ranks - 1:
        torch.save(seen, folder / f"{rank}.pt")
        os._exit(7)  # dies without a word
    seen["death"] = failure(layer)
    torch.save(seen, folder / f"{rank}.pt")


if __name__ == "__main__":
    run(Path(sys.argv[1]), *map(int, sys.argv[2:]))
