"""Time, memory and operators of one call."""

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from itertools import accumulate
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from torch import Tensor
from torch.profiler import ProfilerActivity, profile
from torch.utils.benchmark import Timer

Call = Callable[[], Tensor]
os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # the profiler prints when it starts
BLOCK = 0.05  # seconds; a shorter call is repeated until a timing takes as long


@dataclass(frozen=True)
class Operator:
    """What one of PyTorch's operators took of a call.

    Args:
        name: The operator, as PyTorch calls it.
        calls: How often it ran.
        share: Its own part of the time of all operators, from 0 to 1.
        allocated: Bytes that it allocated itself, less those that it freed.
    """

    name: str
    calls: int
    share: float
    allocated: int


def seconds(call: Call, repeats: int) -> float:
    """The time that a call takes, over some repeats, with all of torch's threads."""
    timer = Timer("call()", globals={"call": call}, num_threads=torch.get_num_threads())
    return timer.timeit(repeats).median


def repeats(once: float) -> int:
    """How often a call of so many seconds is repeated for one timing."""
    return max(1, round(BLOCK / once))


def extra_bytes(call: Call, device: str) -> int:
    """The most memory that a call holds at once beyond what it leaves behind.

    What was there before, weights and input, is not counted; what stays, the output, is
    not counted either.
    """
    if device == "cuda":
        before = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
        kept = call()
        torch.cuda.synchronize()
        left = torch.cuda.memory_allocated() - before
        del kept
        return torch.cuda.max_memory_allocated() - before - left
    held = list(accumulate(allocations(call)))
    return max(held, default=0) - held[-1]


def peak_bytes(call: Call) -> int:
    """The most memory that a call holds at once, on a CPU."""
    return max(accumulate(allocations(call)))


def allocations(call: Call) -> list[int]:
    """Bytes that a call takes (above 0) and gives back (below), in order, on a CPU."""
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as trace:
        kept = call()
    del kept  # after the trace: what is left behind is not given back in it
    with TemporaryDirectory() as folder:
        file = Path(folder, "trace.json")
        trace.export_chrome_trace(str(file))
        events = json.loads(file.read_text("utf-8"))["traceEvents"]
    found = [event for event in events if event["name"] == "[memory]"]
    found.sort(key=lambda event: event["ts"])
    return [event["args"]["Bytes"] for event in found]


def operators(call: Call, device: str) -> list[Operator]:
    """Which operators a call spends its time in, the longest first."""
    activities = [ProfilerActivity.CPU]
    if device == "cuda":
        activities.append(ProfilerActivity.CUDA)
    with profile(activities=activities, profile_memory=True) as trace:
        call()
    averages = trace.key_averages()
    if device == "cuda":
        times = [average.self_device_time_total for average in averages]
        sizes = [average.self_device_memory_usage for average in averages]
    else:
        times = [average.self_cpu_time_total for average in averages]
        sizes = [average.self_cpu_memory_usage for average in averages]
    found = [
        Operator(average.key, average.count, time / sum(times), size)
        for average, time, size in zip(averages, times, sizes)
    ]
    return sorted(found, key=lambda operator: operator.share, reverse=True)


def free_bytes(device: str) -> float:
    """How much memory can still be had; infinite where the system does not say."""
    if device == "cuda":
        return torch.cuda.mem_get_info()[0]
    try:
        lines = Path("/proc/meminfo").read_text("utf-8").splitlines()
    except OSError:  # not Linux
        return inf
    return next(
        int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable")
    )
