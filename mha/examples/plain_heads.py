"""Two heads on plain lists, every number computed by hand-sized functions."""

from mha.plain import multi_head_attention

# --8<-- [start:example]
text: list[list[float]] = [
    [1, 0, 2, 0],
    [0, 1, 0, 2],
    [1, 1, 1, 1],
]  # three tokens of four numbers
keep: list[list[float]] = [[1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
swap: list[list[float]] = [[0, 0, 1, 0], [0, 0, 0, 1], [1, 0, 0, 0], [0, 1, 0, 0]]
no_bias: list[float] = [0, 0, 0, 0]

context_vecs = multi_head_attention(
    text,
    W_query=(keep, no_bias),
    W_key=(swap, no_bias),
    W_value=(keep, no_bias),
    out_proj=(keep, no_bias),
    num_heads=2,
)
for context_vec in context_vecs:
    print([round(number, 3) for number in context_vec])
# --8<-- [end:example]
