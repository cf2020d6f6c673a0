"""The whole layer in one picture: cut, attend, glue, project."""

import torch
from canvas import FAINT, HEADS, MUTED, TEAL, TIMES, WIDTH, Canvas
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


def picture(values):
    """Draw the four steps one below the other."""
    words = values["words"]
    favourites = [
        f"head {h + 1} gives {round(100 * max(rows[-1]))} percent to "
        f"“{words[rows[-1].index(max(rows[-1]))]}”"
        for h, rows in enumerate(values["attn_weights"])
    ]
    canvas = Canvas(
        516,
        "Multi-head attention from top to bottom. Six tokens of twelve numbers are cut "
        "into three heads of four numbers. Each head has its own triangle of attention "
        f"weights: asked by “{words[-1]}”, {favourites[0]}, {favourites[1]} and "
        f"{favourites[2]}. The pieces are glued to twelve numbers again and projected. "
        f"(Queries and keys are {SHARPER} times a new layer's, so that heads differ.)",
    )
    canvas.text(LEFT - 8, 14, "Cut", size=14, anchor="end", bold=True)
    canvas.text(WIDTH, 14, f"6 tokens {TIMES} 12 numbers", MUTED, 12.5, "end")
    names(canvas, 24, 14, words)
    for h, color in enumerate(HEADS[:3]):
        x, middle = left_of(h), left_of(h) + 2 * CELL
        strengths(canvas, x, 24, values["values"][h], [color] * 4, 14)
        canvas.arrow((middle, 113), (middle, 134), color)
        canvas.text(middle, 180 - 27, f"head {h + 1}", color, 13, "middle", bold=True)
        triangle(canvas, x, 162, values["attn_weights"][h], color)
        glued = LEFT + GAP + 4 * CELL * (h + 0.5)
        canvas.arrow((middle, 264), (glued, 296), color)
    names(canvas, 162, 16, words)
    canvas.text(LEFT - 8, 150, "Attend", size=14, anchor="end", bold=True)
    canvas.text(LEFT - 8, 292, "Glue", size=14, anchor="end", bold=True)
    names(canvas, 300, 14, words)
    colors = [HEADS[j // 4] for j in range(12)]
    strengths(canvas, LEFT + GAP, 300, values["glued"], colors, 14)
    canvas.text(LEFT - 8, 422, "Project", size=14, anchor="end", bold=True)
    middle = LEFT + GAP + 6 * CELL
    canvas.arrow((middle, 391), (middle, 424), FAINT)
    names(canvas, 428, 14, words)
    strengths(canvas, LEFT + GAP, 428, values["projected"], [TEAL] * 12, 14)
    return canvas.svg()
