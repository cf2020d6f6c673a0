"""What the pages say of PyTorch and of wrong layers, beside what examples print."""

import re
from pathlib import Path

import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from mha.examples import influence
from mha.mistakes.heads import (
    MergeWithoutTranspose,
    SplitAndMergeByView,
    SplitWithoutTranspose,
)
from mha.mistakes.layer import Layer

ROOT = Path(__file__).resolve().parents[1]


@torch.no_grad()
def table(layer_class: type[Layer]) -> torch.Tensor:
    torch.manual_seed(123)
    layer = layer_class(3, 20, 8, 0.0, num_heads=4).eval()
    return influence(layer, torch.rand(1, 5, 3))


@pytest.mark.parametrize("wrong", [MergeWithoutTranspose, SplitWithoutTranspose])
def test_one_missing_transpose_reads_the_future(wrong: type[Layer]):
    assert table(wrong).triu(1).any()


def test_two_missing_transposes_leak_nothing_and_miss_the_past():
    moved = table(SplitAndMergeByView)

    assert not moved.triu(1).any()
    assert (moved.tril() == 0).sum() > (torch.ones(5, 5).tril() == 0).sum()


def test_the_right_layer_leaks_nothing_and_misses_nothing():
    moved = table(Layer)

    assert not moved.triu(1).any()
    assert (moved[torch.ones(5, 5).tril() == 1] > 0).all()


def test_the_kernel_gives_zeros_where_all_is_hidden():
    queries, keys, values = torch.rand(3, 1, 4, 2)
    nothing = torch.zeros(4, 4, dtype=torch.bool)

    out = scaled_dot_product_attention(queries, keys, values, attn_mask=nothing)

    assert not out.any()


@torch.no_grad()
def test_in_a_fresh_layer_unscaled_scores_sharpen_too_but_less():
    torch.manual_seed(123)
    largest = {}
    for width in 64, 256:
        x = torch.randn(200, 16, width)
        queries, keys = (torch.nn.Linear(width, width)(x) for _ in range(2))
        for name, divisor in ("scaled", width**0.5), ("unscaled", 1):
            weights = torch.softmax(queries @ keys.transpose(1, 2) / divisor, dim=-1)
            largest[name, width] = weights.amax(dim=-1).mean().item()

    assert largest["scaled", 64] < largest["unscaled", 64] < largest["unscaled", 256]
    assert largest["unscaled", 64] < 0.84  # what scores of spread 8 give on the page
    assert largest["unscaled", 256] < 0.92  # and scores of spread 16


def test_without_enable_gqa_pytorch_refuses_fewer_heads_of_keys():
    queries, keys = torch.rand(2, 4, 6, 5), torch.rand(2, 2, 6, 5)

    with pytest.raises(RuntimeError, match=r"\b4\b.*\b2\b"):
        scaled_dot_product_attention(queries, keys, keys, is_causal=True)


def test_without_enable_gqa_pytorch_stretches_a_single_head_of_keys():
    queries, keys, values = torch.rand(2, 4, 6, 5), *torch.rand(2, 2, 1, 6, 5)

    told, untold = (
        scaled_dot_product_attention(
            queries, keys, values, is_causal=True, enable_gqa=enable_gqa
        )
        for enable_gqa in (True, False)
    )

    torch.testing.assert_close(untold, told)


def test_a_mask_without_the_offset_is_told_in_the_second_line_and_the_third(capsys):
    path = ROOT / "mha/examples/exercise_grouped_chunks.py"
    right = path.read_text("utf-8")

    exec(right.replace("diagonal=num_cached + 1", "diagonal=1"), {})

    lines = capsys.readouterr().out.splitlines()
    assert [line.endswith("equal") for line in lines] == [True, False, False]


def test_the_messages_that_the_page_explains_are_the_ones_that_are_said():
    page = (ROOT / "docs/contribute.md").read_text("utf-8")
    sources = [*ROOT.glob("tools/proof/*.py"), ROOT / "tests/test_outputs.py"]
    said = "".join(source.read_text("utf-8") for source in sources)

    explained = re.findall(r"^\| \*(.+)\* \|", page, re.M)

    assert len(explained) > 4
    assert [words for words in explained if words not in said] == []
