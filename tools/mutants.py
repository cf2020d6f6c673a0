"""Fail where the tests let too many mutants of the listings live.

Reads what `mutmut export-cicd-stats` wrote; tests/mutants.md explains the survivors.
"""

import json
import sys
from pathlib import Path

STATS = Path("mutants/mutmut-cicd-stats.json")
AT_LEAST = 95  # percent


def killed_percent(stats: dict[str, int]) -> float:
    """How many of all mutants a failing test, or an endless loop, gave away."""
    if stats["total"] < 1:
        raise ValueError(f"there must be mutants to kill, got {stats['total']}")
    return 100 * (stats["killed"] + stats["timeout"]) / stats["total"]


def main() -> int:
    """Print the share of mutants killed; 1 where it is too small."""
    if not STATS.exists():
        print(f"{STATS} must exist: run `make mutants`")
        return 1
    stats = json.loads(STATS.read_text(encoding="utf-8"))
    percent = killed_percent(stats)
    print(f"{percent:.1f} % of {stats['total']} mutants killed", end="")
    print(f", at least {AT_LEAST} % must be")
    return int(percent < AT_LEAST)


if __name__ == "__main__":
    sys.exit(main())
