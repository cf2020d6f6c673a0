import pytest
import torch
from cases import HAS_HEADS, SIZES, make, texts
from torch import nn
from torch.testing import assert_close


def uniform(layer):
    """Give all earlier tokens one weight and all values the number one."""
    for name, parameter in layer.named_parameters():
        nn.init.constant_(parameter, 1.0 if name.endswith("W_value.bias") else 0.0)
    if hasattr(layer, "out_proj"):
        nn.init.eye_(layer.out_proj.weight)
    return layer


def test_dropout_acts_in_training(layer_class, device):
    layer, x = make(layer_class, device, dropout=0.5).train(), texts(device)

    assert not torch.equal(layer(x), layer(x))


def test_dropout_never_acts_in_eval(layer_class, device):
    layer, x = make(layer_class, device, dropout=0.5).eval(), texts(device)
    without = make(layer_class, device, dropout=0.0)
    without.load_state_dict(layer.state_dict())

    assert torch.equal(layer(x), layer(x))
    assert torch.equal(layer(x), without.train()(x))


def test_dropout_comes_back_after_eval(layer_class, device):
    layer, x = make(layer_class, device, dropout=0.5).eval(), texts(device)

    layer.train()

    assert not torch.equal(layer(x), layer(x))


def test_the_dropout_module_may_be_changed_later(layer_class, device):
    layer, x = make(layer_class, device, dropout=0.5), texts(device)
    expected = make(layer_class, device, dropout=0.0)
    expected.load_state_dict(layer.state_dict())

    for module in layer.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0

    assert torch.equal(layer(x), expected(x))


def test_weights_are_dropped_and_the_rest_doubled_after_the_softmax(
    layer_class, device
):
    layer = uniform(make(layer_class, device, dropout=0.5, qkv_bias=True))
    num_tokens = SIZES["num_tokens"]
    weight = 1 / torch.arange(1, num_tokens + 1, device=device)

    context_vecs = layer(texts(device))

    # Token i adds up as many kept weights of 2 / (i + 1) as dropout left it.
    kept = context_vecs / (2 * weight.double()[None, :, None])
    assert_close(kept, kept.round())
    assert len(kept.round().unique()) > 2


def test_a_dropped_weight_drops_all_numbers_of_its_value(layer_class, device):
    layer = uniform(make(layer_class, device, dropout=0.5, qkv_bias=True))

    heads = layer(texts(device)).unflatten(2, (-1, SIZES["head_dim"]))

    assert_close(heads, heads[..., :1].expand_as(heads))


@pytest.mark.parametrize("layer_class", HAS_HEADS)
def test_heads_drop_weights_of_their_own(layer_class, device):
    layer = uniform(make(layer_class, device, dropout=0.5, qkv_bias=True))

    heads = layer(texts(device, b=8)).unflatten(2, (-1, SIZES["head_dim"]))

    assert not torch.equal(heads[:, :, 0], heads[:, :, 1])


def test_dropout_keeps_the_mean(layer_class, device):
    layer = uniform(make(layer_class, device, dropout=0.5, qkv_bias=True))

    first = layer(texts(device, b=4000))[:, 0, 0]

    # 0 or 2, so the mean of 4000 has a standard deviation of 1 / sqrt(4000) = 0.016.
    assert abs(first.mean().item() - 1) < 6 * 0.016


def test_dropping_every_weight_leaves_the_bias_of_the_projection(layer_class, device):
    layer = make(layer_class, device, dropout=1.0, qkv_bias=True)

    context_vecs = layer(texts(device))

    left = torch.zeros_like(context_vecs)
    if hasattr(layer, "out_proj"):
        left = layer.out_proj.bias.expand_as(context_vecs)
    assert_close(context_vecs, left, atol=0, rtol=0)


def test_the_mode_of_the_dropout_module_decides(layer_class, device):
    layer, x = make(layer_class, device, dropout=0.5).eval(), texts(device)

    for module in layer.modules():
        if isinstance(module, nn.Dropout):
            module.train()  # dropout in eval, to see how sure a model is

    assert not torch.equal(layer(x), layer(x))
