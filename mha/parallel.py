"""The heads of the fused layer spread over several devices.

Source: Shoeybi et al., "Megatron-LM: Training Multi-Billion Parameter Language Models
Using Model Parallelism" (2019), section 3: rows of the first projections, columns of
the last one, and one sum. PyTorch names the two after the transposed matrix, so there
they are column-wise and row-wise.
"""

# --8<-- [start:imports]
from torch import distributed
from torch.distributed.device_mesh import DeviceMesh, init_device_mesh
from torch.distributed.tensor import DTensor, Replicate
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    PrepareModuleInput,
    RowwiseParallel,
    parallelize_module,
)

from mha.fused import MultiHeadAttention

# --8<-- [end:imports]


# --8<-- [start:make_mesh]
def make_mesh(device_type: str) -> DeviceMesh:
    """Put the devices of all processes in a row, one for each process.

    Args:
        device_type: "cuda" with the backend nccl, "cpu" with gloo.

    Raises:
        ValueError: If this process belongs to no group.
    """
    check_process_group()
    return init_device_mesh(device_type, (distributed.get_world_size(),))


def check_process_group() -> None:
    """Refuse to work alone."""
    if not distributed.is_initialized():
        raise ValueError(
            "there must be a process group: start with torchrun and call "
            "torch.distributed.init_process_group first, got none"
        )


# --8<-- [end:make_mesh]
# --8<-- [start:shard_heads]
def shard_heads(layer: MultiHeadAttention, mesh: DeviceMesh) -> MultiHeadAttention:
    """Leave on each device of a row only its share of the heads.

    All processes call this, each with a layer of the same sizes; the weights are those
    of rank 0. With k heads on each device, rank r keeps heads r * k to r * k + k - 1.

    Args:
        layer: The layer, with all heads. It is changed, not copied.
        mesh: The devices, in one row.

    Returns:
        The same layer. Every process gives it the same x and gets the whole output.

    Raises:
        ValueError: If there is no process group, mesh has several dimensions, its
            devices do not divide num_heads, or layer is elsewhere or spread already.
    """
    check_process_group()
    weight = layer.W_query.weight
    if mesh.ndim != 1:
        raise ValueError(f"mesh must have one dimension, got {tuple(mesh.shape)}")
    if layer.num_heads % mesh.size() != 0:
        raise ValueError(
            "num_heads must be divisible by the number of devices, "
            f"got num_heads={layer.num_heads} and {mesh.size()} devices"
        )
    if isinstance(weight, DTensor):
        raise ValueError("layer must hold all its heads, got one that is spread")
    if weight.device.type != mesh.device_type:
        raise ValueError(
            "layer must be on the devices of the mesh, "
            f"got {weight.device.type} and a mesh of {mesh.device_type}"
        )
    whole = Replicate()
    parallelize_module(
        layer,
        mesh,
        {
            "": PrepareModuleInput(input_layouts=whole, desired_input_layouts=whole),
            "W_query": ColwiseParallel(),
            "W_key": ColwiseParallel(),
            "W_value": ColwiseParallel(),
            "out_proj": RowwiseParallel(),
        },
    )
    return layer


# --8<-- [end:shard_heads]
