"""What the pictures of the costs share: the run, its forms, a plot with log axes."""

from functools import cache
from math import log10
from pathlib import Path

from canvas import FAINT, HEADS, INK, MUTED, TEAL

from mha import bench

MEASURED = Path(__file__).parents[1] / "measured"
LOOKS = {  # colour and dashes of each form
    "stacked": (HEADS[0], "7 3"),
    "fused": (HEADS[1], "2 3"),
    "sdpa": (TEAL, None),
    "MultiheadAttention": (HEADS[3], "10 3 2 3"),
}
WIDTH = bench.WIDTHS[0][0]
LEFT, RIGHT, STEP, DECADE = 50, 14, 56, 44  # a step doubles, a decade is ten times


@cache
def results():
    """The published run on a CPU."""
    return bench.read(MEASURED / "bench-cpu.json")


def groups(width, backward):
    """The groups of one width and one way, by length."""
    return {
        group.setting.num_tokens: group
        for group in results().groups
        if (group.setting.width, group.setting.backward) == (width, backward)
    }


def median_ms(row):
    """Milliseconds per call, to four digits."""
    return float(f"{1000 * row.median:.4g}")


def spoken(number):
    """A number with two digits that count, and no more noughts than it needs."""
    rounded = float(f"{number:.2g}")
    return f"{rounded:,.0f}" if rounded >= 10 else f"{rounded:g}"


def legend(canvas, y, names):
    """Name the lines, each beside a piece of it; return where the next thing goes."""
    for i, name in enumerate(names):
        x, down = 178 * (i % 2), 18 * (i // 2)
        color, dashes = LOOKS[name]
        canvas.path([(x, y + down), (x + 26, y + down)], color, 2.5, dashes)
        canvas.text(x + 32, y + down + 4, name, color, 12.5)
    return y + 18 * ((len(names) + 1) // 2)


class Plot:
    """Lengths to the right, one step for a doubling; ten times is a decade up."""

    def __init__(self, canvas, top, tokens, low, high):
        self.canvas, self.tokens = canvas, tokens
        self.low, self.bottom = low, top + DECADE * (high - low)
        for power in range(low, high + 1):
            y = self.height(10**power)
            canvas.path([(LEFT, y), (360 - RIGHT, y)], FAINT, 1, "2 4")
            canvas.text(LEFT - 6, y + 4, f"{10**power:,}", MUTED, 12, "end", mono=True)
        for i, length in enumerate(tokens):
            x, y = self.place(i), self.bottom + 18
            canvas.text(x, y, f"{length:,}", INK, 12, "middle", mono=True)

    def place(self, i):
        """Where a length stands."""
        return LEFT + 10 + STEP * i * 5 / (len(self.tokens) - 1)

    def height(self, number):
        """Where a number stands."""
        return self.bottom - DECADE * (log10(number) - self.low)

    def line(self, numbers, color, dashes=None):
        """Draw a line through one number for each length, as far as there are some."""
        points = [
            (self.place(i), self.height(number))
            for i, number in enumerate(numbers)
            if number
        ]
        self.canvas.path(points, color, 2.2, dashes)
        for x, y in points:
            self.canvas.dot(x, y, color, 2.8)
