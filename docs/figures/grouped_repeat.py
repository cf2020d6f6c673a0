"""Two heads of keys for four heads: side by side, and in turn."""

import torch
from canvas import FAINT, HEADS, TEAL, TOKENS, WRONG, Canvas
from splitting import block

from mha.mistakes.groups import GroupsRepeatedInTurn
from mha.mistakes.layer import GroupedLayer

TALL = 86


def values():
    """Numbers 0..7 as two heads of two tokens, spread over four in both ways."""
    keys = torch.arange(8).view(1, 2, 2, 2)
    right, wrong = (
        kind(4, 8, 2, 0.0, 4, 2) for kind in (GroupedLayer, GroupsRepeatedInTurn)
    )
    return {
        "keys": keys[0].tolist(),
        "right": right.spread(keys, 2)[0].tolist(),
        "wrong": wrong.spread(keys, 2)[0].tolist(),
    }


def picture(values):
    """Draw the two heads above, the right copies on the left, the wrong ones right."""
    keys, right, wrong = values["keys"], values["right"], values["wrong"]
    canvas = Canvas(
        520,
        f"Two heads of keys, {keys[0]} and {keys[1]}, for four heads of queries. "
        f"repeat_interleave gives heads 1 to 4 {right}: heads 1 and 2 share, and 3 and "
        f"4. repeat gives {wrong}: head 2 reads what head 4 should, and head 3 what "
        "head 1 should.",
    )
    for j, x in enumerate((84, 200)):
        canvas.text(x + 38, 14, f"kv {j + 1}", TOKENS[j], 14, "middle", bold=True)
        block(canvas, x, 24, keys[j])
    canvas.arrow((140, 86), (90, 112), TEAL)
    canvas.arrow((220, 86), (270, 112), WRONG)
    canvas.path([(180, 122), (180, 490)], FAINT, 1, "2 4")
    for x, name, color, code, heads in (
        (0, "Right", TEAL, "repeat_interleave", right),
        (196, "Wrong", WRONG, "repeat", wrong),
    ):
        canvas.text(x, 130, name, color, size=14, bold=True)
        canvas.text(x, 149, code, size=12.5, mono=True)
        for i, rows in enumerate(heads):
            y = 166 + TALL * i
            canvas.text(x, y + 33, f"head {i + 1}", HEADS[i], bold=True)
            bad = name == "Wrong" and rows != right[i]
            block(canvas, x + 60, y, rows, WRONG if bad else TEAL)
    canvas.text(0, 513, "Colour: the head of keys that a number came from.", size=12.5)
    return canvas.svg()
