"""Multi-head attention on Python lists, with nothing but `math`.

A token is a list of numbers, a text a list of tokens. A layer of weights is a pair: one
row of weights and one bias for each number that comes out.

Source: Vaswani et al., "Attention Is All You Need" (2017), sections 3.2.1 to 3.2.3.
"""

# --8<-- [start:types]
from math import exp, sqrt

Token = list[float]
Text = list[Token]
Layer = tuple[list[list[float]], list[float]]
# --8<-- [end:types]

# --8<-- [start:word]
word: list[float] = [3, 1, 4, 1, 5, 9, 2, 6]

head_1 = word[:4]
head_2 = word[4:]

glued_together = head_1 + head_2
# --8<-- [end:word]


# --8<-- [start:project]
def width_of(text: Text) -> int:
    """The width that all tokens of a text, or all rows of weights, share."""
    widths = sorted({len(token) for token in text})
    if len(widths) != 1 or widths[0] < 1:
        raise ValueError(f"rows must be of one width, at least 1, got {widths=}")
    return widths[0]


def dot(a: list[float], b: list[float]) -> float:
    """Multiply place by place, then add up."""
    if len(a) != len(b):
        raise ValueError(f"a and b must be equally long, got {len(a)} and {len(b)}")
    return sum(x * y for x, y in zip(a, b))


def project(text: Text, layer: Layer) -> Text:
    """Make every new number a weighted sum of all the old ones of its token."""
    weight, bias = layer
    if width_of(text) != width_of(weight) or len(weight) != len(bias):
        raise ValueError(
            "a layer must have one row as wide as a token for each bias, got tokens "
            f"{width_of(text)} wide, {len(weight)} rows {width_of(weight)} wide "
            f"and {len(bias)} biases"
        )
    return [
        [dot(row, token) + shift for row, shift in zip(weight, bias)] for token in text
    ]


# --8<-- [end:project]
# --8<-- [start:projected]
W_query: Layer = (
    [[int(column >= row) for column in range(8)] for row in range(8)],
    [0, 0, 0, 0, 0, 0, 0, 0],
)
query = project([word], W_query)[0]

query_of_head_1 = query[:4]
query_of_head_2 = query[4:]
# --8<-- [end:projected]


# --8<-- [start:split]
def split(text: Text, num_heads: int) -> list[Text]:
    """Cut every token into num_heads equal pieces; head i gets piece i of each."""
    width = width_of(text)
    if num_heads < 1 or width % num_heads != 0:
        raise ValueError(
            "num_heads must be at least 1 and divide the width, "
            f"got {width=} and {num_heads=}"
        )
    head_dim = width // num_heads
    starts = range(0, width, head_dim)
    return [[token[start : start + head_dim] for token in text] for start in starts]


# --8<-- [end:split]
# --8<-- [start:glue]
def glue(heads: list[Text]) -> Text:
    """Put the pieces of each token side by side again, head 1 first."""
    lengths = [len(head) for head in heads]
    if len(set(lengths)) != 1:
        raise ValueError(f"heads must have equally many tokens, got {lengths=}")
    return [[number for piece in pieces for number in piece] for pieces in zip(*heads)]


# --8<-- [end:glue]
# --8<-- [start:softmax]
def softmax(scores: list[float]) -> list[float]:
    """Turn scores into positive weights that add up to one."""
    if not scores:
        raise ValueError("there must be at least one score, got none")
    largest = max(scores)
    powers = [exp(score - largest) for score in scores]  # at most 1: no overflow
    return [power / sum(powers) for power in powers]


# --8<-- [end:softmax]
# --8<-- [start:attend]
def attend(queries: Text, keys: Text, values: Text) -> Text:
    """For each token, average the values of itself and of the tokens before it."""
    if not len(queries) == len(keys) == len(values):
        raise ValueError(
            "queries, keys and values must be equally many, "
            f"got {len(queries)}, {len(keys)} and {len(values)}"
        )
    if width_of(queries) != width_of(keys):
        raise ValueError(
            "queries and keys must be equally wide, "
            f"got {width_of(queries)} and {width_of(keys)}"
        )
    width_of(values)  # refuses tokens of several widths
    context_vecs: Text = []
    for i, query in enumerate(queries):
        attn_scores = [dot(query, key) for key in keys[: i + 1]]
        attn_weights = softmax([score / sqrt(len(query)) for score in attn_scores])
        columns = zip(*values[: i + 1])
        context_vecs.append([dot(attn_weights, list(column)) for column in columns])
    return context_vecs


# --8<-- [end:attend]
# --8<-- [start:multi_head_attention]
def multi_head_attention(
    text: Text,
    W_query: Layer,
    W_key: Layer,
    W_value: Layer,
    out_proj: Layer,
    num_heads: int,
) -> Text:
    """Project, split, let each head attend, glue, and project again."""
    queries = split(project(text, W_query), num_heads)
    keys = split(project(text, W_key), num_heads)
    values = split(project(text, W_value), num_heads)
    heads = [attend(q, k, v) for q, k, v in zip(queries, keys, values)]
    return project(glue(heads), out_proj)


# --8<-- [end:multi_head_attention]
