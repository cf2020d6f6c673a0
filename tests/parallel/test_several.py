"""Two and four real processes, each with its share of the heads, against one layer."""

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from rank import LEARNING_RATE, make, step, texts, upstream
from torch.testing import assert_close

from mha import SDPAMultiHeadAttention

ONE_SUM = {"c10d_functional.all_reduce": 1}
GUARD = 240  # seconds; what hangs is ended then
BIASES = ["no_bias", "qkv_bias"]


@pytest.fixture(scope="module", params=[2, 4], ids=["2_ranks", "4_ranks"])
def seen(request, tmp_path_factory):
    """What each rank saw, in the order of ranks."""
    folder, ranks = tmp_path_factory.mktemp("ranks"), request.param
    command = [sys.executable, Path(__file__).with_name("rank.py"), folder]
    started = [
        subprocess.Popen([*command, str(rank), str(ranks)], stderr=subprocess.PIPE)
        for rank in range(ranks)
    ]
    try:
        words = [process.communicate(timeout=GUARD)[1].decode() for process in started]
    finally:
        for process in started:
            process.kill()
    ended = [process.returncode for process in started]
    assert ended == [0] * (ranks - 1) + [7], "\n".join(words)
    return [torch.load(folder / f"{rank}.pt") for rank in range(ranks)]


def alone(bias):
    """The layer in one process: outputs, gradients, weights before and after a step."""
    layer, x = make(qkv_bias=bias == "qkv_bias"), texts().requires_grad_()
    before = {name: p.detach().clone() for name, p in layer.named_parameters()}
    out = layer(x)
    out.backward(upstream())
    gradients = {name: p.grad for name, p in layer.named_parameters()}
    step(layer)
    return out.detach(), x.grad, gradients, before, dict(layer.named_parameters())


@pytest.mark.parametrize("bias", BIASES)
def test_outputs_and_gradients_equal_the_layer_in_one_process(seen, bias):
    out, x_grad, gradients, _, _ = alone(bias)

    for rank in seen:
        assert_close(rank[bias]["out"], out)
        assert_close(rank[bias]["x.grad"], x_grad)
        assert_close(rank[bias]["gradients"], gradients)


@pytest.mark.parametrize("bias", BIASES)
def test_a_training_step_keeps_it_equal(seen, bias):
    *_, before, after = alone(bias)

    for rank in seen:
        assert_close(rank[bias]["stepped"], {n: p.detach() for n, p in after.items()})
    for name, parameter in after.items():
        if name != "W_key.bias":  # it moves all scores of a query alike
            assert (parameter - before[name]).abs().max() > LEARNING_RATE / 100


@pytest.mark.parametrize("bias", BIASES)
def test_rank_r_holds_heads_from_r_times_k(seen, bias):
    *_, before, _ = alone(bias)
    width = before["W_query.weight"].shape[0] // len(seen)

    for r, rank in enumerate(seen):
        part = slice(r * width, (r + 1) * width)
        for name, tensor in rank[bias]["held"].items():
            whole = before[name]
            if name == "out_proj.weight":
                assert torch.equal(tensor, whole[:, part])
            elif name == "out_proj.bias":
                assert torch.equal(tensor, whole)
            else:
                assert torch.equal(tensor, whole[part])


def test_each_rank_holds_its_share_of_each_weight(seen):
    *_, before, _ = alone("no_bias")

    for rank in seen:
        held = rank["no_bias"]["held"]
        for name in ("W_query", "W_key", "W_value", "out_proj"):
            name = f"{name}.weight"
            assert held[name].numel() * len(seen) == before[name].numel()
            assert held[name].untyped_storage().nbytes() == held[name].nbytes


def test_the_mask_stays_whole(seen):
    for rank in seen:
        assert torch.equal(rank["no_bias"]["mask"], make().mask)


@pytest.mark.parametrize("bias", BIASES)
def test_one_sum_goes_forward_and_one_back(seen, bias):
    for rank in seen:
        assert rank[bias]["forward"] == ONE_SUM
        assert rank[bias]["backward"] == ONE_SUM


def test_three_sums_go_back_if_each_projection_takes_x_by_itself(seen):
    assert [rank["one by one"] for rank in seen] == [
        {kind: 3 * count for kind, count in ONE_SUM.items()}
    ] * len(seen)


def test_nothing_goes_back_where_x_needs_no_gradient(seen):
    assert [rank["first layer"] for rank in seen] == [{}] * len(seen)


@torch.no_grad()
def test_the_layer_on_the_kernel_is_spread_alike(seen):
    expected = make(SDPAMultiHeadAttention)(texts())

    for rank in seen:
        assert_close(rank["sdpa"], expected)


@torch.no_grad()
def test_eval_is_exact_with_dropout(seen):
    expected = make(dropout=0.5).eval()(texts())

    for rank in seen:
        assert_close(rank["eval"], expected)


def test_one_seed_for_all_drops_the_same_in_each_ranks_heads(seen):
    for rank in seen:
        assert rank["same seed"].any()
        assert torch.equal(rank["same seed"], seen[0]["same seed"])


def test_a_seed_for_each_rank_drops_independently(seen):
    below = torch.ones(5, 5).tril() == 1  # the rest is zero with or without dropout
    patterns = torch.stack([rank["own seed"][:, :, below] for rank in seen]).float()

    for r in range(len(seen)):
        for other in range(r):
            equal = (patterns[r] == patterns[other]).float().mean().item()
            assert 0.25 < equal < 0.75  # of weights dropped by half, half agree


def test_uneven_heads_are_refused_on_every_rank(seen):
    rule = "num_heads must be divisible by the number of devices"
    expected = f"{rule}, got num_heads=3 and {len(seen)} devices"

    assert [rank["uneven"] for rank in seen] == [expected] * len(seen)


def test_a_rank_that_dies_is_an_error_for_the_others_at_once(seen):
    *others, dead = seen

    assert "death" not in dead
    for rank in others:
        words, seconds = rank["death"]
        assert words
        assert seconds < 60  # the limit of the group, which it need not reach


def test_a_rank_that_is_silent_is_an_error_after_the_limit(seen):
    if len(seen) != 2:
        pytest.skip("seen with two ranks; with more it would be the same wait")
    words, seconds = seen[0]["silence"]

    assert words
    assert 3 < seconds < 60  # the limit is six
