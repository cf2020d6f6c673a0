import torch
from cases import gradients, make, texts
from torch.testing import assert_close


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
