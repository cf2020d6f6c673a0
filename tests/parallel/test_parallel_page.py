"""What the page says in words, against the files and PyTorch's own counts."""

import json
import runpy
import statistics
from pathlib import Path

import pytest
import torch
from torch import distributed
from torch.utils.flop_counter import FlopCounterMode

from mha import MultiHeadAttention

ROOT = Path(__file__).resolve().parents[2]
MEASURED = ROOT / "docs" / "measured"


@pytest.fixture(scope="module")
def record():
    return json.loads((MEASURED / "parallel.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def calculated():
    return runpy.run_module("mha.examples.sharded_cost")


def test_the_calculation_is_that_of_the_layer(calculated):
    sizes = [calculated[name] for name in ("b", "num_tokens", "d_out")]
    _, num_tokens, d_out = sizes
    with torch.device("meta"):  # shapes without numbers
        layer = MultiHeadAttention(
            d_out, d_out, num_tokens, 0.0, calculated["num_heads"]
        ).bfloat16()
        x = torch.empty(sizes, dtype=torch.bfloat16)
    matrices = [p for p in layer.parameters() if p.dim() == 2]
    seen = []
    hook = layer.dropout.register_forward_hook(lambda _, x, out: seen.append(out))

    with FlopCounterMode(display=False) as counter:
        out = layer(x)
    hook.remove()

    operations = calculated["projecting"] + calculated["attending"]
    assert operations == counter.get_total_flops()
    assert calculated["weights"] == sum(matrix.nbytes for matrix in matrices)
    assert calculated["scores"] == seen[0].nbytes
    assert calculated["message"] == out.nbytes == x.nbytes


def test_more_devices_leave_fewer_operations_for_a_byte_sent(calculated):
    output = ROOT / "mha/examples/output/sharded_cost.txt"
    rows = output.read_text("utf-8").splitlines()[1:]

    left = [int(row.split()[-1].replace(",", "")) for row in rows]

    assert left == sorted(left, reverse=True)
    assert left[-1] == calculated["operations"]


def test_the_measurement_says_where_it_comes_from(record):
    born = record["provenance"]
    assert born["command"] in (ROOT / "MAINTAINING.md").read_text("utf-8")
    for name in ("date", "machine", "load_before", "python", "torch"):
        assert born[name] is not None
    for result in record["results"]:
        assert {len(seconds) for seconds in result["seconds"].values()} == {15}


def test_the_small_size_loses_and_the_larger_ones_keep_up_with_threads(record):
    small, *larger = (
        {way: statistics.median(times) for way, times in result["seconds"].items()}
        for result in record["results"]
    )

    assert small["two_processes"] > small["one_thread"]
    assert len(larger) == 2
    for middle in larger:
        assert 0.9 < middle["two_processes"] / middle["two_threads"] < 1.1


def test_a_measurement_on_a_busy_machine_says_so(record):
    picture = (ROOT / "docs/figures/spread_cost.svg").read_text("utf-8")

    assert ("provisional" in picture) == (record["provenance"]["load_before"] > 1)


def test_the_measuring_command_measures(monkeypatch):
    script = runpy.run_path(str(MEASURED / "parallel.py"))
    monkeypatch.setattr(torch, "set_num_threads", lambda threads: None)
    distributed.init_process_group(
        "gloo", store=distributed.HashStore(), rank=0, world_size=1
    )

    result = script["measure"](2, 3, 8, 4, rounds=1)

    distributed.destroy_process_group()
    assert result["seconds"].keys() == {
        "one_thread",
        "two_threads",
        "two_processes",
        "two_sums",
    }
    assert all(len(seconds) == 1 for seconds in result["seconds"].values())
