"""What simple tests see of the mistakes: a shape, a number, a token from the future."""

import torch
from canvas import FAINT, HEADS, MUTED, TEAL, TOKENS, WRONG, Canvas

from mha.checker.codes import FAMILIES, MISTAKES
from mha.checker.forms import BASE, fitting
from mha.checker.subject import Subject, influence, leak
from mha.mistakes.layer import GroupedLayer

FATES = {
    "raises": ("e", FAINT, "raise an error"),
    "shape": ("s", HEADS[3], "give something else than (b, num_tokens, d_out)"),
    "number": ("n", TOKENS[2], "give something that is not a number"),
    "future": ("f", WRONG, "let a later token move an earlier output"),
    "unseen": ("", TEAL, "pass all of these tests"),
}
CELL, ROW = 16, 44


def fate(layer_class):
    """What a few lines of test see of a layer, in eval, on 2 texts of 5 tokens."""
    form = "grouped" if issubclass(layer_class, GroupedLayer) else "fused"
    subject = Subject(layer_class, form, torch.float32)
    x = subject.texts(2, 5, BASE)
    try:
        layer = subject.layer(BASE)
        out = layer(x.clone())
        if getattr(out, "shape", None) != (2, 5, fitting(form, BASE).width):
            return "shape"
        if not out.isfinite().all():
            return "number"
        later = leak(influence(layer, x, seed=3), subject.tolerance)
    except (RuntimeError, AssertionError):
        return "raises"
    return "future" if later else "unseen"


def values():
    """The fate of every mistake, by family and code."""
    return {
        family: {
            code: fate(mistake.layer_class)
            for code, mistake in MISTAKES.items()
            if mistake.family == family
        }
        for family in FAMILIES
    }


def counted(values):
    """How many mistakes meet each fate."""
    found = [fate for family in values.values() for fate in family.values()]
    return {fate: found.count(fate) for fate in FATES}


def label(values):
    """The picture in words."""
    many, all_of_them = counted(values), sum(counted(values).values())
    words = [f"{many[fate]} {what}" for fate, (_, _, what) in FATES.items()]
    shape = all_of_them - many["raises"] - many["shape"]
    return (
        f"One cell for each of {all_of_them} wrong layers, by family. "
        f"{shape} give an output of the right shape. On an ordinary input "
        + ", ".join(words)
        + "."
    )


def legend(canvas, top, values):
    """Say what the colours mean, and how often each is there."""
    many = counted(values)
    for place, (fate, (letter, color, words)) in enumerate(FATES.items()):
        y = top + 22 * place
        canvas.cell(0, y, CELL, CELL, letter, color)
        canvas.text(24, y + 13, f"{many[fate]} {words}")


def picture(values):
    """Draw a row of cells for each family, and what their colours mean."""
    canvas = Canvas(22 * len(FATES) + ROW * len(values) + 12, label(values))
    legend(canvas, 0, values)
    for place, (family, fates) in enumerate(values.items()):
        y = 22 * len(FATES) + 12 + ROW * place
        canvas.text(0, y + 13, family, MUTED)
        for column, fate in enumerate(fates.values()):
            letter, color, _ = FATES[fate]
            canvas.cell(CELL * column, y + 18, CELL, CELL, letter, color)
    return canvas.svg()
