"""What the layer tests share: devices, layer classes, biases."""

import os

import pytest
import torch
from cases import ARGUMENTS, cuda_or_skip

# The tensors are small: several threads would only wait for each other.
torch.set_num_threads(1)


@pytest.fixture(params=["cpu", pytest.param("cuda", marks=pytest.mark.cuda)])
def device(request):
    if request.param == "cuda":
        required = os.environ.get("MHA_REQUIRE_CUDA") == "1"
        cuda_or_skip(torch.cuda.is_available(), required)
    return request.param


@pytest.fixture(params=ARGUMENTS, ids=lambda layer_class: layer_class.__name__)
def layer_class(request):
    return request.param


@pytest.fixture(params=[False, True], ids=["no_bias", "qkv_bias"])
def qkv_bias(request):
    return request.param


@pytest.fixture(autouse=True)
def seed():
    torch.manual_seed(123)
