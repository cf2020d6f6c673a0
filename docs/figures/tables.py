"""The tables of the pages that hold measured numbers, as Markdown."""

from pathlib import Path

from canvas import TIMES
from cost_data import LOOKS, groups, spoken

from mha.bench import KERNEL, PRODUCT, REFERENCE, WIDTHS, ratio

HERE = Path(__file__).parent
HEADS = [form.replace("Multihead", "Multi<wbr>head<wbr>") for form in LOOKS]
SPACE = "\u00a0"  # at which no line breaks
NONE = "\u2013"  # a dash where nothing was measured


def ruled(head, rows):
    """A table: the first column is words, the others are numbers."""
    rule = ["---", *["---:"] * (len(head) - 1)]
    return "".join(f"| {' | '.join(row)} |\n" for row in (head, rule, *rows))


def times(width, backward):
    """Milliseconds and, behind them, the ratio to PyTorch's own module."""
    rows = [
        [f"{length:,}", *(cell(group, form) for form in LOOKS)]
        for length, group in groups(width, backward).items()
    ]
    return ruled(["tokens", *HEADS], rows)


def cell(group, form):
    """One form at one size."""
    row, reference = group.row(form), group.row(REFERENCE)
    if not (row and reference):
        return NONE
    times = f"{ratio(row, reference).median:.2f}"
    return f"{spoken(1000 * row.median)}{SPACE}ms<br>{TIMES}{times}"


def memory(width, backward):
    """Megabytes beyond weights, gradients, input and output."""
    rows = []
    for length, group in groups(width, backward).items():
        found = [group.row(form) for form in LOOKS]
        cells = [
            f"{spoken(row.extra_bytes / 1e6)}{SPACE}MB" if row else NONE
            for row in found
        ]
        rows.append([f"{length:,}", *cells])
    return ruled(["tokens", *HEADS], rows)


def rates(width):
    """Shares of the rate of a matrix product, in percent."""
    rows = []
    for length, group in groups(width, False).items():
        product = group.row(PRODUCT)
        found = [group.row(name) for name in (*LOOKS, KERNEL)]
        cells = [
            f"{100 * row.rate / product.rate:.0f}{SPACE}%" if row else NONE
            for row in found
        ]
        rows.append([f"{length:,}", *cells])
    return ruled(["tokens", *HEADS, KERNEL], rows)


def compiled(width, backward):
    """How many times as long a compiled form takes as the same form uncompiled."""
    rows = []
    for length, group in groups(width, backward).items():
        pairs = [(group.row(f"{form}, compiled"), group.row(form)) for form in LOOKS]
        cells = [
            f"{TIMES}{ratio(*pair).median:.2f}" if all(pair) else NONE for pair in pairs
        ]
        rows.append([f"{length:,}", *cells])
    return ruled(["tokens", *HEADS], rows)


FIRST, SECOND = (width for width, _ in WIDTHS)
TABLES = {
    "cost_forward": lambda: times(FIRST, False),
    "cost_backward": lambda: times(FIRST, True),
    "cost_forward_wide": lambda: times(SECOND, False),
    "cost_backward_wide": lambda: times(SECOND, True),
    "cost_memory_forward": lambda: memory(FIRST, False),
    "cost_memory_backward": lambda: memory(FIRST, True),
    "cost_rates": lambda: rates(FIRST),
    "cost_rates_wide": lambda: rates(SECOND),
    "cost_compiled": lambda: compiled(FIRST, False),
    "cost_compiled_backward": lambda: compiled(FIRST, True),
}


def write(name):
    """Write one table."""
    (HERE / f"{name}.table").write_text(TABLES[name](), "utf-8", newline="\n")
