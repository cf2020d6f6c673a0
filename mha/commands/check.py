"""`mha check FILE[:CLASS] ...`: judge layers that learners wrote.

One file is answered with the finding in full, several with a table. The exit status is
that of the worst file: 0 where all are right, 1 where something is wrong with the
attention, 2 where a layer could not be judged or is not finished, or the command itself
was not understood. 130 and 143 say that it was interrupted or ended from outside.

With `--format json` each file is one line with one JSON object (JSON Lines), in the
order of the command. It has these keys, all strings, null where there is nothing to
say; later versions may add keys, but none goes away or changes its meaning:

- `file`: the file, as it was named
- `class`: the class that was judged
- `form`: `causal`, `stacked`, `fused` or `grouped`
- `status`: `right`, `wrong`, `unfinished` or `unjudged`
- `code`: the stable name of the mistake; this and the next five only where it is wrong
- `wrong`: what is wrong, in a sentence
- `seen`: what was seen, with numbers
- `expected`: what a right layer does instead
- `ask`: a question that leads to the line
- `link`: the page that explains it
- `note`: the next step of an unfinished layer, or why one could not be judged
"""

import argparse
import json
import os
from collections.abc import Iterable, Iterator, Sequence
from glob import glob

from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from rich.text import Text

from mha.checker.files import Target, parse_target, printable
from mha.checker.records import Status
from mha.checker.worker import (
    Job,
    Verdict,
    as_record,
    check_files,
    processes_at_once,
    start_method,
)
from mha.commands.output import output, print_table

EXIT: dict[Status, int] = {"right": 0, "wrong": 1, "unfinished": 2, "unjudged": 2}
COLOUR: dict[Status, str] = {
    "right": "green",
    "wrong": "red",
    "unfinished": "yellow",
    "unjudged": "yellow",
}
WORDS: dict[Status, str] = {
    "right": "right",
    "wrong": "wrong",
    "unfinished": "not finished",
    "unjudged": "not judged",
}
SAFETY = (
    "Each file is run as Python code, with your rights. A process of its own and the "
    "limits of time and memory keep accidents apart; they are no sandbox: check only "
    "files that you would run."
)


HELP = "say what is wrong with an attention layer"


def add(parser: argparse.ArgumentParser) -> None:
    """Add what `check` understands."""
    parser.description = "Say what is wrong with an attention layer that you wrote."
    parser.epilog = (
        f"Exit status: 0 all right, 1 something wrong, 2 not judged. {SAFETY}"
    )
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE[:CLASS]",
        help="a Python file; CLASS is the chapter's name, or the only one in the file",
    )
    parser.add_argument(
        "--as",
        dest="form",
        choices=("causal", "stacked", "fused", "grouped"),
        help="the form to judge it as (default: found out from the constructor)",
    )
    parser.add_argument(
        "--timeout",
        type=seconds,
        default=30.0,
        metavar="SECONDS",
        help="how long one file may take (default: 30)",
    )
    parser.add_argument(
        "--format",
        choices=("text", "json"),
        default="text",
        help="text to read (default), or one JSON object per file and line",
    )
    parser.add_argument(
        "--compile",
        action="store_true",
        help="try torch.compile too, which takes some seconds more",
    )
    parser.set_defaults(run=check_layers)


def seconds(text: str) -> float:
    """A time limit for argparse.

    Raises:
        ArgumentTypeError: If it is no number of seconds above 0, up to a day.
    """
    try:
        limit = float(text)
    except ValueError:
        limit = 0.0
    if not 0 < limit <= 86_400:
        raise argparse.ArgumentTypeError(
            f"must be a number of seconds above 0, at most a day, got {text!r}"
        )
    return limit


def targets(names: Sequence[str]) -> Iterator[Target]:
    """The files of the command; patterns are filled in where the shell does not."""
    for name in names:
        target = parse_target(name)
        found = [] if os.path.exists(target.file) else sorted(glob(target.file))
        for file in found or [target.file]:
            yield Target(file, target.layer)


def watched(
    verdicts: Iterable[tuple[int, Verdict]], total: int
) -> Iterator[tuple[int, Verdict]]:
    """The verdicts, counted by a bar where several files make somebody wait."""
    console = Console(stderr=True)
    progress = Progress(
        console=console,
        auto_refresh=False,  # a thread would not survive the forks
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
        disable=total == 1 or not console.is_terminal,
    )
    with progress:
        bar = progress.add_task("Checking", total=total)
        for verdict in verdicts:
            progress.advance(bar)
            progress.refresh()
            yield verdict


def in_order(verdicts: Iterable[tuple[int, Verdict]]) -> Iterator[Verdict]:
    """The verdicts in the order of the command, each as early as that allows."""
    early: dict[int, Verdict] = {}
    number = 0
    for place, verdict in verdicts:
        early[place] = verdict
        while number in early:
            yield early.pop(number)
            number += 1


def name_of(verdict: Verdict) -> str:
    """The file, and the class where it is known."""
    return f"{verdict.file}:{verdict.layer}" if verdict.layer else verdict.file


def show_one(console: Console, verdict: Verdict) -> None:
    """Print the report on one file in full."""
    name = name_of(verdict)
    first, *others = str(verdict.report).splitlines() or [""]
    console.print(printable(name), soft_wrap=True)
    colour = COLOUR[verdict.report.status]
    console.print(Text(printable(first), colour), soft_wrap=True)
    for line in others:
        console.print(printable(line), soft_wrap=True)


def show_many(console: Console, verdicts: Sequence[Verdict]) -> None:
    """Print a table of all files, and how many came to what."""
    table = Table("file", "verdict", "what", box=None, header_style="", pad_edge=False)
    for column in table.columns:
        column.overflow = "fold"
    for verdict in verdicts:
        report = verdict.report
        what = report.finding.code if report.finding else report.note
        table.add_row(
            printable(name_of(verdict)),
            Text(WORDS[report.status], COLOUR[report.status]),
            " ".join(printable(line) for line in what.splitlines()),
        )
    print_table(console, table)
    statuses = [verdict.report.status for verdict in verdicts]
    counts = [f"{statuses.count(status)} {WORDS[status]}" for status in WORDS]
    console.print("\n" + ", ".join(counts))


def show(verdicts: Sequence[Verdict]) -> None:
    """Print for readers: one report in full, or a table of several."""
    console = output()
    if len(verdicts) == 1:
        show_one(console, verdicts[0])
    else:
        show_many(console, verdicts)


def check_layers(arguments: argparse.Namespace) -> int:
    """Judge the files of the command, and print what came of them."""
    jobs = [
        Job(target, arguments.form, arguments.compile, arguments.timeout)
        for target in targets(arguments.files)
    ]
    coming = check_files(jobs, processes_at_once(), start_method())
    verdicts: list[Verdict] = []
    for verdict in in_order(watched(coming, len(jobs))):
        verdicts.append(verdict)
        if arguments.format == "json":
            print(json.dumps(as_record(verdict)), flush=True)
    if arguments.format == "text":
        show(verdicts)
    return max(EXIT[verdict.report.status] for verdict in verdicts)
