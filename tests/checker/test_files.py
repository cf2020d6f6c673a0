"""A file of any kind is answered with a sentence: the rule, then what came."""

import errno
import os
import sys
from pathlib import Path

import pytest

from mha import MultiHeadAttention
from mha.checker import files, worker
from mha.checker.files import Target, explain, one_line, parse_target
from mha.checker.records import Finding, Report
from mha.checker.worker import Job, Verdict, as_record, examine, from_record

ROOT = Path(__file__).resolve().parents[2]
IMPORT = "from torch import nn\n"
LAYER = IMPORT + "class MultiHeadAttention(nn.Module): ...\n"
RIGHT = Report("right", "fused")


@pytest.fixture(autouse=True)
def _judge(monkeypatch):
    """Every layer is right here; the module of the last file goes away."""
    monkeypatch.setattr(worker, "judge", lambda layer, form, compiled: RIGHT)
    monkeypatch.setitem(sys.modules, files.MODULE, sys)
    monkeypatch.setattr(sys, "path", list(sys.path))


def verdict(path: Path, layer: str | None = None, form=None) -> Verdict:
    announced: list[Verdict] = []
    found = examine(Job(Target(str(path), layer), form), announced.append)
    assert [one.layer for one in announced] == [found.layer] * len(announced)
    return found


def note(path: Path, layer: str | None = None, form=None) -> str:
    found = verdict(path, layer, form).report
    assert (found.status == "unjudged") == bool(found.note)
    assert found.note == "" or found.note.endswith(".")
    return found.note


@pytest.fixture
def written(tmp_path: Path):
    """A function that writes a file and gives its path."""

    def write(content: str | bytes, name: str = "mine.py") -> Path:
        path = tmp_path / name
        data = content.encode() if isinstance(content, str) else content
        path.write_bytes(data)
        return path

    return write


# What is named


@pytest.mark.parametrize(
    ("text", "file", "layer"),
    [
        ("my.py", "my.py", None),
        ("my.py:Class", "my.py", "Class"),
        ("my.py:Größe", "my.py", "Größe"),
        ("my.py:", "my.py", ""),
        ("my.py:no name", "my.py", "no name"),
        ("MY.PY:2", "MY.PY", "2"),
        ("notes.txt:Class", "notes.txt", "Class"),
        (r"C:\x\my.py", r"C:\x\my.py", None),
        (r"C:\x\my.py:Class", r"C:\x\my.py", "Class"),
        ("C:/x/my.py", "C:/x/my.py", None),
        ("C:my.py", "C:my.py", None),
        ("a:b/my.py", "a:b/my.py", None),
        ("my class.py", "my class.py", None),
        ("", "", None),
    ],
)
def test_the_last_colon_divides_file_and_class(text: str, file: str, layer: str | None):
    assert parse_target(text) == Target(file, layer)


@pytest.mark.skipif(os.name == "nt", reason="no file has a colon in its name there")
def test_a_name_like_a_windows_path_is_a_file(written):
    path = written(LAYER, r"C:\x\my.py")

    assert verdict(path, "MultiHeadAttention").report == RIGHT


# What is read


def test_a_name_without_a_file(tmp_path: Path):
    assert note(tmp_path / "mine.py") == (
        "The file must exist, got a name that no file has."
    )


def test_a_folder(tmp_path: Path):
    assert note(tmp_path) == "It must be a file, got a folder: name the files in it."


@pytest.mark.skipif(os.name == "nt", reason="there are no named pipes in folders there")
def test_a_pipe_is_not_waited_for(tmp_path: Path):
    os.mkfifo(tmp_path / "mine.py")

    assert note(tmp_path / "mine.py") == (
        "It must be a file, got something that only looks like one."
    )


@pytest.mark.parametrize(
    ("name", "ending"),
    [("notes.txt", ".txt"), ("mine", "no ending"), ("mine.py\x1b[1m", r".py\x1b[1m")],
)
def test_another_ending(written, name: str, ending: str):
    assert note(written(LAYER, name)) == (
        f"The name of a Python file must end in .py, got {ending}."
    )


@pytest.mark.parametrize("name", ["mine.ipynb", "mine.py"])
def test_a_notebook_under_either_name(written, name: str):
    assert note(written('{"cells": [], "nbformat": 4}', name)) == (
        "It must be a Python file, got a notebook: export it as .py."
    )


@pytest.mark.parametrize(
    "content", ["", " \r\n\t\n", "\ufeff", "\ufeff\r\n"], ids=ascii
)
def test_an_empty_file(written, content: str):
    assert note(written(content)) == "The file must define a layer, got an empty file."


def test_a_nul_byte(written):
    assert note(written(b"import torch\nx = '\0'\n")) == (
        "A Python file must be text, got a NUL byte in line 2: "
        "it may be a compiled or damaged file."
    )


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le"])
def test_utf_16(written, encoding: str):
    content = "\ufeff" * (encoding == "utf-16-le") + LAYER

    assert note(written(content.encode(encoding))) == (
        "The file must be saved as UTF-8, got UTF-16."
    )


@pytest.mark.parametrize("lines", [0, 4])
def test_another_encoding(written, lines: int):
    content = "\n" * lines + "# Größe"

    assert note(written(content.encode("latin-1"))) == (
        f"The file must be saved as UTF-8, got the byte 0xf6 in line {lines + 1}."
    )


def test_another_encoding_that_is_declared(written):
    content = "# coding: latin-1\nname = 'Größe'\n" + LAYER

    assert verdict(written(content.encode("latin-1"))).report == RIGHT


def test_an_encoding_that_is_none(written):
    assert note(written("# coding: tea\n" + LAYER)) == (
        "The file must be valid Python, got unknown encoding: tea."
    )


def test_a_file_that_cannot_be_read(written, monkeypatch):
    def refuse(path):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)

    assert note(written(LAYER)) == "The file must be readable, got: Permission denied."


@pytest.mark.skipif(os.name == "nt", reason="what a name may be differs there")
def test_a_name_longer_than_the_system_takes(tmp_path: Path):
    found = note(tmp_path / ("x" * 5000 + ".py"))

    assert found == "The file must be readable, got: File name too long."


def test_a_syntax_error_has_line_and_column(written):
    assert note(written("import torch\nx = (1,\n")) == (
        "The file must be valid Python, got line 2, column 5: '(' was never closed."
    )


def test_code_that_is_too_deep(written):
    found = note(written("x = " + "(" * 300))

    assert found.startswith("The file must be valid Python, got line 1, column ")
    assert found.endswith(": too many nested parentheses.")


@pytest.mark.parametrize("error", [RecursionError("too deep"), ValueError("too deep")])
def test_code_that_compile_gives_up(written, monkeypatch, error: Exception):
    def give_up(*arguments, **named):
        raise error

    monkeypatch.setattr(files, "compile", give_up, raising=False)

    assert note(written(LAYER)) == "The file must be valid Python, got too deep."


# What is run


@pytest.mark.parametrize(
    ("code", "came"),
    [
        ("1 / 0", "It must run to its end, got line 2: ZeroDivisionError: division by"),
        ("raise KeyError", "It must run to its end, got line 2: KeyError."),
        (
            "raise ValueError('a\\nb')",
            "It must run to its end, got line 2: ValueError: a",
        ),
        ("raise OSError('\\x1b[1m')", r"got line 2: OSError: \x1b[1m."),
        ("raise ValueError('x' * 10**7)", "x…."),
        ("raise KeyboardInterrupt", "got line 2: KeyboardInterrupt."),
        ("raise NotImplementedError", "got line 2: NotImplementedError."),
        ("import tea", "be installed, got line 2 without tea."),
        ("import torch.tea", "be installed, got line 2 without torch.tea."),
        ("from torch import tea", "got line 2: ImportError: cannot import name 'tea'"),
        ("from . import tea", "got line 2 with a relative import: leave out the dot"),
        ("raise ModuleNotFoundError", "got line 2: ModuleNotFoundError."),
        ("exit(3)", "It must not end Python, got line 2 with sys.exit(3)."),
        ("import sys; sys.exit()", "not end Python, got line 2 with sys.exit(None)."),
        ("raise EOFError", "not wait for input, got line 2 with nobody there to type."),
        ("raise MemoryError", "with little memory, got line 2 asking for more."),
        (
            "raise RuntimeError('DefaultCPUAllocator: can\\'t allocate memory')",
            "with little memory, got line 2 asking for more.",
        ),
        ("raise RuntimeError('memory')", "got line 2: RuntimeError: memory."),
    ],
)
def test_an_error_has_its_line_and_no_traceback(written, code: str, came: str):
    assert came in note(written(f"\n{code}\n" + LAYER))


def test_an_exception_that_cannot_say_itself(written):
    code = "class Tea(Exception):\n    def __str__(self): 1 / 0\nraise Tea\n"

    assert note(written(code)) == (
        "It must run to its end, "
        "got line 3: Tea: (it has no message that can be printed)."
    )


def test_an_error_in_a_neighbour_is_found_there(written):
    written("\n\nint('tea')\n", "cup_of.py")

    assert note(written("import cup_of\n")) == (
        "It must run to its end, got cup_of.py, line 3: "
        "ValueError: invalid literal for int() with base 10: 'tea'."
    )


def test_the_folder_comes_first_while_the_file_runs_and_last_afterwards(written):
    path = written("import sys\nassert sys.path[0] == {!r}\n" + LAYER)
    path = written(path.read_text().format(str(path.parent)))

    assert verdict(path).report == RIGHT
    assert sys.path[-1] == str(path.parent)
    assert sys.path[0] != sys.path[-1]


def test_a_file_that_moves_away_still_has_its_neighbours(written, monkeypatch):
    folder = written("", "tea_cup.py").parent
    monkeypatch.chdir(folder)
    written(
        "import os\nos.chdir(os.path.dirname(os.getcwd()))\nimport tea_cup\n" + LAYER
    )

    assert verdict(Path("mine.py")).report == RIGHT


def test_an_error_of_the_checker_is_not_the_learners(written, monkeypatch):
    def fail(layer, form, compiled):
        raise TypeError("tea")

    monkeypatch.setattr(worker, "judge", fail)

    assert note(written(LAYER)) == (
        "The checker must not fail, got TypeError: tea: please report it."
    )


@pytest.mark.parametrize(
    ("where", "came"), [(True, "got line 1 still running."), (False, "got code still")]
)
def test_the_end_of_the_time_has_its_line(tmp_path: Path, where: bool, came: str):
    path = tmp_path / "mine.py"
    code = compile("raise TimeIsUp('3 s')", str(path) if where else "x", "exec")
    with pytest.raises(files.TimeIsUp) as caught:
        exec(code, {"TimeIsUp": files.TimeIsUp})

    assert explain(caught.value, path).startswith(f"It must end within 3 s, {came}")


def test_the_main_block_does_not_run(written):
    assert verdict(
        written(LAYER + "if __name__ == '__main__':\n    1 / 0\n")
    ).report == (RIGHT)


@pytest.mark.parametrize(
    "content",
    [
        LAYER.replace("\n", "\r\n"),
        "\ufeff" + LAYER,
        "\ufeff" + LAYER.replace("\n", "\r"),
    ],
    ids=["crlf", "bom", "bom and cr"],
)
def test_line_ends_and_the_byte_order_mark_do_not_matter(written, content: str):
    assert verdict(written(content)).report == RIGHT


@pytest.mark.parametrize(
    "name",
    ["torch.py", "mask.py", "6-1 attention.py", "注意力.py", "a\nb.py", "MINE.PY"],
)
def test_any_name_is_fine(written, name: str):
    assert verdict(written(LAYER, name)).report == RIGHT


def test_the_module_can_be_found_again(written):
    content = (
        "from __future__ import annotations\nfrom dataclasses import dataclass\n"
        "import pickle\n@dataclass\nclass Size:\n    b: int\n"
        "assert pickle.loads(pickle.dumps(Size(2))) == Size(2)\n"
        "assert __file__.endswith('mine.py')\n"
    )

    assert verdict(written(content + LAYER)).report == RIGHT


# What is chosen

TWO = IMPORT + "class Head(nn.Module): ...\nclass Block(nn.Module): ...\n"


def test_the_chapters_name_comes_first(written):
    assert verdict(written(TWO + LAYER)).layer == "MultiHeadAttention"


@pytest.mark.parametrize(
    ("form", "name"),
    [
        ("causal", "CausalAttention"),
        ("stacked", "MultiHeadAttentionWrapper"),
        ("fused", "MultiHeadAttention"),
        ("grouped", "GroupedQueryAttention"),
    ],
)
def test_the_form_names_its_class(written, form: str, name: str):
    classes = ("CausalAttention", "MultiHeadAttentionWrapper", "MultiHeadAttention")
    classes += ("GroupedQueryAttention",)
    content = IMPORT + "".join(f"class {one}(nn.Module): ...\n" for one in classes)

    assert verdict(written(content), form=form).layer == name


def test_the_only_class_needs_no_name(written):
    content = (
        "from mha import MultiHeadAttention\nfrom torch import nn\nclass Config: ...\n"
        "class Mine(nn.Module): ...\nAlias = Mine\nnumber = 3\n"
    )

    assert verdict(written(content)).layer == "Mine"


def test_several_classes_are_listed(written):
    content = TWO + "class Mine(nn.Module): ...\n"

    assert note(written(content)) == (
        "One class must be named, got Head, Block and Mine: write FILE:Mine, say."
    )


def test_a_named_class_is_taken(written):
    assert verdict(written(TWO + LAYER), "Block").layer == "Block"


def test_a_named_class_may_be_imported(written):
    content = "from mha import MultiHeadAttention\n" + TWO

    found = verdict(written(content), "MultiHeadAttention")

    assert found == Verdict(found.file, "MultiHeadAttention", RIGHT)


@pytest.mark.parametrize(
    ("content", "there"),
    [(TWO, "Head and Block"), (LAYER, "MultiHeadAttention"), ("x = 1", "none")],
)
def test_a_class_that_is_not_there(written, content: str, there: str):
    assert note(written(content), "Tea") == f"The file must define Tea, got {there}."


def test_a_colon_without_a_class(written):
    assert note(written(TWO), "") == (
        "The file must define the class, got Head and Block."
    )


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ("class MultiHeadAttention: ...", "another class"),
        ("def MultiHeadAttention(x): ...", "function"),
        ("MultiHeadAttention = None", "NoneType"),
    ],
)
def test_what_is_no_layer(written, content: str, kind: str):
    assert note(written(content), "MultiHeadAttention") == (
        f"MultiHeadAttention must be a subclass of torch.nn.Module, got {kind}."
    )


def test_the_chapters_name_that_is_no_layer_is_said_without_asking(written):
    assert note(written("class MultiHeadAttention: ...")) == (
        "MultiHeadAttention must be a subclass of torch.nn.Module, got another class."
    )


def test_no_class_at_all(written):
    assert note(written("from mha import MultiHeadAttention\n")) == (
        "The file must define a subclass of torch.nn.Module, got none."
    )


# What is said


def test_one_line_is_one_line_that_steers_nothing():
    assert one_line("a\n b\t\x1b[31m\udcff é") == r"a b \x1b[31m\udcff é"
    assert one_line("x" * 300) == "x" * 200 + "…"


@pytest.mark.parametrize(
    "report",
    [
        RIGHT,
        Report(
            "wrong", "causal", Finding("code", "wrong", "seen", "is", "ask", "link")
        ),
        Report("unfinished", "stacked", note="next"),
        Report("unjudged", note="why"),
    ],
    ids=lambda report: report.status,
)
def test_a_record_comes_back_as_it_was(report: Report):
    sent = Verdict("my.py", "Mine", report)

    assert from_record(as_record(sent)) == sent


def test_what_is_judged_is_what_was_asked(written, monkeypatch):
    asked = []
    monkeypatch.setattr(worker, "judge", lambda *what: asked.append(what) or RIGHT)
    content = "from mha import MultiHeadAttention\n"
    job = Job(Target(str(written(content)), "MultiHeadAttention"), "fused", True)

    examine(job, lambda verdict: None)

    assert asked == [(MultiHeadAttention, "fused", True)]
