""".ci/run: what it installs, what it takes for a pass, and what it says last."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
USED = ["bash", "dirname", "mktemp", "tee", "grep", "tail", "rm", "cat", "chmod"]
AFTER = "0 errors, 0 warnings"  # of the type checker, not of pytest

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason=".ci/run is for a bare Debian"
)


def script(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/bash\n{text}\n", encoding="utf-8")
    path.chmod(0o755)


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A folder of the few commands that a bare machine has, with a Python 3."""
    for name in USED:
        path = shutil.which(name)
        assert path, f"{name} must be on the PATH"
        (tmp_path / name).symlink_to(path)
    script(tmp_path / "python3", "exit 0")
    script(tmp_path / "apt-get", 'echo "apt-get $*"; exit 1')
    return tmp_path


def run(machine: Path) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PATH": str(machine), "MACHINE": str(machine)}
    return subprocess.run(
        [ROOT / ".ci" / "run"], capture_output=True, text=True, env=env, cwd=machine
    )


@pytest.mark.parametrize(
    "closing",
    [
        "============ 3 passed in 1.20s ============",
        "3 passed",
        "10 passed, 2 skipped in 75.20s (0:01:15)",
        "== 1 skipped, 100 passed, 3 deselected in 0.50s ==",
    ],
)
def test_passes_when_tests_passed(machine: Path, closing: str) -> None:
    script(machine / "make", f'[ "$*" = test ] && echo "{closing}" && echo "{AFTER}"')

    result = run(machine)

    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.splitlines() == [closing, AFTER, closing]


@pytest.mark.parametrize(
    ("closing", "status"),
    [
        ("1 failed, 3 passed in 1.20s", 2),
        ("1 error in 0.20s", 2),
        ("no tests ran in 0.01s", 5),
        ("3 passed in 1.20s", 1),  # a later step of make test failed
    ],
)
def test_fails_as_make_failed(machine: Path, closing: str, status: int) -> None:
    script(machine / "make", f"echo '{closing}'; exit {status}")

    result = run(machine)

    assert result.returncode == status
    assert result.stdout.splitlines()[-1] == closing


@pytest.mark.parametrize(
    "closing",
    [
        "no tests ran in 0.01s",
        "0 passed in 0.01s",
        "5 skipped in 0.01s",
        "7 deselected in 0.01s",
        "All checks passed!",  # the linter's line
        "The 3 passed in 1.20s",  # not how pytest begins
        "",
    ],
)
def test_fails_when_no_test_passed(machine: Path, closing: str) -> None:
    script(machine / "make", f"echo '{closing}'")

    result = run(machine)

    assert result.returncode == 1
    assert "at least one test must pass, got: " in result.stderr


def test_last_closing_line_counts(machine: Path) -> None:
    script(machine / "make", "echo '3 passed in 1.20s'; echo 'no tests ran in 0.01s'")

    result = run(machine)

    assert result.returncode == 1


def test_runs_at_the_repositorys_root(machine: Path) -> None:
    script(machine / "make", "echo $PWD; echo '3 passed in 1.20s'")

    result = run(machine)

    assert result.stdout.splitlines()[0] == str(ROOT)


def test_what_is_missing_is_installed(machine: Path) -> None:
    script(machine / "python3", "exit 1")
    script(machine / "installed", "echo '3 passed in 1.20s'")
    copies = '[ "$1" != install ] || cat $MACHINE/installed > $MACHINE/make'
    script(
        machine / "apt-get",
        f'echo "apt-get $*"; {copies}; [ "$1" != install ] || chmod +x $MACHINE/make',
    )

    result = run(machine)

    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.splitlines()[:2] == [
        "apt-get update",
        "apt-get install --yes --no-install-recommends make python3-venv",
    ]


def test_fails_where_what_is_missing_cannot_be_installed(machine: Path) -> None:
    result = run(machine)

    assert result.returncode == 1
    assert result.stdout.splitlines() == ["apt-get update"]
