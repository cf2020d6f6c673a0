"""Every command that README, CONTRIBUTING and MAINTAINING show is one that works.

A command is run here, or is what runs these tests, or (where it installs) is held equal
to the install line of the Makefile, which is how this environment came to be.
"""

import argparse
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import pytest

from mha import __main__ as mha

ROOT = Path(__file__).resolve().parents[1]
MAKE = shutil.which("make")
COMMANDS = {
    "README.md": [
        "make serve",
        "make test",
        "uv venv --seed .venv",
        "uv pip install --python .venv --torch-backend cpu"
        ' -c constraints.txt -e ".[site,test]"',
        "touch .venv/ready",
        "py -m venv .venv",
        r'.venv\Scripts\python -m pip install -c constraints.txt -e ".[site,test]"',
        r".venv\Scripts\python -m tools.assets",
        r".venv\Scripts\python -m mkdocs serve",
        r".venv\Scripts\python -m tools.build",
        r".venv\Scripts\python -m pytest",
        "python -m pip install -e .",  # as the other install lines, without tools
        "mha check my_attention.py",
        "mha check my_attention.py:MultiHeadAttentionWrapper",
        "mha experiment --out measured",  # tests/test_experiment.py runs it
        "mha bench --tokens 128 512 1024 --no-compile",  # tests/bench runs them smaller
        "mha bench --json bench-cpu.json",
        "python tests/gpu.py bench-cuda.json",
        "torchrun --nproc-per-node 2 -m mha.examples.sharded",
    ],
    "CONTRIBUTING.md": [],
    "MAINTAINING.md": [
        'make chapter NUMBER=6.3 TITLE="Rotary Positions"',  # tests/test_chapter.py
        "make chapters",
        "make outputs EXAMPLE=word",
        "make outputs",
        "make figures",
        "make site",
        "make lighthouse",  # tests/browser/test_lighthouse.py
        "make next",
        "make mutants",
        "python -m pytest -c tests/layers/bare.ini tests/layers",
        "torchrun --nproc-per-node 2 docs/measured/parallel.py",
        "python docs/measured/listing.py",
        "python docs/measured/memory.py",
    ],
}
with_make = pytest.mark.skipif(MAKE is None, reason="there is no make here")
with_environment = pytest.mark.skipif(
    MAKE is None or not (ROOT / ".venv" / "ready").exists(),
    reason="make has no environment here and would first install one",
)


def shown(text: str) -> list[str]:
    fences = re.findall(r"^```shell\n(.*?)^```", text, re.M | re.S)
    return [line for fence in fences for line in fence.splitlines()]


def dry_run(target: str) -> str:
    command = [MAKE, "--dry-run", "--always-make", target]
    return subprocess.run(command, cwd=ROOT, text=True, stdout=subprocess.PIPE).stdout


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


@contextmanager
def started(command: list[str]):
    """A server and all that it starts, ended together."""
    group = {} if os.name == "nt" else {"start_new_session": True}
    with subprocess.Popen(command, cwd=ROOT, **group) as server:
        try:
            yield server
        finally:
            if os.name == "nt":
                server.terminate()
            elif server.poll() is None:
                os.killpg(server.pid, signal.SIGTERM)


def first_page(server: subprocess.Popen, url: str) -> str:
    """What a reader gets once the site is built."""
    while server.poll() is None:
        try:
            with urllib.request.urlopen(url) as page:
                return page.read().decode("utf-8")
        except urllib.error.URLError:
            time.sleep(0.2)
    raise AssertionError(f"the server ended with {server.returncode}")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_shown_command_is_known_here(name: str):
    assert shown((ROOT / name).read_text("utf-8")) == COMMANDS[name]


def test_a_new_command_is_seen():
    assert shown("```shell\nmake tea\n```\n") == ["make tea"]


def test_an_option_of_mha_that_words_name_is_one_of_its_commands():
    known: set[str] = set()
    for command in mha.COMMANDS.values():
        parser = argparse.ArgumentParser()
        command.add(parser)
        known |= set(re.findall(r"--[a-z-]+", parser.format_help()))
    named = [
        (path.name, option)
        for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")]
        for words in re.findall(r"`((?:mha|--)[^`\n]*)`", path.read_text("utf-8"))
        for option in re.findall(r"(?<!\S)--[a-z][a-z-]*", words)
    ]

    assert named
    assert [it for it in named if it[1] not in known] == []


@with_environment
def test_make_serve_shows_the_chapter():
    address = f"127.0.0.1:{free_port()}"
    with started([str(MAKE), "serve", f"ADDRESS={address}"]) as server:
        page = first_page(server, f"http://{address}/")

    assert "<title>Head by Head</title>" in page


def test_mkdocs_serve_shows_the_chapter_without_make():
    address = f"127.0.0.1:{free_port()}"
    command = [sys.executable, "-m", "mkdocs", "serve", "--dev-addr", address]
    with started(command) as server:
        page = first_page(server, f"http://{address}/")

    assert "<title>Head by Head</title>" in page


@pytest.mark.parametrize(
    ("form", "target"),
    [
        ("fused", "my_attention.py"),
        ("stacked", "my_attention.py:MultiHeadAttentionWrapper"),
    ],
)
def test_mha_check_judges_the_solutions_of_the_exercises(tmp_path, form, target):
    solution = ROOT / "mha" / "exercises" / "solutions" / f"{form}.py"
    shutil.copy(solution, tmp_path / "my_attention.py")
    command = [str(Path(sys.executable).with_name("mha")), "check", target]

    done = subprocess.run(command, cwd=tmp_path, text=True, capture_output=True)

    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(os.name == "nt", reason="torchrun needs libuv, rare on Windows")
def test_torchrun_prints_what_the_page_shows():
    (line,) = (line for line in COMMANDS["README.md"] if line.startswith("torchrun"))
    torchrun = Path(sys.executable).with_name("torchrun")
    own_port = os.environ | {"PET_STANDALONE": "1"}  # others may use the usual one

    done = subprocess.run(
        [torchrun, *line.split()[1:]],
        cwd=ROOT,
        env=own_port,
        capture_output=True,
        encoding="utf-8",
        timeout=240,  # so that a hang is a failure
    )

    assert done.returncode == 0, done.stderr
    output = ROOT / "mha/examples/output/sharded.txt"
    assert done.stdout == output.read_text("utf-8"), "run make outputs"


@with_make
def test_make_test_runs_lint_types_tests_site_and_proof():
    lines = dry_run("test")

    for part in (
        "ruff check",
        "ruff format --check",
        "pyright",
        "-m tools.build",
        "-m pytest",
        "-m tools.proof site --coverage",
    ):
        assert part in lines


def test_the_example_that_the_guide_asks_for_is_there():
    (name,) = re.findall(r"EXAMPLE=(\w+)", "\n".join(COMMANDS["MAINTAINING.md"]))

    assert (ROOT / f"mha/examples/{name}.py").is_file()


@with_make
@pytest.mark.parametrize("name", ["gone", "$(shell touch seen)", "`touch seen`", "a;b"])
def test_make_hands_on_which_example_is_asked_for(name, tmp_path):
    shutil.copytree(ROOT / "tools", tmp_path / "tools")
    shutil.copy(ROOT / "Makefile", tmp_path)
    python = f"BIN={Path(sys.executable).parent}"
    command = [MAKE, "-o", ".venv/ready", python, "outputs", f"EXAMPLE={name}"]

    done = subprocess.run(command, cwd=tmp_path, text=True, capture_output=True)

    rule = "EXAMPLE must name a file of mha/examples/, without .py, got "
    assert done.stderr.startswith(rule + repr(min(name.split())))
    assert not (tmp_path / "seen").exists()


@with_make
@pytest.mark.parametrize(
    ("target", "line"),
    [
        ("chapter", "-m tools.chapter"),
        ("chapters", "-m tools.proof --chapters"),
        ("outputs", "-m tools.outputs"),
        ("figures", "python docs/figures"),
        ("site", "-m tools.build"),
        ("lighthouse", "tests/browser/lighthouse.py"),
        ("next", "-m zensical build"),
        ("mutants", "-m tools.mutants"),
    ],
)
def test_a_target_runs_its_tool(target: str, line: str):
    assert line in dry_run(target)


def test_all_install_lines_install_the_same():
    texts = [ROOT / "README.md", ROOT / "Makefile"]
    texts += (ROOT / ".github" / "workflows").glob("*.yml")
    lines = [
        line.strip()
        for text in texts
        for line in text.read_text("utf-8").splitlines()
        if "pip install" in line and "[site,test]" in line and "-c " in line
    ]

    assert len(lines) >= 6
    for line in lines:
        assert line.endswith('-c constraints.txt -e ".[site,test]"'), line


def test_the_package_alone_is_installed_as_with_its_tools():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    (tools,) = re.findall(r'-m pip install .*(-e "\.\[site,test\]")', makefile)

    assert (
        f"python -m pip install {tools}".replace('"', "").replace("[site,test]", "")
        in COMMANDS["README.md"]
    )


def test_the_python_in_the_readme_is_a_tested_example():
    readme = (ROOT / "README.md").read_text("utf-8")
    example = (ROOT / "mha/examples/first_steps.py").read_text("utf-8")
    body = example.partition("[start:example]\n")[2].partition("\n# --8<-- [end")[0]
    outputs = [
        (ROOT / f"mha/examples/output/{name}.txt").read_text("utf-8")
        for name in ("exercise_mend_mask", "first_steps")
    ]

    assert re.findall(r"^```python\n(.*?)\n```", readme, re.M | re.S) == [body]
    assert re.findall(r"^```text\n(.*?)```", readme, re.M | re.S) == outputs


@pytest.mark.parametrize("name", COMMANDS)
def test_links_to_files_lead_to_files(name: str):
    text = (ROOT / name).read_text("utf-8")
    targets = re.findall(r"\]\(([^)#\s]+)\)", text)

    inside = [target for target in targets if "://" not in target]

    assert inside
    assert [target for target in inside if not (ROOT / target).is_file()] == []
