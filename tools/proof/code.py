"""Each block of code on the site stands in a file, and tests run it."""

import json
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from tools.proof.pages import BLOCKS, Element, Site, html_pages
from tools.proof.signatures import signature, signatures
from tools.proof.sources import Source, clean


def check_blocks(site: Site, known: Iterable[str]) -> Iterator[str]:
    """Each block is drawn from a file, or is a signature of something in it."""
    known, signed = set(known), signatures(site.root)
    for page in html_pages(site):
        for before, block in pairwise([Element("", {}, 0, None), *page.elements]):
            text = clean(block.text)
            if block.tag not in BLOCKS or text in known:
                continue
            if "doc-signature" in before.classes and signature(text) in signed:
                continue  # mkdocstrings writes it from the same source
            first = text.strip().split("\n")[0].strip()
            where = site.place(page, block.line, first)
            if not text:
                yield f"{where}: a code block is empty; draw something into it"
            else:
                yield (
                    f"{where}: this block is in no tested file, {first[:60]!r}; write "
                    "it to mha/, mark it as a section and draw it with "
                    '--8<-- "file:section"'
                )


def read_report(root: Path, report: Path) -> dict[str, dict[str, list[int]]]:
    """The lines of each file in coverage.py's report, if it is newer than the files."""
    if not report.is_file():
        raise ValueError(f"REPORT must be a file that coverage.py wrote, got {report}")
    data: dict[str, Any] = json.loads(report.read_text("utf-8"))
    written = datetime.fromisoformat(data["meta"]["timestamp"]).timestamp()
    for name in data["files"]:
        path = root / name
        if path.is_file() and path.stat().st_mtime > written:
            raise ValueError(
                f"REPORT must be newer than the code, got {report} older than {name}; "
                "run the tests again"
            )
    return {(root / name).as_posix(): lines for name, lines in data["files"].items()}


def untested(source: Source, lines: dict[str, list[int]] | None) -> str:
    """What of a source no test runs, in words; "" if tests run it all."""
    if lines is None:
        return "no test runs this file"
    shown = range(source.first, source.last + 1)
    idle = sorted({*lines["missing_lines"], *lines["excluded_lines"]} & set(shown))
    if idle:
        return f"no test runs line {', '.join(map(str, idle))}"
    if not set(shown) & set(lines["executed_lines"]):
        return "no test runs this: it is no code, or code in a string"
    return ""


def check_coverage(
    site: Site, known: dict[str, list[Source]], report: Path
) -> Iterator[str]:
    """Tests run each line of the package that pages show; none may be excused.

    Lines under `if __name__ == "__main__"` are no exception: tests run the examples
    under that name.
    """
    files = read_report(site.root, report)
    for page in html_pages(site):
        for block in page.tagged(*BLOCKS):
            for source in known.get(clean(block.text), []):
                path = (site.root / source.file).as_posix()
                if path.endswith(".py") and (why := untested(source, files.get(path))):
                    where = site.place(page, block.line, f'"{source.name}"')
                    yield (
                        f"{where}: {source.file} is shown from line {source.first} on, "
                        f"but {why}; test it, or show something else"
                    )
