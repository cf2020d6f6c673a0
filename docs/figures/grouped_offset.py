"""Whom new tokens read that come in pieces, with the offset and without it."""

import torch
from canvas import FAINT, HEADS, MUTED, WRONG, Canvas
from chapter import WORDS, seeded
from torch.nn.functional import scaled_dot_product_attention

from mha import GroupedQueryAttention
from mha.examples import inputs

SIZES = [3, 1, 2]


def read(outputs, x):
    """For each output, whether each token has a say in it."""
    rows = []
    for output in outputs.unbind(dim=1):
        (slopes,) = torch.autograd.grad(output.sum(), x, retain_graph=True)
        rows.append((slopes[0].abs().amax(dim=1) > 0).tolist())
    return rows


def values():
    """What is read through the cache, and by a kernel told only is_causal=True."""
    layer = seeded(GroupedQueryAttention, 3, 8, 6, 0.0, 4, 2)
    x = inputs[None].clone().requires_grad_()
    cache, right, wrong = layer.empty_cache(1), [], []
    for new in x.split(SIZES, dim=1):
        outputs, cache = layer.extend(new, cache)
        right += read(outputs, x)
        queries, _, _ = layer.project(new)
        without = scaled_dot_product_attention(
            queries.detach(), *cache, is_causal=True, enable_gqa=True
        )
        wrong += read(without.transpose(1, 2).flatten(2), x)
    return {"words": WORDS, "sizes": SIZES, "right": right, "wrong": wrong}


def piece_of(token, sizes):
    """The piece that a token came in, counted from 0."""
    return next(i for i in range(len(sizes)) if token < sum(sizes[: i + 1]))


def matrix(canvas, top, table, values):
    """Draw who reads whom; what should be read and is not is outlined."""
    for j, word in enumerate(values["words"]):
        canvas.text(84.5 + 50 * j, top - 6, word, MUTED, size=12, anchor="middle")
    for i, row in enumerate(table):
        y, piece = top + 25 * i, piece_of(i, values["sizes"])
        color = HEADS[piece]
        canvas.text(54, y + 17, values["words"][i], color, 12, "end", bold=True)
        for j, seen in enumerate(row):
            x = 60 + 50 * j
            if seen:
                cached = piece_of(j, values["sizes"]) < piece
                canvas.cell(x, y, 50, 25, "cache" if cached else "new", color)
            elif values["right"][i][j]:
                canvas.rect(x + 2, y + 2, 46, 21, stroke=WRONG)
            else:
                canvas.path([(x + 15, y + 19), (x + 35, y + 6)], FAINT, 1)


def picture(values):
    """Draw the right table above, the one without an offset below."""
    sizes = ", then ".join(str(size) for size in values["sizes"])
    missed = sum(
        right and not wrong
        for rows in zip(values["right"], values["wrong"])
        for right, wrong in zip(*rows)
    )
    right = [sum(row) for row in values["right"]]
    wrong = [sum(row) for row in values["wrong"]]
    canvas = Canvas(
        446,
        f"Six tokens that come in pieces: {sizes}. With the last rows of the mask "
        f"tokens 1 to 6 read {right} tokens. With the first rows, as is_causal=True "
        f"takes them, they read {wrong}, so that {missed} places are missing.",
    )
    canvas.heading(
        14, f"New tokens: {sizes}", "Row: the new token. Column: whom it reads."
    )
    matrix(canvas, 60, values["right"], values)
    note = "The mask from row 1 each time. Outlined: wrongly hidden."
    canvas.heading(246, "Without the offset", note)
    matrix(canvas, 292, values["wrong"], values)
    return canvas.svg()
