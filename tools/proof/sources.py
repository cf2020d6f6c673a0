"""What pages may show: files and marked sections of the package, outputs, commands."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

MARKER = re.compile(
    r"-+8<-+[ \t]+\[[ \t]*(start|end)[ \t]*:[ \t]*([a-z][-\w]*)[ \t]*\]", re.I
)
DIRECTIVE = re.compile(
    r"""^[> \t]*-+8<-+(?:[ \t]+(["'])([^"':]*):?([^"']*)\1)?[ \t]*$"""
)
GUIDES = ("README.md", "CONTRIBUTING.md", "MAINTAINING.md")
FENCE = re.compile(r"^(`{3,}).*\n((?:.*\n)*?)\1$", re.M)


@dataclass(frozen=True)
class Source:
    """A text that pages may show, and the lines of the file where it stands."""

    name: str  # as directives write it: file, or file:section
    file: str
    first: int
    last: int
    text: str


def named(root: Path, path: Path) -> str:
    """A file as messages and directives name it."""
    return path.relative_to(root).as_posix()


def read(root: Path, path: Path) -> str:
    """The text of a file.

    Raises:
        ValueError: If it is not UTF-8.
    """
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise ValueError(
            f"{named(root, path)}:{line}: this is not UTF-8; save the file as UTF-8"
        ) from None


def clean(text: str) -> str:
    """Leave out section marks, common indent and empty lines at the ends."""
    lines = [line.rstrip() for line in text.expandtabs(4).splitlines()]
    return dedent("\n".join(li for li in lines if not MARKER.search(li))).strip("\n")


def sections(name: str, text: str) -> dict[str, tuple[int, int]]:
    """Map each marked section of a file to its first and last line."""
    found: dict[str, tuple[int, int]] = {}
    starts: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not (mark := MARKER.search(line)):
            continue
        kind, section = mark[1].lower(), mark[2]
        if kind == "start" and (section in starts or section in found):
            raise ValueError(
                f"{name}:{number}: section {section!r} starts twice; rename one of them"
            )
        if kind == "start":
            starts[section] = number + 1
        elif section in starts:
            found[section] = (starts.pop(section), number - 1)
        else:
            raise ValueError(
                f"{name}:{number}: section {section!r} ends without a start; mark both"
            )
    for section, first in starts.items():
        raise ValueError(
            f"{name}:{first - 1}: section {section!r} has no end; mark both"
        )
    return found


def pieces(root: Path, path: Path) -> Iterator[Source]:
    """The whole of a file, then its sections; of a Markdown file, its sections."""
    name, text = named(root, path), read(root, path)
    lines = text.splitlines()
    if path.suffix != ".md":
        yield Source(name, name, 1, len(lines), clean(text))
    for label, (first, last) in sections(name, text).items():
        section = "\n".join(lines[first - 1 : last])
        if path.suffix != ".md":
            yield Source(f"{name}:{label}", name, first, last, clean(section))
            continue
        for fence in FENCE.finditer(clean(section)):
            yield Source(f"{name}:{label}", name, first, last, clean(fence[2]))


def shown_files(root: Path) -> list[Path]:
    """Every file that pages may draw code, output or commands from."""
    guides = [root / name for name in GUIDES]
    outputs = root.glob("mha/examples/output/*.txt")
    files = [*root.glob("mha/**/*.py"), *outputs, *guides]
    return sorted(path for path in files if path.is_file())


def sources(root: Path) -> dict[str, list[Source]]:
    """Map each text that a page may show to the places where it stands."""
    found: dict[str, list[Source]] = {}
    for path in shown_files(root):
        for piece in pieces(root, path):
            if piece.text:
                found.setdefault(piece.text, []).append(piece)
    return found


def markdown_files(root: Path) -> list[Path]:
    """Every page as it is written."""
    return sorted(path for path in root.glob("docs/**/*.md") if path.is_file())


def directives(root: Path) -> Iterator[tuple[str, str, str]]:
    """Every snippet directive on the pages: its place, its file, its section."""
    for path in markdown_files(root):
        for number, line in enumerate(read(root, path).splitlines(), 1):
            if directive := DIRECTIVE.match(line):
                where = f"{named(root, path)}:{number}"
                yield where, directive[2] or "", directive[3] or ""
