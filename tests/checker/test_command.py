"""The command line: what it understands, what it prints, how it ends."""

import errno
import io
import json
import os
import runpy
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
from rich.cells import cell_len

from mha.__main__ import main
from mha.checker.files import Target, printable
from mha.checker.records import Finding, Report
from mha.checker.worker import Job, Verdict
from mha.commands import check as command
from mha.commands.check import in_order

ROOT = Path(__file__).resolve().parents[2]
FUSED = str(ROOT / "mha" / "fused.py")
RIGHT = Report("right", "fused")
WRONG = Report(
    "wrong",
    "fused",
    Finding("mask-inverted", "Inverted.", "0.3", "0", "Which?", "pitfalls/#mask"),
)
UNFINISHED = Report("unfinished", "fused", note="Next: the mask.")
UNJUDGED = Report("unjudged", note="It must \x1b[1mend.")
KEYS = [
    "file",
    "class",
    "form",
    "status",
    "code",
    "wrong",
    "seen",
    "expected",
    "ask",
    "link",
    "note",
]
posix = pytest.mark.skipif(sys.platform == "win32", reason="needs signals, terminals")


@pytest.fixture(autouse=True)
def _signals(monkeypatch):
    """Nothing of a real terminal, and the signals as they were."""
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.fixture
def asked(monkeypatch) -> list[Job]:
    """What was asked; the answers are the reports that the files are named after."""
    jobs: list[Job] = []
    reports = {"r": RIGHT, "w": WRONG, "n": UNFINISHED, "u": UNJUDGED}

    def answer(asked: list[Job], at_once: int, method: str):
        jobs.extend(asked)
        for number, job in reversed([*enumerate(asked)]):
            report = reports[Path(job.target.file).name[0]]
            yield number, Verdict(job.target.file, job.target.layer, report)

    monkeypatch.setattr(command, "check_files", answer)
    return jobs


class Terminal(io.StringIO):
    """What is written to a terminal."""

    def isatty(self) -> bool:
        return True


# What it understands


def test_what_is_asked_without_options(asked):
    main(["check", "r.py"])

    assert asked == [Job(Target("r.py"), None, False, 30.0)]


def test_what_is_asked_with_all_options(asked):
    main(["check", "r.py:A", "w.py", "--as", "causal", "--compile", "--timeout", "2.5"])

    assert asked == [
        Job(Target("r.py", "A"), "causal", True, 2.5),
        Job(Target("w.py"), "causal", True, 2.5),
    ]


def test_a_pattern_stands_for_its_files(asked, tmp_path: Path):
    for name in ("r2.py", "r1.py", "x.txt", "r[1].py"):
        (tmp_path / name).touch()

    main(["check", f"{tmp_path}/*.py:A", f"{tmp_path}/r[1].py", "r*.none"])

    assert [(Path(job.target.file).name, job.target.layer) for job in asked] == [
        ("r1.py", "A"),
        ("r2.py", "A"),
        ("r[1].py", "A"),
        ("r[1].py", None),
        ("r*.none", None),
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("", "the following arguments are required: COMMAND"),
        ("tea", "invalid choice: 'tea'"),
        ("check", "the following arguments are required: FILE[:CLASS]"),
        ("check r.py --as tea", "argument --as: invalid choice: 'tea'"),
        ("check r.py --format tea", "argument --format: invalid choice: 'tea'"),
        *(
            (
                f"check r.py --timeout {limit}",
                f"must be a number of seconds above 0, at most a day, got '{limit}'",
            )
            for limit in ("tea", "0", "-1", "nan", "inf", "86401")
        ),
    ],
)
def test_a_wrong_command_is_answered_with_the_rule(capsys, arguments: str, said: str):
    with pytest.raises(SystemExit) as caught:
        main(arguments.split())

    assert caught.value.code == 2
    assert said in capsys.readouterr().err


def test_the_help_says_that_it_is_no_sandbox(capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["mha", "check", "--help"])
    monkeypatch.delitem(sys.modules, "mha.__main__")

    with pytest.raises(SystemExit) as caught:
        runpy.run_module("mha", run_name="__main__")

    assert caught.value.code == 0
    assert "no sandbox" in " ".join(capsys.readouterr().out.split())


# What it prints


def test_one_file_is_answered_in_full(asked, capsys):
    main(["check", "w.py:A"])

    printed, errors = capsys.readouterr()
    assert printed == f"w.py:A\n{WRONG}\n"
    assert errors == ""


def test_a_file_without_a_class_has_its_name_alone(asked, capsys):
    main(["check", "u.py"])

    assert capsys.readouterr().out == "u.py\nIt must \\x1b[1mend.\n"


def test_several_files_are_a_table(asked, capsys):
    main(["check", "w.py", "r.py", "u.py", "n.py", "r.py"])

    assert capsys.readouterr() == (
        "file  verdict       what\n"
        "w.py  wrong         mask-inverted\n"
        "r.py  right\n"
        "u.py  not judged    It must \\x1b[1mend.\n"
        "n.py  not finished  Next: the mask.\n"
        "r.py  right\n"
        "\n"
        "2 right, 1 wrong, 1 not finished, 1 not judged\n",
        "",
    )


def test_json_is_a_line_for_each_file_in_order(asked, capsys):
    main(["check", "--format", "json", "w.py:A", "r.py", "u.py", "n.py"])

    printed, errors = capsys.readouterr()
    records = [json.loads(line) for line in printed.splitlines()]
    nothing = dict.fromkeys(KEYS)
    assert [list(record) for record in records] == [KEYS] * 4
    assert records == [
        {
            "file": "w.py",
            "class": "A",
            "form": "fused",
            "status": "wrong",
            "code": "mask-inverted",
            "wrong": "Inverted.",
            "seen": "0.3",
            "expected": "0",
            "ask": "Which?",
            "link": "pitfalls/#mask",
            "note": None,
        },
        {**nothing, "file": "r.py", "form": "fused", "status": "right"},
        {
            **nothing,
            "file": "u.py",
            "status": "unjudged",
            "note": "It must \x1b[1mend.",
        },
        {
            **nothing,
            "file": "n.py",
            "form": "fused",
            "status": "unfinished",
            "note": "Next: the mask.",
        },
    ]
    assert errors == ""


def test_every_key_is_documented():
    for key in KEYS:
        assert f"- `{key}`: " in str(command.__doc__)


ODD = [
    "r.py",
    "注意力注意力.py",
    "r\nb.py",
    "r\x1b[31m.py",
    "r[bold].py",
    "r:smile:.py",
]


@pytest.fixture
def odd(asked, monkeypatch) -> list[str]:
    """Odd names, all of right layers."""
    names = [*ODD, "r" + "x" * 300 + ".py", os.fsdecode(b"r\xff.py")]
    verdicts = [(i, Verdict(name, None, RIGHT)) for i, name in enumerate(names)]
    monkeypatch.setattr(command, "check_files", lambda *arguments: verdicts)
    return names


def test_a_table_in_a_pipe_has_a_line_for_each_odd_name(odd, capsys):
    main(["check", *odd])

    head, *rows = capsys.readouterr().out.split("\n\n")[0].splitlines()
    assert len(rows) == len(odd)
    assert {row[-5:] for row in rows} == {"right"}
    width = cell_len(head.removesuffix("verdict  what") + "right")
    assert {cell_len(row) for row in rows} == {width}
    assert all(letter.isprintable() for row in rows for letter in row)


def test_a_table_on_a_narrow_terminal_keeps_its_columns(odd, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("NO_COLOR", "1")

    main(["check", *odd])

    lines = terminal.getvalue().split("\n\n")[0].splitlines()
    assert {cell_len(line) for line in lines} == {cell_len(lines[0])}
    assert cell_len(lines[0]) <= 40
    assert sum("right" in line for line in lines) == len(odd)
    assert sum(line.count("x") for line in lines) == 301  # and one in \\x1b


@pytest.mark.parametrize("name", [*ODD, "3.14.py"], ids=ascii)
def test_an_odd_name_is_printed_as_it_is(monkeypatch, name: str):
    terminal = Terminal()
    verdict = Verdict(name, None, RIGHT)
    monkeypatch.setattr(command, "check_files", lambda *arguments: [(0, verdict)])
    monkeypatch.setattr(sys, "stdout", terminal)

    main(["check", name])

    assert terminal.getvalue().splitlines()[0] == printable(name)


def test_a_letter_that_the_output_lacks_is_no_error(odd, monkeypatch):
    bytes_written = io.BytesIO()
    output = io.TextIOWrapper(bytes_written, encoding="ascii", write_through=True)
    monkeypatch.setattr(sys, "stdout", output)

    assert main(["check", *odd]) == 0
    assert rb"\u6ce8\u610f\u529b" in bytes_written.getvalue()


@pytest.mark.parametrize("files", [["w.py"], ["w.py", "r.py"]], ids=["one", "several"])
def test_colour_is_for_terminals_that_want_it(asked, monkeypatch, files: list[str]):
    printed = {}
    for wish in ("", "1"):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stdout", terminal)
        monkeypatch.setenv("NO_COLOR", wish)
        main(["check", *files])
        printed[wish] = terminal.getvalue()

    assert "\x1b[31m" in printed[""]
    assert "\x1b" not in printed["1"]


def test_no_bar_is_drawn_for_one_file_or_into_a_pipe(asked, capsys, monkeypatch):
    main(["check", "r.py", "r.py"])
    into_a_pipe = capsys.readouterr().err
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    main(["check", "r.py"])

    assert into_a_pipe == ""
    assert "Checking" not in terminal.getvalue()


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_bar_is_drawn_for_several_files_on_a_terminal(
    asked, capsys, monkeypatch, form: str
):
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)

    main(["check", "r.py", "r.py", "--format", form])

    drawn = terminal.getvalue()
    assert drawn.index("  0%") < drawn.index(" 50%") < drawn.index("100%")
    printed = capsys.readouterr().out
    assert "%" not in printed
    assert printed.count("r.py") == 2


def test_a_bar_starts_no_thread_as_forks_follow(asked, capsys, monkeypatch):
    threads: list[int] = []

    def coming(*arguments):
        for number in range(2):
            threads.append(threading.active_count())
            yield number, Verdict("r.py", None, RIGHT)

    monkeypatch.setattr(command, "check_files", coming)
    monkeypatch.setattr(sys, "stderr", Terminal())
    before = threading.active_count()

    main(["check", "r.py", "r.py"])

    assert threads == [before] * 2


def test_a_json_line_is_there_as_soon_as_its_verdict(asked, monkeypatch):
    written = io.BytesIO()
    lines: list[int] = []

    def coming(*arguments):
        for number in range(2):
            yield number, Verdict("r.py", None, RIGHT)
            lines.append(written.getvalue().count(b"\n"))

    monkeypatch.setattr(command, "check_files", coming)
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="utf-8"))

    main(["check", "r.py", "r.py", "--format", "json"])

    assert lines == [1, 2]


def test_verdicts_are_put_in_order_as_early_as_they_can():
    first, second, third = (Verdict(name, None, RIGHT) for name in "abc")
    came: list[str] = []

    def coming():
        for number, verdict in [(1, second), (0, first), (2, third)]:
            came.append(verdict.file)
            yield number, verdict

    given = [(verdict.file, len(came)) for verdict in in_order(coming())]

    assert given == [("a", 2), ("b", 2), ("c", 3)]


# How it ends


@pytest.mark.parametrize(
    ("files", "status"),
    [
        ("r.py", 0),
        ("w.py", 1),
        ("n.py", 2),
        ("u.py", 2),
        ("r.py r.py", 0),
        ("r.py w.py r.py", 1),
        ("n.py w.py", 2),
        ("r.py w.py u.py r.py", 2),
    ],
)
@pytest.mark.parametrize("form", ["text", "json"])
def test_the_exit_status_is_that_of_the_worst(
    asked, files: str, status: int, form: str
):
    assert main(["check", *files.split(), "--format", form]) == status


def raising(error: BaseException):
    def raise_it(*arguments):
        raise error

    return raise_it


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (KeyboardInterrupt(), 130, "interrupted\n"),
        (
            OSError(errno.EAGAIN, "no more"),
            2,
            "mha must be able to start processes, "
            f"got: [Errno {errno.EAGAIN}] no more\n",
        ),
    ],
)
def test_what_ends_the_command_has_a_status(capsys, monkeypatch, error, status, said):
    monkeypatch.setattr(command, "check_files", raising(error))

    assert main(["check", "r.py"]) == status
    assert capsys.readouterr() == ("", said)


class Left(io.StringIO):
    """A pipe that nobody reads any more."""

    def write(self, text: str) -> int:
        raise BrokenPipeError

    flush = fileno = lambda self: 1


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_reader_who_leaves_is_no_error(asked, monkeypatch, form: str):
    copied: list[int] = []
    monkeypatch.setattr(sys, "stdout", Left())
    monkeypatch.setattr(os, "dup2", lambda null, output: copied.append(output))

    assert main(["check", "r.py", "r.py", "--format", form]) == 141
    assert copied == [1]


def test_the_end_from_outside_is_in_order(asked):
    main(["check", "r.py"])

    with pytest.raises(SystemExit) as caught:
        signal.raise_signal(signal.SIGTERM)

    assert caught.value.code == 143


def test_closed_input_and_output_are_filled_first(asked, monkeypatch):
    opened: list[str] = []

    def fstat(number: int) -> None:
        if number != 1:
            raise OSError(errno.EBADF, "closed")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fstat", fstat)
        patch.setattr(os, "open", lambda name, mode: opened.append(name))
        main(["check", "r.py"])

    assert opened == [os.devnull] * 2


# As it is started


def run(*arguments: str, **more) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mha", *arguments],
        capture_output=True,
        encoding="utf-8",
        **more,
    )


LOOP = """
import fcntl
lock = open(__file__ + ".lock", "w")
fcntl.flock(lock, fcntl.LOCK_EX)
lock.write("held")
lock.flush()
while True: pass
"""


@pytest.fixture(scope="module")
def learners(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("learners")
    right = Path(FUSED).read_text("utf-8")
    flood = "import os\nfor i in range(99):\n    print(i)\n    os.write(2, b'tea')\n"
    (folder / "flood.py").write_text(flood + right, "utf-8")
    wrong = right.replace("diagonal=1", "diagonal=2")
    (folder / "注意.py").write_text(wrong, "utf-8")
    (folder / "loop.py").write_text(LOOP, "utf-8")
    return folder


def test_files_are_judged(learners: Path):
    names = ["flood.py", "注意.py:MultiHeadAttention", "none.py"]
    done = run("check", "--format", "json", *names, cwd=learners)

    records = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 2
    assert done.stderr == ""
    assert [record["file"] for record in records] == ["flood.py", "注意.py", "none.py"]
    assert [record["status"] for record in records] == ["right", "wrong", "unjudged"]
    assert [record["code"] for record in records] == [None, "mask-one-too-late", None]
    assert {path.name for path in learners.iterdir()} - {"loop.py.lock"} == {
        "flood.py",
        "注意.py",
        "loop.py",
    }


@posix
@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)]
)
def test_a_signal_ends_all_processes(learners: Path, number: int, status: int):
    import fcntl

    line = [sys.executable, "-m", "mha", "check", str(learners / "loop.py")]
    with (
        open(learners / "loop.py.lock", "w+") as lock,
        subprocess.Popen(line, stderr=subprocess.PIPE, encoding="utf-8") as started,
    ):
        while not lock.read():
            assert started.poll() is None
            time.sleep(0.05)
        with pytest.raises(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        started.send_signal(number)
        errors = str(started.communicate()[1])
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # held by nobody any more

    assert started.returncode == status
    assert errors == ("interrupted\n" if number == signal.SIGINT else "")
