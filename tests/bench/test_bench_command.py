"""`mha bench`, and the script for a machine with a GPU."""

import importlib.util
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from mha import bench
from mha.__main__ import main
from mha.bench import Group, Plan, Results, Row, Setting, cost, read
from mha.bench import rounds as running
from mha.commands import bench as command

ROOT = Path(__file__).resolve().parents[2]
SMALL = Plan("cpu", ("float32",), ((24, 3),), (5, 7), 1, False)


def script():
    """The script for a GPU, as a module."""
    spec = importlib.util.spec_from_file_location("gpu", ROOT / "tests" / "gpu.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(autouse=True)
def _short(monkeypatch):
    """A small product of matrices, and timings of a moment."""
    monkeypatch.setattr(running, "SIDE", {"cpu": 64})
    monkeypatch.setattr(cost, "BLOCK", 0.001)


@pytest.fixture
def small(monkeypatch):
    """The command with a small plan, whatever is asked for."""
    monkeypatch.setattr(command, "full_plan", lambda *_: SMALL)


@pytest.mark.usefixtures("small")
def test_each_size_is_printed_and_all_is_kept(tmp_path: Path, capsys):
    file = tmp_path / "new" / "bench.json"

    assert main(["bench", "--rounds", "1", "--json", str(file)]) == 0

    said = capsys.readouterr()
    assert said.err == ""
    assert "5 tokens, 24 wide, 3 heads, float32, cpu, forward\n" in said.out
    assert (
        "7 tokens, 24 wide, 3 heads, float32, cpu, forward and backward\n" in said.out
    )
    assert all(line == line.rstrip() for line in said.out.splitlines())
    results = read(file)
    assert results.complete
    assert len(results.groups) == SMALL.sizes
    assert results.provenance["command"].startswith("mha bench --device cpu --rounds 1")


@pytest.mark.usefixtures("small")
def test_without_a_file_nothing_is_written(tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    assert main(["bench"]) == 0

    assert os.listdir(tmp_path) == []


@pytest.mark.usefixtures("small")
def test_a_form_that_is_wrong_fails_the_run_and_is_named(monkeypatch, capsys):
    monkeypatch.setattr(running, "STEPS_APART", -1)

    assert main(["bench"]) == 1

    assert "not the same function" in capsys.readouterr().out


def test_what_was_typed_is_in_the_file():
    parser = command.argparse.ArgumentParser()
    command.add(parser)
    typed = "--device cpu --tokens 8 16 --rounds 3 --no-compile --json folder/b.json"

    arguments = parser.parse_args(typed.split())

    assert command.command(arguments) == f"mha bench {typed.replace('folder/', '')}"


def test_a_row_that_did_not_run_has_its_reason_and_no_numbers():
    setting = Setting("cpu", "float32", 24, 3, 7, False)
    rows = (Row("sdpa", times=(0.1,)), Row("fused", note="too little memory"))
    group = Group(setting, rows)

    assert command.cells(rows[1], group) == [""] * 5
    assert command.cells(rows[0], group) == ["100.00", "100.00 to 100.00", "", "", ""]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--device", "tpu"], "device must be cpu or cuda, got 'tpu'"),
        (["--rounds", "0"], "tokens and rounds must be at least 1"),
        (["--tokens", "-5"], "tokens and rounds must be at least 1"),
        (["--json", "."], "must be a file, got the folder"),
    ],
)
def test_what_cannot_be_measured_is_said_in_one_line(arguments, said: str, capsys):
    assert main(["bench", "--device", "cpu", *arguments]) == 2

    error = capsys.readouterr().err
    assert error.startswith("mha bench: ")
    assert said in error
    assert len(error.splitlines()) == 1


@pytest.fixture
def _foreground():
    """The signals of a program in the foreground, which a child inherits."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("_foreground")
def test_an_interrupted_run_keeps_what_it_has(tmp_path: Path):
    file = tmp_path / "bench.json"
    lengths = [str(n) for n in range(16, 400, 4)]
    options = ["--device", "cpu", "--no-compile", "--rounds", "1", "--tokens", *lengths]
    process = subprocess.Popen(
        [sys.executable, "-m", "mha", "bench", *options, "--json", str(file)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not file.exists() and process.poll() is None:
        time.sleep(0.05)

    process.send_signal(signal.SIGINT)

    assert process.communicate()[1] == "interrupted\n"
    assert process.returncode == 130
    assert not read(file).complete
    assert 1 <= len(read(file).groups) < 4 * len(lengths)
    assert os.listdir(tmp_path) == ["bench.json"]


def test_without_a_compiler_a_real_run_says_so_and_goes_on(tmp_path: Path):
    file = tmp_path / "bench.json"
    small = ["--device", "cpu", "--tokens", "8", "--rounds", "1", "--json", str(file)]
    cache = {"TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache")}

    subprocess.run(
        [sys.executable, "-m", "mha", "bench", *small],
        cwd=ROOT,
        env=os.environ | cache | {"PATH": str(tmp_path), "CXX": "no-such-compiler"},
        stdout=subprocess.DEVNULL,
        check=True,
    )

    for group in read(file).groups:
        notes = [row.note for row in group.rows if row.compiled]
        assert all(note.startswith("not compiled: ") for note in notes)
        assert len(notes) == len(running.COMPILED)
        assert group.row("sdpa") is not None


# The script for a GPU


def test_the_script_measures_what_the_time_allows(tmp_path: Path, monkeypatch):
    gpu, file = script(), tmp_path / "cuda.json"

    results = gpu.measure(file, "python tests/gpu.py", SMALL, until=0)

    assert len(results.groups) == 1
    assert not results.complete
    assert read(file) == results
    assert gpu.measure(file, "", SMALL, until=float("inf")).complete


def test_the_last_lines_of_the_script_are_a_table():
    setting = Setting("cuda", "bfloat16", 768, 12, 128, True)
    reference = Row(bench.REFERENCE, times=(0.002,), extra_bytes=3_000_000)
    rows = (Row("fused", times=(0.004,)), reference, Row("sdpa", note="no memory"))

    lines = script().table(Results({}, True, (Group(setting, rows),))).splitlines()

    assert lines[2] == "bfloat16, 768 wide, forward and backward"
    assert lines[3].split() == ["fused", "128", "4.000", "2.00", "0.0"]
    assert lines[4].split() == ["MultiheadAttention", "128", "2.000", "1.00", "3.0"]
    assert lines[5].split() == ["sdpa", "128", "no", "memory"]
    alone = Group(replace(setting, backward=False), rows[:1])
    assert "forward\nfused" in script().table(Results({}, True, (alone,)))


def test_the_script_tests_then_measures(tmp_path: Path, monkeypatch, capsys):
    gpu, ran = script(), []
    monkeypatch.setattr(gpu.bench, "full_plan", lambda *_, **__: SMALL)

    def tested(command, cwd, env):
        ran.append((command[1:], env["MHA_REQUIRE_CUDA"]))
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(gpu.subprocess, "run", tested)

    assert gpu.main([str(tmp_path / "cuda.json")]) == 0

    assert ran == [([*gpu.TESTS], "1")]
    assert "4 of 4" in capsys.readouterr().out
    assert json.loads((tmp_path / "cuda.json").read_text("utf-8"))["complete"]


@pytest.mark.parametrize("arguments", [[], ["a", "b"]])
def test_the_script_says_how_it_is_called(arguments, capsys):
    assert script().main(arguments) == 2

    assert "python tests/gpu.py FILE" in capsys.readouterr().err


def test_without_a_gpu_the_script_says_so(tmp_path: Path):
    done = subprocess.run(
        [sys.executable, "tests/gpu.py", str(tmp_path / "cuda.json")],
        cwd=ROOT,
        env=os.environ | {"CUDA_VISIBLE_DEVICES": ""},
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 2
    assert "device must be one that torch sees, got 'cuda'" in done.stderr
