"""Gluing and projecting equals adding up what each head projects alone."""

import torch
from canvas import FAINT, HEADS, INK, MUTED, TEAL, Canvas, number, shade
from chapter import WORDS, rounded, seeded

from mha import MultiHeadAttention
from mha.examples import inputs

TOKEN = 2  # "starts": its numbers add up as they are printed, to two digits


@torch.no_grad()
def values():
    """The token TOKEN in MultiHeadAttention(3, 4, 6, 0.0, 2) with seed 123."""
    layer = seeded(MultiHeadAttention, 3, 4, 6, 0.0, 2)
    seen = []
    hook = layer.out_proj.register_forward_pre_hook(lambda _, x: seen.append(x[0]))
    output = layer(inputs[None])[0, TOKEN]
    hook.remove()
    glued, weight = seen[0][0, TOKEN], layer.out_proj.weight
    return {
        "token": WORDS[TOKEN],
        "glued": rounded(glued),
        "weight": rounded(weight),
        "parts": [rounded(weight[:, i : i + 2] @ glued[i : i + 2]) for i in (0, 2)],
        "bias": rounded(layer.out_proj.bias),
        "output": rounded(output),
    }


def column(canvas, x, y, numbers, color):
    """Draw a vector standing upright."""
    for i, value in enumerate(numbers):
        place = (x, y + 26 * i, 54, 26)
        canvas.cell(*place, number(value), color, shade(value, 0.8))


def picture(values):
    """Draw the projection by columns, then the sum."""
    parts, output = values["parts"], values["output"]
    canvas = Canvas(
        437,
        f"The glued vector of “{values['token']}” has two numbers of head 1 and two of "
        "head 2. In out_proj each number multiplies one column, so head 1 only meets "
        f"the first two columns and head 2 the last two. Head 1's part {parts[0]} plus "
        f"head 2's {parts[1]} plus the bias {values['bias']} is the output {output}.",
    )
    canvas.heading(
        14,
        "Glue, then project",
        f"“{values['token']}”: each number times its column.",
    )
    colors = [HEADS[j // 2] for j in range(4)]
    canvas.text(98, 61, "glued", MUTED, 13, "end")
    canvas.text(98, 151, "out_proj", MUTED, 13, "end", mono=True)
    canvas.text(98, 168, ".weight", MUTED, 13, "end", mono=True)
    for j, (value, color) in enumerate(zip(values["glued"], colors)):
        x = 108 + 54 * j
        canvas.cell(x, 44, 54, 26, number(value), color, shade(value, 0.8))
        canvas.arrow((x + 27, 73), (x + 27, 97), color)
        column(canvas, x, 100, [row[j] for row in values["weight"]], color)
    canvas.heading(248, "The same as a sum", "Project each head alone, then add.")
    columns = (
        ("head 1", parts[0], HEADS[0]),
        ("head 2", parts[1], HEADS[1]),
        ("bias", values["bias"], MUTED),
        ("output", output, TEAL),
    )
    for j, (name, numbers, color) in enumerate(columns):
        x = 12 + 92 * j
        canvas.text(x + 27, 298, name, color, 13, "middle", bold=True)
        column(canvas, x, 308, numbers, FAINT if name == "bias" else color)
        if j:
            canvas.text(x - 19, 366, "++="[j - 1], INK, 18, "middle")
    canvas.text(0, 432, "No number of one head touches the other's columns.", size=12.5)
    return canvas.svg()
