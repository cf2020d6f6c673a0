"""A run: for each setting all forms, shown equal, weighed, and timed in turn."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from math import prod
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from mha.bench.cost import (
    Call,
    extra_bytes,
    free_bytes,
    operators,
    peak_bytes,
    repeats,
    seconds,
)
from mha.bench.forms import FORMS
from mha.bench.records import KERNEL, PRODUCT, Group, Row, Setting
from mha.sdpa import SDPAMultiHeadAttention

WIDTHS = ((768, 12), (1024, 8))  # heads of 64, as in GPT-2, and of 128
TOKENS = {
    "cpu": (128, 256, 512, 1024, 2048, 4096),
    "cuda": (128, 256, 512, 1024, 2048, 4096, 8192, 16384),
}
DTYPES = {"cpu": ("float32",), "cuda": ("bfloat16", "float32")}
PASSES = (False, True)  # forward alone, and with backward
SIDE = {"cpu": 2048, "cuda": 8192}  # a product so large runs at the full rate
FORWARD_ONLY = "MultiheadAttention, fast path"
CUDA_ONLY = "FlexAttention"
COMPILED = ("stacked", "fused", "sdpa", "MultiheadAttention")
PROFILED = ("stacked", "fused", "sdpa")
SPREAD = 3.0  # of the numbers in the text: attention is uneven, so a wrong scale shows
# Sums in another order differ by a few steps of the number format (at most 24 at the
# sizes of a full run on a CPU); a wrong mask or scale differs by thousands.
STEPS_APART = 32
PROBES = (64, 128, 256)  # lengths that tell how memory grows
MARGIN = 1.25  # blocks and other processes take some too


class NotMeasured(RuntimeError):
    """Why a form has no times at a setting."""


@dataclass(frozen=True)
class Plan:
    """What a run measures, on which device.

    Args:
        device: `cpu` or `cuda`.
        dtypes: Number formats, as `float32`.
        widths: Pairs of width and number of heads.
        tokens: Lengths of the text.
        rounds: How often each form is timed at each setting.
        compiled: Whether forms also go through `torch.compile`.
    """

    device: str
    dtypes: Sequence[str]
    widths: Sequence[tuple[int, int]]
    tokens: Sequence[int]
    rounds: int
    compiled: bool

    @property
    def sizes(self) -> int:
        """How many settings there are."""
        return len(self.dtypes) * len(self.widths) * len(self.tokens) * len(PASSES)


def full_plan(device: str, tokens: Sequence[int], rounds: int, compiled: bool) -> Plan:
    """A run over all number formats and widths.

    Args:
        device: `cpu` or `cuda`.
        tokens: Lengths of the text; none means all that are usual for the device.
        rounds: How often each form is timed at each setting.
        compiled: Whether forms also go through `torch.compile`.

    Raises:
        ValueError: If the device is unknown or absent, or a number is below 1.
    """
    if device not in TOKENS:
        raise ValueError(f"device must be cpu or cuda, got {device!r}")
    if device == "cuda" and not torch.cuda.is_available():
        raise ValueError("device must be one that torch sees, got 'cuda'")
    if min([*tokens, rounds]) < 1:
        raise ValueError(
            f"tokens and rounds must be at least 1, got {tokens=}, {rounds=}"
        )
    lengths = tuple(sorted(set(tokens))) or TOKENS[device]
    return Plan(device, DTYPES[device], WIDTHS, lengths, rounds, compiled)


@dataclass(frozen=True)
class Candidate:
    """A form at one setting: its layer, what it is given, and what to do with both."""

    layer: nn.Module
    x: Tensor
    backward: bool

    def call(self) -> Tensor:
        """Compute the output, and with backward the gradients, as new tensors."""
        self.layer.zero_grad()
        self.x.grad = None
        return self.again()

    def again(self) -> Tensor:
        """The same, but new gradients are added to those that are there."""
        if not self.backward:
            with torch.no_grad():
                return self.layer(self.x)
        out = self.layer(self.x)
        out.backward(out.detach())
        return out.detach()

    def answers(self) -> list[Tensor]:
        """What all forms have to agree on: the output and the gradient of x."""
        out = self.call()
        return [out] if self.x.grad is None else [out, self.x.grad.clone()]


def run(plan: Plan, tick: Callable[[str], None]) -> Iterator[Group]:
    """Measure all settings of a plan, the short texts first.

    Args:
        plan: What to measure.
        tick: Is called with the name of a form each time one has been prepared or
            timed, `ticks(plan)` times in all.

    Yields:
        A group for each setting, as soon as it is measured.
    """
    for dtype in plan.dtypes:
        for width, num_heads in plan.widths:
            torch.compiler.reset()  # it remembers only so many variants
            layers = Layers(plan.device, dtype, width, num_heads, max(plan.tokens))
            for num_tokens in plan.tokens:
                for backward in PASSES:
                    setting = Setting(
                        plan.device, dtype, width, num_heads, num_tokens, backward
                    )
                    yield measure(setting, layers, plan, tick)


def ticks(plan: Plan) -> int:
    """How often `run` calls its tick."""
    forms = sum(len(names(plan, backward)) for backward in PASSES)
    per_length = forms * (1 + plan.rounds) + len((PRODUCT, KERNEL)) * plan.rounds
    return per_length * plan.sizes // len(PASSES)


def names(plan: Plan, backward: bool) -> list[tuple[str, bool]]:
    """The forms of a setting, and whether each is compiled."""
    plain = [
        form
        for form in FORMS
        if not (form == FORWARD_ONLY and backward)
        and not (form == CUDA_ONLY and plan.device != "cuda")
    ]
    compiled = [form for form in plain if plan.compiled and form in COMPILED]
    return [(form, False) for form in plain] + [(form, True) for form in compiled]


class Layers:
    """The layers of one width, all with the same weights, made when first asked for."""

    def __init__(
        self, device: str, dtype: str, width: int, num_heads: int, longest: int
    ) -> None:
        self.device = device
        self.dtype: torch.dtype = getattr(torch, dtype)
        self.sizes = (width, width, longest, 0.0, num_heads, True)
        self.made: dict[tuple[str, bool], nn.Module] = {}

    def layer(self, form: str, compiled: bool) -> nn.Module:
        """The layer of one form."""
        if (form, compiled) not in self.made:
            self.made[form, compiled] = (
                self.compiled(form) if compiled else self.fresh(form)
            )
        return self.made[form, compiled]

    def compiled(self, form: str) -> nn.Module:
        """The layer of one form, compiled for any length."""
        layer = self.layer(form, False)
        made = torch.compile(layer, fullgraph=True, dynamic=True)
        return cast(nn.Module, made)

    def fresh(self, form: str) -> nn.Module:
        """A new layer, with the weights that all of this width have."""
        with torch.random.fork_rng(), torch.device(self.device):
            torch.manual_seed(0)
            layer = FORMS[form](SDPAMultiHeadAttention(*self.sizes))
        return layer.to(self.dtype).eval()

    def candidate(self, setting: Setting, form: str, compiled: bool) -> Candidate:
        """A form with a text; the same text for all."""
        with torch.random.fork_rng():
            torch.manual_seed(setting.num_tokens)
            x = SPREAD * torch.randn(1, setting.num_tokens, setting.width)
        x = x.to(self.device, self.dtype).requires_grad_(setting.backward)
        return Candidate(self.layer(form, compiled), x, setting.backward)


def measure(
    setting: Setting, layers: Layers, plan: Plan, tick: Callable[[str], None]
) -> Group:
    """Show all forms of one setting equal, weigh them, then time them in turn."""
    rows: list[Row] = []
    calls: dict[int, Call] = {}  # of the rows that can be timed
    wanted: list[Tensor] = []
    for form, compiled in names(plan, setting.backward):
        row = Row(form, compiled)
        try:
            check_compiler(setting.device, compiled)
            check_fits(setting, form)
            candidate = layers.candidate(setting, form, compiled)
            answers = candidate.answers()
            wanted = wanted or answers
            row = weighed(row, setting, candidate, apart(answers, wanted))
            if not row.wrong:
                calls[len(rows)] = candidate.call
        except (RuntimeError, MemoryError) as error:
            row = replace(row, note=reason(error))
        rows.append(row)
        tick(row.name)
    if not setting.backward:
        for row, call in product(setting), kernel(setting):
            calls[len(rows)] = call
            rows.append(row)
    times = timed(calls, plan.rounds, lambda place: tick(rows[place].name))
    return Group(
        setting,
        tuple(
            replace(row, times=tuple(times[place])) if place in times else row
            for place, row in enumerate(rows)
        ),
    )


def apart(answers: Sequence[Tensor], wanted: Sequence[Tensor]) -> float:
    """The largest difference, in eps of the number format times the largest number."""
    return max(
        ((got - want).abs().max() / want.abs().max() / torch.finfo(want.dtype).eps)
        .float()
        .item()
        for got, want in zip(answers, wanted)
    )


def weighed(row: Row, setting: Setting, candidate: Candidate, difference: float) -> Row:
    """The row of a form with all but its times, unless it computes something else."""
    if not difference <= STEPS_APART:
        return replace(row, difference=difference, note="not the same function")
    profiled = row.form in PROFILED and not row.compiled and not setting.backward
    return replace(
        row,
        difference=difference,
        operations=0 if setting.backward else operations(setting),
        extra_bytes=extra_bytes(candidate.again, setting.device),
        operators=tuple(operators(candidate.call, setting.device)) if profiled else (),
    )


def operations(setting: Setting) -> int:
    """The multiplications and additions that a forward call needs.

    Four projections, and two products of every query with the keys and values that it
    may see, on average half of them.
    """
    projections = 4 * 2 * setting.num_tokens * setting.width**2
    return projections + attention_operations(setting)


def attention_operations(setting: Setting) -> int:
    """Those of the two products in the middle."""
    return 2 * 2 * setting.num_tokens**2 * setting.width // 2


def product(setting: Setting) -> tuple[Row, Call]:
    """The yardstick: one large product of matrices."""
    side = SIDE[setting.device]
    a, b = torch.randn(2, side, side).to(setting.device, getattr(torch, setting.dtype))
    return Row(PRODUCT, operations=2 * side**3), lambda: a @ b


def kernel(setting: Setting) -> tuple[Row, Call]:
    """PyTorch's kernel without the projections around it."""
    head_dim = setting.width // setting.num_heads
    shape = (3, 1, setting.num_heads, setting.num_tokens, head_dim)
    made = torch.randn(shape).to(setting.device, getattr(torch, setting.dtype))
    queries, keys, values = made
    row = Row(KERNEL, operations=attention_operations(setting))
    return row, lambda: scaled_dot_product_attention(
        queries, keys, values, is_causal=True
    )


def timed(
    calls: Mapping[int, Call], rounds: int, tick: Callable[[int], None]
) -> dict[int, list[float]]:
    """Time each call once in every round."""
    often = {place: repeats(seconds(call, 1)) for place, call in calls.items()}
    times: dict[int, list[float]] = {place: [] for place in calls}
    for _ in range(rounds):
        for place, call in calls.items():
            times[place].append(seconds(call, often[place]))
            tick(place)
    return times


def check_compiler(device: str, compiled: bool) -> None:
    """See beforehand whether a form can be compiled.

    Raises:
        NotMeasured: If it cannot.
    """
    error = compile_error(device) if compiled else ""
    if error:
        raise NotMeasured(f"not compiled: {error}")


@cache
def compile_error(device: str) -> str:
    """Why `torch.compile` does not work on this machine; empty where it does."""
    try:
        torch.compile(torch.sin)(torch.zeros(3, device=device))
    except RuntimeError as error:
        return reason(error)
    return ""


def check_fits(setting: Setting, form: str) -> None:
    """See beforehand whether a form fits into memory; a system may kill, not refuse.

    A GPU refuses, so nothing is checked there.

    Raises:
        NotMeasured: If it does not fit.
    """
    if setting.device == "cuda" or setting.num_tokens <= max(PROBES):
        return
    need = MARGIN * needed(replace(setting, num_tokens=0), form, setting.num_tokens)
    free = free_bytes(setting.device)
    if need > free:
        raise NotMeasured(
            f"too little memory: it takes about {need / 1e9:.1f} GB, "
            f"{free / 1e9:.1f} are free"
        )


@cache
def needed(setting: Setting, form: str, num_tokens: int) -> float:
    """The bytes that making and calling a form takes, from those of short texts.

    Everything in a layer grows at most with the square of the length, so three lengths
    tell how.
    """
    sizes: list[float] = []
    for length in PROBES:
        short = replace(setting, num_tokens=length)
        sizes.append(peak_bytes(partial(made_and_called, short, form)))
    return through(PROBES, sizes, num_tokens)


def made_and_called(setting: Setting, form: str) -> Tensor:
    """The output of a layer that is made for it."""
    layers = Layers(
        setting.device,
        setting.dtype,
        setting.width,
        setting.num_heads,
        setting.num_tokens,
    )
    return layers.candidate(setting, form, False).call()


def through(places: Sequence[int], heights: Sequence[float], where: float) -> float:
    """The height at a place of the polynomial through some points (Lagrange)."""
    return sum(
        height
        * prod((where - other) / (place - other) for other in places if other != place)
        for place, height in zip(places, heights)
    )


def reason(error: BaseException) -> str:
    """The first line of an error, for a table."""
    first = next(iter(str(error).splitlines()), type(error).__name__)
    return f"too little memory: {first}" if "allocate" in first else first
