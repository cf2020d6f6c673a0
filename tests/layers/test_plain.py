import math

import pytest
import torch
from cases import make, says, texts
from torch.testing import assert_close

from mha import MultiHeadAttention, SDPAMultiHeadAttention, fuse, plain, unfuse


def as_lists(linear):
    bias = torch.zeros(linear.out_features) if linear.bias is None else linear.bias
    return linear.weight.tolist(), bias.tolist()


@pytest.mark.parametrize("num_tokens", [1, 5, 11], ids="num_tokens={}".format)
@pytest.mark.parametrize("fused_class", [MultiHeadAttention, SDPAMultiHeadAttention])
def test_plain_equals_fused_and_stacked(fused_class, qkv_bias, device, num_tokens):
    layer = make(fused_class, device, qkv_bias=qkv_bias)
    x = texts(device, num_tokens=num_tokens)
    names = ["W_query", "W_key", "W_value", "out_proj"]
    weights = [as_lists(layer.get_submodule(name)) for name in names]

    lists = [plain.multi_head_attention(text, *weights, 3) for text in x.tolist()]

    # Sums in another order: far below the millionth that is promised.
    context_vecs = torch.tensor(lists, dtype=torch.float64, device=device)
    assert_close(context_vecs, layer(x), atol=1e-6, rtol=0)


def test_plain_equals_stacked(qkv_bias):
    stacked, out_proj = unfuse(make(MultiHeadAttention, qkv_bias=qkv_bias))
    fused, x = fuse(stacked, out_proj), texts()
    names = ["W_query", "W_key", "W_value", "out_proj"]
    weights = [as_lists(fused.get_submodule(name)) for name in names]

    lists = [plain.multi_head_attention(text, *weights, 3) for text in x.tolist()]

    context_vecs = torch.tensor(lists, dtype=torch.float64)
    assert_close(context_vecs, out_proj(stacked(x)), atol=1e-6, rtol=0)


def test_a_word_is_cut_in_two_and_glued_together():
    assert len(plain.word) == 8
    assert plain.head_1 == [3, 1, 4, 1]
    assert plain.head_2 == [5, 9, 2, 6]
    assert plain.glued_together == plain.word


def test_what_is_cut_is_the_projected_word():
    # Number i of the query adds up the numbers from place i of the word on.
    assert plain.query == [31, 28, 27, 23, 22, 17, 8, 6]
    assert plain.query_of_head_1 == [31, 28, 27, 23]
    assert plain.query_of_head_2 == [22, 17, 8, 6]


def test_a_projected_piece_knows_of_the_other_piece():
    changed = [*plain.word[:7], 7]

    query = plain.project([changed], plain.W_query)[0]

    assert query[:4] != plain.query_of_head_1


def test_width_of_is_what_all_tokens_share():
    assert plain.width_of([[1, 2, 3], [4, 5, 6]]) == 3


@pytest.mark.parametrize(
    ("text", "widths"),
    [([], []), ([[1], [1, 2]], [1, 2]), ([[], [1, 2]], [0, 2]), ([[]], [0])],
)
def test_tokens_have_one_width(text, widths):
    with says(f"rows must be of one width, at least 1, got {widths=}"):
        plain.width_of(text)


def test_dot_multiplies_and_adds():
    assert plain.dot([1, 2, 3], [10, 100, 1000]) == 3210
    assert plain.dot([], []) == 0


@pytest.mark.parametrize(("a", "b"), [([1, 2], [1]), ([], [1, 2, 3]), ([1], [1, 2])])
def test_dot_takes_equally_long_lists(a, b):
    with says(f"a and b must be equally long, got {len(a)} and {len(b)}"):
        plain.dot(a, b)


def test_project_is_a_weighted_sum_and_a_bias():
    layer = ([[1, 10], [100, 1000], [0, 0]], [0.5, 0, 7])

    assert plain.project([[2, 3], [4, 5]], layer) == [[32.5, 3200, 7], [54.5, 5400, 7]]


@pytest.mark.parametrize(
    ("layer", "came"),
    [
        (([[1, 2, 3]], [0]), "tokens 2 wide, 1 rows 3 wide and 1 biases"),
        (([[1], [1], [1]], [0, 0, 0]), "tokens 2 wide, 3 rows 1 wide and 3 biases"),
        (([[1, 2]], [0, 0]), "tokens 2 wide, 1 rows 2 wide and 2 biases"),
        (([[1, 2], [3, 4]], [0]), "tokens 2 wide, 2 rows 2 wide and 1 biases"),
    ],
)
def test_a_layer_fits_its_tokens(layer, came):
    with says(
        f"a layer must have one row as wide as a token for each bias, got {came}"
    ):
        plain.project([[1, 2], [3, 4]], layer)


def test_a_layer_without_rows_is_refused():
    with says("rows must be of one width, at least 1, got widths=[]"):
        plain.project([[1, 2]], ([], []))


def test_split_gives_head_i_piece_i_of_every_token():
    text = [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]

    assert plain.split(text, 2) == [
        [[0, 1], [4, 5], [8, 9]],
        [[2, 3], [6, 7], [10, 11]],
    ]
    assert plain.split(text, 1) == [text]
    assert len(plain.split(text, 4)) == 4


@pytest.mark.parametrize("num_heads", [0, -1, -2, 3, 5, 8])
def test_width_is_divisible_by_num_heads(num_heads):
    with says(
        "num_heads must be at least 1 and divide the width, "
        f"got width=4 and {num_heads=}"
    ):
        plain.split([[1, 2, 3, 4]], num_heads)


def test_glue_undoes_split():
    text = [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]

    for num_heads in (1, 2, 3, 6):
        assert plain.glue(plain.split(text, num_heads)) == text


@pytest.mark.parametrize(
    ("heads", "lengths"), [([], []), ([[[1]], [[1], [2]]], [1, 2])]
)
def test_heads_have_equally_many_tokens(heads, lengths):
    with says(f"heads must have equally many tokens, got {lengths=}"):
        plain.glue(heads)


def test_softmax_is_positive_and_adds_up_to_one():
    weights = plain.softmax([0.0, math.log(3), math.log(4)])

    assert weights == pytest.approx([1 / 8, 3 / 8, 4 / 8], abs=1e-12)


@pytest.mark.parametrize("scores", [[800.0, 800.0], [-800.0, -800.0], [1e6, 1e6]])
def test_softmax_does_not_overflow(scores):
    assert plain.softmax(scores) == [0.5, 0.5]


def test_softmax_needs_a_score():
    with says("there must be at least one score, got none"):
        plain.softmax([])


def test_queries_and_keys_are_equally_wide():
    with says("queries and keys must be equally wide, got 1 and 2"):
        plain.attend([[1.0]], [[1.0, 2.0]], [[1.0]])


def test_values_have_one_width():
    with says("rows must be of one width, at least 1, got widths=[1, 2]"):
        plain.attend([[1.0], [1.0]], [[1.0], [1.0]], [[1.0], [1.0, 2.0]])


def test_attend_averages_the_past():
    queries = [[0.0] * 4, [0, 2 * math.log(3), 0, 0], [0.0] * 4]
    keys = [[0.0] * 4, [0, 1, 0, 0], [7.0] * 4]
    values = [[4.0, 0], [0, 8], [2, 1]]

    context_vecs = plain.attend(queries, keys, values)

    expected = [[4, 0], [1, 6], [2, 3]]
    for context_vec, row in zip(context_vecs, expected):
        assert context_vec == pytest.approx(row, abs=1e-12)


@pytest.mark.parametrize("lengths", [(1, 2, 2), (2, 1, 2), (2, 2, 1), (1, 2, 1)])
def test_queries_keys_and_values_are_equally_many(lengths):
    first, second, third = ([[1.0]] * length for length in lengths)

    with says(
        "queries, keys and values must be equally many, "
        f"got {len(first)}, {len(second)} and {len(third)}"
    ):
        plain.attend(first, second, third)


def test_lists_that_come_in_are_not_changed():
    text, layer = [[1.0, 2], [3, 4]], ([[1.0, 0], [0, 1]], [0.0, 0])
    attention = plain.multi_head_attention

    attention(text, layer, layer, layer, layer, num_heads=2)

    assert text == [[1, 2], [3, 4]]
    assert layer == ([[1, 0], [0, 1]], [0, 0])
