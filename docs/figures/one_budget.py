"""Why one head has to squeeze: one softmax has one budget to spend."""

from canvas import FAINT, HEADS, INK, MUTED, TEAL, WRONG, Canvas, number, shade
from chapter import rounded

from mha.plain import attend

SENTENCES = (["dog", "bites", "man"], ["man", "bites", "dog"])
KEYS = [[1, 0], [0, 0], [0, 1], [0, 0]]  # the first word answers "who", the last "whom"
MEANINGS = {"dog": [1, 0], "man": [0, 1], "bites": [0, 0]}
ONE_HOT = [[int(i == j) for j in range(4)] for i in range(4)]
WISHES = {
    "even": [[9, 9]],
    "uneven": [[9, 8]],
    "two_heads": [[9, 0], [0, 9]],
}


def ask(words, query):
    """What a token behind the words gets when it asks: the weights and the average."""
    queries = [query] * 4
    meanings = [*(MEANINGS[word] for word in words), [0, 0]]
    return {
        "attn_weights": rounded(attend(queries, KEYS, ONE_HOT)[-1][:3]),
        "output": rounded(attend(queries, KEYS, meanings)[-1]),
    }


def values():
    """For each kind of wish and each sentence, what every head gets."""
    answers = {
        kind: [[ask(words, query) for query in queries] for words in SENTENCES]
        for kind, queries in WISHES.items()
    }
    return {"sentences": list(SENTENCES), **answers}


def spending(canvas, top, words, heads):
    """Draw one sentence: a row of weights and what it buys for each head."""
    for j, word in enumerate(words):
        canvas.text(80 + 52 * j, top + 12, word, size=13, anchor="middle")
    for j, word in enumerate(("dog", "man")):
        canvas.text(282 + 52 * j, top + 12, word, MUTED, 13, "middle")
    for h, head in enumerate(heads):
        y, color = top + 18 + 25 * h, HEADS[h]
        canvas.text(0, y + 17, f"head {h + 1}", color, 13, bold=True)
        for j, weight in enumerate(head["attn_weights"]):
            place = (54 + 52 * j, y, 52, 25)
            canvas.cell(*place, number(weight), color, shade(weight, 1))
        canvas.arrow((218, y + 12.5), (248, y + 12.5), FAINT)
        for j, part in enumerate(head["output"]):
            place = (256 + 52 * j, y, 52, 25)
            canvas.cell(*place, number(part), color, shade(part, 1))


def picture(values):
    """Draw the three kinds of wishes one below the other."""
    even = [number(part) for part in values["even"][0][0]["output"]]
    uneven = [number(part) for part in values["uneven"][0][0]["output"]]
    two = [[number(p) for p in head["output"]] for head in values["two_heads"][0]]
    canvas = Canvas(
        574,
        "“Dog bites man” and “man bites dog”, asked who bites whom. One head with two "
        f"even wishes gets dog {even[0]} and man {even[1]} from both sentences. With "
        f"uneven wishes it gets dog {uneven[0]} and man {uneven[1]} from the first and "
        "the reverse from the second. Two heads with one wish each get from the first "
        f"sentence dog {two[0][0]} and man {two[1][1]}, each with a budget of its own.",
    )
    top = 14
    for kind, name, note, verdict, color in (
        ("even", "One head, two wishes", "Who and whom share one budget of 1.",
         "The same output twice: who bites whom?", WRONG),
        ("uneven", "One head, uneven wishes", "More for who, less for whom.",
         "Told apart, but “whom” is squeezed.", INK),
        ("two_heads", "Two heads, one wish each", "Two budgets.",
         "Told apart, each answer whole.", TEAL),
    ):  # fmt: skip
        canvas.heading(top, name, note)
        canvas.text(360, top + 17, "what it gets", MUTED, 12.5, "end")
        for words, heads in zip(values["sentences"], values[kind]):
            spending(canvas, top + 28, words, heads)
            top += 24 + 25 * len(heads)
        canvas.text(54, top + 44, verdict, color, 13, bold=True)
        top += 82
    return canvas.svg()
