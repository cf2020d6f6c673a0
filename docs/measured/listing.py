"""Measure what scaling queries and filling in place bought, and write listing.json.

python docs/measured/listing.py
"""

from pathlib import Path

import torch

from mha import MultiHeadAttention, measured
from mha.bench import cost
from mha.mistakes.layer import Layer

FILE = Path(__file__).with_suffix(".json")
KIND = "what the listing gained"
ROUNDS = 7


def calls(num_tokens):
    """The layer in steps, which scales scores and copies them, and the listing."""
    sizes = (768, 768, num_tokens, 0.0, 12)
    before, now = Layer(*sizes).eval(), MultiHeadAttention(*sizes).eval()
    before.load_state_dict(now.state_dict(), strict=False)  # masks have other names
    x = torch.randn(1, num_tokens, 768)
    torch.testing.assert_close(before(x), now(x))
    return {"before": lambda: before(x), "now": lambda: now(x)}


@torch.no_grad()
def measure(num_tokens):
    """Seconds in each round, the two taking turns, and extra bytes."""
    both = calls(num_tokens)
    often = {way: cost.repeats(cost.seconds(call, 1)) for way, call in both.items()}
    rounds = [
        {way: cost.seconds(call, often[way]) for way, call in both.items()}
        for _ in range(ROUNDS)
    ]
    return {
        "num_tokens": num_tokens,
        "rounds": rounds,
        "extra_bytes": {way: cost.extra_bytes(c, "cpu") for way, c in both.items()},
    }


if __name__ == "__main__":
    born = measured.provenance(
        "python docs/measured/listing.py", torch.get_num_threads()
    )
    sizes = [measure(num_tokens) for num_tokens in (128, 512, 1024, 2048, 4096)]
    measured.write(FILE, {"kind": KIND, "provenance": born, "sizes": sizes})
