"""A page's Python as a file to take away holds the page's blocks, and nothing else."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tools.proof.pages import BLOCKS, Page, Site
from tools.proof.sources import clean, named, read

FOLDER = "downloads/"
KINDS = {".ipynb", ".py"}
CELL = re.compile(r"^# %%(.*)\n", re.M)


def is_download(name: str) -> bool:
    """Whether a published file is one to take away."""
    path = Path(name)
    return name.startswith(FOLDER) and path.suffix in KINDS


def python_blocks(page: Page) -> list[str]:
    """The text of each Python block of a page, in order."""
    found: list[str] = []
    language = ""
    for element in page.elements:
        named = [name for name in element.classes if name.startswith("language-")]
        language = named[0] if named else language
        if element.tag in BLOCKS and language == "language-python":
            found.append(clean(element.text))
    return found


def script_cells(text: str) -> list[str]:
    """The Python of a script whose cells begin with `# %%`; words are comments."""
    before, *rest = CELL.split(text)
    cells = list(zip(rest[::2], rest[1::2]))  # the kind of each, and its text
    words = [before, *(body for kind, body in cells if "[markdown]" in kind)]
    typed = [line for body in words for line in body.splitlines() if line[:1] != "#"]
    code = [clean(body) for kind, body in cells if "[markdown]" not in kind]
    return [*code, *filter(None, typed)]


def notebook_cells(text: str) -> list[str]:
    """The Python of a notebook; none if the text is no notebook."""
    try:
        cells: list[dict[str, Any]] = json.loads(text)["cells"]
        code = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
    except (KeyError, TypeError, ValueError):
        return []
    return [clean("".join(source)) for source in code]


def page_of(site: Site, name: str) -> Page | None:
    """The page that a download is named after: its chapter, a hyphen, its section."""
    stem = Path(name).name.removesuffix(Path(name).suffix)
    chapter, _, section = stem.rpartition("-")
    return site.pages.get(f"chapters/{chapter}/{section}/index.html")


def check_downloads(site: Site) -> Iterator[str]:
    """Each file to take away holds the Python of its page, block by block."""
    for path in sorted(site.folder.rglob("*")):
        name = named(site.folder, path)
        if not is_download(name):
            continue
        page, text = page_of(site, name), read(site.folder, path)
        cells = (script_cells if path.suffix == ".py" else notebook_cells)(text)
        if page is None:
            yield f"{name}: no page has this name; run python -m tools.assets"
        elif cells != python_blocks(page):
            yield (
                f"{name}: this is not the Python of {page.name}, block by block; "
                "run python -m tools.assets"
            )
