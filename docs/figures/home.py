"""The whole layer in one picture: project and cut, attend, glue, project again."""

import torch
from canvas import FAINT, HEADS, MUTED, TEAL, WIDTH, Canvas
from chapter import WORDS, rounded, seeded

from mha import MultiHeadAttention
from mha.examples import inputs

SHARPER = 6  # new layers look nearly everywhere alike; trained ones choose
LEFT, CELL, GAP = 62, 24, 5


@torch.no_grad()
def sharp_layer():
    """MultiHeadAttention(3, 12, 6, 0.0, 3) with seed 123, queries and keys longer."""
    layer = seeded(MultiHeadAttention, 3, 12, 6, 0.0, 3)
    layer.W_query.weight *= SHARPER
    layer.W_key.weight *= SHARPER
    return layer


@torch.no_grad()
def values():
    """What the layer does to the six tokens, step by step."""
    layer = sharp_layer()
    queries, keys, values = (
        project(inputs).view(6, 3, 4).transpose(0, 1)
        for project in (layer.W_query, layer.W_key, layer.W_value)
    )
    later = layer.mask.bool()
    attn_scores = (queries @ keys.transpose(1, 2)).masked_fill(later, -torch.inf)
    attn_weights = torch.softmax(attn_scores / layer.head_dim**0.5, dim=-1)
    glued = (attn_weights @ values).transpose(0, 1).reshape(6, 12)
    return {
        "words": WORDS,
        "tokens": rounded(inputs),
        "values": rounded(values),
        "attn_weights": rounded(attn_weights),
        "glued": rounded(glued),
        "projected": rounded(layer(inputs[None])[0]),
    }


def left_of(head):
    """Where the columns of a head begin, once they are cut apart."""
    return LEFT + head * (4 * CELL + GAP)


def strengths(canvas, x, y, rows, colors, height):
    """Draw a matrix by strength alone; colors has one colour for each column."""
    largest = max(abs(value) for row in rows for value in row)
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            opacity = 0.08 + 0.87 * abs(value) / largest
            place = (x + CELL * j, y + height * i, CELL, height)
            canvas.cell(*place, "", colors[j], opacity)


def triangle(canvas, x, y, attn_weights, color):
    """Draw one head's causal weights; what is hidden stays paper."""
    size = 4 * CELL / 6
    for i, row in enumerate(attn_weights):
        for j, weight in enumerate(row[: i + 1]):
            place = (x + size * j, y + size * i, size, size)
            canvas.cell(*place, "", color, 0.1 + 0.85 * weight)


def names(canvas, top, step, words):
    """Write the six words beside the rows of a matrix."""
    for i, word in enumerate(words):
        y = top + step * (i + 0.5) + 4
        canvas.text(LEFT - 8, y, word, MUTED, size=12, anchor="end")


def step(canvas, y, name, note=""):
    """Name a step on the left and, on the right, what it works on."""
    canvas.text(0, y, name, size=14, bold=True)
    canvas.text(WIDTH, y, note, MUTED, 12.5, "end")


def picture(values):
    """Draw the four steps one below the other."""
    words = values["words"]
    favourites = [
        f"head {h + 1} gives {round(100 * max(rows[-1]))} percent to "
        f"“{words[rows[-1].index(max(rows[-1]))]}”"
        for h, rows in enumerate(values["attn_weights"])
    ]
    canvas = Canvas(
        642,
        "Multi-head attention from top to bottom. Six tokens of three numbers are "
        "projected to values of twelve numbers, which are cut into three heads of "
        "four. Queries and keys are made and cut in the same way; they give each head "
        f"its own triangle of attention weights: asked by “{words[-1]}”, "
        f"{favourites[0]}, {favourites[1]} and {favourites[2]}. Each head averages its "
        "values, the pieces are glued to twelve numbers again and projected. (Queries "
        f"and keys are {SHARPER} times a new layer's, so that the heads differ.)",
    )
    middle, colors = LEFT + GAP + 6 * CELL, [HEADS[j // 4] for j in range(12)]
    step(canvas, 14, "Tokens", "6 tokens, 3 numbers each")
    names(canvas, 24, 14, words)
    strengths(canvas, middle - 1.5 * CELL, 24, values["tokens"], [MUTED] * 3, 14)
    step(canvas, 140, "Project, cut")
    for h, color in enumerate(HEADS[:3]):
        x, center = left_of(h), left_of(h) + 2 * CELL
        canvas.arrow((middle + 12 * (h - 1), 113), (center, 146), color)
        strengths(canvas, x, 150, values["values"][h], [color] * 4, 14)
        canvas.arrow((center, 239), (center, 260), color)
        canvas.text(center, 279, f"head {h + 1}", color, 13, "middle", bold=True)
        triangle(canvas, x, 288, values["attn_weights"][h], color)
        canvas.arrow((center, 390), (LEFT + GAP + 4 * CELL * (h + 0.5), 422), color)
    names(canvas, 150, 14, words)
    step(canvas, 276, "Attend")
    names(canvas, 288, 16, words)
    step(canvas, 418, "Glue")
    names(canvas, 426, 14, words)
    strengths(canvas, LEFT + GAP, 426, values["glued"], colors, 14)
    step(canvas, 548, "Project")
    canvas.arrow((middle, 517), (middle, 550), FAINT)
    names(canvas, 554, 14, words)
    strengths(canvas, LEFT + GAP, 554, values["projected"], [TEAL] * 12, 14)
    return canvas.svg()
