"""What dividing by the root of the width does to scores and weights."""

from math import log2

import torch
from canvas import FAINT, MUTED, TEAL, WRONG, Canvas, number
from chapter import rounded

WIDTHS = (2, 16, 64, 256, 1024)
LEFT, TOP, HEIGHT = 60, 74, 180
DOUBLING = 30  # so wide is a doubling of the width


def values():
    """The draws of mha/examples/scaling.py: seed 123, 1000 texts of 16 tokens."""
    measured = {"unscaled": {"spread": [], "largest": []}}
    measured["scaled"] = {"spread": [], "largest": []}
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(123)
        for width in WIDTHS:
            queries, keys = torch.randn(2, 1000, 16, width)
            attn_scores = queries @ keys.transpose(1, 2)
            for name, divisor in (("unscaled", 1), ("scaled", width**0.5)):
                scores = attn_scores / divisor
                largest = torch.softmax(scores, dim=-1).amax(dim=-1).mean()
                measured[name]["spread"].append(rounded(scores.std()))
                measured[name]["largest"].append(rounded(largest))
    return {"widths": list(WIDTHS), **measured}


def place(width):
    """Where a width stands: every doubling is one step."""
    return LEFT + DOUBLING * (log2(width) - 1)


def curve(canvas, largest, color, shifts):
    """Draw one line with its numbers, each shifted away from its point."""
    points = [
        (place(width), TOP + HEIGHT * (1 - value))
        for width, value in zip(WIDTHS, largest)
    ]
    canvas.path(points, color, 2.5)
    for (x, y), value, (right, down) in zip(points, largest, shifts):
        canvas.dot(x, y, color)
        canvas.text(x + right, y + down, number(value), color, 12, "middle", mono=True)


def picture(values):
    """Draw the largest weight over the width, and the spread of scores below."""
    widths, unscaled, scaled = (
        values[name] for name in ("widths", "unscaled", "scaled")
    )
    canvas = Canvas(
        410,
        "The largest of 16 attention weights against the width of a head, from "
        f"{widths[0]} to {widths[-1]}. Without scaling it grows from "
        f"{number(unscaled['largest'][0])} to {number(unscaled['largest'][-1])}; "
        f"divided by the root of the width it stays between "
        f"{number(min(scaled['largest']))} and {number(max(scaled['largest']))}. The "
        f"spread of the scores grows from {number(unscaled['spread'][0], 1)} to "
        f"{number(unscaled['spread'][-1], 1)} unscaled and stays near 1 scaled.",
    )
    canvas.heading(14, "The largest of 16 weights", "Mean over 1000 random texts")
    for share in (0, 0.5, 1):
        y = TOP + HEIGHT * (1 - share)
        canvas.path([(LEFT - 22, y), (360, y)], FAINT, 1, "2 4")
        canvas.text(LEFT - 30, y + 4, number(share, 1), MUTED, 12, "end", mono=True)
    curve(canvas, unscaled["largest"], WRONG, [(-14, -9)] + 4 * [(16, 19)])
    curve(canvas, scaled["largest"], TEAL, 5 * [(0, 20)])
    canvas.text(296, TOP + 64, "not scaled", WRONG, 13, "middle", bold=True)
    canvas.text(290, TOP + 112, "divided by √width", TEAL, 13, "middle", bold=True)
    for j, width in enumerate(widths):
        x = place(width)
        canvas.text(x, 276, str(width), size=13, anchor="middle", mono=True)
        for name, y, color in (("unscaled", 358, WRONG), ("scaled", 402, TEAL)):
            spread = number(values[name]["spread"][j], 1)
            canvas.text(x, y, spread, color, 13, "middle", mono=True)
    canvas.text(LEFT - 22, 276, "width", MUTED, 12.5, "end")
    canvas.heading(318, "The spread of the scores")
    canvas.text(LEFT - 22, 339, "not scaled", WRONG, 12.5)
    canvas.text(LEFT - 22, 383, "divided by √width", TEAL, 12.5)
    return canvas.svg()
