import pytest
import torch
from cases import SIZES, gradients, make, texts
from specification import SPECIFIED, attend
from torch.testing import assert_close


@pytest.mark.parametrize("num_tokens", [1, 5, 11], ids="num_tokens={}".format)
def test_layer_equals_the_slow_loop(layer_class, qkv_bias, device, num_tokens):
    layer = make(layer_class, device, qkv_bias=qkv_bias)
    x = texts(device, num_tokens=num_tokens)

    assert_close(layer(x), SPECIFIED[layer_class](layer, x))


def test_layer_has_the_slow_loops_gradients(layer_class, qkv_bias, device):
    layer = make(layer_class, device, qkv_bias=qkv_bias)
    x = texts(device).requires_grad_()
    context_vec, expected = layer(x), SPECIFIED[layer_class](layer, x)
    upstream = torch.randn_like(expected)

    ours = gradients(layer, x, context_vec, upstream)

    assert_close(ours, gradients(layer, x, expected, upstream))


def test_slow_loop_gives_what_a_hand_computes():
    # Scores of token 2 are 0 and ln 3 (times sqrt 4, undone by the root): 1/4 and 3/4.
    queries = torch.tensor([[5.0, 5, 5, 5], [1, 0, 0, 0]])
    keys = torch.tensor([[0.0, 1, 1, 1], [2 * 1.0986123, 9, 9, 9]])
    values = torch.tensor([[8.0, 0, 4, 0], [0, 8, 4, 4]])

    context_vecs = attend(queries, keys, values)

    assert_close(context_vecs, torch.tensor([[8.0, 0, 4, 0], [2, 6, 4, 3]]))


def test_all_sizes_differ():
    assert len(set(SIZES.values())) == len(SIZES)
