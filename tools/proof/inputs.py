"""What the site is made of, checked before MkDocs, whose messages name no line."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tools.proof.formulas import check_formulas
from tools.proof.sources import (
    GUIDES,
    MARKER,
    directives,
    markdown_files,
    named,
    read,
    sections,
    shown_files,
)

FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)^---[ \t]*\n", re.M | re.S)
TITLE = re.compile(r"^title:[ \t]*\S", re.M)
HEADING = re.compile(r"^# +\S|<h1\b", re.M)
NO_TEXT = re.compile(r"^#[^\n]*|<!--.*?-->", re.M | re.S)


def check_inputs(root: Path) -> Iterator[str]:
    """All that is wrong with what the site is made of, in words."""
    yield from check_symbolic_links(root)
    yield from check_code(root)
    yield from check_pages(root)
    yield from check_marks(root)
    yield from check_directives(root)
    yield from check_formulas(root)


def check_symbolic_links(root: Path) -> Iterator[str]:
    """No file in docs/ is somewhere else, where nobody looks."""
    for path in sorted([root / "docs", *root.glob("docs/**/*")]):
        if path.is_symlink():
            yield f"{named(root, path)}: this is a symbolic link; put the file there"


def check_code(root: Path) -> Iterator[str]:
    """Each file that pages may draw from is text, and Python reads what is Python."""
    for path in shown_files(root):
        text = read(root, path)
        try:
            ast.parse(text if path.suffix == ".py" else "")
        except SyntaxError as error:
            yield f"{named(root, path)}:{error.lineno}: {error.msg}; mend the syntax"


def check_pages(root: Path) -> Iterator[str]:
    """There are pages, each with a heading and text of its own."""
    if not markdown_files(root):
        yield "docs/: there is no page; write docs/index.md"
    for path in markdown_files(root):
        where, text = f"{named(root, path)}:1", read(root, path)
        front = FRONT_MATTER.match(text)
        words = FRONT_MATTER.sub("", text)
        if not HEADING.search(words) and not (front and TITLE.search(front[1])):
            yield f"{where}: the page has no heading; begin it with # and its name"
        if not NO_TEXT.sub("", words).strip():
            yield f"{where}: the page has no text; write some, or remove the page"


def check_marks(root: Path) -> Iterator[str]:
    """No page has a section mark: the line would vanish from the page unseen."""
    for path in markdown_files(root):
        for number, line in enumerate(read(root, path).splitlines(), 1):
            if MARKER.search(line):
                where = f"{named(root, path)}:{number}"
                yield f"{where}: a line with a section mark vanishes; say it without"


def check_directives(root: Path) -> Iterator[str]:
    """There are directives, each for a file that pages may draw from."""
    found = list(directives(root))
    drawn = [*root.glob("docs/figures/*.svg"), *root.glob("docs/figures/*.table")]
    allowed = {named(root, path) for path in [*shown_files(root), *drawn]}
    for where, file, section in found:
        if wrong := misdirected(root, allowed, file, section):
            yield f"{where}: {wrong}"
    if not found:
        yield 'docs/: no page draws code; write --8<-- "file:section" in a fence'


def misdirected(root: Path, allowed: set[str], file: str, section: str) -> str:
    """What is wrong with a directive, and what to do; "" if nothing is."""
    path = root / file
    if not file:
        return 'a directive is one line; write --8<-- "file:section"'
    if section.startswith("//"):
        return f"{file}:{section} is an address; name a file from the root"
    if not path.resolve().is_relative_to(root.resolve()):
        return f"{file!r} leaves the repository; name a file from the root"
    if not path.is_file() and path.parent == root / "mha/examples/output":
        return f"there is no output {file!r}; write it with make outputs"
    if not path.is_file():
        return f"there is no file {file!r}; name one from the root"
    if file not in allowed:
        return (
            f"pages may not draw from {file!r}; name a file of mha/, an output, "
            f"{', '.join(GUIDES)}, docs/figures/*.svg or docs/figures/*.table"
        )
    if section and section not in sections(file, read(root, path)):
        return (
            f"{file} has no section {section!r}; mark it there "
            "(a whole section, not line numbers), or name another here"
        )
    return ""
