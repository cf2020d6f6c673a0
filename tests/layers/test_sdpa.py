import pytest
import torch
from cases import gradients, make, texts
from torch.testing import assert_close
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from mha import MultiHeadAttention, SDPAMultiHeadAttention

NUM_TOKENS = 96


class LargestTensor(TorchDispatchMode):
    """Remember the size of the largest tensor that any operation makes."""

    size = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        made = func(*args, **(kwargs or {}))
        sizes = [leaf.numel() for leaf in tree_leaves(made) if torch.is_tensor(leaf)]
        self.size = max([self.size, *sizes])
        return made


def largest_tensor(layer, x):
    """The largest tensor that is made forward and backward."""
    x = x.requires_grad_()
    with LargestTensor() as largest:
        layer(x).sum().backward()
    return largest.size


def long_texts(device):
    return torch.randn(1, NUM_TOKENS, 4, device=device)


@pytest.mark.parametrize("mode", [True, False], ids=["train", "eval"])
def test_no_tensor_is_quadratic_in_num_tokens(device, mode):
    layer = SDPAMultiHeadAttention(4, 24, NUM_TOKENS, 0.0, 3).to(device).train(mode)

    assert largest_tensor(layer, long_texts(device)) < NUM_TOKENS**2


def test_the_fused_layer_does_make_a_quadratic_tensor(device):
    layer = MultiHeadAttention(4, 24, NUM_TOKENS, 0.0, 3).to(device)

    assert largest_tensor(layer, long_texts(device)) >= 3 * NUM_TOKENS**2


@pytest.mark.parametrize(
    "device", [pytest.param("cuda", marks=pytest.mark.cuda)], indirect=True
)
def test_peak_memory_is_not_quadratic(device):
    layer = SDPAMultiHeadAttention(4, 64, 4096, 0.0, 4).half().to(device)
    x = torch.randn(1, 4096, 4, dtype=torch.float16, device=device)
    layer(x).sum().backward()  # the first call also allocates cuBLAS's workspace
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()

    layer(x).sum().backward()

    one_head_of_weights = 4096 * 4096 * 2
    assert torch.cuda.max_memory_allocated() - before < one_head_of_weights


def test_no_mask_is_held():
    layer = make(SDPAMultiHeadAttention)

    assert list(layer.buffers()) == []
    assert list(layer.state_dict()) == [name for name, _ in layer.named_parameters()]


def test_sdpa_equals_fused_of_the_same_seed(device, qkv_bias):
    torch.manual_seed(7)
    fused = make(MultiHeadAttention, device, qkv_bias=qkv_bias)
    torch.manual_seed(7)
    sdpa = make(SDPAMultiHeadAttention, device, qkv_bias=qkv_bias)
    x = texts(device).requires_grad_()
    upstream = torch.randn_like(fused(x))

    assert_close(sdpa(x), fused(x))
    assert_close(
        gradients(sdpa, x, sdpa(x), upstream), gradients(fused, x, fused(x), upstream)
    )


def test_loading_drops_the_mask_but_not_from_the_callers_weights():
    weights = make(MultiHeadAttention).state_dict()

    make(SDPAMultiHeadAttention).load_state_dict(weights, strict=True)

    assert "mask" in weights


def test_loading_twice_works_without_a_mask_too():
    sdpa = make(SDPAMultiHeadAttention)

    result = sdpa.load_state_dict(make(SDPAMultiHeadAttention).state_dict())

    assert result.missing_keys == []
    assert result.unexpected_keys == []


def test_other_unknown_names_are_still_refused():
    weights = make(MultiHeadAttention).state_dict() | {"masks": torch.ones(1)}

    with pytest.raises(RuntimeError, match=r'Unexpected key.* "masks"'):
        make(SDPAMultiHeadAttention).load_state_dict(weights, strict=True)


def test_sdpa_weights_lack_only_the_mask_of_the_fused_layer():
    weights = make(SDPAMultiHeadAttention).state_dict()

    result = make(MultiHeadAttention).load_state_dict(weights, strict=False)

    assert result.missing_keys == ["mask"]
    assert result.unexpected_keys == []
