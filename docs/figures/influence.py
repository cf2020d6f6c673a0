"""What changing one token moves, with the causal mask and without it."""

from copy import deepcopy

import torch
from canvas import HEADS, MUTED, WRONG, Canvas, number, shade
from chapter import WORDS, rounded, seeded

from mha import CausalAttention
from mha.examples import influence, inputs


@torch.no_grad()
def moved(layer):
    """The table that the page prints, for the sentence of six tokens."""
    return influence(layer, inputs[None])


def values():
    """The matrix of one layer with its mask and with an empty one."""
    causal = seeded(CausalAttention, 3, 2, 6, 0.0)
    unmasked = deepcopy(causal)
    unmasked.mask.zero_()
    return {
        "words": WORDS,
        "causal": rounded(moved(causal)),
        "unmasked": rounded(moved(unmasked)),
    }


def matrix(canvas, top, numbers, words):
    """Draw one matrix; what leaks from later tokens has the colour of a fault."""
    largest = max(value for row in numbers for value in row)
    for j, word in enumerate(words):
        canvas.text(84.5 + 50 * j, top - 6, word, MUTED, size=12, anchor="middle")
    for i, row in enumerate(numbers):
        y = top + 25 * i
        canvas.text(54, y + 17, words[i], size=12, anchor="end")
        for j, value in enumerate(row):
            x, color = 60 + 50 * j, WRONG if j > i else HEADS[0]
            if value:
                canvas.cell(x, y, 50, 25, number(value), color, shade(value, largest))
            else:
                canvas.text(x + 25, y + 17, "0", MUTED, 12, "middle", mono=True)


def picture(values):
    """Draw the two matrices one below the other."""
    words, unmasked = values["words"], values["unmasked"]
    canvas = Canvas(
        462,
        "Two matrices: how far the output of each token (row) moves when 1 is added to "
        "all numbers of one token (column). With the mask all above the diagonal is "
        "exactly 0: no output moves when a later token changes. Without the mask "
        f"every output moves: that of “{words[0]}” by {number(unmasked[0][-1])} when "
        f"“{words[-1]}” changes.",
    )
    canvas.heading(14, "With the mask", "Row: whose output moves. Column: who changed.")
    matrix(canvas, 60, values["causal"], words)
    canvas.heading(238, "Without the mask", "The same layer, its mask all zeros.")
    matrix(canvas, 284, unmasked, words)
    canvas.text(60, 454, "Above the diagonal: the future leaks.", WRONG)
    return canvas.svg()
