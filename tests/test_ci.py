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
    script(tmp_path / "chromium", "exit 0")
    script(tmp_path / "apt-get", 'echo "apt-get $*"; exit 1')
    return tmp_path


def run(machine: Path) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PATH": str(machine), "MACHINE": str(machine)}
    env.pop("MHA_BROWSER", None)
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
    (machine / "chromium").unlink()
    script(machine / "python3", "[ -e $MACHINE/make ]")
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
        "apt-get install --yes --no-install-recommends make python3-venv chromium",
    ]


def test_a_browser_of_another_name_will_do(machine: Path) -> None:
    (machine / "chromium").rename(machine / "google-chrome")
    script(machine / "make", "echo '3 passed in 1.20s'")

    result = run(machine)

    assert result.stdout.splitlines()[0] == "3 passed in 1.20s"


def test_an_old_python_is_named(machine: Path) -> None:
    script(machine / "make", "echo '3 passed in 1.20s'")
    old = "import sys; sys.version_info = (3, 9, 2)"
    version = '[ "$1" != --version ] || { echo Python 3.9.2; exit; }'
    script(machine / "python3", f'{version}\nexec {sys.executable} -c "{old}; $2"')

    result = run(machine)

    assert result.returncode == 1
    assert result.stderr == "python3 must be 3.11 or newer, got Python 3.9.2\n"
    assert result.stdout == ""


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make here")
@pytest.mark.parametrize("state", ["gone", "without pip", "well"])
def test_make_heals_an_environment_that_is_dead(tmp_path: Path, state: str) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    for name in ("pyproject.toml", "constraints.txt", ".venv/ready", ".venv/old"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    if state != "gone":
        (tmp_path / ".venv/bin").mkdir()
        script(tmp_path / ".venv/bin/python", f"exit {int(state != 'well')}")
    installer = """mkdir -p "${@: -1}/bin"
printf '#!/bin/bash\\nexit 0' > .venv/bin/python; chmod +x .venv/bin/python
echo "$@" > asked"""
    script(tmp_path / "python", installer)

    make = ["make", "outputs", "PYTHON=./python"]
    done = [subprocess.run(make, cwd=tmp_path, capture_output=True) for _ in range(2)]

    assert [one.returncode for one in done] == [0, 0], done
    asked = tmp_path / "asked"
    assert asked.exists() == (state != "well")
    assert state == "well" or asked.read_text() == "-m venv --clear .venv\n"
    assert b"Installing" not in done[1].stdout


@pytest.mark.skipif(shutil.which("make") is None, reason="there is no make here")
def test_make_clean_removes_what_a_killed_build_left(tmp_path: Path) -> None:
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / ".site-abc/fresh").mkdir(parents=True)

    subprocess.run(["make", "clean"], cwd=tmp_path, check=True)

    assert [path.name for path in tmp_path.iterdir()] == ["Makefile"]


def test_fails_where_what_is_missing_cannot_be_installed(machine: Path) -> None:
    result = run(machine)

    assert result.returncode == 1
    assert result.stdout.splitlines() == ["apt-get update"]
