"""How many sentences models with 1, 2, 4 and 8 heads answer, by seed and question."""

from canvas import FAINT, MUTED, TEAL, Canvas
from experiment_data import cells, heading_row, results

from mha.experiment import CENTRE, QUESTIONS, percent, summaries

LEFT, RIGHT = 64, 340  # of the axis
TOP, ROW = 44, 30


def values():
    """The share that each model answers right, and each question's mean."""
    groups = [g for g in summaries(results().runs) if g.setting == CENTRE]
    return {
        "heads": [group.num_heads for group in groups],
        "all_right": [group.all_right for group in groups],
        "questions": list(QUESTIONS),
        "accuracy": [[round(a, 4) for a in group.accuracy] for group in groups],
    }


def mean(shares):
    """The middle of the dots."""
    return sum(shares) / len(shares)


def named(heads):
    """A number of heads in words."""
    return "1 head" if heads == 1 else f"{heads} heads"


def label(values):
    """The picture in words."""
    parts = [
        f"{named(heads)} {percent(mean(right))} (between {percent(min(right))} and "
        f"{percent(max(right))})"
        for heads, right in zip(values["heads"], values["all_right"])
    ]
    weakest = [
        f"{named(heads)}: {percent(min(row))} for "
        f"“{values['questions'][row.index(min(row))]}”"
        for heads, row in zip(values["heads"], values["accuracy"])
    ]
    return (
        "Percent of sentences with all six answers right, mean over five seeds: "
        + ", ".join(parts)
        + ". A table gives each question; the one answered worst: "
        + ", ".join(weakest)
        + "."
    )


def picture(values):
    """Draw a line of dots for each head count, and the table of questions."""
    canvas = Canvas(116 + TOP + (ROW + 24) * len(values["heads"]), label(values))
    canvas.heading(
        14, "All six answers right", "Percent of sentences; a dot is a seed."
    )
    bottom = TOP + ROW * len(values["heads"])
    for share in (0, 0.25, 0.5, 0.75, 1):
        x = LEFT + (RIGHT - LEFT) * share
        canvas.path([(x, TOP), (x, bottom)], FAINT, 0.75)
        canvas.text(x, bottom + 16, percent(share), MUTED, 12, "middle")
    for row, (heads, right) in enumerate(zip(values["heads"], values["all_right"])):
        y = TOP + ROW * (row + 0.5)
        canvas.text(0, y + 5, named(heads))
        x = LEFT + (RIGHT - LEFT) * mean(right)
        canvas.path([(x, y - 10), (x, y + 10)], TEAL, 3)
        for share in right:
            canvas.dot(LEFT + (RIGHT - LEFT) * share, y, TEAL)
    top = bottom + 46
    canvas.heading(top, "Each question", "Percent right, mean over the seeds.")
    heading_row(canvas, LEFT, top + 54, 49, values["questions"])
    for row, (heads, shares) in enumerate(zip(values["heads"], values["accuracy"])):
        y = top + 60 + 24 * row
        canvas.text(0, y + 17, named(heads))
        cells(canvas, LEFT, y, (49, 24), shares)
    return canvas.svg()
