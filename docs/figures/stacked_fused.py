"""Two heads' small matrices stacked are the one big matrix of the fused layer."""

import torch
from canvas import FAINT, HEADS, MUTED, Canvas, number, shade
from chapter import WORDS, rounded, seeded

from mha import MultiHeadAttentionWrapper, fuse
from mha.examples import inputs

MATRICES = ("W_query", "W_key", "W_value")


@torch.no_grad()
def values():
    """Weights and outputs of MultiHeadAttentionWrapper(3, 2, 6, 0.0, 2), seed 123."""
    stacked = seeded(MultiHeadAttentionWrapper, 3, 2, 6, 0.0, 2)
    fused = fuse(stacked)
    outputs = [layer(inputs[None])[0] for layer in (stacked, fused)]
    return {
        "words": WORDS,
        "small": {
            name: [rounded(getattr(head, name).weight) for head in stacked.heads]
            for name in MATRICES
        },
        "big": {name: rounded(getattr(fused, name).weight) for name in MATRICES},
        "stacked": rounded(outputs[0]),
        "fused": rounded(outputs[1]),
        "difference": rounded((outputs[0] - outputs[1]).abs().max()),
    }


def weights(canvas, x, y, rows, colors):
    """Draw a weight matrix, each row in the colour of its head."""
    for i, (row, color) in enumerate(zip(rows, colors)):
        for j, value in enumerate(row):
            place = (x + 50 * j, y + 26 * i, 50, 26)
            canvas.cell(*place, number(value), color, shade(value, 0.6))


def outputs(canvas, x, y, name, rows):
    """Draw a layer's outputs, each column in the colour of its head."""
    canvas.text(x, y - 8, name, MUTED, 13, mono=True)
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            place = (x + 43 * j, y + 24 * i, 43, 24)
            canvas.cell(*place, number(value), HEADS[j // 2], shade(value, 0.6))


def picture(values):
    """Draw the small matrices, the big one, and the two equal outputs."""
    small, big = values["small"]["W_query"], values["big"]["W_query"]
    canvas = Canvas(
        438,
        f"Head 1's W_query, rows {small[0]}, and head 2's, rows {small[1]}, put one "
        "above the other are the four rows of the fused layer's W_query. Below, "
        "the outputs of the stacked and of the fused layer for "
        f"six tokens: the largest difference is {number(values['difference'], 4)}.",
    )
    canvas.heading(14, "Stacked heads", "W_query of each")
    canvas.heading(14, "Fused layer", "its one W_query", x=206)
    for h, rows in enumerate(small):
        y = 60 + 84 * h
        canvas.text(0, y - 8, f"head {h + 1}", HEADS[h], bold=True)
        weights(canvas, 0, y, rows, [HEADS[h]] * 2)
        canvas.arrow((156, y + 26), (200, 98 + 52 * h), HEADS[h])
    weights(canvas, 206, 72, big, [HEADS[i // 2] for i in range(4)])
    canvas.heading(234, "Outputs for the six tokens")
    outputs(canvas, 0, 266, "stacked(x)", values["stacked"])
    outputs(canvas, 188, 266, "fused(x)", values["fused"])
    canvas.text(180, 343, "=", FAINT, 16, "middle", bold=True)
    note = f"Largest difference: {number(values['difference'], 4)}"
    canvas.text(0, 431, note, size=12.5)
    return canvas.svg()
