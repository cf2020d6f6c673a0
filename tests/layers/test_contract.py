"""What every layer promises, whatever its form."""

import copy
import io
import pickle

import pytest
import torch
from cases import SIZES, WIDTH_OUT, gradients, make, texts
from torch.testing import assert_close


@pytest.mark.parametrize("dropout", [0.0, 0.5], ids="dropout={}".format)
def test_later_tokens_and_other_texts_have_no_gradient(layer_class, device, dropout):
    layer = make(layer_class, device, dropout=dropout).train()
    x = texts(device).requires_grad_()
    context_vecs = layer(x)

    for i in range(SIZES["num_tokens"]):
        upstream = torch.randn_like(context_vecs[0, i])
        (gradient,) = torch.autograd.grad(
            context_vecs[0, i], x, upstream, retain_graph=True
        )

        assert gradient[0, i + 1 :].count_nonzero() == 0
        assert gradient[1].count_nonzero() == 0


def test_every_earlier_token_and_itself_have_a_gradient(layer_class, device):
    layer = make(layer_class, device)
    x = texts(device).requires_grad_()
    context_vecs = layer(x)

    for i in range(SIZES["num_tokens"]):
        upstream = torch.randn_like(context_vecs[:, i])
        (gradient,) = torch.autograd.grad(
            context_vecs[:, i], x, upstream, retain_graph=True
        )

        assert gradient[:, : i + 1].norm(dim=2).min() > 1e-3


def test_a_prefix_gives_the_prefix(layer_class, device):
    layer = make(layer_class, device, qkv_bias=True)
    x = texts(device)

    for num_tokens in range(1, SIZES["num_tokens"] + 1):
        assert_close(layer(x[:, :num_tokens]), layer(x)[:, :num_tokens])


def test_texts_do_not_know_of_each_other(layer_class, device):
    layer = make(layer_class, device)
    x = texts(device)

    assert_close(layer(x), torch.cat([layer(x[:1]), layer(x[1:])]))


@pytest.mark.parametrize("b", [1, 2])
@pytest.mark.parametrize("num_tokens", [1, 5, 11])
def test_output_has_the_shape_of_the_contract(layer_class, device, b, num_tokens):
    layer = make(layer_class, device)

    context_vecs = layer(texts(device, b=b, num_tokens=num_tokens))

    assert context_vecs.shape == (b, num_tokens, WIDTH_OUT[layer_class])
    assert context_vecs.isfinite().all()


@pytest.mark.parametrize(
    "dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64]
)
def test_every_float_dtype_stays_and_is_near_float64(layer_class, device, dtype):
    layer = make(layer_class, device, qkv_bias=True).to(dtype)
    x = texts(device).to(dtype)

    context_vecs = layer(x)

    assert context_vecs.dtype == dtype
    # Some five roundings in a row, each of numbers below 4, each off by at most eps.
    tolerance = 16 * torch.finfo(dtype).eps
    expected = copy.deepcopy(layer).double()(x.double())
    assert_close(context_vecs.double(), expected, atol=tolerance, rtol=tolerance)


STRIDED = {
    "tokens first": lambda x: x.permute(1, 0, 2).contiguous().permute(1, 0, 2),
    "numbers first": lambda x: x.permute(2, 0, 1).contiguous().permute(1, 2, 0),
    "backwards": lambda x: x.permute(2, 1, 0).contiguous().permute(2, 1, 0),
    "every second number": lambda x: x.repeat_interleave(2, dim=2)[:, :, ::2],
    "every second token": lambda x: x.repeat_interleave(2, dim=1)[:, ::2],
    "every second text": lambda x: x.repeat_interleave(2, dim=0)[::2],
    "a window of more": lambda x: torch.cat([x, x, x], dim=2)[:, :, 4:8],
    "one text, expanded": lambda x: x[:1].expand_as(x),
    "one token, expanded": lambda x: x[:, :1].expand_as(x),
    "one number, expanded": lambda x: x[:, :, :1].expand_as(x),
}


@pytest.mark.parametrize("strided", STRIDED.values(), ids=STRIDED.keys())
def test_strides_do_not_matter(layer_class, device, strided):
    layer = make(layer_class, device)
    x = strided(texts(device)).detach().requires_grad_()
    same = x.detach().clone(memory_format=torch.contiguous_format).requires_grad_()
    upstream = torch.randn_like(layer(same))

    assert not x.is_contiguous()
    assert_close(layer(x), layer(same))
    assert_close(
        gradients(layer, x, layer(x), upstream),
        gradients(layer, same, layer(same), upstream),
    )


def test_input_is_not_changed(layer_class, device):
    layer = make(layer_class, device, dropout=0.5)
    x = texts(device)
    before = x.clone()

    layer(x)

    assert torch.equal(x, before)


def test_meta_device_gives_shape_and_dtype(layer_class):
    with torch.device("meta"):
        layer = make(layer_class, "meta").half()

    context_vecs = layer(texts("meta").half())

    assert context_vecs.device.type == "meta"
    assert context_vecs.dtype == torch.float16
    assert context_vecs.shape == (2, 5, WIDTH_OUT[layer_class])


def test_deep_copy_is_equal_and_shares_nothing(layer_class, device):
    layer, x = make(layer_class, device), texts(device)
    expected = layer(x)

    copied = copy.deepcopy(layer)
    with torch.no_grad():
        for parameter in layer.parameters():
            parameter.zero_()

    assert torch.equal(copied(x), expected)


def test_pickle_brings_the_layer_back(layer_class, device):
    layer, x = make(layer_class, device), texts(device)

    again = pickle.loads(pickle.dumps(layer))

    assert torch.equal(again(x), layer(x))


def test_saved_weights_load_again(layer_class, device):
    layer, x = make(layer_class, device, qkv_bias=True), texts(device)
    file = io.BytesIO()
    torch.save(layer.state_dict(), file)
    file.seek(0)
    other = make(layer_class, device, qkv_bias=True)

    other.load_state_dict(torch.load(file, weights_only=True), strict=True)

    assert torch.equal(other(x), layer(x))


def test_everything_is_on_the_layers_device(layer_class, device):
    layer = make(layer_class, device)

    tensors = [*layer.parameters(), *layer.buffers(), layer(texts(device))]

    assert {tensor.device.type for tensor in tensors} == {device}
