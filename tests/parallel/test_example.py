"""The example: alone, in a group of one, with a rank that dies, on GPUs."""

import os
import runpy
import socket
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
import torch
from torch import distributed

ROOT = Path(__file__).resolve().parents[2]
OUTPUT = (ROOT / "mha/examples/output/sharded.txt").read_text("utf-8")
GUARD = 240  # seconds; what hangs is ended then
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
DIES = """import os, runpy
import mha.parallel

if os.environ["RANK"] == "1":
    mha.parallel.shard_heads = lambda layer, mesh: os._exit(7)
runpy.run_module("mha.examples.sharded", run_name="__main__")
"""
with_torchrun = pytest.mark.skipif(
    os.name == "nt", reason="PyTorch's builds for Windows have a torchrun without libuv"
)


def run(ranks, *command):
    return subprocess.run(
        [*TORCHRUN, "--nproc-per-node", str(ranks), *command],
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        timeout=GUARD,
    )


def run_here(monkeypatch):
    monkeypatch.delitem(sys.modules, "mha.examples.sharded", raising=False)
    runpy.run_module("mha.examples.sharded", run_name="__main__")


def test_without_torchrun_it_says_how_to_start(monkeypatch):
    with pytest.raises(SystemExit) as stopped:
        run_here(monkeypatch)

    assert stopped.value.code == (
        "start with: torchrun --nproc-per-node 2 -m mha.examples.sharded"
    )


@pytest.fixture
def torchrun(monkeypatch):
    """The environment that torchrun gives to a single process."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    given = {
        "TORCHELASTIC_RUN_ID": "here",
        "RANK": "0",
        "LOCAL_RANK": "0",
        "WORLD_SIZE": "1",
        "LOCAL_WORLD_SIZE": "1",
        "MASTER_ADDR": "127.0.0.1",
        "MASTER_PORT": str(port),
        "USE_LIBUV": "0",
    }
    for name, value in given.items():
        monkeypatch.setenv(name, value)


def test_one_process_holds_everything(torchrun, monkeypatch, capsys):
    run_here(monkeypatch)

    first, _, rest = capsys.readouterr().out.partition("\n")
    assert first == "rank 0: heads [0, 1, 2, 3], W_query (8, 3), out_proj (8, 8)"
    assert rest.splitlines()[0] == "all-reduces: 0 forward, 0 backward"
    assert rest.splitlines()[1:] == OUTPUT.splitlines()[3:]
    assert not distributed.is_initialized()


def test_another_rank_prints_nothing(torchrun, monkeypatch, capsys):
    monkeypatch.setattr(distributed, "get_rank", lambda: 1)

    run_here(monkeypatch)

    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("gpus", "expected"), [(1, ("cpu", "gloo")), (2, ("cuda", "nccl"))]
)
def test_gpus_are_used_where_there_is_one_for_each_rank(monkeypatch, gpus, expected):
    seen = {}
    monkeypatch.setenv("LOCAL_WORLD_SIZE", "2")
    monkeypatch.setenv("LOCAL_RANK", "1")
    monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
    monkeypatch.setattr(torch.cuda, "set_device", lambda i: seen.update(device=i))
    monkeypatch.setattr(
        distributed,
        "init_process_group",
        lambda backend, timeout: seen.update(backend=backend, timeout=timeout),
    )

    device_type = import_module("mha.examples.sharded").join()

    assert (device_type, seen["backend"]) == expected
    assert seen["timeout"].total_seconds() == 60
    assert seen.get("device") == (1 if gpus == 2 else None)


@with_torchrun
def test_a_rank_that_dies_ends_torchrun_with_an_error(tmp_path):
    (tmp_path / "dies.py").write_text(DIES, "utf-8")

    done = run(2, str(tmp_path / "dies.py"))

    assert done.returncode != 0
    assert done.stdout == ""
    assert "exitcode  : 7" in done.stderr


@pytest.mark.cuda
@pytest.mark.parametrize("ranks", [1, 2])
def test_the_example_runs_on_gpus(ranks):
    gpus = torch.cuda.device_count()
    if gpus == 0 and os.environ.get("MHA_REQUIRE_CUDA") == "1":
        pytest.fail("MHA_REQUIRE_CUDA=1 asks for a GPU, but torch sees none")
    if gpus < ranks:
        pytest.skip(f"torch sees {gpus} of {ranks} GPUs")

    done = run(ranks, "-m", "mha.examples.sharded")

    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1:] == OUTPUT.splitlines()[-1:]
