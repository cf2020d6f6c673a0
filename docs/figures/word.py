"""A word of eight numbers cut in two and glued; then what really is cut."""

from canvas import FAINT, HEADS, MUTED, TEAL, Canvas

from mha import plain

LEFT, CELL, GAP = 12, 42, 8


def values():
    """The lists of mha/plain.py."""
    lists = {
        "word": plain.word,
        "head_1": plain.head_1,
        "head_2": plain.head_2,
        "glued_together": plain.glued_together,
        "query": plain.query,
        "query_of_head_1": plain.query_of_head_1,
        "query_of_head_2": plain.query_of_head_2,
    }
    return {
        name: [int(number) for number in numbers] for name, numbers in lists.items()
    }


def row(canvas, x, y, numbers, colors):
    """Draw a list as a row of cells."""
    for j, (value, color) in enumerate(zip(numbers, colors)):
        canvas.cell(x + CELL * j, y, CELL, 28, str(value), color, 0.3, size=14)


def pieces(canvas, y, first, second, names):
    """Draw two lists with a cut between them and their names above."""
    for x, numbers, name, color in zip(
        (LEFT - GAP, LEFT + GAP + 4 * CELL), (first, second), names, HEADS
    ):
        canvas.text(x, y - 6, name, color, mono=True)
        row(canvas, x, y, numbers, [color] * 4)


def picture(values):
    """Draw the cut and the glue, then the query and its cut."""
    word, query = values["word"], values["query"]
    canvas = Canvas(
        496,
        f"The word {word} is cut into head_1 {values['head_1']} and head_2 "
        f"{values['head_2']}, and glued together it is the same word again. "
        f"Below, what a layer really cuts: the projected query {query}. Its first "
        f"number, {query[0]}, is the sum of all eight numbers of the word, so the "
        "piece of head 1 knows the whole word.",
    )
    whole = [HEADS[j // 4] for j in range(8)]
    canvas.heading(14, "The idea: cut and glue")
    canvas.text(LEFT, 40, "word", MUTED, mono=True)
    row(canvas, LEFT, 46, word, [FAINT] * 8)
    pieces(canvas, 112, values["head_1"], values["head_2"], ["head_1", "head_2"])
    canvas.text(180, 170, "glued_together", MUTED, 13, "middle", mono=True)
    row(canvas, LEFT, 178, values["glued_together"], whole)
    for h in (0, 1):
        x, shift = LEFT + CELL * (2 + 4 * h), GAP * (2 * h - 1)
        canvas.arrow((x, 78), (x + shift, 108), HEADS[h])
        canvas.arrow((x + shift, 144), (x, 174), HEADS[h])
    canvas.path([(0, 226), (360, 226)], FAINT, 1, "2 4")
    canvas.heading(252, "What that leaves out", "A layer projects first, then cuts.")
    canvas.text(LEFT, 294, "word", MUTED, mono=True)
    row(canvas, LEFT, 300, word, [FAINT] * 8)
    for j in range(8):
        x = LEFT + CELL * (j + 0.5)
        canvas.path([(x, 330), (LEFT + CELL / 2, 372)], TEAL, 1.2)
    canvas.text(160, 367, "W_query", TEAL, mono=True)
    canvas.text(LEFT + 8 * CELL, 367, "query", MUTED, anchor="end", mono=True)
    row(canvas, LEFT, 374, query, [TEAL] * 8)
    names = ["query_of_head_1", "query_of_head_2"]
    pieces(canvas, 440, values["query_of_head_1"], values["query_of_head_2"], names)
    note = f"{query[0]} is the sum of all eight numbers of the word."
    canvas.text(4, 490, note, size=12.5)
    return canvas.svg()
