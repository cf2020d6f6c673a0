"""pytest-codeblocks runs pages as readers see them, and says what is wrong where."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SETTINGS = """markdown_extensions:
  - pymdownx.snippets: {base_path: ["."], check_paths: true, dedent_subsections: true}
"""
EXAMPLE = """# --8<-- [start:say]
def say(word):
    print(word)


class Name:
    pass


# --8<-- [end:say]
# --8<-- [start:call]
say(f"{__name__} {Name.__module__}")
# --8<-- [end:call]
"""
SAY = '```python title="mha/a.py" hl_lines="1 2"\n--8<-- "mha/a.py:say"\n```\n'
CALL = (
    '!!! note\n\n    ```{ .python title="a.py" }\n    --8<-- "mha/a.py:call"\n    ```\n'
)
TILDES = "~~~python\nsay('two')\n~~~\n"
ONE = '```text title="It prints"\n--8<-- "mha/examples/output/one.txt"\n```\n'
TWO = ONE.replace("one", "two")
COMMAND = '--8<-- "README.md:serve"\n'
README = """<!-- --8<-- [start:serve] -->
```shell
exit 1
```
<!-- --8<-- [end:serve] -->
"""
LATER = "# Read after docs/\n\n```python\n1 / 0\n```\n"
PAGES = {
    "sound": COMMAND + SAY + CALL + ONE + TILDES + TWO,
    "outputs-late": SAY + CALL + TILDES + ONE + TWO,
    "tree": "```text\nmha/\n```\n" + SAY,
    "command": COMMAND + ONE + SAY,  # the command prints it
    "prose": "No code here.\n",
    "stale": SAY + CALL + ONE + TWO,
    "swapped": SAY + TILDES + CALL + ONE + TWO,
    "silent": SAY + TILDES,
    "raises": SAY + "```python\n\n1 / 0\n```\n",
    "wrong-order": CALL + SAY,
    "no-python": "# Hi\n\n```python\n1 +\n```\n",
    "title-is-run": '```python title="x"\n1 / 0\n```\n',
    "skip": "<!--pytest-codeblocks:skipfile-->\n```python\n1 / 0\n```\n",
    "executed": "```sh\necho\n```\n",
    "alias": "```py\n1 / 0\n```\n",
    "unnamed": "```\n1 / 0\n```\n",
    "open": "```python\n1\n",
    "renamed": '\n```python\n--8<-- "mha/a.py:gone"\n```\n',
}


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What pytest says of the pages, from a directory that is not the root."""
    root = tmp_path_factory.mktemp("root")
    (root / "mha/examples/output").mkdir(parents=True)
    (root / "docs").mkdir()
    shutil.copy(ROOT / "docs/conftest.py", root / "docs")
    (root / "mkdocs.yml").write_text(SETTINGS)
    (root / "README.md").write_text(README)
    (root / "later.md").write_text(LATER)
    (root / "mha/a.py").write_text(EXAMPLE)
    (root / "mha/examples/output/one.txt").write_text("__main__ __main__\n")
    (root / "mha/examples/output/two.txt").write_text("two\n")
    (root / "pytest.ini").write_text("[pytest]\nfilterwarnings = error\n")
    for name, text in PAGES.items():
        (root / "docs" / f"{name}.md").write_text(text)
    command = [sys.executable, "-m", "pytest", "-c", root / "pytest.ini", root]
    options = ["--codeblocks", "--continue-on-collection-errors", "-rA"]
    done = subprocess.run(
        [*command, *options, "-p", "no:cacheprovider"],
        cwd=tmp_path_factory.mktemp("elsewhere"),
        capture_output=True,
        encoding="utf-8",
    )
    return done.stdout


@pytest.mark.parametrize(
    ("name", "line"),
    [("sound", 2), ("outputs-late", 1), ("tree", 4), ("command", 5)],
)
def test_a_sound_page_is_one_test_that_passes(said, name, line):
    assert f"PASSED docs/{name}.md::line {line}\n" in said.replace("../root0/", "")


def test_a_page_without_code_is_no_test(said):
    assert "prose.md" not in said


@pytest.mark.parametrize(
    "message",
    [
        "docs/stale.md:12: the page shows\ntwo\nbut its blocks print\n",
        "docs/swapped.md:12: the page shows\n__main__ __main__\n"
        "but its blocks print\ntwo\n",
        "docs/silent.md:1: the blocks from here on print what the page does not show:"
        "\ntwo\n",
        "docs/raises.md:4: ZeroDivisionError: division by zero, in\n1 / 0\n",
        "docs/wrong-order.md:3: NameError: name 'say' is not defined, in\nsay(",
        "docs/no-python.md:3: SyntaxError: invalid syntax (<string>, line 3)",
        "docs/title-is-run.md:1: ZeroDivisionError: division by zero, in\n1 / 0\n",
        "docs/skip.md:2: ZeroDivisionError: division by zero, in\n1 / 0\n",
        "docs/executed.md:1: a fence must say python, text or shell, got 'sh'; ",
        "docs/alias.md:1: a fence must say python, text or shell, got 'py'; ",
        "docs/unnamed.md:1: a fence must say python, text or shell, got ''; ",
        "docs/open.md:1: this fence is never closed; close it\n",
        "docs/renamed.md:3: Snippet section 'gone' could not be located; name another",
    ],
)
def test_a_fault_on_a_page_is_found(said, message):
    assert message in said


def test_other_files_are_read_as_ever(said):
    assert "\nline 3, line 3:\n```\n1 / 0\n```\n\ndivision by zero\n" in said
