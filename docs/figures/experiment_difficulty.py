"""How the result changes with the words, the width and the training."""

from canvas import MUTED, TEAL, Canvas, shade
from experiment_data import results
from experiment_heads import mean, named

from mha.experiment import CENTRE, HEADS, SETTINGS, percent, summaries

LEFT, WIDTH, ROW = 74, 71, 40
AXES = (  # the size that changes, and how it is named
    ("words", "Words of each kind", "{} words"),
    ("width", "Width of the model", "width {}"),
    ("steps", "Steps of training", "{} steps"),
)


def along(axis):
    """The settings that differ from the middle one in one size at most, in order."""
    others = [name for name, *_ in AXES if name != axis]
    found = [
        setting
        for setting in SETTINGS
        if all(getattr(setting, name) == getattr(CENTRE, name) for name in others)
    ]
    return sorted(found, key=lambda setting: getattr(setting, axis))


def values():
    """For each size and each of its values, what each head count reaches."""
    groups = {(g.setting, g.num_heads): g.all_right for g in summaries(results().runs)}
    return {
        axis: {
            str(getattr(setting, axis)): [groups[setting, heads] for heads in HEADS]
            for setting in along(axis)
        }
        for axis, *_ in AXES
    } | {"heads": list(HEADS)}


def label(values):
    """The picture in words."""
    parts = [
        name.format(size)
        + ": "
        + ", ".join(
            f"{named(heads)} {percent(mean(right))}"
            for heads, right in zip(values["heads"], row)
        )
        for axis, _, name in AXES
        for size, row in values[axis].items()
    ]
    return (
        "Percent of sentences with all answers right, mean over the seeds, while one "
        "size changes. " + "; ".join(parts) + "."
    )


def picture(values):
    """Draw a table for each size that changes."""
    rows = sum(len(values[axis]) for axis, *_ in AXES)
    canvas = Canvas(64 * len(AXES) + ROW * rows, label(values))
    y = 0
    for axis, title, name in AXES:
        canvas.text(0, y + 14, title, size=14, bold=True)
        for column, heads in enumerate(values["heads"]):
            x = LEFT + WIDTH * (column + 0.5)
            canvas.text(x, y + 36, named(heads), MUTED, 12, "middle")
        y += 42
        for size, row in values[axis].items():
            canvas.text(0, y + 24, name.format(size), size=12)
            for column, right in enumerate(row):
                draw(canvas, LEFT + WIDTH * column, y, right)
            y += ROW
        y += 22
    return canvas.svg()


def draw(canvas, x, y, right):
    """Draw a cell with the mean, and from where to where the seeds reach."""
    middle = x + WIDTH / 2
    strength = shade(mean(right), 1)
    canvas.rect(x + 0.5, y + 0.5, WIDTH - 1, ROW - 1, TEAL, strength)
    canvas.text(
        middle, y + 17, percent(mean(right)), size=13, anchor="middle", mono=True
    )
    reach = f"{percent(min(right))} to {percent(max(right))}"
    canvas.text(middle, y + 33, reach, size=12, anchor="middle")
