"""A tensor is one row of memory; transposing swaps strides, contiguous() copies."""

import torch
from canvas import HEADS, MUTED, TOKENS, Canvas
from splitting import block

CELL = 30


def values():
    """Where each number of the transposed tensor lies, and what a copy looks like."""
    x = torch.arange(12).view(3, 2, 2)
    heads = x.transpose(0, 1)
    return {
        "shape": list(heads.shape),
        "strides_before": list(x.stride()),
        "strides": list(heads.stride()),
        "places": heads.tolist(),
        "memory": torch.arange(12).tolist(),
        "copied": heads.contiguous().view(-1).tolist(),
        "strides_copied": list(heads.contiguous().stride()),
    }


def memory(canvas, y, numbers):
    """Draw the row of memory in the colours of the tokens."""
    for j, value in enumerate(numbers):
        place = (CELL * j, y, CELL, 28)
        canvas.cell(*place, str(value), TOKENS[value // 4], 0.36, size=14)


def picture(values):
    """Draw the memory, the transposed view of it and the copy."""
    per_head, per_token, per_number = values["strides"]
    canvas = Canvas(
        500,
        "Twelve numbers lie in memory as one row, 0 to 11. The transposed tensor moves "
        f"none of them: with strides {tuple(values['strides'])} number n of token t in "
        f"head h lies at place {per_head} h plus {per_token} t plus {per_number} n, so "
        f"head 1 reads places {values['places'][0]} and head 2 {values['places'][1]}. "
        f"Contiguous copies them into the order {values['copied']}.",
    )
    canvas.heading(14, "One row of memory", "Three tokens of four numbers.")
    memory(canvas, 42, values["memory"])
    for i in range(3):
        x = CELL * (4 * i + 2)
        canvas.text(x, 88, f"token {i + 1}", TOKENS[i], 13, "middle", bold=True)
    canvas.heading(126, "Transposed: the same row, read in leaps")
    for name, strides, y in (
        ("before", values["strides_before"], 148),
        ("after", values["strides"], 166),
    ):
        canvas.text(0, y, f"strides {name}", MUTED, 12.5)
        canvas.text(104, y, str(tuple(strides)), size=13, mono=True)
    canvas.text(360, 148, "without the batch axis", MUTED, 12.5, "end")
    for h, x in enumerate((40, 196)):
        canvas.text(x, 198, f"head {h + 1}", HEADS[h], bold=True)
        block(canvas, x, 208, values["places"][h], HEADS[h], cell=44)
        for i in range(3):
            canvas.text(x - 9, 227 + 28 * i, f"{i + 1}", MUTED, 12, "end")
    formula = f"place = {per_head}·head + {per_token}·token + {per_number}·number"
    canvas.text(0, 316, formula, size=12.5, mono=True)
    canvas.text(0, 334, "with head, token and number counted from 0", MUTED, 12.5)
    canvas.heading(370, "contiguous(): copied into reading order")
    memory(canvas, 382, values["memory"])
    for j, value in enumerate(values["copied"]):
        ends = [(CELL * (value + 0.5), 412), (CELL * (j + 0.5), 448)]
        canvas.path(ends, TOKENS[value // 4], 1.5)
    memory(canvas, 450, values["copied"])
    for h in (0, 1):
        ends = [(CELL * 6 * h + 2, 481), (CELL * 6 * (h + 1) - 2, 481)]
        canvas.path(ends, HEADS[h], 3)
        x = CELL * (6 * h + 3)
        canvas.text(x, 497, f"head {h + 1}", HEADS[h], 13, "middle", bold=True)
    return canvas.svg()
