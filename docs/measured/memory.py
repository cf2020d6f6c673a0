"""Measure what fresh memory costs the forms that hold scores, and write memory.json.

python docs/measured/memory.py

The system hands out memory page by page, when it is first touched. By default Linux's
allocator gives large pieces back after use, so that the next call begins afresh; told
to keep them, it does not. Both ways are measured, in processes of their own, in turn.
"""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import torch
from torch import nn

from mha import MultiHeadAttention, measured, unfuse
from mha.bench import cost

FILE = Path(__file__).with_suffix(".json")
KIND = "what fresh memory costs"
KEEP = "mmap_threshold=8589934592", "trim_threshold=17179869184"  # bytes
WAYS = {
    "fresh": {},
    "kept": {"GLIBC_TUNABLES": ":".join(f"glibc.malloc.{name}" for name in KEEP)},
}
TOKENS = 1024, 2048, 4096
ROUNDS = 4


@torch.no_grad()
def measure(tokens):
    """For each length and form: seconds of a call, and page faults in it."""
    found = []
    for num_tokens in tokens:
        fused = MultiHeadAttention(768, 768, num_tokens, 0.0, 12).eval()
        forms = {"stacked": nn.Sequential(*unfuse(fused)), "fused": fused}
        x = torch.randn(1, num_tokens, 768)
        for form, layer in forms.items():
            layer(x)
            before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
            layer(x)
            faults = resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
            seconds = cost.seconds(lambda layer=layer, x=x: layer(x), 1)
            found.append(
                {
                    "num_tokens": num_tokens,
                    "form": form,
                    "seconds": seconds,
                    "faults": faults,
                }
            )
    return found


def in_a_process(way):
    """The same in a new process, whose allocator follows one of the ways."""
    done = subprocess.run(
        [sys.executable, __file__, "child"],
        env=os.environ | WAYS[way],
        stdout=subprocess.PIPE,
        check=True,
    )
    return json.loads(done.stdout)


if __name__ == "__main__":
    if "child" in sys.argv:
        print(json.dumps(measure(TOKENS)))
        sys.exit()
    rounds = [{way: in_a_process(way) for way in WAYS} for _ in range(ROUNDS)]
    born = measured.provenance(
        "python docs/measured/memory.py", torch.get_num_threads()
    )
    measured.write(FILE, {"kind": KIND, "provenance": born, "rounds": rounds})
