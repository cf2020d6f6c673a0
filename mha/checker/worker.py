"""A process for each learner's file, with a limit of time and of memory.

A learner's code runs here with the learner's rights: a process keeps accidents apart
(endless loops, crashes, output, changed globals), but it is no sandbox. Linux has all
limits; macOS does not honour the one of memory; Windows has neither that one nor the
line in which an endless loop was stopped.
"""

import importlib
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields, replace
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Literal, cast

import torch

from mha.checker.files import (
    CannotJudge,
    Target,
    TimeIsUp,
    explain,
    find_layer,
    load,
)
from mha.checker.judge import judge
from mha.checker.records import Finding, Form, Report

MEMORY = 2 * 2**30  # bytes that a file may use beside torch
SLOW = "torch._dynamo"  # what torch imports late, in more than a second,
CACHE = "TORCHINDUCTOR_CACHE_DIR"  # and where it then makes a folder
GRACE = 2.0  # seconds that a process has to say that its time is up
TICK = 0.02  # seconds between two looks at all processes
MESSAGE = 2**20  # bytes of the longest message that is read

Method = Literal["fork", "forkserver", "spawn"]
Record = dict[str, str | None]


@dataclass(frozen=True)
class Job:
    """One class to judge, and how.

    Attributes:
        target: The file, and the class in it.
        form: The form to judge it as; None finds out.
        compiled: Whether torch.compile is tried too.
        timeout: Seconds that it may take.
    """

    target: Target
    form: Form | None = None
    compiled: bool = False
    timeout: float = 30.0


@dataclass(frozen=True)
class Verdict:
    """What became of one file.

    Attributes:
        file: The file, as it was named.
        layer: The class in it; None where none was found.
        report: What the judge says, or why it was not asked.
    """

    file: str
    layer: str | None
    report: Report


def as_record(verdict: Verdict) -> Record:
    """The verdict as flat data, ready for JSON."""
    report = verdict.report
    nothing = dict.fromkeys(field.name for field in fields(Finding))
    return {
        "file": verdict.file,
        "class": verdict.layer,
        "form": report.form,
        "status": report.status,
        **(asdict(report.finding) if report.finding else nothing),
        "note": report.note or None,
    }


def from_record(record: Record) -> Verdict:
    """The verdict that `as_record` made flat."""
    rest = dict(record)
    file, layer, form, status, note = (
        rest.pop(key) for key in ("file", "class", "form", "status", "note")
    )
    finding = None if rest["code"] is None else Finding(**cast(dict[str, str], rest))
    report = Report(
        cast(Literal["right"], status), cast(Form, form), finding, note or ""
    )
    return Verdict(cast(str, file), layer, report)


def unjudged(verdict: Verdict, note: str) -> Verdict:
    """The verdict on a file of which nothing more is known than the reason."""
    return replace(verdict, report=Report("unjudged", verdict.report.form, None, note))


# In the process of a file.


def lift_limits() -> None:
    """Leave memory and time to say what happened."""
    if sys.platform != "win32":
        import resource

        signal.setitimer(signal.ITIMER_REAL, 0)
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (hard, hard))


def examine(job: Job, announce: Callable[[Verdict], None]) -> Verdict:
    """Load a learner's file and have its class judged.

    Args:
        job: What to judge.
        announce: Is told the class as soon as it is found, for the case that the
            process ends before there is a verdict.

    Returns:
        The verdict, whatever the file does, unless it ends the process.
    """
    path = Path(job.target.file).absolute()
    known = Verdict(job.target.file, job.target.layer, Report("unjudged", job.form))
    try:
        layer = find_layer(load(path), job.target.layer, job.form)
        known = replace(known, layer=layer.__name__)
        announce(known)
        return replace(known, report=judge(layer, job.form, job.compiled))
    except CannotJudge as error:
        return unjudged(known, str(error))
    except BaseException as error:  # a learner's file can raise anything
        lift_limits()
        return unjudged(known, explain(error, path))


# What follows holds for a process of its own only, so tests see it from outside.


def limit_memory() -> None:  # pragma: no cover
    """Let this process have so much memory more than it has."""
    if sys.platform == "linux":
        import resource

        pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        most = pages * resource.getpagesize() + MEMORY
        if hard != resource.RLIM_INFINITY:
            most = min(most, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))


def stop_after(timeout: float) -> None:  # pragma: no cover
    """Raise TimeIsUp when the time is up; end the process when that is caught."""

    def stop(number: int, frame: object) -> None:
        signal.signal(number, signal.SIG_DFL)
        raise TimeIsUp(f"{timeout:g} s")

    if sys.platform != "win32":
        signal.signal(signal.SIGALRM, stop)
        signal.setitimer(signal.ITIMER_REAL, timeout, GRACE / 2)


def detach() -> None:  # pragma: no cover
    """Leave the terminal: a group of its own, no input, no output, no core file."""
    null = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(null, standard)
    # Another encoding would make a print fail. It stays open as long as the process.
    sys.stdout = sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.platform != "win32":
        import resource

        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        hard = resource.getrlimit(resource.RLIMIT_CORE)[1]
        resource.setrlimit(resource.RLIMIT_CORE, (0, hard))


def settle(job: Job, scratch: str) -> None:  # pragma: no cover
    """Make the process look like `python FILE`, with a place for what it may write."""
    os.environ.update({"TMPDIR": scratch, "TEMP": scratch, "TMP": scratch})
    os.environ[CACHE] = scratch
    os.environ["CUDA_VISIBLE_DEVICES"] = ""  # the same verdict on every machine
    tempfile.tempdir = scratch
    sys.argv = [job.target.file]
    sys.dont_write_bytecode = True
    warnings.resetwarnings()
    warnings.simplefilter("ignore")  # nobody sees them; as errors they would stop it
    torch.set_num_threads(1)  # threads do not survive a fork, and files share the cores


def work(connection: Connection, job: Job, scratch: str) -> None:  # pragma: no cover
    """Judge one file and send its record; who asked ends the process after that."""

    def tell(verdict: Verdict) -> None:
        connection.send_bytes(json.dumps(as_record(verdict)).encode())

    detach()
    settle(job, scratch)
    limit_memory()
    stop_after(job.timeout)
    tell(examine(job, tell))


# In the process that asks.


@dataclass
class Run:
    """A process at work on a file.

    Attributes:
        number: The place of the file among all.
        job: What is judged.
        process: Who does it.
        connection: Where it tells.
        deadline: When it is ended, on the clock of `time.monotonic`.
        known: What it told so far.
    """

    number: int
    job: Job
    process: BaseProcess
    connection: Connection
    deadline: float
    known: Verdict


def start_method() -> Method:
    """How a process begins on this system.

    A fork has torch already and is ready at once, and the command line has done nothing
    with torch that a fork could break. Apple's libraries forbid it in a process that
    uses them, so there a server forks that has imported torch and done nothing else.
    """
    if sys.platform == "linux":
        return "fork"
    return "spawn" if sys.platform == "win32" else "forkserver"


def start(number: int, job: Job, method: Method, scratch: str) -> Run:
    """Begin a process for one file."""
    context = cast(SpawnContext, multiprocessing.get_context(method))  # all look alike
    context.set_forkserver_preload([__name__, SLOW])
    folder = os.path.join(scratch, str(number))
    os.mkdir(folder)
    ours, theirs = context.Pipe(duplex=False)
    process = context.Process(target=work, args=(theirs, job, folder))
    process.start()
    theirs.close()
    known = Verdict(job.target.file, job.target.layer, Report("unjudged", job.form))
    deadline = time.monotonic() + job.timeout + GRACE
    return Run(number, job, process, ours, deadline, known)


def end(run: Run) -> None:
    """End the process of a file with all that it started."""
    if sys.platform == "win32":
        command = ["taskkill", "/F", "/T", "/PID", str(run.process.pid)]
        subprocess.run(command, capture_output=True)
    else:
        with suppress(OSError):  # there is no group yet, or no longer
            os.killpg(cast(int, run.process.pid), signal.SIGKILL)
    run.process.kill()
    run.process.join()
    run.connection.close()


def why_ended(exitcode: int | None, timeout: float) -> str:
    """Say in a sentence how a process ended that gave no verdict."""
    if sys.platform != "win32" and exitcode == -signal.SIGALRM:
        return f"It must end within {timeout:g} s, got code that goes on after it."
    if sys.platform != "win32" and exitcode == -signal.SIGKILL:
        return "It must leave Python running, got SIGKILL: memory may have run out."
    if exitcode is not None and exitcode < 0:
        return f"It must leave Python running, got {signal.Signals(-exitcode).name}."
    return f"It must leave Python running, got its end with exit code {exitcode}."


def look(run: Run) -> Verdict | None:
    """The verdict on a file, if there is one by now."""
    gone = not run.process.is_alive()  # asked first: who is gone has said everything
    try:
        while run.connection.poll():
            run.known = from_record(json.loads(run.connection.recv_bytes(MESSAGE)))
            if run.known.report != Report("unjudged", run.job.form):
                return run.known
    except (EOFError, OSError, ValueError, LookupError, TypeError, AttributeError):
        pass  # it closed or spoiled its answer; it may still go on
    if gone:
        return unjudged(run.known, why_ended(run.process.exitcode, run.job.timeout))
    if time.monotonic() > run.deadline:
        limit = f"{run.job.timeout:g} s"
        return unjudged(run.known, f"It must end within {limit}, got no end.")
    return None


@contextmanager
def scratch_folder() -> Generator[str, None, None]:
    """A folder for all that is written meanwhile, torch's cache too."""
    before = os.environ.get(CACHE)
    with tempfile.TemporaryDirectory(
        prefix="mha-", ignore_cleanup_errors=True
    ) as scratch:
        os.environ[CACHE] = scratch
        try:
            yield scratch
        finally:
            del os.environ[CACHE]
            if before is not None:
                os.environ[CACHE] = before


def check_files(
    jobs: Sequence[Job], at_once: int, method: Method
) -> Iterator[tuple[int, Verdict]]:
    """Judge each file in a process of its own.

    Args:
        jobs: What to judge.
        at_once: How many processes may run at a time.
        method: How a process begins; `fork` only where torch has not computed yet.

    Yields:
        The place of each job and its verdict, as they come.
    """
    waiting = deque(enumerate(jobs))
    running: list[Run] = []
    with scratch_folder() as scratch:
        if method == "fork" and len(jobs) > 1:
            importlib.import_module(SLOW)  # once for all of them
        try:
            while waiting or running:
                while waiting and len(running) < at_once:
                    running.append(start(*waiting.popleft(), method, scratch))
                time.sleep(TICK)
                for run in tuple(running):
                    verdict = look(run)
                    if verdict is not None:
                        end(run)
                        running.remove(run)
                        yield run.number, verdict
        finally:
            for run in running:
                end(run)


def processes_at_once() -> int:
    """How many files the cores, and on Linux the free memory, can bear at a time."""
    cores = os.cpu_count() or 1
    if sys.platform != "linux":
        return cores
    cores = len(os.sched_getaffinity(0))
    lines = Path("/proc/meminfo").read_text("ascii").splitlines()
    sizes = dict(line.split(":") for line in lines)
    available = int(sizes["MemAvailable"].split()[0]) * 1024  # from kB
    return max(1, min(cores, available // MEMORY))
