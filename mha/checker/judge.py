"""The order in which a layer is judged: first what it computes, then how it behaves."""

import inspect
import random
import warnings
from collections.abc import Generator
from contextlib import ExitStack, contextmanager

import torch
from torch import nn

from mha.checker.codes import finding
from mha.checker.explain import Explanation, explain
from mha.checker.forms import (
    BASE,
    EQUAL,
    LONG,
    WIDE,
    Sizes,
    arguments,
    fitting,
    likely_form,
)
from mha.checker.properties import (
    OF_CALLS,
    OF_NUMBERS,
    OF_STATE,
    compiles,
    same_twice,
)
from mha.checker.records import Form, Report
from mha.checker.subject import (
    Broken,
    OutOfMemory,
    Subject,
    Unfinished,
    call,
    deaf,
    farthest,
    influence,
    leak,
    said,
    where,
)

NOT_COMPARED = (
    "As far as calls can show: which weights make queries, keys and values could not "
    "be told, so that scale and projections were not compared."
)


class Unjudged(Exception):
    """The layer cannot be judged; the message says why."""


def construct(subject: Subject, sizes: Sizes) -> nn.Module:
    """Build the layer, or say which arguments were passed and what it said."""
    given = arguments(subject.form, fitting(subject.form, sizes))
    words = ", ".join(f"{name}={value}" for name, value in given.items())
    try:
        return subject.layer(sizes, qkv_bias=False)
    except NotImplementedError as error:
        raise Unfinished(str(error) or "the constructor is empty") from error
    except Exception as error:
        if "cuda" in str(error).lower():
            raise Broken(
                "device-fixed", f"the constructor raised {said(error)}"
            ) from error
        raise Unjudged(
            f"The constructor is called with {words} and qkv_bias; "
            f"it raised {said(error)}{where(error)}."
        ) from error


def works(subject: Subject, sizes: Sizes, b: int = 2, num_tokens: int = 5) -> bool:
    """An ordinary call gives a tensor."""
    try:
        call(subject.layer(sizes), subject.texts(b, num_tokens, sizes))
    except Exception:
        return False
    return True


def why_it_raises(subject: Subject, error: Exception) -> Broken:
    """Which change of the input makes an error go away."""
    seen = f"2 texts of 5 tokens raised {said(error)}"
    if "cuda" in str(error).lower() or "nvidia" in str(error).lower():
        return Broken("device-fixed", seen)
    if works(subject, BASE, num_tokens=BASE.context_length):
        return Broken("mask-not-cut", f"{seen}; 7 tokens, context_length, did not")
    if all(works(subject, BASE, num_tokens=n) for n in (1, 2, 3)):
        return Broken("mask-of-another-size", f"{seen}; fewer tokens did not")
    if any(works(subject, BASE, b=b) for b in (1, 3, 4, 8)):
        return Broken("batch-fixed", f"{seen}; another number of texts did not")
    if works(subject, EQUAL):
        given = arguments(subject.form, fitting(subject.form, BASE))
        words = f"d_in={given['d_in']} with d_out={given['d_out']}"
        return Broken("widths-mixed-up", f"{words}: {said(error)}")
    if any(works(subject, sizes, b=5, num_tokens=2) for sizes in (BASE, EQUAL)):
        return Broken("batch-mixed", f"{seen}; 5 texts of 2 tokens did not")
    return Broken("forward-raises", seen + where(error))


def settle_format(subject: Subject) -> None:
    """Fall back to float32 where the layer cannot work in float64."""
    if not works(subject, BASE):
        subject.dtype = torch.float32
        if not works(subject, BASE):
            subject.dtype = torch.float64


def settle_form(subject: Subject, asked: Form | None) -> None:
    """Take a layer whose output is num_heads * d_out wide for a stacked one."""
    if asked is None and subject.form == "fused":
        stacked = Subject(subject.layer_class, "stacked", subject.dtype)
        try:
            out = call(subject.layer(BASE), subject.texts(2, 5, BASE))
            small = call(stacked.layer(BASE), subject.texts(2, 5, BASE))
        except Exception:
            return
        wide = BASE.num_heads * BASE.width
        named = subject.layer_class.__name__ == "MultiHeadAttention"
        if out.shape[-1] == wide and small.shape[-1] == BASE.width and not named:
            subject.form = "stacked"


def check_shape(subject: Subject, sizes: Sizes) -> None:
    """(b, num_tokens, d_in) comes out as (b, num_tokens, width)."""
    sizes = fitting(subject.form, sizes)
    out = call(subject.layer(sizes), subject.texts(2, 5, sizes))
    wanted = (2, 5, sizes.width)
    if out.shape == (5, 2, sizes.width):
        raise Broken("returns-tokens-first", f"{wanted} came out as {tuple(out.shape)}")
    if out.shape != wanted:
        seen = f"the output is {tuple(out.shape)}, expected {wanted}"
        wide = out.shape == (2, 5, sizes.d_in) and sizes.d_in != sizes.width
        raise Broken("widths-mixed-up" if wide else "returns-another-shape", seen)


def evidence(subject: Subject, sizes: Sizes, found: Explanation) -> str:
    """What a reader can see of a mistake, the plainest thing first."""
    if found.detail:
        return found.detail
    finite = torch.isfinite(found.got)
    if not bool(finite.all()):
        token = int((~finite).any(dim=2).any(dim=0).nonzero()[0]) + 1
        return f"output {token} is not a number"
    layer, x = subject.layer(sizes), subject.texts(2, 5, sizes)
    moved = influence(layer, x)
    return (
        leak(moved, subject.tolerance)
        or deaf(moved, subject.tolerance)
        or farthest(found.got, found.right)
    )


def check_numbers(subject: Subject, sizes: Sizes) -> bool:
    """Whether the numbers are explained; raises Broken if as a mistake."""
    found = explain(subject, sizes)
    if found is None:
        return False
    if found.code is not None:
        seen = evidence(subject, sizes, found)
        if found.code == "mask-missing" and hidden_in_training(subject, sizes):
            raise Broken("mask-only-in-training", f"in eval {seen}, in training not")
        raise Broken(found.code, seen)
    return True


def hidden_in_training(subject: Subject, sizes: Sizes) -> bool:
    """Nothing leaks in training."""
    layer = subject.layer(sizes).train()
    moved = influence(layer, subject.texts(2, 5, sizes))
    return leak(moved, subject.tolerance) is None


def check_other_sizes(subject: Subject, sizes: Sizes) -> None:
    """What is right for some sizes is right for all."""
    try:
        check_shape(subject, sizes)
        check_numbers(subject, sizes)
    except (Broken, Unfinished):
        raise
    except Exception as error:
        given = arguments(subject.form, fitting(subject.form, sizes))
        words = ", ".join(f"{name}={value}" for name, value in given.items())
        raise Broken("forward-raises", f"with {words}: {said(error)}") from error


def run_all(subject: Subject, compiled: bool) -> bool:
    """Judge a layer; raises Broken, Unfinished or Unjudged at the first cause.

    Returns:
        Whether its numbers were compared with those of the right layer.
    """
    construct(subject, BASE)
    settle_format(subject)
    try:
        call(subject.layer(BASE), subject.texts(2, 5, BASE))
    except (Broken, Unfinished):
        raise
    except Exception as error:
        broken = why_it_raises(subject, error)
        if broken.code == "widths-mixed-up":
            check_numbers(subject, EQUAL)
        raise broken from error
    same_twice(subject)
    try:
        check_shape(subject, BASE)
    except Broken as broken:
        if broken.code == "widths-mixed-up":
            check_numbers(subject, EQUAL)
        raise
    compared = check_numbers(subject, BASE)
    if compared:
        for sizes in EQUAL, WIDE, LONG:
            check_other_sizes(subject, sizes)
    else:
        for holds in OF_NUMBERS:
            holds(subject)
    for holds in (*OF_CALLS, *OF_STATE, *((compiles,) if compiled else ())):
        holds(subject)
    return compared


@contextmanager
def settings_kept() -> Generator[None]:
    """Judge under torch's ordinary settings, and leave the caller's as they were."""
    dtype, threads = torch.get_default_dtype(), torch.get_num_threads()
    strict = torch.are_deterministic_algorithms_enabled()
    warn_only = torch.is_deterministic_algorithms_warn_only_enabled()
    anomalies = torch.is_anomaly_enabled()
    device, numbers = torch.get_default_device(), random.getstate()
    with ExitStack() as stack:
        stack.enter_context(torch.random.fork_rng(devices=[]))
        stack.enter_context(torch.inference_mode(False))
        stack.enter_context(torch.enable_grad())
        if device.type != "cpu":  # the context makes every call of torch slower
            stack.enter_context(torch.device("cpu"))
        stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        torch.set_default_dtype(torch.float32)
        torch.set_num_threads(1)  # for tensors this small more only wait for each other
        try:
            yield
        finally:
            torch.set_default_dtype(dtype)
            torch.use_deterministic_algorithms(strict, warn_only=warn_only)
            torch.autograd.set_detect_anomaly(anomalies)
            random.setstate(numbers)
            if device.type == "cpu" and torch.get_default_device() != device:
                torch.set_default_device(None)
            torch.set_num_threads(threads)


def judge(
    layer_class: type, form: Form | None = None, compiled: bool = False
) -> Report:
    """Say whether a layer is right, and if not, the first cause.

    Args:
        layer_class: A class of layers with the constructor of the chapter.
        form: `causal`, `stacked`, `fused` or `grouped`; found out where it is None.
        compiled: Whether torch.compile must take the layer as a whole.
    """
    if not (inspect.isclass(layer_class) and issubclass(layer_class, nn.Module)):
        note = f"A layer must be a class of nn.Module, got {layer_class!r}."
        return Report("unjudged", form, note=note)
    subject = Subject(layer_class, form or likely_form(layer_class))
    with settings_kept():
        try:
            settle_form(subject, form)
            compared = run_all(subject, compiled)
        except Broken as broken:
            found = finding(broken.code, broken.seen)
            return Report("wrong", subject.form, found)
        except Unfinished as unfinished:
            note = f"Not finished yet: {unfinished}"
            return Report("unfinished", subject.form, note=note)
        except Unjudged as unjudged:
            return Report("unjudged", subject.form, note=str(unjudged))
        except OutOfMemory:
            note = "It must do with little memory, got forward asking for more."
            return Report("unjudged", subject.form, note=note)
        except SystemExit:
            note = "The layer must not end the program, it raised SystemExit."
            return Report("unjudged", subject.form, note=note)
        except Exception as error:
            found = finding("forward-raises", said(error) + where(error))
            return Report("wrong", subject.form, found)
    return Report("right", subject.form, note="" if compared else NOT_COMPARED)
