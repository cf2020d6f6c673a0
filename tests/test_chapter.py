"""A chapter is laid out whole, as a draft that passes, or not at all."""

import ast
import html
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tools.chapter import __main__ as kit
from tools.chapter.names import names
from tools.proof.chapters import chapters, report, to_publish

ROOT = Path(__file__).resolve().parents[1]
MAKE = shutil.which("make")
TITLE = "Köpfe, geteilt: K & V (it's GQA)"  # all that is hard about a title
FOLDER = "9.9-kopfe-geteilt-k-v-its-gqa"
MODULE = "kopfe_geteilt_k_v_its_gqa"
PAGES = [
    f"docs/chapters/{FOLDER}/{page}.md" for page in ("code", "how", "index", "why")
]
FILES = sorted(
    [
        *PAGES,
        f"mha/{MODULE}.py",
        f"mha/examples/{MODULE}.py",
        f"mha/examples/exercise_{MODULE}.py",
        f"mha/examples/output/{MODULE}.txt",
        f"mha/examples/output/exercise_{MODULE}.txt",
        f"tests/layers/test_{MODULE}.py",
    ]
)
SERVE = """from mkdocs.commands.build import build
from mkdocs.config import load_config

build(load_config(), serve_url="http://127.0.0.1:8000/")  # as `mkdocs serve` does
"""


def copy_of_the_repository(folder: Path) -> Path:
    """What git knows of, as a folder to change."""
    left_out = (".*", "__pycache__", "build", "mutants", "site", "downloads", "vendor")
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*left_out))
    shutil.copytree(
        ROOT / "docs/overrides", folder / "docs/overrides", dirs_exist_ok=True
    )
    return folder


def run(root: Path, *command: str, **changes: str) -> str:
    """What a Python module prints that runs to its end in a repository."""
    done = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=root,
        env=os.environ | changes,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


def below(root: Path) -> list[str]:
    """Every file below a folder."""
    return sorted(
        path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file()
    )


@pytest.fixture(scope="module")
def draft(tmp_path_factory):
    """A copy of the repository with a chapter laid out in it."""
    root = copy_of_the_repository(tmp_path_factory.mktemp("draft") / "copy")
    before = below(root)
    run(root, "tools.chapter", NUMBER="9.9", TITLE=TITLE)
    assert sorted(set(below(root)) - set(before) - pyc(root)) == FILES
    return root


def pyc(root: Path) -> set[str]:
    return {name for name in below(root) if name.endswith(".pyc")}


def test_a_chapter_is_ten_files_named_after_it(draft):
    texts = {name: (draft / name).read_text("utf-8") for name in FILES}

    assert f"\n# 9.9 {TITLE}\n" in texts[f"docs/chapters/{FOLDER}/index.md"]
    assert [name for name in FILES if "$" in texts[name]] == []


def test_tests_pass_and_run_every_line_of_what_is_laid_out(draft):
    tests = [
        f"tests/layers/test_{MODULE}.py",
        "tests/layers/test_shape_comments.py",
        "tests/test_outputs.py",
        "tests/test_rooms.py",
        f"docs/chapters/{FOLDER}",
    ]
    options = [
        "-q",
        "-rA",
        "-p",
        "no:cacheprovider",
        "-k",
        f"{MODULE} or every or line",
    ]
    options += ["--cov", "--cov-report=term-missing", "--cov-fail-under=0"]

    said = run(draft, "pytest", *options, *tests)

    for fact in (
        f"tests/layers/test_{MODULE}.py::test_average_of_a_prefix_is_the_prefix[cpu]",
        f"tests/test_outputs.py::test_output_is_what_the_example_prints[{MODULE}]",
        f"docs/chapters/{FOLDER}/code.md::line ",
    ):
        assert f"PASSED {fact}" in said
    assert "mha/fused.py " in said  # the report leaves out what is run whole
    assert f"{MODULE}.py " not in said.partition("coverage: ")[2]


def test_what_is_laid_out_has_the_style_and_the_types_of_the_rest(draft):
    code = [name for name in FILES if name.startswith("mha/") and name.endswith(".py")]

    run(draft, "ruff", "check", "--no-cache")
    run(draft, "ruff", "format", "--check", "--no-cache")
    run(draft, "pyright", "--pythonpath", sys.executable, *code)


def test_a_draft_is_not_in_the_site(draft):
    said = run(draft, "tools.build", "site")

    published = below(draft / "site")
    assert "proved: " in said
    assert [name for name in published if FOLDER in name] == []
    assert "chapters/6.1-multi-head-self-attention/code/index.html" in published
    assert f"docs/downloads/{FOLDER}-code.ipynb" in below(draft)  # to look at
    assert FOLDER not in (draft / "site/search/search_index.json").read_text("utf-8")


def test_a_draft_is_shown_by_mkdocs_serve(draft):
    run(draft, "tools.assets")
    command = [sys.executable, "-c", SERVE]

    done = subprocess.run(
        command,
        cwd=draft,
        env=os.environ | {"SITE_OUT": "served"},
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )

    page = draft / "served/chapters" / FOLDER / "code/index.html"
    assert done.returncode == 0, done.stderr
    assert "mkdocs-draft-marker" in page.read_text("utf-8")
    assert "leads nowhere" not in done.stderr
    assert "WARNING" not in done.stderr


def test_a_draft_breaks_no_rule_and_lists_its_notes(draft):
    said = report(draft)

    mine = said.partition(f"9.9 {TITLE}: a draft, not published, ")[2].splitlines()
    rest = mine[1 : mine.index("  when it is ready, add to nav in mkdocs.yml:")]
    assert mine[0] == f"{len(rest)} to do"
    assert all(re.match(r"  \S+:\d+: TODO: \w", line) for line in rest)
    assert {line.split(":")[0].strip() for line in rest} == {
        name for name in FILES if not name.endswith(".txt")
    }


def test_a_finished_draft_is_published_by_the_lines_that_are_said(draft, tmp_path):
    root = tmp_path / "finished"
    shutil.copytree(draft, root)
    for name in FILES:
        text = (root / name).read_text("utf-8")
        (root / name).write_text(text.replace("TODO: ", "Written: "), "utf-8")
    (chapter,) = (one for one in chapters(root) if one.folder.name == FOLDER)
    lines = "".join(f"  {line}\n" for line in to_publish(chapter))
    settings = (root / "mkdocs.yml").read_text("utf-8")
    settings = settings.replace("  - Pitfalls:\n", f"{lines}  - Pitfalls:\n", 1)
    (root / "mkdocs.yml").write_text(settings, "utf-8")

    run(root, "tools.build", "site")

    home = (root / "site/index.html").read_text("utf-8")
    assert f"9.9 {TITLE}" in html.unescape(home)
    said = run(
        root,
        *("pytest", "-v", "-p", "no:cacheprovider", "tests/test_site.py"),
        *("tests/browser/test_copy.py", "-k", f"directive or {MODULE} or {FOLDER}"),
        SITE_DIR="site",
    )
    assert re.search(rf"test_copy.*{FOLDER}/code\] (PASSED|SKIPPED)", said)
    said = run(root, "tools.proof", "--chapters")
    assert f"9.9 {TITLE}: published, nothing is missing\n" in said


@pytest.fixture
def root(tmp_path):
    """A small repository with one chapter."""
    for folder in ("docs/chapters/6.1-heads", "mha/examples/output", "tests/layers"):
        (tmp_path / folder).mkdir(parents=True)
    files = ("mha/plain.py", "mha/examples/word.py", "tests/test_proof.py")
    for name in (*files, "docs/chapters/6.1-heads/index.md"):
        (tmp_path / name).touch()
    (tmp_path / "mha/bench").mkdir()
    (tmp_path / "mha/__init__.py").write_text('__all__ = ["check"]\n')
    examples = "batch = 3\ndef cost(x): ...\n"
    (tmp_path / "mha/examples/__init__.py").write_text(examples)
    return tmp_path


def called(root: Path, monkeypatch, number: str | None, title: str | None) -> int:
    """The exit status of the kit."""
    monkeypatch.setattr(kit, "ROOT", root)
    for name, value in (("NUMBER", number), ("TITLE", title)):
        if value is None:
            monkeypatch.delenv(name, raising=False)
        else:
            monkeypatch.setenv(name, value)
    return kit.main()


BAD = {
    "no number": (None, "Heads", "NUMBER must be the part and the chapter, such as"),
    "empty": ("", "Heads", "such as 6.3, got ''; write make chapter NUMBER=6.3 TITLE="),
    "word": ("six", "Heads", "such as 6.3, got 'six'"),
    "whole": ("6", "Heads", "such as 6.3, got '6'"),
    "three": ("6.2.1", "Heads", "such as 6.3, got '6.2.1'"),
    "zero": ("0.1", "Heads", "such as 6.3, got '0.1'"),
    "leading zero": ("6.02", "Heads", "such as 6.3, got '6.02'"),
    "negative": ("-6.2", "Heads", "such as 6.3, got '-6.2'"),
    "path": ("../6.2", "Heads", "such as 6.3, got '../6.2'"),
    "other digits": ("６.２", "Heads", "such as 6.3, got '６.２'"),  # noqa: RUF001
    "line": ("6.2\n", "Heads", r"such as 6.3, got '6.2\n'"),
    "no title": ("6.2", None, "TITLE must say what the chapter is about, got nothing"),
    "empty title": ("6.2", "", "TITLE must say what the chapter is about, got nothing"),
    "spaces": ("6.2", "   ", "have letters that are a to z"),
    "two spaces": (
        "6.2",
        "Two  heads",
        "single spaces between words, got 'Two  heads'",
    ),
    "space at the end": ("6.2", "Heads ", "single spaces between words, got 'Heads '"),
    "lines": ("6.2", "Two\nheads", r"got '\n' in 'Two\nheads'"),
    "tab": ("6.2", "Two\theads", r"got '\t' in 'Two\theads'"),
    "double quote": ("6.2", 'The "best"', "got '\"' in"),
    "backtick": ("6.2", "The `view`", "got '`' in"),
    "dollar": ("6.2", "Cost $5", "got '$' in"),
    "make": ("6.2", "$(shell id)", "got '$' in"),
    "hash": ("6.2", "C# heads", "got '#' in"),
    "backslash": ("6.2", "a\\b", r"got '\\' in"),
    "slash": ("6.2", "../../etc", "got '.' in"),
    "semicolon": ("6.2", "a; rm -rf b", "got ';' in"),
    "braces": ("6.2", "a {b}", "got '{' in"),
    "tag": ("6.2", "<b>a</b>", "got '<' in"),
    "underscore": ("6.2", "_a_", "got '_' in"),
    "bell": ("6.2", "a\x07b", r"got '\x07' in"),
    "no-break space": ("6.2", "a\xa0b", r"got '\xa0' in"),
    "other letters": ("6.2", "注意力", "have letters that are a to z"),
    "some other letters": ("6.2", "Heads 注", "have letters that are a to z"),
    "sharp s": ("6.2", "Maße", "have letters that are a to z"),
    "digit first": ("6.2", "2D heads", "TITLE must begin with a letter"),
    "keyword": ("6.2", "Lambda", "be more than a word of Python's or of Windows'"),
    "device": ("6.2", "Con", "be more than a word of Python's or of Windows'"),
    "marks alone": ("6.2", "(-:", "have letters that are a to z"),
    "long": ("6.2", "Heads " * 9 + "all", "a name of at most 48 letters, got 57 in"),
    "number taken": (
        "6.1",
        "New",
        "got 6.1 and 'New', and there is docs/chapters/6.1-h",
    ),
    "title taken": ("6.2", "Heads", "and there is docs/chapters/6.1-heads"),
    "listing taken": ("6.2", "Plain", "and there is mha/plain.py"),
    "room taken": ("6.2", "Bench", "and there is mha/bench"),
    "example taken": ("6.2", "Word", "and there is mha/examples/word.py"),
    "public name taken": ("6.2", "Check", "and there is mha/__init__.py"),
    "helper taken": ("6.2", "Cost", "and there is mha/examples/__init__.py"),
    "name taken": ("6.2", "Batch", "and there is mha/examples/__init__.py"),
    "outputs": ("6.2", "Output", "and there is mha/examples/output"),
    "test taken": ("6.2", "Proof", "and there is tests/test_proof.py"),
}


@pytest.mark.parametrize(("number", "title", "message"), BAD.values(), ids=BAD)
def test_what_will_not_do_is_refused(root, monkeypatch, capsys, number, title, message):
    before = below(root)

    assert called(root, monkeypatch, number, title) == 1

    printed = capsys.readouterr()
    assert message in printed.err
    assert printed.err.count("\n") == 1
    assert printed.out == ""
    assert below(root) == before


@pytest.mark.parametrize(
    ("title", "folder", "module"),
    [
        ("Many-Head Models", "6.2-many-head-models", "many_head_models"),
        ("What's NaN", "6.2-whats-nan", "whats_nan"),
        ("Ünï & Café (2)", "6.2-uni-cafe-2", "uni_cafe_2"),
        ("Ko\u0308pfe", "6.2-kopfe", "kopfe"),
        ("Checks", "6.2-checks", "checks"),
    ],
)
def test_names_follow_the_title(title, folder, module):
    found = names("6.2", title)

    assert found.folder == folder
    assert found.module == module


@pytest.mark.parametrize("done", range(len(kit.PLACES)))
@pytest.mark.parametrize("moves", [0, 1], ids=["before a move", "after it"])
def test_what_stops_halfway_leaves_nothing(root, monkeypatch, capsys, done, moves):
    before, calls, rename = below(root), [], Path.rename

    def halfway(path, target):
        calls.append(path)
        if len(calls) <= done + moves:
            rename(path, target)
        if len(calls) > done:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "rename", halfway)

    assert called(root, monkeypatch, "6.2", "New Heads") == 1
    assert capsys.readouterr().err == (
        "nothing is laid out, got [Errno 28] No space left on device\n"
    )
    assert below(root) == before
    assert {path.name for path in root.iterdir()} == {"docs", "mha", "tests"}
    assert [path.name for path in (root / "docs/chapters").iterdir()] == ["6.1-heads"]


INTERRUPTED = """
import os, runpy, signal
from pathlib import Path

rename = Path.rename

def interrupted(path, target):
    os.kill(os.getpid(), signal.SIGINT)
    return rename(path, target)

Path.rename = interrupted
runpy.run_module("tools.chapter", run_name="__main__", alter_sys=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows sends Ctrl+C to whole groups")
def test_a_key_pressed_meanwhile_leaves_all_of_it(root):
    shutil.copytree(ROOT / "tools", root / "tools")

    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED],
        cwd=root,
        env=os.environ | {"NUMBER": "6.2", "TITLE": "New Heads"},
        capture_output=True,
        encoding="utf-8",
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert all((root / name).is_file() for name in kit.files(names("6.2", "New Heads")))


def test_a_repository_without_its_folders_stays_as_it_is(tmp_path, monkeypatch, capsys):
    assert called(tmp_path, monkeypatch, "6.2", "New Heads") == 1
    assert capsys.readouterr().err.startswith("nothing is laid out, got [Errno 2]")
    assert below(tmp_path) == []


def test_a_title_may_end_another_chapters(root, monkeypatch):
    (root / "docs/chapters/6.1-many-new-heads").mkdir()

    assert called(root, monkeypatch, "6.2", "New Heads") == 0


def test_laying_out_twice_is_refused(root, monkeypatch, capsys):
    assert called(root, monkeypatch, "6.2", "New Heads") == 0
    before = below(root)

    assert called(root, monkeypatch, "6.2", "New Heads") == 1
    assert "and there is docs/chapters/6.2-new-heads; " in capsys.readouterr().err
    assert below(root) == before


def test_what_was_deleted_can_be_laid_out_again(root, monkeypatch):
    before = below(root)
    assert called(root, monkeypatch, "6.2", "New Heads") == 0
    for name in set(below(root)) - set(before):
        (root / name).unlink()

    assert called(root, monkeypatch, "6.2", "New Heads") == 0


@pytest.mark.skipif(MAKE is None or os.name == "nt", reason="there is no make here")
@pytest.mark.parametrize(
    ("title", "status", "message"),
    [
        ("Rotary Positions", 0, "9.8-rotary-positions/index.md"),
        (("Rotary", "Positions"), 2, "a TITLE of several words stands in quotes, got"),
        ("It's (all) & more, so: heads", 0, "9.8-its-all-more-so-heads/index.md"),
        ("Cost $5", 2, "got '$' in 'Cost $5'"),
        ("$(shell touch seen)", 2, "got '$' in '$(shell touch seen)'"),
        ("`touch seen`", 2, "got '`' in '`touch seen`'"),
        ('a"; touch seen; "', 2, "got '\"' in 'a\"; touch seen; \"'"),
        ("a # b", 2, "got '#' in 'a # b'"),
        ("a % b \\", 2, "got '%' in 'a % b \\\\'"),
    ],
)
def test_make_hands_the_title_on_as_it_is_typed(tmp_path, title, status, message):
    first, *rest = [title] if isinstance(title, str) else title  # as a shell parts them
    root = tmp_path / "copy"
    shutil.copytree(ROOT / "tools", root / "tools")
    shutil.copy(ROOT / "Makefile", root)
    for folder in ("docs/chapters", "mha/examples/output", "tests/layers"):
        (root / folder).mkdir(parents=True)
    for package in ("mha/__init__.py", "mha/examples/__init__.py"):
        (root / package).touch()
    environment = f"BIN={Path(sys.executable).parent}"

    done = subprocess.run(
        [
            MAKE,
            "-o",
            ".venv/ready",
            environment,
            "chapter",
            "NUMBER=9.8",
            f"TITLE={first}",
            *rest,
        ],
        cwd=root,
        capture_output=True,
        encoding="utf-8",
    )

    assert (done.returncode, message in done.stdout + done.stderr) == (status, True)
    assert not (root / "seen").exists()
    assert (below(root / "docs") == []) == (status != 0)


def bound(source: str) -> list[str]:
    """The names that a file's imports bind, each as often as they do."""
    nodes = ast.walk(ast.parse(source))
    imports = [it for it in nodes if isinstance(it, ast.Import | ast.ImportFrom)]
    return [alias.asname or alias.name for it in imports for alias in it.names]


@pytest.mark.parametrize("title", ["Average", "Listing", "Path", "Texts", "Torch"])
def test_a_title_takes_no_name_that_the_files_use(title):
    written = kit.files(names("9.9", title))
    twice = {
        place: found
        for place, text in written.items()
        if place.endswith(".py") and len(found := bound(text)) != len(set(found))
    }

    assert twice == {}
