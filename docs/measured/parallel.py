"""Measure on this machine what heads in two processes cost, and write parallel.json.

torchrun --nproc-per-node 2 docs/measured/parallel.py
"""

import os
from copy import deepcopy
from pathlib import Path
from time import perf_counter

import torch
from torch import distributed

from mha import MultiHeadAttention, measured
from mha.parallel import make_mesh, shard_heads

FILE = Path(__file__).with_suffix(".json")
KIND = "heads in two processes"
COMMAND = "torchrun --nproc-per-node 2 docs/measured/parallel.py"
SIZES = [  # b, num_tokens, d_out, num_heads
    (16, 64, 256, 4),
    (4, 256, 768, 12),
    (1, 1024, 768, 12),
]
ROUNDS = 15


def timed(run):
    """The seconds that a run takes, once all processes are there."""
    distributed.barrier()
    start = perf_counter()
    run()
    return perf_counter() - start


def by_first(run, threads):
    """What run takes the first process with some threads; the others wait."""
    torch.set_num_threads(threads)
    seconds = timed(run if distributed.get_rank() == 0 else lambda: None)
    torch.set_num_threads(1)
    return seconds


def trained(layer, x):
    """A run forward and back."""
    return lambda: layer(x).sum().backward()


def measure(b, num_tokens, d_out, num_heads, rounds):
    """Seconds of each way in each round, the ways taking turns."""
    torch.manual_seed(123)
    layer = MultiHeadAttention(d_out, d_out, num_tokens, 0.0, num_heads)
    spread = shard_heads(deepcopy(layer), make_mesh("cpu"))
    x = torch.randn(b, num_tokens, d_out, requires_grad=True)
    message = torch.zeros(b, num_tokens, d_out)
    ways = {
        "one_thread": lambda: by_first(trained(layer, x), 1),
        "two_threads": lambda: by_first(trained(layer, x), 2),
        "two_processes": lambda: timed(trained(spread, x)),
        "two_sums": lambda: timed(lambda: [sum_up(message) for _ in range(2)]),
    }
    seconds = {way: [] for way in ways}
    for turn in range(rounds + 2):  # two to warm up
        for way, take in ways.items():
            taken = take()
            if turn > 1:
                seconds[way].append(round(taken, 5))
    return {
        "b": b,
        "num_tokens": num_tokens,
        "d_out": d_out,
        "num_heads": num_heads,
        "seconds": seconds,
    }


def sum_up(message):
    """The sum that the layer needs once forward and once back."""
    distributed.all_reduce(message)


def load():
    """What else the machine is doing, in busy cores; None where it does not tell."""
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None


def main():
    """Measure all sizes; the first process writes."""
    load_before = load()
    torch.set_num_threads(1)
    distributed.init_process_group("gloo")
    results = [measure(*sizes, rounds=ROUNDS) for sizes in SIZES]
    born = measured.provenance(COMMAND, threads=1)
    born["load_before"] = load_before
    if distributed.get_rank() == 0:
        record = {"kind": KIND, "provenance": born, "results": results}
        measured.write(FILE, record)
    distributed.destroy_process_group()


if __name__ == "__main__":
    main()
