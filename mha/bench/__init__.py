"""What each form of the layer costs: time, memory, and where both go."""

from mha.bench.records import (
    KERNEL,
    PRODUCT,
    REFERENCE,
    Group,
    Results,
    Row,
    Setting,
    Spread,
    ratio,
    read,
    spread,
    write,
)
from mha.bench.rounds import TOKENS, WIDTHS, Plan, full_plan, run, ticks

__all__ = [
    "KERNEL",
    "PRODUCT",
    "REFERENCE",
    "TOKENS",
    "WIDTHS",
    "Group",
    "Plan",
    "Results",
    "Row",
    "Setting",
    "Spread",
    "full_plan",
    "ratio",
    "read",
    "run",
    "spread",
    "ticks",
    "write",
]
