"""The causal mask at work: scores, masked scores, weights."""

import torch
from canvas import FAINT, HEADS, INFINITY, MINUS, MUTED, TEAL, Canvas, number, shade
from chapter import WORDS, rounded, seeded

from mha import CausalAttention
from mha.examples import inputs


@torch.no_grad()
def values():
    """The three matrices of CausalAttention(3, 2, 6, 0.0) with seed 123."""
    layer = seeded(CausalAttention, 3, 2, 6, 0.0)
    attn_scores = layer.W_query(inputs) @ layer.W_key(inputs).T
    masked = attn_scores.masked_fill(layer.mask.bool(), -torch.inf)
    attn_weights = torch.softmax(masked / layer.d_out**0.5, dim=-1)
    return {
        "words": WORDS,
        "attn_scores": rounded(attn_scores),
        "hidden": layer.mask.bool().tolist(),
        "attn_weights": rounded(attn_weights),
    }


def matrix(canvas, top, numbers, words, color, hidden=None):
    """Draw one matrix with the words on both axes; hidden cells are crossed out."""
    largest = max(abs(value) for row in numbers for value in row)
    for j, word in enumerate(words):
        canvas.text(84.5 + 50 * j, top - 6, word, MUTED, size=12, anchor="middle")
    for i, row in enumerate(numbers):
        y = top + 25 * i
        canvas.text(54, y + 17, words[i], size=12, anchor="end")
        for j, value in enumerate(row):
            x = 60 + 50 * j
            if hidden and hidden[i][j]:
                canvas.path([(x + 15, y + 19), (x + 35, y + 6)], FAINT, 1)
            else:
                opacity = shade(value, largest)
                canvas.cell(x, y, 50, 25, number(value), color, opacity)


def picture(values):
    """Draw the three matrices one below the other."""
    words = values["words"]
    last = ", ".join(number(weight) for weight in values["attn_weights"][-1])
    canvas = Canvas(
        712,
        "Three matrices of one causal head for the text “"
        + " ".join(words)
        + "”. First the scores of every token with every token. Then the same with "
        "all later tokens crossed out: minus infinity. Last the weights after "
        "softmax: every row adds up to 1 and every crossed-out cell is exactly 0. "
        f"The first row is a single 1; the last row is {last}.",
    )
    canvas.heading(14, "1  Scores", "Row: who asks. Column: who is asked.")
    matrix(canvas, 60, values["attn_scores"], words, HEADS[0])
    note = f"Crossed out: a later token, now {MINUS}{INFINITY}."
    canvas.heading(252, "2  Masked scores", note)
    matrix(canvas, 298, values["attn_scores"], words, HEADS[0], values["hidden"])
    canvas.heading(490, "3  Weights", "Scale by √2, then softmax: rows add up to 1.")
    matrix(canvas, 536, values["attn_weights"], words, TEAL, values["hidden"])
    canvas.text(60, 705, "A crossed-out weight is exactly 0.", TEAL)
    return canvas.svg()
