"""Whatever a learner's file does, it does to its own process only, and is answered."""

import json
import os
import signal
import subprocess
import sys
import time
from multiprocessing import Pipe
from pathlib import Path

import pytest

from mha.checker import worker
from mha.checker.files import MODULE, Target
from mha.checker.records import Report
from mha.checker.worker import (
    Job,
    Run,
    Verdict,
    as_record,
    check_files,
    from_record,
    look,
    why_ended,
)

ROOT = Path(__file__).resolve().parents[2]
RIGHT = (ROOT / "mha" / "fused.py").read_text("utf-8")
LONG = 60.0  # for what ends by itself, however busy the machine is
SHORT = 3.0  # for what never ends
posix = pytest.mark.skipif(sys.platform == "win32", reason="needs signals or forks")
linux = pytest.mark.skipif(sys.platform != "linux", reason="the limit is Linux's")


def forward(code: str) -> str:
    """A right layer whose forward first does something else."""
    start = RIGHT.index("        b, num_tokens", RIGHT.index("def forward"))
    return RIGHT[:start] + f"        {code}\n" + RIGHT[start:]


HOLD = """
import fcntl, os, subprocess, sys, threading, time
held = open(__file__ + ".lock", "w")
fcntl.flock(held, fcntl.LOCK_EX)
"""
SLEEP = "import time; time.sleep(60)"
# What holds for a file: it is right in spite of what it does, or the note says why not.
ENDLESS = {
    "loop_on_import.py": "x = 1\nwhile True: pass\n",
    "loop_in_forward.py": forward("while True: pass"),
    "loop_that_holds_on.py": (
        "while True:\n    try: sum(range(10**6))\n    except BaseException: pass\n"
    ),
    "loop_in_c.py": (
        "from collections import deque\nfrom itertools import repeat\n"
        "deque(repeat(0), maxlen=0)\n"
    ),
    "closes_all.py": "import os, time\nos.closerange(3, 100)\ntime.sleep(60)\n",
}
DEADLY = {
    "abort_on_import.py": "import os\nos.abort()\n",
    "abort_in_forward.py": forward("import os; os.abort()"),
    "segfault.py": "import ctypes\nctypes.string_at(0)\n",
    "exit_at_once.py": "import os\nos._exit(3)\n",
    "exit_at_once_in_forward.py": forward("import os; os._exit(0)"),
    "killed.py": "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n",
    "orphan.py": HOLD + "if os.fork() == 0: time.sleep(60)\nos._exit(4)\n",
    "chatter.py": "import os\nfor i in range(3, 20):\n"
    "    try: os.write(i, b'tea' * 9)\n    except OSError: pass\n",
}
SPOKEN = {
    "exit_in_forward.py": forward("import sys; sys.exit('tea')"),
    "memory_on_import.py": "x = []\nwhile True: x.append(bytearray(2**24))\n",
    "lists_on_import.py": "x = []\nwhile True: x.append([0] * 10**5)\n",
    "memory_in_forward.py": forward("x = bytearray(2**40)"),
    "asks.py": "name = input('Your name? ')\n",
    "missing.py": "import tea\n",
}
HARMLESS = {
    "plain.py": RIGHT,
    "6-1 attention.py": RIGHT,
    "torch.py": RIGHT,
    "注意力.py": RIGHT,
    "neighbours.py": "import mask\nassert mask.tea == 1\n" + RIGHT,
    "moves.py": "import os\nos.chdir('/')\n" + RIGHT,
    "warns.py": "import warnings\nwarnings.warn('tea')\nx = '\\d'\n" + RIGHT,
    "arguments.py": "import argparse\nargparse.ArgumentParser().parse_args()\n" + RIGHT,
    "limits.py": (
        "import os, resource, signal, sys, torch\n"
        "assert resource.getrlimit(resource.RLIMIT_CORE)[0] == 0\n"
        "assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL\n"
        "assert os.environ['CUDA_VISIBLE_DEVICES'] == ''\n"
        "assert torch.get_num_threads() == 1\n"
        "assert sys.stdin.read() == ''\n"
        "print('é')\n" + RIGHT
    ),
    "no_print.py": "import builtins\nbuiltins.print = builtins.open = None\n" + RIGHT,
    "no_temporary_folder.py": (
        "import shutil, tempfile\nassert 'mha-' in tempfile.gettempdir()\n"
        "shutil.rmtree(tempfile.gettempdir())\n" + RIGHT
    ),
    "temporary_file.py": (
        "import os, tempfile\ntempfile.mkstemp('tea')\n"
        "assert os.environ['TMPDIR'] == tempfile.gettempdir()\n" + RIGHT
    ),
    "flood.py": (
        "import os, subprocess, sys\ntea = 'tea' * 10**6\nfor _ in range(100):\n"
        "    print(tea); print(tea, file=sys.stderr); os.write(2, tea.encode())\n"
        "subprocess.run([sys.executable, '-c', 'print(1)'])\n" + RIGHT
    ),
    "threads.py": (
        f"import threading, time\n"
        f"threading.Thread(target=lambda: time.sleep(60)).start()\n{RIGHT}"
    ),
    "children.py": (
        f"{HOLD}subprocess.Popen([sys.executable, '-c', {SLEEP!r}], "
        f"pass_fds=[held.fileno()])\n{RIGHT}"
    ),
    "workers.py": (
        "import multiprocessing, time\nheld = multiprocessing.get_context('fork')\n"
        f"held.Process(target=time.sleep, args=(60,)).start()\n{RIGHT}"
    ),
    "no_linear.py": "import torch\ntorch.nn.Linear = torch.nn.Identity\n" + RIGHT,
    "last.py": RIGHT,
}
ALL = {**ENDLESS, **DEADLY, **SPOKEN, **HARMLESS}


RUN = """
import json, sys
from mha.checker.worker import *
from mha.checker.files import MODULE, Target
if __name__ == "__main__":
    if sys.platform != "win32":  # what the processes must not take over
        import resource, signal
        hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
        resource.setrlimit(resource.RLIMIT_CORE, (hard, hard))
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    jobs = [Job(Target(file), timeout=limit) for file, limit in json.loads(sys.argv[1])]
    found = check_files(jobs, 6, start_method())
    print(json.dumps([[number, as_record(verdict)] for number, verdict in found]))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    made = tmp_path_factory.mktemp("learners")
    for name, content in {**ALL, "mask.py": "tea = 1\n"}.items():
        (made / name).write_text(content, "utf-8")
    return made


@pytest.fixture(scope="module")
def scratch(tmp_path_factory) -> Path:
    """Where temporary files go."""
    return tmp_path_factory.mktemp("scratch")


@pytest.fixture(scope="module")
def verdicts(folder: Path, scratch: Path) -> dict[str, Verdict]:
    """All files at once, in processes that begin as they do for a learner.

    The tests' own process must not fork: torch has computed there.
    """
    jobs = [[str(folder / name), SHORT if name in ENDLESS else LONG] for name in ALL]
    done = subprocess.run(
        [sys.executable, "-c", RUN, json.dumps(jobs)],
        stdout=subprocess.PIPE,
        env=os.environ
        | {"PYTHONDONTWRITEBYTECODE": "", "PYTHONIOENCODING": "ascii"}
        | dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(scratch)),
    )
    found = {number: from_record(record) for number, record in json.loads(done.stdout)}
    return {name: found[number] for number, name in enumerate(ALL)}


@pytest.fixture
def note(verdicts: dict[str, Verdict]):
    """A function that gives the reason why a file was not judged."""

    def give(name: str) -> str:
        assert verdicts[name].report.status == "unjudged"
        return verdicts[name].report.note

    return give


@posix
@pytest.mark.parametrize("name", sorted(HARMLESS.keys() - {"no_linear.py"}))
def test_what_a_file_does_beside_its_layer_changes_nothing(verdicts, name: str):
    assert verdicts[name].report == Report("right", "fused")
    assert verdicts[name].layer == "MultiHeadAttention"


@posix
def test_a_changed_torch_ends_with_its_process(verdicts):
    assert verdicts["no_linear.py"].report.status != "right"
    assert verdicts["last.py"].report.status == "right"


@posix
def test_an_endless_loop_is_named_by_its_line(note, folder: Path):
    text = (folder / "loop_in_forward.py").read_text("utf-8")
    line = text[: text.index("while True")].count("\n") + 1

    assert (
        note("loop_on_import.py") == "It must end within 3 s, got line 2 still running."
    )
    assert note("loop_in_forward.py") == (
        f"It must end within 3 s, got line {line} still running."
    )


@posix
def test_an_endless_loop_that_catches_everything_is_ended(note):
    assert note("loop_that_holds_on.py") == (
        "It must end within 3 s, got code that goes on after it."
    )


@posix
def test_an_endless_loop_outside_of_python_is_ended(note):
    assert note("loop_in_c.py") == "It must end within 3 s, got no end."


@posix
@pytest.mark.parametrize(
    ("name", "came"),
    [
        ("abort_on_import.py", "SIGABRT"),
        ("abort_in_forward.py", "SIGABRT"),
        ("segfault.py", "SIGSEGV"),
        ("killed.py", "SIGKILL: memory may have run out"),
        ("exit_at_once.py", "its end with exit code 3"),
        ("exit_at_once_in_forward.py", "its end with exit code 0"),
        ("orphan.py", "its end with exit code 4"),
    ],
)
def test_the_end_of_python_is_told(note, name: str, came: str):
    assert note(name) == f"It must leave Python running, got {came}."


@posix
def test_the_class_is_told_before_python_ends(verdicts):
    assert verdicts["abort_in_forward.py"].layer == "MultiHeadAttention"
    assert verdicts["abort_on_import.py"].layer is None


@posix
def test_a_file_that_cannot_answer_is_not_judged(note):
    assert note("closes_all.py") == (
        "It must leave Python running, got its end with exit code 1."
    )


@linux
def test_a_file_that_spoils_its_own_answer_is_not_judged(note):
    assert note("chatter.py") == (
        "It must leave Python running, got its end with exit code 0."
    )


@posix
def test_sys_exit_in_forward(note):
    assert "must not end" in note("exit_in_forward.py")


@linux
@pytest.mark.parametrize("name", ["memory_on_import.py", "lists_on_import.py"])
def test_memory_without_end(note, name: str):
    assert note(name) == "It must do with little memory, got line 2 asking for more."


@posix
def test_memory_without_end_in_forward_is_not_right(verdicts):
    report = verdicts["memory_in_forward.py"].report

    assert "memory" in str(report).lower()


def test_nobody_is_there_to_type(note):
    assert note("asks.py") == (
        "It must not wait for input, got line 1 with nobody there to type."
    )


def test_a_missing_import_is_named(note):
    assert note("missing.py") == (
        "What the file imports must be installed, got line 1 without tea."
    )


@posix
@pytest.mark.parametrize("name", ["orphan.py", "children.py"])
def test_what_a_file_started_ends_with_it(verdicts, folder: Path, name: str):
    import fcntl

    with open(folder / f"{name}.lock") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # held by nobody any more


def test_nothing_is_left_behind(verdicts, folder: Path, scratch: Path):
    left = {path.name for path in folder.iterdir() if path.suffix != ".lock"}

    assert left == {*ALL, "mask.py"}
    assert list(scratch.iterdir()) == []


# In this process


class Process:
    """A process that is there, or ended with a code."""

    def __init__(self, exitcode: int | None = None):
        self.exitcode = exitcode

    def is_alive(self) -> bool:
        return self.exitcode is None


@pytest.fixture
def run():
    """A function that gives a run in some state, which told something before."""
    ours, theirs = Pipe(duplex=False)
    known = Verdict("my.py", None, Report("unjudged"))

    def give(process: Process, told: bytes = b"", left: float = 60.0) -> Run:
        if told:
            theirs.send_bytes(told)
        deadline = time.monotonic() + left
        return Run(0, Job(Target("my.py"), timeout=3.0), process, ours, deadline, known)

    yield give
    ours.close()
    theirs.close()


def record(**more: str) -> bytes:
    return json.dumps(as_record(Verdict("my.py", "Mine", Report(**more)))).encode()


def test_a_run_has_no_verdict_at_first(run):
    assert look(run(Process())) is None


def test_the_class_alone_is_no_verdict(run):
    begun = run(Process(), record(status="unjudged"))

    assert look(begun) is None
    assert begun.known.layer == "Mine"


@pytest.mark.parametrize("process", [Process(), Process(0)], ids=["running", "ended"])
def test_what_was_told_is_the_verdict(run, process: Process):
    told = record(status="right", form="fused")

    assert look(run(process, told)) == Verdict(
        "my.py", "Mine", Report("right", "fused")
    )


def test_a_process_that_is_gone_has_no_other_verdict(run):
    assert look(run(Process(3))).report.note == (
        "It must leave Python running, got its end with exit code 3."
    )


def test_a_process_is_not_waited_for_after_its_time(run):
    assert look(run(Process(), left=-1.0)).report.note == (
        "It must end within 3 s, got no end."
    )


@pytest.mark.parametrize("told", [b"tea", b"\xff", b"3", b"[]", b"{}"])
def test_an_answer_that_is_none_is_passed_over(run, told: bytes):
    assert look(run(Process(), told)) is None


def test_who_stops_listening_ends_all(folder: Path, monkeypatch):
    ended: list[Run] = []
    end = worker.end
    monkeypatch.setattr(worker, "end", lambda run: ended.append(run) or end(run))
    names = ("missing.py", "loop_on_import.py")
    jobs = [Job(Target(str(folder / name)), timeout=60.0) for name in names]
    method = "spawn" if sys.platform == "win32" else "forkserver"

    verdicts = check_files(jobs, 2, method)
    next(verdicts)
    verdicts.close()

    assert [run.number for run in ended] == [0, 1]
    assert not any(run.process.is_alive() for run in ended)


def test_what_forks_share_is_imported_once_and_before(run, monkeypatch):
    done: list[str] = []
    verdict = Verdict("my.py", None, Report("right", "fused"))
    looks = iter([None, verdict, None, None, verdict])

    def start(number: int, job: Job, method: str, scratch: str) -> Run:
        done.append("start")
        return run(Process())

    monkeypatch.setattr(worker, "start", start)
    monkeypatch.setattr(worker, "look", lambda run: next(looks))
    monkeypatch.setattr(worker, "end", lambda run: done.append("end"))
    monkeypatch.setattr(worker.importlib, "import_module", done.append)

    verdicts = list(check_files([Job(Target("my.py"))] * 2, 1, "fork"))

    assert done == ["torch._dynamo", "start", "end", "start", "end"]
    assert [found for _, found in verdicts] == [verdict] * 2


@posix
def test_a_process_without_its_group_yet_is_ended(run, monkeypatch):
    done: list[str] = []
    process = Process(0)
    process.pid = 7
    process.kill = lambda: done.append("kill")
    process.join = lambda: done.append("join")

    def no_group(number: int, signal: int) -> None:
        raise ProcessLookupError

    monkeypatch.setattr(os, "killpg", no_group)

    worker.end(run(process))

    assert done == ["kill", "join"]


@pytest.mark.parametrize("before", ["tea", None])
def test_the_scratch_folder_goes_and_its_setting_too(monkeypatch, before: str | None):
    monkeypatch.setenv(worker.CACHE, "tea")
    if before is None:
        monkeypatch.delenv(worker.CACHE)

    with worker.scratch_folder() as scratch:
        assert os.environ[worker.CACHE] == scratch

    assert not Path(scratch).exists()
    assert os.environ.get(worker.CACHE) == before


def test_windows_ends_a_process_with_its_children(run, monkeypatch):
    commands: list[list[str]] = []
    process = Process(0)
    process.pid, process.kill, process.join = 7, lambda: None, lambda: None
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr(
        subprocess, "run", lambda command, **more: commands.append(command)
    )

    worker.end(run(process))

    assert commands == [["taskkill", "/F", "/T", "/PID", "7"]]


@posix
def test_limits_are_lifted_to_say_what_happened(folder: Path, monkeypatch):
    import resource

    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setitem(sys.modules, MODULE, sys)
    before = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (2**46, before[1]))
    signal.setitimer(signal.ITIMER_REAL, 600.0)
    try:
        worker.examine(Job(Target(str(folder / "missing.py"))), lambda verdict: None)
    finally:
        left = signal.getitimer(signal.ITIMER_REAL)[0]
        limits = resource.getrlimit(resource.RLIMIT_AS)
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        resource.setrlimit(resource.RLIMIT_AS, before)

    assert (left, limits) == (0.0, (before[1], before[1]))


def test_windows_has_no_limits_to_lift(monkeypatch):
    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.delattr(worker.signal, "setitimer", raising=False)

    worker.lift_limits()


def test_processes_at_once_fit_the_memory(monkeypatch):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: range(8), raising=False)
    for available, fit in [(0, 1), (5, 2), (100, 8)]:
        text = f"MemTotal: 1 kB\nMemAvailable: {available * 2**20} kB\n"
        monkeypatch.setattr(Path, "read_text", lambda path, encoding, text=text: text)

        assert worker.processes_at_once() == fit


def test_processes_at_once_fit_the_cores(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(os, "cpu_count", lambda: 5)

    assert worker.processes_at_once() == 5


@pytest.mark.parametrize(
    ("system", "method"),
    [("linux", "fork"), ("darwin", "forkserver"), ("win32", "spawn")],
)
def test_a_process_begins_as_the_system_allows(monkeypatch, system: str, method: str):
    monkeypatch.setattr(sys, "platform", system)

    assert worker.start_method() == method


@posix
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("SIGALRM", "It must end within 3 s, got code that goes on after it."),
        (
            "SIGKILL",
            "It must leave Python running, got SIGKILL: memory may have run out.",
        ),
        ("SIGSEGV", "It must leave Python running, got SIGSEGV."),
    ],
)
def test_a_signal_is_told(name: str, said: str):
    assert why_ended(-getattr(signal, name), 3.0) == said


def test_an_exit_code_of_windows_is_told():
    assert why_ended(3221225477, 1.0) == (
        "It must leave Python running, got its end with exit code 3221225477."
    )
