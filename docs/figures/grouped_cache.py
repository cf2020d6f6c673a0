"""How many bytes a token leaves in the cache of one layer, by heads of keys."""

import torch
from canvas import HEADS, MUTED, Canvas

from mha import GroupedQueryAttention

HEAD_COUNTS = (32, 16, 8, 4, 2, 1)
ROW, ROOM = 30, 200


def bytes_of(num_kv_heads, dtype):
    """Bytes of keys and values of one token; `meta` has shapes and no numbers."""
    with torch.device("meta"):
        layer = GroupedQueryAttention(4096, 4096, 1, 0.0, 32, num_kv_heads).to(dtype)
        token = torch.zeros(1, 1, 4096, dtype=dtype)
    _, cache = layer.extend(token, layer.empty_cache(1))
    return cache.keys.nbytes + cache.values.nbytes


def values():
    """Bytes in two formats, for each number of heads of keys and values."""
    return {
        "num_kv_heads": list(HEAD_COUNTS),
        "bfloat16": [bytes_of(many, torch.bfloat16) for many in HEAD_COUNTS],
        "float32": [bytes_of(many, torch.float32) for many in HEAD_COUNTS],
    }


def picture(values):
    """Draw a bar for each number of heads."""
    rows = list(zip(*values.values()))
    spoken = "; ".join(
        f"{many}: {small:,} and {large:,}" for many, small, large in rows
    )
    canvas = Canvas(
        56 + ROW * len(rows) + 20,
        "Bytes that one token leaves in the cache of one layer with 32 heads of width "
        "128, in bfloat16 and in float32, by the number of heads of keys and values. "
        f"{spoken}. Half the heads hold half the bytes.",
    )
    canvas.heading(14, "Bytes a token in one layer", "32 heads of width 128, bfloat16")
    canvas.text(0, 52, "kv heads", MUTED, 12.5)
    for i, (many, small, _) in enumerate(rows):
        y = 60 + ROW * i
        width = ROOM * small / rows[0][1]
        canvas.text(52, y + 15, str(many), anchor="end", mono=True)
        canvas.rect(62, y, width, 20, HEADS[0], 0.4)
        canvas.text(68 + width, y + 15, f"{small:,}", mono=True)
    canvas.text(0, 72 + ROW * len(rows), "float32 holds twice as much.", MUTED, 12.5)
    return canvas.svg()
