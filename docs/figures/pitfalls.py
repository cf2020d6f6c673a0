"""What mistakes do to attention: two heads, and which outputs move, right and wrong.

One sheet for each family of mistakes. A page shows a part of it, marked by the code.
"""

from dataclasses import dataclass
from xml.etree import ElementTree as ET

import torch
from canvas import FAINT, HEADS, MUTED, TEAL, WIDTH, WRONG, Canvas, number, plain
from chapter import rounded, seeded

from mha.checker.codes import MISTAKES
from mha.examples import inputs
from mha.mistakes.layer import GroupedLayer, Layer

SIZES = (3, 8, 6, 0.0, 2)  # all numbers that a scale may take differ: 3, 8, 6, 2, 4
GROUPED = (3, 8, 6, 0.0, 4, 2)  # heads 1 and 2 share keys and values, so do 3 and 4
SHARPER = 3  # new layers look nearly everywhere alike; trained ones choose
PARTS = ("head 1", "head 2", "moves")
COLORS = dict(zip(PARTS, (HEADS[0], HEADS[1], TEAL)))
LEFT, STEP, CELL, HEIGHT = 46, 106, 16, 244
FAMILIES = (
    "mask",
    "softmax",
    "scale",
    "heads",
    "groups",
    "projections",
    "calls",
    "unnamed",
)
FAINTEST = 5e-4  # what is smaller is nothing


def made(layer_class):
    """A layer of the sizes that its constructor takes."""
    grouped = issubclass(layer_class, GroupedLayer)
    return seeded(layer_class, *(GROUPED if grouped else SIZES))


def right_layer(family):
    """The layer with nothing wrong, queries and keys longer."""
    layer = made(GroupedLayer if family == "groups" else Layer)
    layer.W_query.weight *= SHARPER
    layer.W_key.weight *= SHARPER
    return layer


def two_texts():
    """The chapter's sentence, and the same words from last to first."""
    return torch.stack([inputs, inputs.flip(0)])


def attention(layer):
    """The shares with which the first text's values are averaged, as (head, i, j)."""
    seen, mix = [], layer.mix

    def watched(attn_weights, values):
        unit = torch.eye(attn_weights.shape[-1]).expand_as(attn_weights)
        seen.append(mix(attn_weights, unit)[0])
        return mix(attn_weights, values)

    layer.mix = watched
    layer(two_texts())
    del layer.mix
    return seen[0][:2]


def moved(layer):
    """How far output i moves when 1 is added to token j, as (i, j)."""
    before, columns = layer(two_texts()), []
    for j in range(len(inputs)):
        changed = two_texts()
        changed[:, j] += 1
        columns.append((layer(changed) - before).abs().amax(dim=(0, 2)))
    return torch.stack(columns, dim=1)


def spelled(tensor):
    """Numbers to four digits; what is not a number is spelled."""
    rows = rounded(tensor.nan_to_num(torch.inf))
    return [[number if number < torch.inf else "nan" for number in row] for row in rows]


def matrices(layer):
    """The three matrices of a picture, by name; a head that is not there is empty."""
    heads = [spelled(head) for head in attention(layer)] + [[]]
    return dict(zip(PARTS, (heads[0], heads[1], spelled(moved(layer)))))


@torch.no_grad()
def wrong_matrices(layer_class, family):
    """The matrices of a mistake with the right weights; None where it takes none."""
    layer = made(layer_class)
    try:
        layer.load_state_dict(right_layer(family).state_dict())
        if getattr(layer(two_texts()), "shape", None) != (2, 6, 8):
            return None
        shown = matrices(layer)
        return shown if seen_apart(shown, family) else matrices(layer.train())
    except RuntimeError:
        return None


def sign(value):
    """Whether a number is there, is nothing, or is no number."""
    return value if value == "nan" else abs(value) > FAINTEST


def pattern(rows):
    """Which places of a matrix hold something."""
    return [[sign(value) for value in row] for row in rows]


def alike(rows, others):
    """Whether two matrices cannot be told apart by eye."""
    if pattern(rows) != pattern(others):
        return False
    pairs = [(a, b) for one, two in zip(rows, others) for a, b in zip(one, two)]
    return all(a == b or abs(a - b) < 0.005 for a, b in pairs)


@torch.no_grad()
def seen_apart(shown, family):
    """Whether heads differ from the right ones, or what moves what."""
    right = matrices(right_layer(family))
    heads = all(alike(shown[part], right[part]) for part in PARTS[:2])
    return not (heads and pattern(shown["moves"]) == pattern(right["moves"]))


def above(rows):
    """How many places right of the diagonal hold something."""
    marks = pattern(rows)
    return sum(bool(marks[i][j]) for i in range(len(marks)) for j in range(i + 1, 6))


def no_numbers(rows):
    """How many places hold no number."""
    return sum(value == "nan" for row in rows for value in row)


def described(rows):
    """What a matrix shows, in words."""
    if not rows:
        return "is not there"
    if len(rows) != len(inputs):
        return f"is only {len(rows)} by {len(rows)}"
    sums = [sum(row) for row in rows if "nan" not in row]
    words = [f"has {above(rows)} of 15 places above the diagonal filled"]
    if no_numbers(rows):
        words.append(f"{no_numbers(rows)} places that are not numbers")
    if sums:
        words.append(f"rows that sum to {number(min(sums))} to {number(max(sums))}")
    return ", ".join(words)


def label(code, shown):
    """The picture in words."""
    wrong = "; ".join(f"“{part}” {described(shown[part])}" for part in PARTS)
    return (
        "Two rows of three matrices, 6 by 6: the attention of two heads, and which "
        "outputs move when one token changes. Above the right layer: all 15 places "
        "above the diagonal are empty and the rows of each head sum to 1. "
        f"Below the mistake {code}: {wrong}."
    )


def squares(canvas, corner, rows, color):
    """Draw the cells of a matrix, those of one strength as one path."""
    paths = {}
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            if value == "nan" or abs(value) <= FAINTEST:
                continue
            strength = round(0.15 + 0.75 * min(abs(value), 1), 1)
            shade = (WRONG if j > i else color, strength)
            x, y = corner[0] + CELL * j + 1, corner[1] + CELL * i + 1
            paths.setdefault(shade, []).append(f"M{plain(x)} {plain(y)}h14v14h-14z")
    for (fill, strength), places in paths.items():
        style = f"fill:{fill};fill-opacity:{plain(strength)}"
        ET.SubElement(canvas.root, "path", {"d": "".join(places), "style": style})


def crosses(canvas, corner, rows):
    """Cross out the cells that hold no number."""
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            if value == "nan":
                x, y = corner[0] + CELL * j + 4, corner[1] + CELL * i + 4
                canvas.path([(x, y), (x + 8, y + 8)], WRONG)
                canvas.path([(x + 8, y), (x, y + 8)], WRONG)


def row_of_matrices(canvas, top, words, shown):
    """Draw three matrices side by side."""
    canvas.text(0, top + 3 * CELL + 4, words, MUTED, size=13)
    known = [v for row in shown["moves"] for v in row if v != "nan"]
    largest = max(known, default=0) or 1
    for place, part in enumerate(PARTS):
        corner, rows = (LEFT + STEP * place, top), shown[part]
        if part == "moves":
            rows = [[v if v == "nan" else v / largest for v in row] for row in rows]
        if rows:
            canvas.rect(*corner, CELL * len(rows), CELL * len(rows), stroke=FAINT)
        squares(canvas, corner, rows, COLORS[part])
        crosses(canvas, corner, rows)


def pair(code, right, shown):
    """Draw the right matrices and the wrong ones below them."""
    canvas = Canvas(HEIGHT - 20, label(code, shown))
    for place, part in enumerate(PARTS):
        canvas.text(LEFT + STEP * place, 14, part, bold=True)
    row_of_matrices(canvas, 22, "right", right)
    row_of_matrices(canvas, 22 + 6 * CELL + 8, "wrong", shown)
    return canvas.root


def placed(part, y):
    """Make a picture part of a sheet."""
    del part.attrib["xmlns"]
    part.attrib |= {"y": plain(y), "width": str(WIDTH), "height": str(HEIGHT - 20)}
    return part


@dataclass(frozen=True)
class Sheet:
    """All pictures of one family, each between marks with its code."""

    family: str

    @torch.no_grad()
    def values(self):
        """The matrices of the right layer, and of each mistake that shows in them."""
        shown = {
            code: wrong_matrices(mistake.layer_class, self.family)
            for code, mistake in MISTAKES.items()
            if mistake.family == self.family
        }
        seen = {
            code: found
            for code, found in shown.items()
            if found and seen_apart(found, self.family)
        }
        return {"right": matrices(right_layer(self.family)), **seen}

    def picture(self, values):
        """Draw one picture below the other."""
        codes = [name for name in values if name != "right"]
        sheet = Canvas(
            HEIGHT * len(codes),
            f"{len(codes)} pictures of the family {self.family}, one below the other: "
            "the attention of two heads and which outputs move when one token changes, "
            "first as they are right, then with the mistake.",
        )
        for place, code in enumerate(codes):
            part = placed(pair(code, values["right"], values[code]), HEIGHT * place)
            sheet.root.append(ET.Comment(f" -8<- [start:{code}] "))
            sheet.root.append(part)
            sheet.root.append(ET.Comment(f" -8<- [end:{code}] "))
        return sheet.svg()


SHEETS = {f"pitfalls_{family}": Sheet(family) for family in FAMILIES}
