"""A learner's layer under test: built, called, and its answers put into words."""

import re
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor, nn

from mha.checker.forms import Sizes, build, fitting, texts
from mha.checker.records import Form


class Broken(Exception):
    """A property does not hold: the code of the mistake, and what was seen."""

    def __init__(self, code: str, seen: str) -> None:
        super().__init__(seen)
        self.code = code
        self.seen = seen


class Unfinished(Exception):
    """The learner has not written this part yet; the message is the next step."""


class OutOfMemory(BaseException):
    """The layer asks for more memory than there is; no `except Exception` takes it."""


def is_out_of_memory(error: BaseException) -> bool:
    """Python's own error, or what torch raises in its place."""
    texts = ("can't allocate memory", "not enough memory", "bad_alloc")
    return isinstance(error, MemoryError) or (
        isinstance(error, RuntimeError) and any(text in str(error) for text in texts)
    )


def where(error: BaseException) -> str:
    """The last line of the learner's own code that an error came through."""
    others = (str(Path(torch.__file__).parent), str(Path(__file__).parent))
    lines = [
        line
        for frame, line in traceback.walk_tb(error.__traceback__)
        if not frame.f_code.co_filename.startswith(others)
    ]
    return f" in line {lines[-1]}" if lines else ""


def said(error: BaseException) -> str:
    """An error of the learner's code: its kind and its first sentence."""
    lines = str(error).strip().splitlines() or [""]
    words = re.split(r"(?<=[.!?])\s", lines[0])[0]
    if len(words) > 120:
        words = words[:120].rsplit(" ", 1)[0] + " ..."
    return f"{type(error).__name__}: {words}".removesuffix(": ")


@dataclass
class Subject:
    """A class, the form it is judged as, and the number format it works in."""

    layer_class: type[nn.Module]
    form: Form
    dtype: torch.dtype = torch.float64

    def layer(self, sizes: Sizes, **more: float | bool) -> nn.Module:
        """A layer of these sizes, the same weights each time, in eval mode."""
        layer = build(self.layer_class, self.form, fitting(self.form, sizes), **more)
        return layer.to(self.dtype)

    def texts(self, b: int, num_tokens: int, sizes: Sizes, seed: int = 1) -> Tensor:
        """Random texts in the format that the layer works in."""
        return texts(b, num_tokens, fitting(self.form, sizes), seed).to(self.dtype)

    @property
    def tolerance(self) -> float:
        """Right layers may compute their softmax in float32, even for float64."""
        return 1e-6 if self.dtype == torch.float64 else 1e-4


@torch.no_grad()
def call(layer: Callable[[Tensor], object], x: Tensor) -> Tensor:
    """Call a layer and see that a tensor comes back."""
    try:
        out = layer(x)
    except NotImplementedError as error:
        if "meta" in str(error) or "torchDispatch" in str(error):
            raise
        raise Unfinished(str(error) or "a method raises NotImplementedError") from error
    except (MemoryError, RuntimeError) as error:
        if is_out_of_memory(error):
            raise OutOfMemory from error
        raise
    if out is None or out is Ellipsis:
        raise Unfinished("forward returns nothing yet")
    if not isinstance(out, Tensor):
        kind = type(out).__name__
        raise Broken("returns-no-tensor", f"forward returned a {kind}, not a tensor")
    return out


def close(got: Tensor, wanted: Tensor, tolerance: float) -> bool:
    """The same shape and numbers, NaN in the same places."""
    if got.shape != wanted.shape:
        return False
    got, wanted = got.double(), wanted.double()
    return torch.allclose(got, wanted, rtol=tolerance, atol=tolerance, equal_nan=True)


def farthest(got: Tensor, wanted: Tensor) -> str:
    """Where two outputs (b, num_tokens, width) differ most, in words."""
    gap = (got - wanted).abs().nan_to_num(torch.inf)
    text, token, place = torch.unravel_index(gap.argmax(), gap.shape)
    at = (int(text), int(token), int(place))
    return (
        f"number {at[2] + 1} of output {at[1] + 1} was {got[at].item():.3g}, "
        f"with the same weights it should be {wanted[at].item():.3g}"
    )


def influence(layer: nn.Module, x: Tensor, seed: int | None = None) -> Tensor:
    """How far output i moves when token j alone is replaced, as a table [i, j]."""

    def once(x: Tensor) -> Tensor:
        if seed is not None:
            torch.manual_seed(seed)
        return call(layer, x.clone())

    before = once(x)
    moved = torch.zeros(x.shape[1], x.shape[1], dtype=torch.float64)
    for j in range(x.shape[1]):
        changed = x.clone()
        changed[:, j] = x.flip(1)[:, j] * 0.5 - x[:, j]
        gap = (once(changed) - before).abs().amax(dim=(0, 2))
        moved[:, j] = gap.nan_to_num(0.0)
    return moved


def leak(moved: Tensor, tolerance: float) -> str | None:
    """The first output that a later token moves, in words; None if there is none."""
    later = moved.triu(1)
    if not bool((later > tolerance).any()):
        return None
    i, j = (int(k) for k in (later > tolerance).nonzero()[0])
    return (
        f"output {i + 1} moved by {later[i, j].item():.2g} "
        f"when only token {j + 1} was changed"
    )


def deaf(moved: Tensor, tolerance: float) -> str | None:
    """The first output that an earlier token, or its own, does not move."""
    still = (moved <= tolerance).tril()
    if not bool(still.any()):
        return None
    i, j = (int(k) for k in still.nonzero()[0])
    return f"output {i + 1} did not move when token {j + 1} was changed"
