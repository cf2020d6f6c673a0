"""The forms of the chapters, and how to build and call a layer of each."""

import inspect
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from mha.checker.records import Form


@dataclass(frozen=True)
class Sizes:
    """Sizes that all differ, so that an exchanged axis shows."""

    d_in: int = 10
    num_heads: int = 3
    head_dim: int = 4
    context_length: int = 7
    num_kv_heads: int | None = None  # as many as num_heads where it is None

    @property
    def width(self) -> int:
        """Width of all heads together."""
        return self.num_heads * self.head_dim

    @property
    def kv_width(self) -> int:
        """Width of all keys of a token, or of all its values."""
        return (self.num_kv_heads or self.num_heads) * self.head_dim


BASE = Sizes()
WIDE = Sizes(d_in=18, num_heads=2, head_dim=8, context_length=6)
LONG = Sizes(d_in=6, num_heads=4, head_dim=5, context_length=23)
EQUAL = replace(BASE, d_in=BASE.width)


def arguments(form: Form, sizes: Sizes) -> dict[str, int | float]:
    """What the constructor of a form is called with."""
    same: dict[str, int | float] = {
        "d_in": sizes.d_in,
        "context_length": sizes.context_length,
        "dropout": 0.0,
    }
    if form == "causal":
        return same | {"d_out": sizes.head_dim}
    if form == "stacked":
        return same | {"d_out": sizes.head_dim, "num_heads": sizes.num_heads}
    same |= {"d_out": sizes.width, "num_heads": sizes.num_heads}
    if form == "grouped" and sizes.num_kv_heads is not None:
        return same | {"num_kv_heads": sizes.num_kv_heads}
    return same


def fitting(form: Form, sizes: Sizes) -> Sizes:
    """One head has one head; where heads are grouped, two share keys and values."""
    if form == "causal":
        return replace(sizes, num_heads=1)
    if form == "grouped" and sizes.num_kv_heads is None:
        d_in = 2 * sizes.width if sizes.d_in == sizes.width else sizes.d_in
        num_heads, num_kv_heads = 2 * sizes.num_heads, sizes.num_heads
        return replace(sizes, d_in=d_in, num_heads=num_heads, num_kv_heads=num_kv_heads)
    return sizes


def build(
    layer_class: type[nn.Module], form: Form, sizes: Sizes, **more: float | bool
) -> nn.Module:
    """Make a layer in eval mode, the same weights each time."""
    torch.manual_seed(0)
    layer = layer_class(**{**arguments(form, sizes), **more}).eval()
    if any(is_lazy(parameter) for parameter in layer.parameters()):
        layer(texts(1, 1, sizes).float())  # lazy layers get their weights by a call
    wake(layer, fitting(form, sizes))
    return layer


def is_bias(parameter: Tensor, sizes: Sizes) -> bool:
    """As many numbers as a bias has: of one head, of queries, keys, both or all.

    The sizes above are such that no matrix has as many.
    """
    width, kv_width = sizes.width, sizes.kv_width
    widths = sizes.head_dim, width, kv_width, 2 * kv_width, width + 2 * kv_width
    return parameter.numel() in widths


def is_matrix(parameter: Tensor, sizes: Sizes) -> bool:
    """Two axes or more that are longer than 1, and no bias."""
    axes = sum(length > 1 for length in parameter.shape)
    return axes >= 2 and not is_bias(parameter, sizes)


def wake(layer: nn.Module, sizes: Sizes) -> None:
    """Give matrices that start at zero some numbers: nothing shows behind zeros."""
    generator = torch.Generator().manual_seed(3)
    for parameter in layer.parameters():
        if is_matrix(parameter, sizes) and not bool(parameter.any()):
            random = torch.randn(parameter.shape, generator=generator)
            parameter.data.copy_(random / parameter.shape[-1] ** 0.5)


def texts(b: int, num_tokens: int, sizes: Sizes, seed: int = 1) -> Tensor:
    """Random texts in float64, (b, num_tokens, d_in)."""
    generator = torch.Generator().manual_seed(seed)
    shape = (b, num_tokens, sizes.d_in)
    return torch.randn(shape, generator=generator, dtype=torch.float64)


def likely_form(layer_class: type[nn.Module]) -> Form:
    """The form that constructor and name speak of."""
    try:
        parameters = inspect.signature(layer_class).parameters.values()
    except (TypeError, ValueError):
        return "fused"  # a constructor that cannot be read
    names = {parameter.name for parameter in parameters}
    anything = any(p.kind is p.VAR_KEYWORD for p in parameters)
    name = layer_class.__name__.lower().replace("_", "")
    if "num_heads" not in names and not anything and "multihead" not in name:
        return "causal"
    if "num_kv_heads" in names:
        return "grouped"
    return "stacked" if "wrapper" in name or "stack" in name else "fused"
