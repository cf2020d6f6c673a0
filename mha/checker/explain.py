"""Which layer, right or wrong in one way, computes what the learner's layer computes.

The weights are set to random numbers and read back in every role that their shapes
allow; then the right layer and all mistakes compute the same input with them.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn

from mha.checker.codes import MISTAKES
from mha.checker.forms import Sizes, fitting, is_bias, is_matrix, texts
from mha.checker.records import Form
from mha.checker.roles import Roles, candidates
from mha.checker.subject import Subject, call, close
from mha.checker.variants import (
    ALSO,
    AddsTooLittle,
    Interleaved,
    LargeFill,
    LargeSummand,
)
from mha.mistakes.layer import GroupedLayer, Layer
from mha.mistakes.mask import MaskFillsTooLittle
from mha.mistakes.scale import (
    ScaleByDOut,
    ScaleFixed,
    ScaleMissing,
    ScaleWithoutRoot,
)

MOST = 36  # readings that are tried where one token does not tell which are true
COMPUTED = ("mask", "softmax", "scale", "heads", "groups", "projections")
DETAILS = {
    "heads-ignored": "the output is that of one head, as wide as all should be",
    "groups-repeated-in-turn": (
        "head 2 reads keys or values of group 2, where it shares those of group 1"
    ),
    "queries-and-keys-swapped": "with the two exchanged, every number is right",
    "residual-inside": "the output minus x is the output of a right layer",
    "values-from-keys": "one matrix makes the values and the keys or queries",
    "one-projection-for-all-three": (
        "queries, keys and values come from one and the same matrix"
    ),
    "one-projection-for-queries-and-keys": (
        "queries and keys come from one and the same matrix"
    ),
    "out-proj-missing": "the output is the glued heads, with no matrix behind",
}


@dataclass(frozen=True)
class Explanation:
    """What computes the same as the learner's layer: None if it is right."""

    code: str | None
    got: Tensor
    right: Tensor
    detail: str = ""


def made(layer_class: type[Layer], sizes: Sizes) -> Layer:
    """A layer without biases to set weights into."""
    given = sizes.d_in, sizes.width, sizes.context_length, 0.0, sizes.num_heads
    if sizes.num_kv_heads is None:
        layer = layer_class(*given)
    else:
        layer = in_groups(layer_class)(*given, sizes.num_kv_heads)
    nn.init.zeros_(layer.out_proj.bias)
    return layer.double().eval()


def in_groups(layer_class: type[Layer]) -> type[GroupedLayer]:
    """The same layer, right or wrong, with heads that share keys and values."""
    if issubclass(layer_class, GroupedLayer):
        return layer_class
    if layer_class is Layer:
        return GroupedLayer
    return cast(type[GroupedLayer], mixed(layer_class, GroupedLayer))


def out_of(roles: Roles) -> Tensor:
    """The output projection; where there is none, the identity."""
    if roles.out is None:
        return torch.eye(roles.query.shape[0], dtype=torch.float64)
    return roles.out.double()


@torch.no_grad()
def compute(layer: Layer, roles: Roles, x: Tensor) -> Tensor | None:
    """What a layer makes of x with these weights; None where shapes forbid it."""
    layer.W_query.weight.data = roles.query.double()
    layer.W_key.weight.data = roles.key.double()
    layer.W_value.weight.data = roles.value.double()
    layer.out_proj.weight.data = out_of(roles)
    try:
        return layer(x.clone())
    except RuntimeError:
        return None


def mixed(first: type[Layer], second: type[Layer]) -> type[Layer]:
    """A layer with the steps of both, those of the first before the second's."""
    return type("Mixed", (first, second), {})


@functools.lru_cache
def bank(sizes: Sizes) -> tuple[tuple[str, Layer], ...]:
    """The mistakes that change what is computed, one thing wrong in each."""
    right = made(Layer, sizes)
    x = texts(2, 5, sizes)
    roles = Roles(
        right.W_query.weight.detach() * 4,
        right.W_key.weight.detach() * 4,
        right.W_value.weight.detach(),
        right.out_proj.weight.detach(),
    )
    wanted = compute(right, roles, x)
    known = [(m.code, m.layer_class) for m in MISTAKES.values() if m.family in COMPUTED]
    layers: list[tuple[str, Layer]] = []
    for code, layer_class in [*known, *ALSO]:
        if layer_class in (MaskFillsTooLittle, ScaleFixed):
            continue  # of these, the number is not known: see `fit`
        if issubclass(layer_class, GroupedLayer) and sizes.num_kv_heads is None:
            continue
        layer = made(layer_class, sizes)
        out = compute(layer, roles, x)
        if out is None or wanted is None or close(out, wanted, 1e-9):
            continue
        layers.append((code, layer))
        if not bool(torch.isfinite(out).all()):
            for mixin in LargeFill, LargeSummand:
                layers.append((code, made(mixed(mixin, layer_class), sizes)))
    return tuple(layers)


@functools.lru_cache
def pairs(sizes: Sizes) -> tuple[tuple[str, Layer], ...]:
    """Two mistakes at once, known by the first: one of the bank, and the scale too."""
    scales = ScaleMissing, ScaleByDOut, ScaleWithoutRoot
    return tuple(
        (code, made(mixed(type(layer), scale), sizes))
        for code, layer in bank(sizes)
        for scale in scales
        if MISTAKES[code].family in ("mask", "softmax", "heads")
        and "scale" not in vars(type(layer))
    )


@torch.no_grad()
def randomise(layer: nn.Module, sizes: Sizes) -> None:
    """Set matrices to random numbers, large enough that attention is not flat."""
    generator = torch.Generator().manual_seed(2)
    for parameter in layer.parameters():
        if is_matrix(parameter, sizes):
            random = torch.randn(parameter.shape, generator=generator) * 0.5
            parameter.copy_(random)
        elif is_bias(parameter, sizes):
            parameter.zero_()


def twice_used(roles: Roles, form: Form) -> str | None:
    """The mistake of a layer that is right but for a matrix with two roles, or none."""
    if roles.query is roles.key is roles.value:
        return "one-projection-for-all-three"
    if roles.query is roles.key:
        return "one-projection-for-queries-and-keys"
    if roles.key is roles.value or roles.query is roles.value:
        return "values-from-keys"
    if roles.out is None and form in ("fused", "grouped"):
        return "out-proj-missing"
    return None


@dataclass(frozen=True)
class Number:
    """A number that a mistake may have: where it stands, and between which two."""

    code: str
    layer_class: type[Layer]
    attribute: str
    low: float
    high: float
    sign: float
    words: str


NUMBERS = (
    Number(
        "scale-fixed",
        ScaleFixed,
        "divisor",
        0.02,
        200.0,
        1.0,
        "scores are divided by {:.4g}, not by {:.4g}",
    ),
    Number(
        "mask-fills-too-little",
        MaskFillsTooLittle,
        "fill",
        1e-3,
        60.0,
        -1.0,
        "hidden scores are {:.4g}, not -inf",
    ),
    Number(
        "mask-fills-too-little",
        AddsTooLittle,
        "fill",
        1e-3,
        60.0,
        -1.0,
        "{:.4g} is added to hidden scores, not -inf",
    ),
)


def narrowed(
    error: Callable[[float], float], low: float, high: float
) -> tuple[float, float]:
    """The number between low and high with the smallest error, and that error."""
    for _ in range(45):
        third = (high - low) / 3
        if error(low + third) < error(high - third):
            high -= third
        else:
            low += third
    return low, error(low)


def fit(
    readings: list[Roles], sizes: Sizes, x: Tensor, got: Tensor, tolerance: float
) -> tuple[str, str] | None:
    """A mistake in a number: what scores are divided by, or what is filled in."""
    for number in NUMBERS:
        layer = made(number.layer_class, sizes)

        def error(size: float, roles: Roles, layer: Layer = layer) -> float:
            setattr(layer, number.attribute, number.sign * size)  # noqa: B023
            out = compute(layer, roles, x)
            return torch.inf if out is None else (out - got).abs().amax().item()

        ratio = (number.high / number.low) ** (1 / 24)
        sizes_tried = [number.low * ratio**step for step in range(25)]
        tried = [
            (error(size, roles), size, i)
            for i, roles in enumerate(readings)
            for size in sizes_tried
        ]
        near = 0.5 * got.abs().max().item()
        for _, size, i in [one for one in sorted(tried)[:2] if one[0] < near]:
            best, gap = narrowed(
                lambda size, i=i: error(size, readings[i]), size / ratio, size * ratio
            )
            if gap < 10 * tolerance:
                words = number.words.format(number.sign * best, sizes.head_dim**0.5)
                return number.code, words
    return None


def distinct(roles: Roles) -> bool:
    """Three matrices for three roles."""
    return len({id(roles.query), id(roles.key), id(roles.value)}) == 3


@torch.no_grad()
def in_words(layer: Layer, x: Tensor, family: str) -> str:
    """What a mistake does to scores and weights; empty where that is not the point."""
    ones = torch.ones(2, layer.num_heads, x.shape[1], x.shape[1], dtype=x.dtype)
    scale = layer.scale(ones)[0, 0, 0, 0].item()
    root = layer.head_dim**0.5
    if family == "scale" and scale != 1.0:
        return f"scores are divided by {1 / scale:.4g}, not by {root:.4g}"
    if family == "scale" and bool((layer.share(ones).sum(-1) == 1).all()):
        return f"scores are divided by 1, not by {root:.4g}"
    queries, keys, _ = layer.project(x)
    scores = layer.score(layer.split(queries), layer.split(keys))
    sums = layer.share(layer.hide(layer.scale(scores))).sum(dim=-1)
    wrong = (sums - 1).abs() > 1e-6
    if bool(torch.isfinite(sums).all()) and bool(wrong.any()):
        text, head, token = (int(i) for i in wrong.nonzero()[0])
        total = sums[text, head, token].item()
        return f"the weights of token {token + 1} add up to {total:.3g}, not to 1"
    return ""


def alone(roles: Roles, x: Tensor, head_dim: int) -> Tensor:
    """What a right layer makes of one token: its values, for every head, projected."""
    heads = roles.value.double().unflatten(0, (-1, head_dim))
    copies = len(roles.query) // len(roles.value)
    value = heads.repeat_interleave(copies, dim=0).flatten(0, 1)
    return x.double() @ value.T @ out_of(roles).T


def of_one_token(
    layer: nn.Module, readings: list[Roles], x: Tensor, head_dim: int, tolerance: float
) -> list[Roles]:
    """Readings true for one token, which has itself alone to attend to.

    Most mistakes change nothing for one token, so that this tells values and output.
    """
    try:
        got = call(layer, x.clone())
    except Exception:
        return []
    return [
        roles for roles in readings if close(got, alone(roles, x, head_dim), tolerance)
    ]


def explain(subject: Subject, sizes: Sizes) -> Explanation | None:
    """What the layer computes, if it is right or wrong in one known way."""
    sizes = fitting(subject.form, sizes)
    layer = subject.layer(sizes)
    randomise(layer, sizes)
    x = subject.texts(2, 5, sizes)
    got = call(layer, x.clone())
    readings = candidates(layer, sizes)
    if not readings or got.shape != (2, 5, sizes.width):
        return None
    likely = of_one_token(layer, readings, x[:, :1], sizes.head_dim, subject.tolerance)
    if not likely:
        whole = [roles for roles in readings if distinct(roles)]
        if subject.form in ("fused", "grouped"):
            whole = [roles for roles in whole if roles.out is not None]
        readings = whole[:MOST]
    else:
        readings = likely

    def fits(candidate: Layer) -> tuple[Roles, Tensor] | None:
        for roles in readings:
            out = compute(candidate, roles, x.double())
            if out is not None and close(got, out, subject.tolerance):
                return roles, out
        return None

    right = made(Layer, sizes)
    for layer_class in Layer, Interleaved:
        if hit := fits(made(layer_class, sizes)):
            code = twice_used(hit[0], subject.form)
            return Explanation(code, got, hit[1], DETAILS.get(code or "", ""))
    for code, candidate in bank(sizes):
        if hit := fits(candidate):
            wanted = compute(right, hit[0], x.double())
            detail = DETAILS.get(code, "")
            if not detail and MISTAKES[code].family in ("scale", "softmax"):
                detail = in_words(candidate, x.double(), MISTAKES[code].family)
            return Explanation(code, got, got if wanted is None else wanted, detail)
    readings = likely = [roles for roles in likely if distinct(roles)]
    if not likely or not bool(torch.isfinite(got).all()):
        return None
    for code, candidate in pairs(sizes):
        if hit := fits(candidate):
            wanted = compute(right, hit[0], x.double())
            return Explanation(code, got, got if wanted is None else wanted)
    found = fit(likely, sizes, x.double(), got.double(), subject.tolerance)
    return None if found is None else Explanation(found[0], got, got, found[1])
