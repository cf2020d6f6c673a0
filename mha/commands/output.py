"""Where commands print what readers asked for."""

from rich.console import Console
from rich.table import Table

PIPE_WIDTH = 10_000  # in a pipe a row of a table is a line, however long


class Output(Console):
    """Where the answer for readers goes."""

    def on_broken_pipe(self) -> None:
        """Leave it to `main`; rich would end with a status of its own."""
        raise BrokenPipeError


def output() -> Output:
    """The place for answers, with words as they are."""
    console = Output(highlight=False, markup=False, emoji=False)
    if not console.is_terminal:
        console.width = PIPE_WIDTH
    return console


def print_table(console: Console, table: Table) -> None:
    """Print a table; in a pipe without the blanks at the ends of its lines."""
    if console.is_terminal:
        console.print(table)
        return
    with console.capture() as capture:
        console.print(table)
    console.out(*(line.rstrip() for line in capture.get().splitlines()), sep="\n")
