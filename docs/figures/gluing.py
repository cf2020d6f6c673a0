"""Gluing the heads: transposed back first, and not."""

import torch
from canvas import FAINT, HEADS, MUTED, TEAL, TOKENS, WRONG, Canvas
from splitting import block


def values():
    """Two heads of three tokens, glued into (1, 3, 4) in both ways."""
    heads = torch.arange(12).view(1, 3, 2, 2).transpose(1, 2)
    return {
        "heads": heads[0].tolist(),
        "right": heads.transpose(1, 2).contiguous().view(1, 3, 4)[0].tolist(),
        "wrong": heads.contiguous().view(1, 3, 4)[0].tolist(),
    }


def picture(values):
    """Draw the heads above, the right glue on the left and the wrong on the right."""
    canvas = Canvas(
        384,
        f"Two heads of three tokens: {values['heads'][0]} and {values['heads'][1]}. "
        f"Transposed back before the view they become {values['right']}, every token "
        f"whole again. Without transposing back they become {values['wrong']}: the "
        "first row mixes numbers of tokens 1 and 2.",
    )
    canvas.text(180, 16, "(1, 2, 3, 2)", MUTED, 13, "middle", mono=True)
    for h, x in enumerate((84, 200)):
        canvas.text(x + 38, 40, f"head {h + 1}", HEADS[h], 13, "middle", bold=True)
        block(canvas, x, 50, values["heads"][h], HEADS[h])
    for i in range(3):
        canvas.text(70, 69 + 28 * i, f"token {i + 1}", TOKENS[i], 13, "end", bold=True)
    canvas.arrow((140, 142), (90, 168), TEAL)
    canvas.arrow((220, 142), (270, 168), WRONG)
    canvas.path([(180, 184), (180, 378)], FAINT, 1, "2 4")
    for x, name, color, code, notes in (
        (4, "Right", TEAL, ".transpose(1, 2)", ("Row 1 is token 1,", "whole again.")),
        (
            196,
            "Wrong",
            WRONG,
            "no transpose",
            ("Row 1 is half of token 1", "and half of token 2."),
        ),
    ):
        canvas.text(x, 190, name, color, size=14, bold=True)
        for i, words in enumerate((code, ".contiguous()", ".view(1, 3, 4)")):
            canvas.text(x, 209 + 16 * i, words, size=12, mono=True)
        block(canvas, x, 254, values[name.lower()], cell=40)
        for i, words in enumerate(notes):
            canvas.text(x, 359 + 17 * i, words, size=12.5)
    return canvas.svg()
