"""`mha bench`: what each form of the layer costs on this machine.

Each size is printed as soon as it is measured. With `--json FILE` all results go into a
file, which is written anew after each size, so that an interrupted run leaves what it
has. The exit status is 0; 1 if a form did not compute what the others do; 2 if the
device or the file cannot be used; interrupted or ended from outside, 130 and 143.
"""

import argparse
import sys
from pathlib import Path

import torch
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from mha import measured
from mha.bench import (
    PRODUCT,
    REFERENCE,
    Group,
    Results,
    Row,
    Setting,
    full_plan,
    ratio,
    run,
    spread,
    ticks,
    write,
)
from mha.commands.output import output, print_table

HELP = "measure what each form of the layer costs"


def add(parser: argparse.ArgumentParser) -> None:
    """Add what `bench` understands."""
    parser.description = (
        "Time the forms of the layer and PyTorch's own, in turn, after "
        "showing that they compute the same, and count the memory that they take. "
        "A full run takes about half an hour; a few lengths much less."
    )
    parser.add_argument(
        "--device",
        default="cuda" if torch.cuda.is_available() else "cpu",
        help="cpu or cuda (default: cuda where torch sees a GPU)",
    )
    parser.add_argument(
        "--tokens",
        type=int,
        nargs="+",
        default=(),
        metavar="N",
        help="lengths of the text (default: 128 to 4096, on a GPU to 16384)",
    )
    parser.add_argument(
        "--rounds",
        type=int,
        default=5,
        metavar="N",
        help="how often each form is timed at each size (default: 5)",
    )
    parser.add_argument(
        "--no-compile",
        dest="compiled",
        action="store_false",
        help="leave out torch.compile, which takes minutes",
    )
    parser.add_argument(
        "--json",
        type=Path,
        metavar="FILE",
        help="write all that was measured into a file",
    )
    parser.set_defaults(run=bench_forms)


def bench_forms(arguments: argparse.Namespace) -> int:
    """Measure, print each size as it comes, and keep what there is in the file."""
    try:
        plan = full_plan(
            arguments.device, arguments.tokens, arguments.rounds, arguments.compiled
        )
        if arguments.json:
            measured.check_file(arguments.json)
    except (OSError, ValueError) as error:
        print(f"mha bench: {error}", file=sys.stderr)
        return 2
    certificate = measured.provenance(command(arguments), torch.get_num_threads())
    console = output()
    groups: list[Group] = []
    with Progress(
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    ) as progress:
        bar = progress.add_task("Measuring", total=ticks(plan))

        def tick(name: str) -> None:
            progress.update(bar, advance=1, description=name)

        for group in run(plan, tick):
            groups.append(group)
            print_table(console, table(group))
            console.print()
            if arguments.json:
                complete = len(groups) == plan.sizes
                results = Results(certificate, complete, tuple(groups))
                write(arguments.json, results)
    return int(any(row.wrong for group in groups for row in group.rows))


def command(arguments: argparse.Namespace) -> str:
    """What somebody types to measure the same."""
    words = ["mha bench", f"--device {arguments.device}"]
    if arguments.tokens:
        words.append(f"--tokens {' '.join(map(str, arguments.tokens))}")
    words.append(f"--rounds {arguments.rounds}")
    if not arguments.compiled:
        words.append("--no-compile")
    if arguments.json:
        words.append(f"--json {arguments.json.name}")
    return " ".join(words)


def title(setting: Setting) -> str:
    """A setting in words."""
    way = "forward and backward" if setting.backward else "forward"
    return (
        f"{setting.num_tokens} tokens, {setting.width} wide, "
        f"{setting.num_heads} heads, {setting.dtype}, {setting.device}, {way}"
    )


def table(group: Group) -> Table:
    """What one setting came to."""
    drawn = Table(
        "form",
        title=title(group.setting),
        title_justify="left",
        box=None,
        pad_edge=False,
    )
    for name in ("ms", "middle half", f"times {REFERENCE}", "extra MB", "% of product"):
        drawn.add_column(name, justify="right")
    drawn.add_column("")
    for row in group.rows:
        drawn.add_row(row.name, *cells(row, group), row.note)
    return drawn


def cells(row: Row, group: Group) -> list[str]:
    """The numbers of a row; empty where there are none."""
    if not row.times:
        return [""] * 5
    times = spread([1000 * time for time in row.times])
    reference, product = group.row(REFERENCE), group.row(PRODUCT)
    counted = product and row.operations and row.form != PRODUCT
    return [
        f"{times.median:.2f}",
        f"{times.low:.2f} to {times.high:.2f}",
        f"{ratio(row, reference).median:.2f}" if reference else "",
        "" if row.extra_bytes is None else f"{row.extra_bytes / 1e6:.1f}",
        f"{100 * row.rate / product.rate:.0f}" if product and counted else "",
    ]
