"""Twelve numbers on their way into heads and back, for the figure that can be touched.

Data without a picture: docs/assets/split.js draws it.
"""

import torch

HEADS = (1, 2, 4)
THERE = ["project", "cut", "transposed", "worked"]
WAYS = {
    "as in the listing": [*THERE, "back", "copied", "glued"],
    "split by view alone": ["project", "straight"],
    "glued without transposing back": [*THERE, "unglued"],
}
ASKED = {
    "straight": "which numbers does head 1 get?",
    "unglued": "which numbers does row 1 get, where token 1 should be?",
}
WORDS = {
    "project": "The projection gives each token a row of four numbers.",
    "cut": "Each token is cut into heads where it lies. Only boundaries are drawn.",
    "transposed": "Heads come first, each with a small text of its own. In memory "
    "nothing moves; two strides change places.",
    "worked": "The heads work and write what they found, head after head. (Here each "
    "token looks at itself alone, so the numbers stay.)",
    "back": "Tokens come first again. In memory nothing moves, so reading in order "
    "leaps about.",
    "copied": "The numbers are copied into the order in which they are read.",
    "glued": "The boundaries between heads are taken away: each row is its token "
    "again.",
    "straight": "Boundaries are drawn in memory as it lies, and there the tokens lie "
    "whole, one after the other.",
    "unglued": "Rows are filled from memory as it lies, and there it goes head after "
    "head.",
}


WITH_ONE_HEAD = {  # nothing moves, and the words say so
    "cut": "With one head nothing is cut: the tensor gets an axis of size one.",
    "transposed": "The head comes first. In memory nothing moves, and the numbers are "
    "read in the same order.",
    "worked": "The head works and writes what it found. (Here each token looks at "
    "itself alone, so the numbers stay.)",
    "back": "Tokens come first again, and read in order they still lie one after the "
    "other.",
    "copied": "They lie in order already, so with one head there is nothing to copy.",
    "glued": "The axis of size one is taken away: each row is its token again.",
}


def guesses(wrong, right):
    """What one may expect: the wrong way, the right one, and every second number."""
    every_second = [2 * i for i in range(right.numel())]
    return [wrong.flatten().tolist(), right.flatten().tolist(), every_second]


def words(name, num_heads):
    """What a step does."""
    if num_heads > 1:
        return WORDS[name]
    same = " With one head, both ways are the same."
    return WITH_ONE_HEAD.get(name, WORDS[name]) + same * (name in ASKED)


def steps(x, num_heads):
    """Take x, three tokens of four numbers, into heads and back, right and wrong."""
    apart = (1, 3, num_heads, 4 // num_heads)
    mixed = (1, num_heads, 3, 4 // num_heads)
    attn_weights = torch.eye(3, dtype=x.dtype)  # each token looks at itself alone
    cut = x.view(apart)
    transposed = cut.transpose(1, 2)
    worked = attn_weights.expand(1, num_heads, 3, 3) @ transposed
    back = worked.transpose(1, 2)
    copied = back.contiguous()
    glued, unglued = copied.view(1, 3, 4), worked.view(1, 3, 4)
    straight = x.view(mixed)
    expected = {  # of head 1, and of the row of token 1
        "straight": guesses(straight[0, 0], transposed[0, 0]),
        "unglued": guesses(unglued[0, 0], glued[0, 0]),
    }
    found = {
        "project": ("W_value(x)", x),
        "cut": (f"view{apart}", cut),
        "transposed": ("transpose(1, 2)", transposed),
        "worked": ("attn_weights @ values", worked),
        "back": ("transpose(1, 2)", back),
        "copied": ("contiguous()", copied),
        "glued": ("view(1, 3, 4)", glued),
        "straight": (f"view{mixed}", straight),
        "unglued": ("view(1, 3, 4)", unglued),
    }
    return {
        name: {
            "code": code,
            "words": words(name, num_heads),
            "shape": list(tensor.shape),
            "strides": list(tensor.stride()),
            "memory": tensor.as_strided((12,), (1,), 0).tolist(),
            "ask": ASKED.get(name, "") if num_heads > 1 else "",
            "subject": "Head 1" if name == "straight" else "Row 1",
            "guesses": expected.get(name, []),
        }
        for name, (code, tensor) in found.items()
    }


def values():
    """The steps of the numbers 0 to 11, for each number of heads."""
    x = torch.arange(12).view(1, 3, 4)
    found = {str(num_heads): steps(x, num_heads) for num_heads in HEADS}
    return {"ways": WAYS} | found
