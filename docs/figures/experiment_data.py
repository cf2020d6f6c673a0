"""What the pictures of the experiment share: its files, and a table of cells."""

from pathlib import Path

from canvas import MINUS, MUTED, TEAL, shade

from mha.experiment import percent
from mha.experiment.files import read_results

MEASURED = Path(__file__).parents[1] / "measured"


def results():
    """The published results."""
    return read_results(MEASURED / "experiment.json")


def heading_row(canvas, left, top, width, names):
    """Write names over columns, each word on a line of its own."""
    for column, name in enumerate(names):
        words = name.split()
        for line, word in enumerate(words):
            y = top - 15 * (len(words) - 1 - line)
            x = left + width * (column + 0.5)
            canvas.text(x, y, word, MUTED, 12, "middle")


def cells(canvas, left, top, size, row, largest=1, color=TEAL):
    """Draw a row of shares as cells; what is not above zero stays plain."""
    width, height = size
    for column, share in enumerate(row):
        place = (left + width * column, top, width, height)
        strength = shade(max(share, 0), largest)
        canvas.cell(*place, percent(share).replace("-", MINUS), color, strength)
