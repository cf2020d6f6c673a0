"""What must hold for a layer besides the numbers that it computes.

Each function takes a subject and raises Broken at the first thing that does not hold.
"""

import copy
import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from mha.checker.forms import (
    BASE,
    EQUAL,
    LONG,
    WIDE,
    Sizes,
    arguments,
    fitting,
    is_bias,
    is_matrix,
)
from mha.checker.subject import (
    Broken,
    Subject,
    call,
    close,
    deaf,
    influence,
    leak,
    said,
)


def same_twice(subject: Subject) -> None:
    """The same input gives the same output, whatever came before."""
    layer, x = subject.layer(BASE), subject.texts(2, 5, BASE)
    torch.manual_seed(1)
    first = call(layer, x.clone())
    torch.manual_seed(1)
    if not close(call(layer, x.clone()), first, subject.tolerance):
        raise Broken("remembers-calls", "the same input gave two answers in a row")
    torch.manual_seed(2)
    if not close(call(layer, x.clone()), first, subject.tolerance):
        seen = "without dropout, two calls gave two answers"
        raise Broken("layers-made-in-forward", seen)
    used = subject.layer(BASE)
    call(used, subject.texts(2, 3, BASE, seed=5))
    if not close(call(used, x.clone()), first, subject.tolerance):
        seen = "after a call with another text the same input gave another answer"
        raise Broken("remembers-calls", seen)


def input_kept(subject: Subject) -> None:
    """The caller's tensor is the same afterwards."""
    for sizes in BASE, EQUAL:
        layer, x = subject.layer(sizes), subject.texts(2, 5, sizes)
        kept = x.clone()
        call(layer, x)
        if not torch.equal(x, kept):
            gap = (x - kept).abs().amax().item()
            seen = f"after the call x had changed by up to {gap:.2g}"
            raise Broken("input-changed", seen)


def any_batch(subject: Subject) -> None:
    """Any number of texts, each as if it were alone."""
    layer, x = subject.layer(BASE), subject.texts(5, 4, BASE)
    outs: dict[int, Tensor] = {}
    for b in (1, 2, 3, 4, 5):
        try:
            outs[b] = call(layer, x[:b].clone())
        except Exception as error:
            raise Broken(
                "batch-fixed", f"a batch of {b} raised {said(error)}"
            ) from error
        came_out = f"{b} texts of 4 tokens came out as {tuple(outs[b].shape)}"
        if outs[b].dim() != 3:
            raise Broken("batch-squeezed", came_out)
        if outs[b].shape[:2] != (b, 4):
            raise Broken("batch-fixed", came_out)
    for i in range(5):
        alone = call(layer, x[i : i + 1].clone())
        if not close(alone, outs[5][i : i + 1], subject.tolerance):
            gap = (alone - outs[5][i : i + 1]).abs().amax().item()
            seen = (
                f"text {i + 1} of 5 came out {gap:.2g} apart from the same text alone"
            )
            raise Broken("batch-mixed", seen)


def same_beginning(layer: nn.Module, x: Tensor, n: int, tolerance: float) -> Broken:
    """Why n tokens alone come out unlike n tokens that more follow."""
    code = "mask-only-for-some-lengths"
    for length in n, x.shape[1]:
        if seen := leak(influence(layer, x[:, :length]), tolerance):
            return Broken(code, f"with {length} tokens {seen}")
    seen = f"{n} tokens alone and as the first of {x.shape[1]} came out differently"
    return Broken(code, seen)


def any_length(subject: Subject) -> None:
    """Any length up to context_length, and the beginning does not know the rest."""
    for sizes in BASE, LONG:
        layer = subject.layer(sizes)
        x = subject.texts(2, sizes.context_length, sizes)
        outs: dict[int, Tensor] = {}
        for n in range(sizes.context_length, 0, -1):
            try:
                outs[n] = call(layer, x[:, :n].clone())
            except Exception as error:
                code = "mask-not-cut" if outs else "mask-of-another-size"
                seen = f"{n} tokens with context_length={sizes.context_length} raised "
                raise Broken(code, seen + said(error)) from error
            if outs[n].dim() != 3:
                seen = f"2 x {n} tokens came out as {tuple(outs[n].shape)}"
                raise Broken("batch-squeezed", seen)
        whole = outs[sizes.context_length]
        for n in sorted(outs):
            if not close(outs[n], whole[:, :n], subject.tolerance):
                raise same_beginning(layer, x, n, subject.tolerance)


def sees_the_past_only(subject: Subject) -> None:
    """Output i moves with tokens 1 to i, and with no later one."""
    layer, x = subject.layer(BASE), subject.texts(2, 5, BASE)
    out = call(layer, x.clone())
    if not bool(torch.isfinite(out).all()):
        token = int((~torch.isfinite(out)).any(dim=2).any(dim=0).nonzero()[0]) + 1
        raise Broken("not-finite", f"output {token} is not finite")
    moved = influence(layer, x)
    if seen := leak(moved, subject.tolerance):
        ahead = moved.triu(1) > subject.tolerance
        if not bool(ahead.triu(2).any()) and bool(ahead.diagonal(1).all()):
            raise Broken("mask-one-too-late", seen)
        raise Broken("reads-the-future", seen)
    if seen := deaf(moved, subject.tolerance):
        raise Broken("misses-the-past", seen)


def large_numbers(subject: Subject) -> None:
    """Nothing leaks when scores are large."""
    layer, x = subject.layer(BASE), subject.texts(2, 5, BASE) * 40
    if seen := leak(influence(layer, x), subject.tolerance * 40):
        raise Broken("mask-fills-too-little", f"with inputs 40 times as large {seen}")


def rows_add_up(subject: Subject) -> None:
    """Equal tokens come out equal: an average of equal values is that value."""
    x = subject.texts(2, 1, BASE).expand(2, 5, BASE.d_in).contiguous()
    out = call(subject.layer(BASE), x)
    if not close(out, out[:, :1].expand_as(out), subject.tolerance):
        gap = (out - out[:, :1]).abs().amax().item()
        seen = f"five equal tokens came out up to {gap:.2g} apart"
        raise Broken("rows-do-not-add-up", seen)


def linear_in_values(subject: Subject) -> None:
    """One token alone is projected, and nothing else."""
    layer = subject.layer(BASE)
    a, b = subject.texts(1, 1, BASE, 3), subject.texts(1, 1, BASE, 4)
    together = call(layer, a + b) + call(layer, torch.zeros_like(a))
    apart = call(layer, a) + call(layer, b)
    if not close(together, apart, subject.tolerance):
        gap = (together - apart).abs().amax().item()
        seen = f"for one token, f(a + b) + f(0) and f(a) + f(b) were {gap:.2g} apart"
        raise Broken("not-linear-in-values", seen)


def softmax_of_products(subject: Subject) -> None:
    """One head: logarithms of ratios of weights grow with the square of the input."""
    one = Sizes(BASE.d_in, 1, BASE.width, BASE.context_length, num_kv_heads=1)
    layer = subject.layer(one)
    x = subject.texts(1, 4, one, 6)
    logs: list[Tensor] = []
    for size in 1.0, math.sqrt(2):
        tokens = x * size
        zero = call(layer, torch.zeros_like(tokens[:, :1]))[0]
        alone = torch.cat(
            [call(layer, tokens[:, j : j + 1])[0] - zero for j in range(4)]
        )
        out = call(layer, tokens)[0] - zero
        weights = torch.linalg.lstsq(alone.T.double(), out.T.double()).solution.T
        ratios = [weights[i, j] / weights[i, i] for i in range(1, 4) for j in range(i)]
        logs.append(torch.stack(ratios).clamp(min=1e-12).log())
    if not close(
        logs[1], 2 * logs[0], 1e-4 if subject.dtype == torch.float64 else 0.05
    ):
        before, after = logs[0][0].item(), logs[1][0].item()
        seen = (
            "for inputs sqrt(2) times as large the logarithm of a ratio of weights "
            f"went from {before:.3g} to {after:.3g}, not to its double"
        )
        raise Broken("not-softmax-of-products", seen)


@torch.no_grad()
def turns_with_the_input(subject: Subject) -> None:
    """Without biases, x and -x have the same weights: the output turns its sign."""
    layer, sizes = subject.layer(BASE), fitting(subject.form, BASE)
    for parameter in layer.parameters():
        if is_bias(parameter, sizes):
            parameter.zero_()
    x = subject.texts(2, 5, BASE)
    out, turned = call(layer, x.clone()), call(layer, -x)
    if not close(-turned, out, subject.tolerance):
        gap = (turned + out).abs().amax().item()
        seen = f"f(-x) and -f(x) were {gap:.2g} apart, without any bias"
        raise Broken("not-softmax-of-products", seen)


def same_in_training(subject: Subject) -> None:
    """Without dropout, training and eval compute the same."""
    layer, x = subject.layer(BASE), subject.texts(2, 5, BASE)
    in_eval = call(layer, x.clone())
    layer.train()
    in_training = call(layer, x.clone())
    if seen := leak(influence(layer, x, seed=3), subject.tolerance):
        raise Broken("mask-only-in-eval", f"in training {seen}")
    if not close(in_eval, in_training, subject.tolerance):
        gap = (in_eval - in_training).abs().amax().item()
        seen = f"with dropout=0 training and eval were {gap:.2g} apart"
        raise Broken("dropout-fixed", seen)


def drops(layer: nn.Module, x: Tensor) -> bool:
    """Two calls with two seeds give two answers."""
    torch.manual_seed(1)
    first = call(layer, x.clone())
    torch.manual_seed(2)
    return not close(call(layer, x.clone()), first, 1e-6)


def dropout(subject: Subject) -> None:
    """Weights are dropped in training, never in eval."""
    x = subject.texts(2, 5, BASE)
    layer = subject.layer(BASE, dropout=0.5)
    if drops(layer, x):
        raise Broken("dropout-in-eval", "in eval, with dropout=0.5, two calls differed")
    layer = subject.layer(BASE, dropout=0.5).train()
    if not drops(layer, x):
        seen = "in training, with dropout=0.5, two calls gave the same numbers"
        raise Broken("dropout-never", seen)
    if not bool(torch.isfinite(call(layer, x.clone())).all()):
        seen = "in training, with dropout=0.5, numbers came out that are not finite"
        raise Broken("dropout-on-scores", seen)
    equal = subject.texts(2, 1, BASE).expand(2, 5, BASE.d_in).contiguous()
    out = call(layer, equal)
    if close(out, out[:, :1].expand_as(out), subject.tolerance):
        seen = "in training five equal tokens came out equal, so no weight was dropped"
        raise Broken("dropout-on-scores", seen)
    torch.manual_seed(1)
    moved = influence(layer, x, seed=3)
    if seen := leak(moved, subject.tolerance):
        raise Broken("mask-only-in-eval", f"in training {seen}")
    layer.eval()
    call(layer, x.clone())
    layer.train()
    if not drops(layer, x):
        seen = "after one call in eval, nothing was dropped in training"
        raise Broken("dropout-stuck-off", seen)


def number_formats(subject: Subject) -> None:
    """float16, bfloat16, float32 and float64 come back as they went in."""
    whole = subject.layer(BASE).float()
    x = subject.texts(2, 5, BASE).float()
    wanted = call(whole, x)
    for dtype in torch.float64, torch.float32, torch.bfloat16, torch.float16:
        layer = copy.deepcopy(whole).to(dtype)
        try:
            out = call(layer, x.to(dtype))
        except RuntimeError as error:
            overflow = "overflow" in str(error) or "cannot be converted" in str(error)
            code = "mask-overflows-half" if overflow else "mask-changes-dtype"
            raise Broken(code, f"{dtype} in raised {said(error)}") from error
        if out.dtype != dtype:
            raise Broken("mask-changes-dtype", f"{dtype} in gave {out.dtype} out")
        # bfloat16 has 8 bits, so that a few steps leave about 2 % of the largest number
        if not close(out.float(), wanted, 0.05):
            raise Broken("mask-overflows-half", f"in {dtype} the numbers were others")


def any_device(subject: Subject) -> None:
    """The layer works on the device that it was moved to; `meta` needs no GPU."""
    layer = subject.layer(BASE).to("meta")
    x = torch.empty(2, 4, BASE.d_in, dtype=subject.dtype, device="meta")
    try:
        out = call(layer, x)
    except (RuntimeError, NotImplementedError) as error:
        if "item" in str(error) or "data-dependent" in str(error).lower():
            return  # --compile speaks of decisions that depend on numbers
        raise Broken(
            "mask-not-a-buffer", f"on another device: {said(error)}"
        ) from error
    if out.device.type != "meta":
        seen = f"moved to another device, the output was on {out.device}"
        raise Broken("mask-not-a-buffer", seen)


def any_strides(subject: Subject) -> None:
    """The strides of the input make no difference."""
    layer, x = subject.layer(BASE), subject.texts(2, 5, BASE)
    strided = x.transpose(0, 1).contiguous().transpose(0, 1)
    try:
        out = call(layer, strided)
    except RuntimeError as error:
        seen = f"for strides {strided.stride()}: {said(error)}"
        raise Broken("needs-contiguous-input", seen) from error
    wanted = call(layer, x.clone())
    if not close(out, wanted, subject.tolerance):
        gap = (out - wanted).abs().amax().item()
        seen = f"for strides {strided.stride()} numbers differed by {gap:.2g}"
        raise Broken("needs-contiguous-input", seen)


def all_registered(subject: Subject) -> None:
    """What is learned is saved: a copy made from state_dict computes the same."""
    first = subject.layer(BASE)
    torch.manual_seed(9)
    second = subject.layer_class(**arguments(subject.form, fitting(subject.form, BASE)))
    second = second.eval().to(subject.dtype)
    second.load_state_dict(first.state_dict())
    x = subject.texts(2, 5, BASE)
    out, wanted = call(second, x.clone()), call(first, x.clone())
    if not close(out, wanted, subject.tolerance):
        gap = (out - wanted).abs().amax().item()
        seen = f"a copy loaded from the state_dict differed by {gap:.2g}"
        raise Broken("weights-not-registered", seen)


def count(layer: nn.Module, sizes: Sizes, kind: Callable[..., bool]) -> int:
    """Numbers in the matrices of a layer, or in its biases."""
    return sum(p.numel() for p in layer.parameters() if kind(p, sizes))


def as_many_weights(subject: Subject) -> None:
    """Three projections, and one after the heads in the fused form."""
    sizes = fitting(subject.form, BASE)
    rows = sizes.width + 2 * sizes.kv_width
    wanted, entry = sizes.d_in * rows, sizes.d_in * sizes.width + rows * sizes.width
    if subject.form in ("fused", "grouped"):
        wanted, entry = wanted + sizes.width**2, entry + sizes.width**2
    found = count(subject.layer(BASE), sizes, is_matrix)
    if found == 0:
        seen = "parameters() has no matrix at all"
        raise Broken("weights-not-registered", seen)
    if subject.form == "fused" and found == sizes.d_in * sizes.width * (
        2 + sizes.num_heads
    ):
        seen = "there are two projections, and out_proj is num_heads * d_in wide"
        raise Broken("values-not-projected", seen)
    if found < wanted:
        raise Broken("too-few-weights", f"{found} weights, expected {wanted}")
    if found > wanted and found != entry:  # entry: behind a layer of its own
        raise Broken("too-many-weights", f"{found} weights, expected {wanted}")


def heads_side_by_side(subject: Subject) -> None:
    """What tokens can say fills the whole width of the output."""
    sizes = fitting(subject.form, WIDE)
    x = subject.texts(40, 1, sizes)
    out = call(subject.layer(sizes), x)[:, 0].double()
    rank = int(torch.linalg.matrix_rank(out - out.mean(dim=0), rtol=1e-4))
    if rank < sizes.kv_width:
        seen = f"40 outputs of width {sizes.width} spanned {rank} dimensions only"
        raise Broken("heads-averaged", seen)


def bias_when_asked(subject: Subject) -> None:
    """qkv_bias adds three biases; without it there are none."""
    sizes = fitting(subject.form, BASE)
    allowed = sizes.width if subject.form in ("fused", "grouped") else 0
    three = sizes.width + 2 * sizes.kv_width
    off = count(subject.layer(BASE), sizes, is_bias)
    told = count(subject.layer(BASE, qkv_bias=False), sizes, is_bias)
    on = count(subject.layer(BASE, qkv_bias=True), sizes, is_bias)
    if off >= allowed + three or told >= allowed + three:
        seen = f"{off} numbers in biases without qkv_bias, expected {allowed}"
        raise Broken("bias-always", seen)
    if on - told < three:
        seen = f"qkv_bias=True added {on - told} numbers, expected {three}"
        raise Broken("bias-never", seen)


def one_mask(subject: Subject) -> None:
    """At most one mask of context_length squared is held."""
    sizes = Sizes(BASE.d_in, BASE.num_heads, BASE.head_dim, context_length=64)
    layer = subject.layer(sizes)
    held: list[Tensor] = []
    for module in layer.modules():
        own = [*module.buffers(recurse=False), *vars(module).values()]
        held += [value for value in own if isinstance(value, Tensor)]
    largest = max((value.numel() for value in held), default=0)
    if largest > sizes.context_length**2:
        seen = f"{largest} numbers for context_length={sizes.context_length}"
        raise Broken("mask-for-every-head", seen)


def without_gradient(name: str, grad: Tensor | None) -> str | None:
    """A matrix, or rows or columns of one, that get no gradient, in words."""
    if grad is None or not bool((grad.abs() > 1e-12).any()):
        return f"{name} got no gradient"
    for what, table in ("rows", grad.flatten(1)), ("columns", grad.flatten(0, -2).T):
        still = int((table.abs().amax(dim=1) <= 1e-12).sum())
        if still:
            return f"{still} of {len(table)} {what} of {name} got no gradient"
    return None


def all_learn(subject: Subject) -> None:
    """Every weight gets a finite gradient that is not zero, in training too."""
    for layer in subject.layer(BASE), subject.layer(BASE, dropout=0.1).train():
        below = nn.Linear(BASE.d_in, BASE.d_in).to(subject.dtype)
        out = layer(below(subject.texts(2, 5, BASE)))
        factors = torch.linspace(0.5, 1.5, out.numel(), dtype=out.dtype).view_as(out)
        try:
            (out * factors).sin().sum().backward()
        except RuntimeError as error:
            if "does not require grad" in str(error):
                seen = "the output depends on no weight at all"
                raise Broken("weights-do-not-learn", seen) from error
            raise Broken("in-place-breaks-backward", said(error)) from error
        for name, weight in [
            *layer.named_parameters(),
            ("the layer below", below.weight),
        ]:
            if not is_matrix(weight, fitting(subject.form, BASE)):
                continue  # the bias of the keys changes nothing: softmax ignores it
            if not weight.requires_grad:
                continue
            if weight.grad is not None and not bool(weight.grad.isfinite().all()):
                seen = f"the gradient of {name} is not finite"
                raise Broken("weights-do-not-learn", seen)
            if seen := without_gradient(name, weight.grad):
                raise Broken("weights-do-not-learn", seen)


def even_heads(subject: Subject) -> None:
    """A width that the heads cannot share is refused."""
    if subject.form not in ("fused", "grouped"):
        return
    made = arguments(subject.form, fitting(subject.form, BASE))
    made |= {"d_out": 14, "num_heads": 4}
    if subject.form == "grouped":
        made |= {"num_kv_heads": 2}
    try:
        layer = subject.layer_class(**made).eval()
        out = call(layer, torch.randn(2, 3, BASE.d_in))
    except Exception:
        return
    seen = f"d_out=14 and num_heads=4 gave an output of {tuple(out.shape)}"
    raise Broken("uneven-heads-accepted", seen)


def not_too_long(subject: Subject) -> None:
    """More tokens than context_length are refused, or worked on without a leak."""
    n = BASE.context_length + 3
    layer, x = subject.layer(BASE), subject.texts(2, n, BASE)
    try:
        out = call(layer, x.clone())
    except Exception:
        return
    if out.shape[1] != n:
        seen = f"{n} tokens with context_length={n - 3} came out as {out.shape[1]}"
        raise Broken("too-long-accepted", seen)
    if seen := leak(influence(layer, x), subject.tolerance):
        seen = f"of {n} tokens with context_length={n - 3}, {seen}"
        raise Broken("too-long-accepted", seen)


def compiles(subject: Subject) -> None:
    """torch.compile takes the layer as a whole."""
    layer, x = subject.layer(BASE).float(), subject.texts(2, 5, BASE).float()
    try:
        call(torch.compile(layer, backend="eager", fullgraph=True), x)
    except Exception as error:
        raise Broken("graph-break", said(error)) from error


Property = Callable[[Subject], None]

OF_NUMBERS: tuple[Property, ...] = (
    any_batch,
    sees_the_past_only,
    rows_add_up,
    linear_in_values,
    softmax_of_products,
    turns_with_the_input,
)
OF_CALLS: tuple[Property, ...] = (
    any_batch,
    any_length,
    same_in_training,
    large_numbers,
    input_kept,
    any_strides,
)
OF_STATE: tuple[Property, ...] = (
    all_registered,
    dropout,
    as_many_weights,
    heads_side_by_side,
    bias_when_asked,
    any_device,
    number_formats,
    one_mask,
    all_learn,
    even_heads,
    not_too_long,
)
