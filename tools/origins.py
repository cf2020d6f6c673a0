"""Where a page comes from: said in the title of each block, and in its last lines.

A Markdown extension, so that MkDocs and Zensical run it alike. It needs no network: an
address is only put in front of a file's name, where the site's settings know one.
"""

import re
import subprocess
from collections.abc import Iterator
from datetime import date
from html import escape
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement

from markdown import Markdown
from markdown.extensions import Extension
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor

ROOT = Path(__file__).resolve().parents[1]
DRAWS = re.compile(r'^[> \t]*--8<-- "([^":]+):?([^"]*)"\s*$')
FENCE = re.compile(r"^[> \t]*`{3,}")
TITLE = re.compile(r'title="([^"]*)"')
REPOSITORY = re.compile(r"\[([^\]]+)\]\(repository:\)")
HELD = re.compile(r"^\0(.*)\0$")  # a title that waits for the fence out of a guide
DOCSTRING = re.compile(r"^::: mha\b", re.M)
GUIDES = ("README.md", "CONTRIBUTING.md", "MAINTAINING.md")


def span(root: Path, file: str, section: str) -> tuple[int, int]:
    """The first and the last line of a section; of a guide's, those of its fence.

    (0, 0) if it is not there, which others report.
    """
    path = root / file
    lines = path.read_text("utf-8").splitlines() if path.is_file() else []
    marks = [f"--8<-- [{end}:{section}]" for end in ("start", "end")]
    found = [n for mark in marks for n, line in enumerate(lines, 1) if mark in line]
    if file in GUIDES and len(found) == 2:
        inside = range(found[0] + 1, found[1])
        found = [n for n in inside if FENCE.match(lines[n - 1])]
    inside = range(found[0] + 1, found[1]) if len(found) == 2 else ()
    shown = [n for n in inside if lines[n - 1].strip()]
    return (shown[0], shown[-1]) if shown else (0, 0)


def link(address: str, text: str) -> str:
    """A link, or the text alone where there is no address."""
    return f"<a href='{escape(address)}'>{text}</a>" if address else text


def title(root: Path, source_uri: str, words: str, file: str, section: str) -> str:
    """The title of a block: its words, the lines that it shows, and where they are."""
    first, last = span(root, file, section) if section else (0, 0)
    address, text = source_uri and source_uri + file, escape(words)
    if first:
        lines = f"line {first}" if first == last else f"lines {first}-{last}"
        text = f"{text} · {lines}"
        address = address and f"{address}#L{first}-L{last}"
    return link(address, text)


class Titles(Preprocessor):
    """Write the titles of blocks, before the snippets are drawn into them."""

    def __init__(self, root: Path, source_uri: str) -> None:
        super().__init__()
        self.root, self.source_uri = root, source_uri

    def run(self, lines: list[str]) -> list[str]:
        """Go through the lines; a directive stands right below its fence, or alone."""
        written: list[str] = []
        for line in lines:
            if draws := DRAWS.match(line):
                file, section = draws.groups()
                if written and FENCE.match(written[-1]):
                    written[-1] = self.titled(written[-1], file, section)
                elif file in GUIDES:  # its fence is in the section
                    written.append(f"\0{self.title(file, file, section)}\0")
            written.append(line)
        return written

    def title(self, words: str, file: str, section: str) -> str:
        """The title of a block."""
        return title(self.root, self.source_uri, words, file, section)

    def titled(self, fence: str, file: str, section: str) -> str:
        """A fence with its title written out."""
        if not (words := TITLE.search(fence)):
            return fence
        return (
            f'{fence[: words.start()]}title="{self.title(words[1], file, section)}" '
            f'title_mode="html"{fence[words.end() :]}'
        )


class Repository(Preprocessor):
    """Let `[words](repository:)` lead to the repository, or leave the words alone."""

    def __init__(self, source_uri: str) -> None:
        super().__init__()
        self.address = source_uri.partition("/blob/")[0]

    def run(self, lines: list[str]) -> list[str]:
        """Go through the lines."""
        written = r"[\1](ADDRESS)".replace("ADDRESS", self.address)
        return [REPOSITORY.sub(written if self.address else r"\1", it) for it in lines]


class GuideTitles(Preprocessor):
    """Give the fences out of guides their titles, when the snippets are drawn."""

    def run(self, lines: list[str]) -> list[str]:
        """Put each title that waits into the next fence."""
        written: list[str] = []
        waiting = ""
        for line in lines:
            if held := HELD.match(line):
                waiting = held[1]
                continue
            if waiting and FENCE.match(line):
                line, waiting = f'{line} title="{waiting}" title_mode="html"', ""
            written.append(line)
        return written


def page_of(md: Markdown) -> str:
    """The page that is made, from docs/; "" for a docstring on it, or anything else."""
    if "mkdocstrings_ids" in md.treeprocessors:
        return ""
    if "relpath" in md.treeprocessors:  # MkDocs
        return vars(md.treeprocessors["relpath"])["file"].src_uri
    if "rendering_context" in md.preprocessors:  # Zensical
        return vars(md.preprocessors["rendering_context"])["page"].path
    return ""


def drawn(text: str) -> list[str]:
    """The files that a page draws from, each once, in order."""
    found = [draws[1] for line in text.splitlines() if (draws := DRAWS.match(line))]
    return list(dict.fromkeys(found))


def listings(files: list[str]) -> list[str]:
    """Of the files that a page draws from, those that it explains."""
    code = [file for file in files if file.endswith(".py")]
    return [file for file in code if not file.startswith("mha/examples/")]


def rooms(page: str, files: list[str]) -> list[str]:
    """The names after which the tests of a page are named."""
    path = Path(page)
    names = [path.stem if path.parts[0] == "chapters" else Path(path.parts[0]).stem]
    for file in files:
        is_output = file.startswith("mha/examples/output/")
        room = "commands" if file in GUIDES else Path(file.split("/")[1]).stem
        names.append("outputs" if is_output else room)
    return list(dict.fromkeys(names))


def holders(root: Path, page: str, text: str) -> list[str]:
    """The tests that hold a page: those that are named after what it is made of."""
    files = drawn(text)
    found = ["docs/conftest.py"] if any(it.endswith(".py") for it in files) else []
    for room in rooms(page, files):
        for name in (f"test_{room}.py", f"test_{room}_page.py"):
            paths = sorted(root.glob(f"tests/**/{name}"))
            found += [path.relative_to(root).as_posix() for path in paths]
    return list(dict.fromkeys([*found, "tests/test_site.py"]))


def git(root: Path, *arguments: str) -> str:
    """What git says; "" if there is no git, or no repository."""
    try:
        command = ["git", *arguments]
        done = subprocess.run(
            command, cwd=root, capture_output=True, encoding="utf-8", check=False
        )
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""


def changed(root: Path, file: str) -> str:
    """The day of a file's last commit in words; "" where history does not tell."""
    if git(root, "rev-parse", "--is-shallow-repository") != "false":
        return ""  # a shallow clone takes all files for new
    day = git(root, "log", "-1", "--format=%cs", "--", file)
    if not day:
        return ""
    when = date.fromisoformat(day)
    return f"{when.day} {when:%B %Y}"


def listed(words: list[str]) -> str:
    """Words in a row."""
    return ", ".join(words[:-1]) + (" and " if len(words) > 1 else "") + words[-1]


class LastLines(Treeprocessor):
    """Say below a page where it comes from."""

    def __init__(
        self, md: Markdown, root: Path, source_uri: str, edit_uri: str
    ) -> None:
        super().__init__(md)
        self.root, self.source_uri, self.edit_uri = root, source_uri, edit_uri

    def named(self, files: list[str]) -> str:
        """Files in a row, each with its link where one is known."""
        uri = self.source_uri
        return listed([link(uri and uri + file, escape(file)) for file in files])

    def sentences(self, page: str) -> Iterator[str]:
        """What there is to say about a page."""
        source = f"docs/{page}"
        text = (self.root / source).read_text("utf-8")
        day = changed(self.root, source)
        when = f", last changed on {day}" if day else ""
        yield f"This page is {self.named([source])}{when}."
        if self.edit_uri:
            yield link(self.edit_uri + page, "Edit this page") + "."
        if shown := listings(drawn(text)):
            yield f"Its code is in {self.named(shown)}."
        if DOCSTRING.search(text):
            yield f"Its descriptions are the docstrings of {self.named(['mha/'])}."
        yield f"It is held by {self.named(holders(self.root, page, text))}."

    def run(self, root: Element) -> None:
        """Add the lines to a page, and to nothing else."""
        if page := page_of(self.md):
            words = " ".join(self.sentences(page))
            html = f'<footer class="origin" data-search-exclude>{words}</footer>'
            SubElement(root, "p").text = self.md.htmlStash.store(html)


class Origins(Extension):
    """The extension; `source_uri` and `edit_uri` are addresses, or empty."""

    def __init__(self, **settings: Any) -> None:
        self.config = {
            "source_uri": ["", "The address in front of a file's name"],
            "edit_uri": ["", "The address in front of a page's name, to edit it"],
        }
        super().__init__(**settings)

    def extendMarkdown(self, md: Markdown) -> None:
        """Stand before, behind, and after all else."""
        source_uri, edit_uri = self.getConfig("source_uri"), self.getConfig("edit_uri")
        md.preprocessors.register(Titles(ROOT, source_uri), "titles", 33)
        md.preprocessors.register(Repository(source_uri), "repository", 32.5)
        md.preprocessors.register(GuideTitles(), "guide_titles", 31)
        last = LastLines(md, ROOT, source_uri, edit_uri)
        md.treeprocessors.register(last, "last_lines", -1)


def makeExtension(**settings: Any) -> Origins:
    """Where Markdown looks for the extension."""
    return Origins(**settings)
