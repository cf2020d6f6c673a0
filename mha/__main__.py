"""The command line: `mha check FILE[:CLASS] ...` judges layers that learners wrote.

One file is answered with the finding in full, several with a table. The exit status is
that of the worst file: 0 where all are right, 1 where something is wrong with the
attention, 2 where a layer could not be judged or is not finished, or the command itself
was not understood. 130 and 143 say that it was interrupted or ended from outside.

With `--format json` each file is one line with one JSON object (JSON Lines), in the
order of the command. It has these keys, all strings, null where there is nothing to
say; later versions may add keys, but none goes away or changes its meaning:

- `file`: the file, as it was named
- `class`: the class that was judged
- `form`: `causal`, `stacked` or `fused`
- `status`: `right`, `wrong`, `unfinished` or `unjudged`
- `code`: the stable name of the mistake; this and the next five only where it is wrong
- `wrong`: what is wrong, in a sentence
- `seen`: what was seen, with numbers
- `expected`: what a right layer does instead
- `ask`: a question that leads to the line
- `link`: the page that explains it
- `note`: the next step of an unfinished layer, or why one could not be judged

`mha experiment [--out FOLDER]` measures why there are several heads. Its exit status is
0, or 2 where the folder cannot be written; interrupted or ended from outside (130 and
143) it leaves in the folder what is finished.
"""

import argparse
import json
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from glob import glob
from io import TextIOWrapper
from pathlib import Path
from typing import NoReturn

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
from mha.experiment import (
    CENTRE,
    HEADS,
    QUESTIONS,
    SETTINGS,
    Reader,
    Results,
    Run,
    Summary,
    Training,
    check_folder,
    examination,
    experiment,
    keep,
    one_thread,
    percent,
    provenance,
    summaries,
    trainings,
)

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
PIPE_WIDTH = 10_000  # in a pipe a row of the table is a line, however long
SAFETY = (
    "Each file is run as Python code, with your rights. A process of its own and the "
    "limits of time and memory keep accidents apart; they are no sandbox: check only "
    "files that you would run."
)


class Output(Console):
    """Where the answer for readers goes."""

    def on_broken_pipe(self) -> None:
        """Leave it to `main`; rich would end with the status of a wrong layer."""
        raise BrokenPipeError


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


def parser() -> argparse.ArgumentParser:
    """What the command line understands."""
    top = argparse.ArgumentParser(prog="mha", description="Head by Head")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    check = commands.add_parser(
        "check",
        help="say what is wrong with an attention layer",
        description="Say what is wrong with an attention layer that you wrote.",
        epilog=f"Exit status: 0 all right, 1 something wrong, 2 not judged. {SAFETY}",
    )
    check.add_argument(
        "files",
        nargs="+",
        metavar="FILE[:CLASS]",
        help="a Python file; CLASS is the chapter's name, or the only one in the file",
    )
    check.add_argument(
        "--as",
        dest="form",
        choices=("causal", "stacked", "fused"),
        help="the form to judge it as (default: found out from the constructor)",
    )
    check.add_argument(
        "--timeout",
        type=seconds,
        default=30.0,
        metavar="SECONDS",
        help="how long one file may take (default: 30)",
    )
    check.add_argument(
        "--format",
        choices=("text", "json"),
        default="text",
        help="text to read (default), or one JSON object per file and line",
    )
    check.add_argument(
        "--compile",
        action="store_true",
        help="try torch.compile too, which takes some seconds more",
    )
    check.set_defaults(run=check_layers)
    several = commands.add_parser(
        "experiment",
        help="measure why there are several heads",
        description="Train small models that differ in their number of heads only, "
        "and measure what each can tell of a sentence. It takes a few minutes.",
    )
    several.add_argument(
        "--out",
        type=Path,
        metavar="FOLDER",
        help="where results and one model of each head count go, as JSON files",
    )
    several.set_defaults(run=run_experiment)
    return top


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
    if console.is_terminal:
        console.print(table)
    else:
        with console.capture() as capture:
            console.print(table)
        console.out(*(line.rstrip() for line in capture.get().splitlines()), sep="\n")
    statuses = [verdict.report.status for verdict in verdicts]
    counts = [f"{statuses.count(status)} {WORDS[status]}" for status in WORDS]
    console.print("\n" + ", ".join(counts))


def show(verdicts: Sequence[Verdict]) -> None:
    """Print for readers: one report in full, or a table of several."""
    console = Output(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = PIPE_WIDTH
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


def counted(asked: Sequence[Training]) -> Iterator[tuple[Run, Reader]]:
    """The runs of the experiment, counted by a bar."""
    console = Console(stderr=True)
    with Progress(
        *Progress.get_default_columns(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    ) as progress:
        yield from progress.track(experiment(asked), len(asked), description="Training")


def questions_table(groups: Sequence[Summary]) -> Table:
    """Percent of sentences answered right in the middle setting, by question."""
    names = ("heads", "all right", "seeds", *QUESTIONS)
    table = Table(*names, box=None, header_style="", pad_edge=False)
    for group in [group for group in groups if group.setting == CENTRE]:
        table.add_row(
            str(group.num_heads),
            percent(group.mean),
            f"{percent(min(group.all_right))} to {percent(max(group.all_right))}",
            *map(percent, group.accuracy),
        )
    return table


def settings_table(groups: Sequence[Summary]) -> Table:
    """Percent of sentences with all answers right, by setting and number of heads."""
    names = (
        "words of a kind",
        "width",
        "steps",
        "1 head",
        *(f"{n} heads" for n in HEADS[1:]),
    )
    table = Table(*names, box=None, header_style="", pad_edge=False)
    for setting in SETTINGS:
        sizes = (setting.words, setting.width, setting.steps)
        means = [percent(group.mean) for group in groups if group.setting == setting]
        table.add_row(*map(str, sizes), *means)
    return table


def run_experiment(arguments: argparse.Namespace) -> int:
    """Train, measure, keep what is finished, and print what came out."""
    begun, runs = time.monotonic(), list[Run]()
    certificate, sentences = provenance(), examination()
    try:
        if arguments.out:
            check_folder(arguments.out)
        with one_thread():
            for run, model in counted(trainings()):
                runs.append(run)
                certificate["seconds"] = round(time.monotonic() - begun)
                certificate["processor_seconds"] = round(time.process_time())
                if arguments.out:
                    keep(arguments.out, Results(certificate, runs, sentences), model)
    except OSError as error:
        print(f"FOLDER must be one that can be written, got: {error}", file=sys.stderr)
        return 2
    console = Output(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = PIPE_WIDTH
    groups = summaries(runs)
    console.print(
        f"Percent of sentences right, {CENTRE.words} words of a kind, width "
        f"{CENTRE.width}, {CENTRE.steps} steps:"
    )
    console.print(questions_table(groups))
    console.print("\nPercent with all answers right, by words, width and steps:")
    console.print(settings_table(groups))
    return 0


def fill_gaps() -> None:
    """Put nothing where input or output is closed, or a pipe would take its number."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free


def ended(number: int, frame: object) -> NoReturn:
    """End in order, with all processes, when the system says so."""
    sys.exit(128 + number)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        arguments: What follows `mha`; None takes it from the command line.

    Returns:
        The exit status.
    """
    fill_gaps()
    for stream in (sys.stdout, sys.stderr):  # a letter that it lacks is no error
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    signal.signal(signal.SIGTERM, ended)
    try:
        chosen = parser().parse_args(arguments)
        return chosen.run(chosen)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # who reads has seen enough
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())  # or Python complains when it ends
        return 141
    except OSError as error:
        print(f"mha must be able to start processes, got: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
