"""Which head of keys and values each head of queries reads, in three layers."""

import torch
from canvas import HEADS, MUTED, Canvas
from chapter import seeded

from mha import GroupedQueryAttention
from mha.examples import batch

KINDS = {8: "Multi-head", 2: "Grouped-query", 1: "Multi-query"}
CELL, STEP, ROW = 36, 44, 158


@torch.no_grad()
def read_by(num_kv_heads):
    """For each of 8 heads, the head of values without which its output changes."""
    layer = seeded(GroupedQueryAttention, 3, 16, 8, 0.0, 8, num_kv_heads)
    layer.out_proj = torch.nn.Identity()
    before, read = layer(batch), [[] for _ in range(8)]
    for j in range(num_kv_heads):
        rows = layer.W_value.weight[2 * j : 2 * j + 2]
        kept = rows.clone()
        rows.zero_()
        moved = (layer(batch) - before).unflatten(2, (8, 2)).abs().amax(dim=(0, 1, 3))
        rows.copy_(kept)
        for i in moved.nonzero().flatten().tolist():
            read[i].append(j + 1)
    return read


def values():
    """What is read with 8, 2 and 1 heads of keys and values."""
    return {str(num_kv_heads): read_by(num_kv_heads) for num_kv_heads in KINDS}


def centre(place, many):
    """The middle of one of many cells spread over eight places."""
    return 4 + STEP * (8 / many) * (place + 0.5)


def row(canvas, top, name, read):
    """Draw eight heads, the heads of keys and values below, and who reads which."""
    many = max(j for group in read for j in group)
    canvas.heading(top, name, f"8 heads of queries, {many} of keys and values")
    for i, group in enumerate(read):
        x = centre(i, 8)
        for j in group:
            color = HEADS[(j - 1) % 4]
            ends = [(x, top + 62), (centre(j - 1, many), top + 94)]
            canvas.path(ends, color)
            place = (x - CELL / 2, top + 34, CELL, 28)
            canvas.cell(*place, str(i + 1), color, size=14)
    for j in range(many):
        place = (centre(j, many) - CELL / 2, top + 94, CELL, 28)
        canvas.cell(*place, f"kv{j + 1}", HEADS[j % 4], size=13)


def picture(values):
    """Draw the three layers one below the other."""
    spoken = "; ".join(
        f"with {many} heads of keys and values, heads 1 to 8 read "
        + ", ".join(str(j) for group in read for j in group)
        for many, read in values.items()
    )
    canvas = Canvas(
        ROW * len(values),
        f"Eight heads of queries in three layers: {spoken}. "
        "Neighbours share in grouped-query attention, all share in multi-query.",
    )
    for place, (many, read) in enumerate(values.items()):
        row(canvas, 14 + ROW * place, KINDS[int(many)], read)
    canvas.text(0, ROW * len(values) - 6, "kv: keys and values", MUTED, 12.5)
    return canvas.svg()
