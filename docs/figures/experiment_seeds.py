"""Where each head looks, in five models that differ in their seed only."""

from canvas import Canvas
from experiment_data import cells, heading_row, results

from mha.experiment import CENTRE, percent
from mha.experiment.grammar import ROLES
from mha.experiment.summary import setting_of

HEADS = 4
LEFT, WIDTH, ROW = 64, 49, 20
NAMES = (*ROLES, "the rest")


def values():
    """The mean share that each head gives to the word of each role."""
    runs = [
        run
        for run in results().runs
        if setting_of(run) == CENTRE and run.num_heads == HEADS
    ]
    return {"roles": list(NAMES), "looks": [run.looks for run in runs]}


def favourite(row):
    """The role that gets the most."""
    return NAMES[row.index(max(row))]


def label(values):
    """The picture in words."""
    parts = [
        f"seed {seed}: "
        + ", ".join(f"{favourite(row)} {percent(max(row))}" for row in table)
        for seed, table in enumerate(values["looks"])
    ]
    return (
        f"Five models with {HEADS} heads. Percent of its attention that each head "
        "gives to the word of each role, mean over the test. What each looks at most: "
        + "; ".join(parts)
        + "."
    )


def picture(values):
    """Draw a table for each seed."""
    height = 36 + len(values["looks"]) * (24 + HEADS * ROW + 8)
    canvas = Canvas(height, label(values))
    heading_row(canvas, LEFT, 30, WIDTH, values["roles"])
    y = 36
    for seed, table in enumerate(values["looks"]):
        canvas.text(0, y + 18, f"Seed {seed}", bold=True)
        y += 24
        for head, row in enumerate(table, 1):
            canvas.text(0, y + 15, f"head {head}", size=12)
            cells(canvas, LEFT, y, (WIDTH, ROW), row)
            y += ROW
        y += 8
    return canvas.svg()
