import torch
from cases import gradients, make, texts
from torch import nn
from torch.testing import assert_close

from mha import GroupedQueryAttention, KeyValueCache


def test_layer_compiles_without_a_graph_break(layer_class, device):
    layer = make(layer_class, device, dropout=0.5, qkv_bias=True).eval()
    x = texts(device).requires_grad_()
    torch.compiler.reset()

    compiled = torch.compile(layer, fullgraph=True, backend="aot_eager")
    context_vecs = compiled(x)

    upstream = torch.randn_like(context_vecs)
    assert_close(context_vecs, layer(x))
    assert_close(
        gradients(layer, x, context_vecs, upstream),
        gradients(layer, x, layer(x), upstream),
    )


def test_layer_compiles_in_training_with_dropout(layer_class, device):
    layer = make(layer_class, device, dropout=1.0).train()
    torch.compiler.reset()

    compiled = torch.compile(layer, fullgraph=True, backend="aot_eager")

    assert_close(compiled(texts(device)), layer(texts(device)))


def test_layer_exports(layer_class, device):
    layer, x = make(layer_class, device, qkv_bias=True).eval(), texts(device)

    exported = torch.export.export(layer, (x,))

    other = texts(device)
    assert_close(exported.module()(other), layer(other))


class TwoChunks(nn.Module):
    """A text in two chunks, the second with the cache of the first."""

    def __init__(self, layer):
        super().__init__()
        self.layer = layer

    def forward(self, x):
        first, cache = self.layer.extend(x[:, :3], self.layer.empty_cache(len(x)))
        second, cache = self.layer.extend(x[:, 3:], cache)
        return torch.cat([first, second], dim=1), cache


def test_the_cache_compiles_without_a_graph_break(device):
    layer, x = make(GroupedQueryAttention, device), texts(device)
    torch.compiler.reset()

    compiled = torch.compile(TwoChunks(layer), fullgraph=True, backend="aot_eager")
    context_vecs, cache = compiled(x)

    assert isinstance(cache, KeyValueCache)
    assert_close(context_vecs, layer(x))
    assert_close(cache, TwoChunks(layer)(x)[1])


@torch.no_grad()
def test_a_cache_goes_in_and_out_of_a_compiled_layer(device):
    layer, x = make(GroupedQueryAttention, device), texts(device)
    torch.compiler.reset()

    extend = torch.compile(layer.extend, fullgraph=True, backend="aot_eager")
    cache, context_vecs = layer.empty_cache(2), []
    for chunk in x.split([3, 1, 1], dim=1):
        context_vec, cache = extend(chunk, cache)
        context_vecs.append(context_vec)

    assert_close(torch.cat(context_vecs, dim=1), layer(x))


def test_the_cache_exports(device):
    layer, x = TwoChunks(make(GroupedQueryAttention, device)), texts(device)

    exported = torch.export.export(layer, (x,))

    other = texts(device)
    assert_close(exported.module()(other), layer(other))
