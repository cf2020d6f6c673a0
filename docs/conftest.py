"""pytest-codeblocks reads raw Markdown; give it each page as the reader sees it.

A page is one notebook: its snippets are drawn first, then its Python blocks run in
order, and what they print must be the outputs that the page shows.
"""

import functools
import re
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import markdown
import pytest
from mkdocs.utils import yaml_load
from pymdownx.snippets import SnippetMissingError
from pytest_codeblocks import CodeBlock, extract_from_file, plugin

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
SNIPPETS = "pymdownx.snippets"
FENCE = re.compile(r"(?P<indent>[> \t]*)(?P<fence>`{3,}|~{3,})(?P<info>[^`]*)")
LANGUAGE = re.compile(r"\s*\{?\s*\.?([\w+#-]*)")
UNCLEAR = {"", "bash", "py", "py3", "pycon", "python3", "sh", "zsh"}
HEADER = re.compile(r"# (docs/\S+\.md:\d+)")

NAMED = '__name__ = "__main__"  # as in the reader\'s notebook\n'

CollectError = pytest.Collector.CollectError
Fence = tuple[int, str, str]  # its line on the page, its language, its text


@functools.cache
def snippets() -> markdown.preprocessors.Preprocessor:
    """What draws snippets, with the site's own settings, from any directory."""
    with (ROOT / "mkdocs.yml").open(encoding="utf-8") as file:
        extensions = yaml_load(file)["markdown_extensions"]
    named = [extension for extension in extensions if isinstance(extension, dict)]
    settings = {name: value for one in named for name, value in one.items()}[SNIPPETS]
    paths = [str(ROOT / path) for path in settings["base_path"]]
    page = markdown.Markdown(
        extensions=[SNIPPETS],
        extension_configs={SNIPPETS: {**settings, "base_path": paths}},
    )
    return page.preprocessors["snippet"]


def drawn(page: Path) -> Iterator[tuple[int, str]]:
    """The lines that the reader sees, each with its number on the page."""
    for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
        try:
            shown = snippets().run([line])
        except SnippetMissingError as error:
            raise CollectError(
                f"{place(page, number)}: {error}; name another"
            ) from None
        yield from ((number, text) for text in shown)


def fences(page: Path) -> Iterator[Fence]:
    """Every fence, whatever stands before and behind its marks."""
    lines = drawn(page)
    for number, line in lines:
        if not (start := FENCE.fullmatch(line)):
            continue
        where = place(page, number)
        language = LANGUAGE.match(start["info"])[1].lower()
        if language in UNCLEAR:
            raise CollectError(
                f"{where}: a fence must say python, text or shell, got {language!r}; "
                "tests run python blocks here, and shell in README and its like"
            )
        yield number, language, body(lines, start, where)


def body(lines: Iterator[tuple[int, str]], start: re.Match[str], where: str) -> str:
    """The text of a fence, up to its end."""
    end = re.compile(rf"[> \t]*{start['fence']}[ \t]*")
    text = ""
    for _, line in lines:
        if end.fullmatch(line):
            return text
        text += line.removeprefix(start["indent"]) + "\n"
    raise CollectError(f"{where}: this fence is never closed; close it")


def printed() -> dict[str, str]:
    """What the examples print, by what of it the reader sees."""
    files = (ROOT / "mha" / "examples" / "output").glob("*.txt")
    texts = [path.read_text("utf-8") for path in files]
    return {text.strip("\n"): text for text in texts}


@dataclass
class Notebook(CodeBlock):
    """All Python of a page as one block, and the outputs that it must print."""

    outputs: tuple[tuple[str, str], ...] = ()  # the place and the text of each


def notebook(page: Path) -> list[CodeBlock]:
    """The notebook of a page, if it has Python."""
    found = [(number, place(page, number), *rest) for number, *rest in fences(page)]
    python = [(n, where, text) for n, where, kind, text in found if kind == "python"]
    if not python:
        return []
    known = printed()
    kinds = ["", *(kind for _, _, kind, _ in found)]
    shown = tuple(
        (where, known[text.strip("\n")])
        for before, (_, where, kind, text) in zip(kinds, found)
        if kind == "text"
        and text.strip("\n") in known
        and before != "shell"  # what a command prints, the notebook does not
    )
    return [
        Notebook(
            NAMED + "".join(f"# {where}\n{text}" for _, where, text in python),
            python[0][0],
            "python",
            expected_output="".join(text for _, text in shown),
            outputs=shown,
        )
    ]


def extract(path: Path) -> list[CodeBlock]:
    """Read pages as notebooks, everything else as pytest-codeblocks does."""
    inside = DOCS in Path(path).resolve().parents
    return notebook(Path(path).resolve()) if inside else extract_from_file(path)


plugin.extract_from_file = extract


def place(page: Path, number: int) -> str:
    """A line of a page, as messages name it."""
    return f"{page.relative_to(ROOT).as_posix()}:{number}"


def failing_line(error: BaseException) -> int:
    """The line of the notebook on which an error stands; 0 if it is not in there."""
    if isinstance(error, SyntaxError):
        return error.lineno or 0
    frames = traceback.extract_tb(error.__traceback__)
    return next(
        (f.lineno or 0 for f in reversed(frames) if f.filename == "<string>"), 0
    )


def failing_block(code: str, error: BaseException | None) -> str:
    """The place of the block in which an error stands, the error, and its line."""
    number = failing_line(error) if error else 0
    before = code.splitlines()[:number]
    headers = [found[1] for line in before if (found := HEADER.fullmatch(line))]
    if not headers:
        return ""
    return f"{headers[-1]}: {type(error).__name__}: {error}, in\n{before[-1]}"


def failing_output(block: Notebook, message: str) -> str:
    """The place of the first output that is not printed, and what is instead."""
    got = message.rpartition("but got\n```\n")[2].removesuffix("```")
    for where, text in block.outputs:
        if not got.startswith(text):
            shown = "".join(got.splitlines(keepends=True)[: text.count("\n")])
            return f"{where}: the page shows\n{text}but its blocks print\n{shown}"
        got = got.removeprefix(text)
    where = HEADER.search(block.code)[1]
    return f"{where}: the blocks from here on print what the page does not show:\n{got}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]):
    """Say of a page that fails which block it is, and no more."""
    report = yield
    if call.excinfo is not None and isinstance(getattr(item, "obj", None), Notebook):
        found = failing_block(item.obj.code, call.excinfo.value.__context__)
        report.longrepr = found or failing_output(item.obj, str(call.excinfo.value))
    return report
