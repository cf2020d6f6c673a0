"""The Python of a chapter's page as a script and as a notebook.

Both are made of the page's headings, its Python blocks and what these print, read from
the Markdown. The proof compares them with the blocks of the page that is published.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

HEADING = r"^(?P<hashes>#{1,3}) (?P<heading>.*?)(?: *\{#.*\})?$"
FENCE = r"^ *```(?P<info>.*)\n *--8<-- \"(?P<file>[^\":]+):?(?P<section>.*)\"$"
PIECE = re.compile(f"{HEADING}|{FENCE}", re.M)
MARK = re.compile(r"--8<-- \[(?:start|end):")
ABOUT = (
    "Every Python block of the page, in its order, and in a notebook what it prints.\n"
    "It needs PyTorch and nothing else."
)
NEEDS_MHA = re.compile(r"^(?:from|import) mha\b", re.M)


@dataclass(frozen=True)
class Cell:
    """A heading, or Python and what it prints."""

    kind: str  # "markdown" or "code"
    text: str
    printed: str = ""


def drawn(root: Path, file: str, section: str) -> str:
    """What a directive draws: a file, or a section of it, without marks and indent.

    Raises:
        ValueError: If there is no such file or section.
    """
    try:
        text = (root / file).read_text("utf-8")
        if section:
            text = text.split(f"--8<-- [start:{section}]\n")[1]
            text = text.split(f"--8<-- [end:{section}]")[0].rpartition("\n")[0]
    except (OSError, IndexError):
        raise ValueError(
            "a directive must name a file and a section of it, "
            f"got {f'{file}:{section}'!r}"
        ) from None
    lines = [line for line in text.splitlines() if not MARK.search(line)]
    return dedent("\n".join(lines)).strip("\n")


def cells(root: Path, page: Path) -> list[Cell]:
    """The headings and the Python of a page; an output goes with the block above."""
    found: list[Cell] = []
    for piece in PIECE.finditer(page.read_text("utf-8")):
        if piece["heading"]:
            found.append(Cell("markdown", f"{piece['hashes']} {piece['heading']}"))
            continue
        place = (root, piece["file"], piece["section"])
        if "python" in piece["info"]:
            found.append(Cell("code", drawn(*place)))
        elif piece["file"].startswith("mha/examples/output/"):
            last = max(i for i, cell in enumerate(found) if cell.kind == "code")
            found[last] = Cell("code", found[last].text, drawn(*place) + "\n")
    return found


def script(found: list[Cell]) -> str:
    """A Python file; `# %%` begins a cell, as editors with cells read it."""
    parts: list[str] = []
    for cell in found:
        if cell.kind == "code":
            parts.append(f"# %%\n{cell.text}\n")
        else:
            lines = [f"# {line}" for line in cell.text.splitlines()]
            parts.append("\n".join(["# %% [markdown]", *lines, ""]))
    return "\n".join(parts)


def lines_of(text: str) -> list[str]:
    """A text as notebooks hold it."""
    return text.splitlines(keepends=True)


def notebook(found: list[Cell]) -> str:
    """A Jupyter notebook, nbformat 4.5, with the outputs that tests compared."""
    written: list[dict[str, object]] = []
    for number, cell in enumerate(found, 1):
        entry: dict[str, object] = {
            "cell_type": cell.kind,
            "id": f"cell-{number}",
            "metadata": {},
            "source": lines_of(cell.text),
        }
        if cell.kind == "code":
            stream = {
                "output_type": "stream",
                "name": "stdout",
                "text": lines_of(cell.printed),
            }
            outputs = [stream] if cell.printed else []
            entry |= {"execution_count": None, "outputs": outputs}
        written.append(entry)
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    book = {"cells": written, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(book, indent=1, ensure_ascii=False) + "\n"


def pages(root: Path) -> Iterator[tuple[str, list[Cell]]]:
    """Each chapter's page whose Python runs without this project, and its cells."""
    for page in sorted(root.glob("docs/chapters/*/*.md")):
        found = cells(root, page)
        code = [cell.text for cell in found if cell.kind == "code"]
        if code and not any(map(NEEDS_MHA.search, code)):
            name = f"{page.parent.name}-{page.stem}"
            yield name, [found[0], Cell("markdown", ABOUT), *found[1:]]


def downloads(root: Path) -> dict[str, str]:
    """Map the name of each download to its text."""
    files: dict[str, str] = {}
    for name, found in pages(root):
        files[f"{name}.py"] = script(found)
        files[f"{name}.ipynb"] = notebook(found)
    return files
