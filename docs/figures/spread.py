"""Two devices hold two heads each; their parts of the output meet in one sum."""

import torch
from canvas import FAINT, HEADS, INK, MUTED, TEAL, Canvas, number, shade
from chapter import WORDS, rounded, seeded

from mha import MultiHeadAttention
from mha.examples import inputs

TOKEN = 0  # "Your": its numbers add up, but for one, as they are printed
DEVICES = 2


@torch.no_grad()
def values():
    """The token TOKEN in MultiHeadAttention(3, 8, 6, 0.0, 4) with seed 123."""
    layer = seeded(MultiHeadAttention, 3, 8, 6, 0.0, 4)
    seen = []
    hook = layer.out_proj.register_forward_pre_hook(lambda _, x: seen.append(x[0]))
    output = layer(inputs[None])[0, TOKEN]
    hook.remove()
    projections = layer.W_query, layer.W_key, layer.W_value
    columns = layer.out_proj.weight.chunk(DEVICES, dim=1)
    glued = seen[0][0, TOKEN].chunk(DEVICES)
    return {
        "token": WORDS[TOKEN],
        "rows": [
            [rounded(part.weight.chunk(DEVICES)[r]) for part in projections]
            for r in range(DEVICES)
        ],
        "columns": [rounded(part) for part in columns],
        "glued": [rounded(part) for part in glued],
        "parts": [rounded(weight @ part) for weight, part in zip(columns, glued)],
        "bias": rounded(layer.out_proj.bias),
        "output": rounded(output),
    }


def matrix(canvas, x, y, size, rows, colors):
    """Draw weights as shaded cells without numbers; colors has one for each cell."""
    width, height = size
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            place = (x + width * j, y + height * i, width, height)
            canvas.cell(*place, "", colors(i, j), shade(value, 0.6))


def device(canvas, x, r, values):
    """Draw what one device holds, from its rows down to its columns."""
    heads = [HEADS[2 * r + i // 2] for i in range(4)]
    canvas.text(x, 74, f"Device {r}", bold=True)
    for k, name in enumerate(("query", "key", "value")):
        left = x + 54 * k
        canvas.text(left + 22, 98, name, MUTED, 12, "middle", mono=True)
        rows = values["rows"][r][k]
        matrix(canvas, left, 104, (15, 13), rows, lambda i, _: heads[i])
    canvas.arrow((x + 76, 160), (x + 76, 178))
    canvas.text(x + 76, 193, "its two heads attend", MUTED, 12.5, "middle")
    canvas.arrow((x + 76, 200), (x + 76, 216))
    for j, value in enumerate(values["glued"][r]):
        place = (x - 6 + 41 * j, 220, 41, 22)
        canvas.cell(*place, number(value), heads[j], shade(value, 0.8))
    canvas.text(x + 76, 261, "its columns of out_proj", MUTED, 12.5, "middle")
    matrix(canvas, x - 6, 267, (41, 9), values["columns"][r], lambda _, j: heads[j])


def column(canvas, x, numbers, color):
    """Draw eight numbers standing upright."""
    for i, value in enumerate(numbers):
        place = (x, 424 + 22 * i, 54, 22)
        canvas.cell(*place, number(value), color, shade(value, 0.8))


def picture(values):
    """Draw the devices side by side, then the sum of their parts."""
    parts = values["parts"]
    canvas = Canvas(
        624,
        "x goes whole to two devices. Device 0 holds the rows of W_query, W_key and "
        "W_value and the columns of out_proj that belong to heads 0 and 1, device 1 "
        f"those of heads 2 and 3. For the token “{values['token']}” each computes its "
        "part of the output alone. The parts are added once, in the one all-reduce: "
        f"{parts[0]} plus {parts[1]} plus the bias is {values['output']}, on both.",
    )
    canvas.heading(14, "Each device: its rows, its columns")
    canvas.text(180, 44, "x, whole, on both", INK, 13, "middle", mono=True)
    for r in range(DEVICES):
        x = 10 + 188 * r
        canvas.arrow((180 + (2 * r - 1) * 20, 50), (x + 96, 68))
        device(canvas, x, r, values)
        canvas.arrow((x + 76, 344), (x + 76, 362), TEAL, 2)
    canvas.rect(0, 366, 360, 26, TEAL, 0.14, TEAL)
    canvas.text(180, 384, "one all-reduce: add", TEAL, 13, "middle", bold=True)
    columns = (
        ("device 0", parts[0], FAINT),
        ("device 1", parts[1], FAINT),
        ("bias", values["bias"], MUTED),
        ("output", values["output"], TEAL),
    )
    for j, (name, numbers, color) in enumerate(columns):
        x = 12 + 92 * j
        canvas.text(x + 27, 414, name, INK, 13, "middle", bold=True)
        column(canvas, x, numbers, color)
        if j:
            canvas.text(x - 19, 518, "++="[j - 1], INK, 18, "middle")
    canvas.text(
        0,
        618,
        f"For the token “{values['token']}”; both devices end with this output.",
        size=12.5,
    )
    return canvas.svg()
