"""Which chapters there are, which are published, and what each is missing."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

from tools.proof.inputs import check_inputs
from tools.proof.rules import SECTIONS, Chapter, check_chapter, read_chapter
from tools.proof.sources import named, read

IN_NAVIGATION = re.compile(r"[^#]*\bchapters/([^/\s]+)/([^/\s]+)\.md")
NOTE = re.compile(r'\bTODO\b.*?(?=\s*(?:-->|\||"""|$))')


def chapters(root: Path) -> list[Chapter]:
    """Every chapter, in the order of the numbers: 6.2 before 6.10.

    (A folder without a page is what is left of one that was taken away.)
    """

    def number(folder: Path) -> tuple[list[int], str]:
        return [int(part) for part in re.findall(r"\d+", folder.name)], folder.name

    folders = {page.parent for page in root.glob("docs/chapters/*/*.md")}
    return [read_chapter(root, folder) for folder in sorted(folders, key=number)]


def navigation(root: Path) -> list[tuple[int, str, str]]:
    """Where the navigation names pages of chapters: line, folder and page, in order."""
    settings = root / "mkdocs.yml"
    lines = read(root, settings).splitlines() if settings.is_file() else []
    found = [(n, IN_NAVIGATION.match(line)) for n, line in enumerate(lines, 1)]
    return [(n, one[1] or "", one[2] or "") for n, one in found if one]


def entries(chapter: Chapter) -> list[tuple[int, str]]:
    """Where the navigation names pages of a chapter: line and page, in order."""
    found = navigation(chapter.root)
    return [(n, page) for n, folder, page in found if folder == chapter.folder.name]


def is_published(chapter: Chapter) -> bool:
    """Whether the navigation names a page of it; otherwise it is a draft."""
    return bool(entries(chapter))


def files(chapter: Chapter) -> list[Path]:
    """The pages of a chapter, what of the package they draw, and its tests."""
    root = chapter.root
    pages = [chapter.folder / f"{page}.md" for page in chapter.pages]
    drawn = {root / file for _, one in chapter.everything for file, _ in one.draws}
    code = sorted(path for path in drawn if path.suffix == ".py" and path.is_file())
    tests = {
        test for path in code for test in root.glob(f"tests/**/test_{path.stem}.py")
    }
    return [*pages, *code, *sorted(tests)]


def notes(chapter: Chapter) -> Iterator[str]:
    """What the author has still to do, in the author's words."""
    for path in files(chapter):
        for number, line in enumerate(read(chapter.root, path).splitlines(), 1):
            if note := NOTE.search(line):
                yield f"{named(chapter.root, path)}:{number}: {note[0]}"


def check_order(chapter: Chapter) -> Iterator[str]:
    """The navigation has the four sections first, in their order."""
    found = entries(chapter)
    pages = [page for _, page in found]
    if found and pages[: len(SECTIONS)] != list(SECTIONS):
        yield (
            f"mkdocs.yml:{found[0][0]}: a chapter begins with "
            f"{', '.join(SECTIONS)}, got {', '.join(pages)}; put these four first"
        )


def check_pages(chapter: Chapter) -> Iterator[str]:
    """The pages are text that can be built."""
    inside = f"{named(chapter.root, chapter.folder)}/"
    yield from (it for it in check_inputs(chapter.root) if it.startswith(inside))


def missing(chapter: Chapter) -> list[str]:
    """All that a chapter lacks: what breaks a rule, then what the author noted."""
    rules = [*check_order(chapter), *check_pages(chapter), *check_chapter(chapter)]
    return [*rules, *notes(chapter)]


def check_chapters(root: Path) -> Iterator[str]:
    """Nothing is missing in a chapter that is published."""
    for chapter in filter(is_published, chapters(root)):
        yield from missing(chapter)


def to_publish(chapter: Chapter) -> list[str]:
    """The lines that publish a chapter, once mkdocs.yml has them under `nav`."""

    def line(title: str, target: str = "") -> str:
        return f"- {json.dumps(title, ensure_ascii=False)}:{target}"

    lines = [line(chapter.name)]
    for page in chapter.pages:
        title = SECTIONS.get(page) or chapter.title(page)
        lines.append(f"    {line(title, f' chapters/{chapter.folder.name}/{page}.md')}")
    return lines


def report(root: Path) -> str:
    """What each chapter is missing, in words."""
    lines: list[str] = []
    for chapter in chapters(root):
        found, published = missing(chapter), is_published(chapter)
        kind = "published" if published else "a draft, not published"
        count = f"{len(found)} to do" if found else "nothing is missing"
        lines += [f"{chapter.name}: {kind}, {count}", *(f"  {one}" for one in found)]
        if not published:
            lines.append("  when it is ready, add to nav in mkdocs.yml:")
            lines += [f"  {line}" for line in to_publish(chapter)]
    return "\n".join(lines)
