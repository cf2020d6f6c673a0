"""One process: a group of one, and what is refused."""

import re
from types import SimpleNamespace

import pytest
import torch
from rank import make, texts
from torch import distributed
from torch.distributed.device_mesh import init_device_mesh
from torch.testing import assert_close

from mha.parallel import make_mesh, shard_heads

NO_GROUP = (
    "there must be a process group: start with torchrun and call "
    "torch.distributed.init_process_group first, got none"
)


@pytest.fixture
def group():
    distributed.init_process_group(
        "gloo", store=distributed.HashStore(), rank=0, world_size=1
    )
    yield
    distributed.destroy_process_group()


def says(message):
    return pytest.raises(ValueError, match=rf"^{re.escape(message)}\Z")


@torch.no_grad()
def test_one_device_holds_all_heads(group):
    layer = shard_heads(make(), make_mesh("cpu"))

    assert_close(layer(texts()) + 0, make()(texts()))


def test_it_is_the_layer_itself_that_is_spread(group):
    layer = make()

    assert shard_heads(layer, make_mesh("cpu")) is layer


def test_no_process_group_is_refused():
    with says(NO_GROUP):
        make_mesh("cpu")


def test_a_group_that_is_gone_is_refused():
    distributed.init_process_group(
        "gloo", store=distributed.HashStore(), rank=0, world_size=1
    )
    mesh = make_mesh("cpu")
    distributed.destroy_process_group()

    with says(NO_GROUP):
        shard_heads(make(), mesh)


def test_devices_in_two_rows_are_refused(group):
    mesh = init_device_mesh("cpu", (1, 1))

    with says("mesh must have one dimension, got (1, 1)"):
        shard_heads(make(), mesh)


def test_heads_that_devices_do_not_divide_are_refused(group):
    three = SimpleNamespace(ndim=1, size=lambda: 3)

    with says(
        "num_heads must be divisible by the number of devices, "
        "got num_heads=4 and 3 devices"
    ):
        shard_heads(make(), three)


def test_a_layer_elsewhere_is_refused(group):
    with says("layer must be on the devices of the mesh, got meta and a mesh of cpu"):
        shard_heads(make().to("meta"), make_mesh("cpu"))


def test_a_layer_that_is_spread_already_is_refused(group):
    mesh = make_mesh("cpu")
    layer = shard_heads(make(), mesh)

    with says("layer must hold all its heads, got one that is spread"):
        shard_heads(layer, mesh)


def test_the_layers_own_errors_stay(group):
    layer = shard_heads(make(), make_mesh("cpu"))

    with says(
        "num_tokens must be at most context_length, got num_tokens=12 and "
        "context_length=11"
    ):
        layer(torch.rand(1, 12, 3, dtype=torch.float64))


def test_a_refused_layer_is_as_it_was(group):
    layer = make()

    with pytest.raises(ValueError, match="one dimension"):
        shard_heads(layer, init_device_mesh("cpu", (1, 1)))

    assert type(layer.W_query.weight) is torch.nn.Parameter
    assert not layer._forward_pre_hooks
