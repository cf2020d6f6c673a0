"""Splitting off the head axis: view then transpose, and the wrong way."""

import torch
from canvas import FAINT, HEADS, MUTED, TEAL, TOKENS, WRONG, Canvas


def values():
    """Numbers 0..11 as (1, 3, 4), split into two heads in both ways."""
    x = torch.arange(12).view(1, 3, 4)
    return {
        "x": x[0].tolist(),
        "right": x.view(1, 3, 2, 2).transpose(1, 2)[0].tolist(),
        "wrong": x.view(1, 2, 3, 2)[0].tolist(),
    }


def block(canvas, x, y, rows, outline=None, cell=38):
    """Draw numbers 0..11 in the colour of the token that they came from."""
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            place = (x + cell * j, y + 28 * i, cell, 28)
            canvas.cell(*place, str(value), TOKENS[value // 4], 0.36, size=14)
    if outline:
        size = (cell * len(rows[0]) + 5, 28 * len(rows) + 5)
        canvas.rect(x - 2.5, y - 2.5, *size, stroke=outline, radius=5)


def heads(canvas, x, y, blocks):
    """Draw two heads one below the other, in the colours of heads."""
    for h, rows in enumerate(blocks):
        top = y + 122 * h
        canvas.text(x, top - 9, f"head {h + 1}", HEADS[h], bold=True)
        block(canvas, x, top, rows, HEADS[h])
        for i in range(3):
            canvas.text(x - 9, top + 28 * i + 19, f"{i + 1}", MUTED, 12, "end")


def picture(values):
    """Draw the tokens above, the right split on the left and the wrong on the right."""
    right, wrong = values["right"], values["wrong"]
    canvas = Canvas(
        552,
        f"Three tokens of four numbers: {values['x']}. View, then transpose, gives "
        f"head 1 the first half of every token, {right[0]}, and head 2 the second, "
        f"{right[1]}. View straight to (1, 2, 3, 2) gives head 1 {wrong[0]}: all of "
        f"token 1 and half of token 2; head 2 gets {wrong[1]}.",
    )
    canvas.text(104, 16, "x", mono=True, bold=True, size=14)
    canvas.text(264, 16, "(1, 3, 4)", MUTED, 13, "end", mono=True)
    for h in (0, 1):
        half = [row[2 * h : 2 * h + 2] for row in values["x"]]
        block(canvas, 104 + 84 * h, 26, half, HEADS[h])
    for i in range(3):
        canvas.text(95, 45 + 28 * i, f"token {i + 1}", TOKENS[i], 13, "end", bold=True)
    canvas.arrow((142, 116), (90, 142), TEAL)
    canvas.arrow((218, 116), (270, 142), WRONG)
    canvas.path([(178, 158), (178, 500)], FAINT, 1, "2 4")
    for x, name, color in ((22, "Right", TEAL), (200, "Wrong", WRONG)):
        canvas.text(x, 164, name, color, size=14, bold=True)
    canvas.text(22, 184, "view(1, 3, 2, 2)", size=12, mono=True)
    canvas.text(22, 201, ".transpose(1, 2)", size=12, mono=True)
    canvas.text(200, 184, "view(1, 2, 3, 2)", size=12, mono=True)
    heads(canvas, 38, 238, right)
    heads(canvas, 216, 238, wrong)
    for x, lines in (
        (22, ("Each head has a part", "of every token.")),
        (200, ("Head 1 has all of token 1,", "head 2 nothing of it.")),
    ):
        for i, words in enumerate(lines):
            canvas.text(x, 472 + 17 * i, words, size=12.5)
    canvas.text(22, 528, "Row: where a head looks for token 1, 2, 3.", MUTED, 12.5)
    canvas.text(22, 545, "Colour: the token that a number came from.", MUTED, 12.5)
    return canvas.svg()
