"""The command line: `mha check`, `mha experiment`, `mha bench`."""

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from io import TextIOWrapper
from typing import NoReturn

from mha.commands import bench, check, experiment

COMMANDS = {"check": check, "experiment": experiment, "bench": bench}


def parser() -> argparse.ArgumentParser:
    """What the command line understands."""
    top = argparse.ArgumentParser(prog="mha", description="Head by Head")
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, module in COMMANDS.items():
        module.add(commands.add_parser(name, help=module.HELP))
    return top


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
        words = sys.argv[1:] if arguments is None else arguments
        chosen = parser().parse_args(words)
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
