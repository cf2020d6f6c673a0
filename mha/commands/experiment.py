"""`mha experiment [--out FOLDER]`: measure why there are several heads.

The exit status is 0, or 2 where the folder cannot be written; interrupted or ended from
outside (130 and 143) it leaves in the folder what is finished.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from mha import measured
from mha.commands.output import output, print_table
from mha.experiment import (
    CENTRE,
    HEADS,
    QUESTIONS,
    SEEDS,
    SETTINGS,
    Reader,
    Results,
    Run,
    Summary,
    Training,
    examination,
    experiment,
    keep,
    one_thread,
    percent,
    summaries,
    trainings,
)

HELP = "measure why there are several heads"


def add(parser: argparse.ArgumentParser) -> None:
    """Add what `experiment` understands."""
    parser.description = (
        "Train small models that differ in their number of heads only, "
        "and measure what each can tell of a sentence. It takes a few minutes."
    )
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FOLDER",
        help="where results and one model of each head count go, as JSON files",
    )
    parser.set_defaults(run=run_experiment)


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
    sentences = examination()
    certificate = measured.provenance("mha experiment", threads=1)
    certificate["seeds"] = list(SEEDS)
    try:
        if arguments.out:
            measured.check_folder(arguments.out)
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
    console = output()
    groups = summaries(runs)
    console.print(
        f"Percent of sentences right, {CENTRE.words} words of a kind, width "
        f"{CENTRE.width}, {CENTRE.steps} steps:"
    )
    print_table(console, questions_table(groups))
    console.print("\nPercent with all answers right, by words, width and steps:")
    print_table(console, settings_table(groups))
    return 0
