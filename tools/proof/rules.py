"""The rules of a chapter's pages: each says what is wrong, where, and how to mend it.

What other parts of the proof or the tests hold is not held again here: links, alt text,
sections that exist, outputs that are printed, lines that tests run.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from tools.proof.markdown import BLOCKS, Piece, pieces
from tools.proof.sources import named

SECTIONS = {  # the pages that every chapter has, as the navigation calls them
    "index": "Overview",
    "why": "Why we do it",
    "how": "How we do it",
    "code": "Code implementation",
}
OVERVIEW = ["What you will be able to do", "The way through", "Where it comes from"]
LEADS_ON = {"why": "how", "how": "code"}
PATRONISING = re.compile(
    r"\b(simply|just|obvious(?:ly)?|trivial(?:ly)?|of course|needless to say"
    r"|as every(?:one|body) knows)\b",
    re.I,
)
NO_WORDS = re.compile(r"`[^`]*`|\]\([^)]*\)|<[^>]*>|https?://\S+")
TITLE = re.compile(r"""\btitle=(["'])(.*?)\1""")


@dataclass(frozen=True)
class Chapter:
    """A folder in docs/chapters/, and the pieces of each page in it."""

    root: Path
    folder: Path
    pages: dict[str, list[Piece]]

    def place(self, page: str, line: int = 1) -> str:
        """A line of a page, as messages name it."""
        return f"{named(self.root, self.folder)}/{page}.md:{line}"

    def find(self, page: str, *kinds: str) -> list[Piece]:
        """The pieces of these kinds on a page; none if there is no such page."""
        return [one for one in self.pages.get(page, []) if one.kind in kinds]

    @property
    def everything(self) -> list[tuple[str, Piece]]:
        """Each piece of the chapter, with its page."""
        return [(page, one) for page, found in self.pages.items() for one in found]

    def title(self, page: str) -> str:
        """What a page is headed; its name if it has no heading."""
        return next((one.text for one in self.find(page, "heading")), page)

    @property
    def name(self) -> str:
        """The number and the title: what the overview is headed."""
        return (
            self.title("index") if self.find("index", "heading") else self.folder.name
        )


def read_chapter(root: Path, folder: Path) -> Chapter:
    """Read the pages of a chapter, the four that each has first."""
    found = sorted(path.stem for path in folder.glob("*.md"))
    order = [name for name in SECTIONS if name in found]
    order += [name for name in found if name not in SECTIONS]
    return Chapter(
        root, folder, {name: pieces(root, folder / f"{name}.md") for name in order}
    )


def check_chapter(chapter: Chapter) -> Iterator[str]:
    """All that is wrong with the pages of a chapter, in words."""
    yield from check_sections(chapter)
    yield from check_overview(chapter)
    yield from check_ways(chapter)
    yield from check_fences(chapter)
    yield from check_words_between(chapter)
    yield from check_questions(chapter)
    yield from check_exercise(chapter)
    yield from check_pitfalls(chapter)
    yield from check_tone(chapter)


def check_sections(chapter: Chapter) -> Iterator[str]:
    """There are the four pages, and one number for folder and heading."""
    for page, title in SECTIONS.items():
        if page not in chapter.pages:
            where = chapter.place(page)
            yield f"{where}: a chapter has a page {title!r}; write {page}.md"
    number = chapter.folder.name.partition("-")[0]
    if "index" in chapter.pages and chapter.name.partition(" ")[0] != number:
        yield (
            f"{chapter.place('index')}: the overview is headed by the number of its "
            f"folder, {number}, got {chapter.name!r}; make them one"
        )


def check_overview(chapter: Chapter) -> Iterator[str]:
    """The overview has its sections in their order, and names a source."""
    heads = [one for one in chapter.find("index", "heading") if one.level == 2]
    found = [one.text for one in heads if one.text in OVERVIEW]
    if "index" in chapter.pages and found != OVERVIEW:
        yield (
            f"{chapter.place('index')}: an overview has the sections "
            f"{', '.join(map(repr, OVERVIEW))} in this order, got "
            f"{', '.join(map(repr, found)) or 'none'}; write or move what differs"
        )
    for head in heads:
        later = [one.line for one in heads if one.line > head.line]
        section = [
            one.text
            for one in chapter.find("index", "words")
            if head.line < one.line < min(later, default=one.line + 1)
        ]
        if head.text == OVERVIEW[-1] and "](https://" not in "".join(section):
            yield (
                f"{chapter.place('index', head.line)}: no source is named; say where "
                "the ideas come from, with a link that begins with https://"
            )


def check_ways(chapter: Chapter) -> Iterator[str]:
    """The overview leads to every page, and the pages lead on."""
    overview = "".join(one.text for one in chapter.find("index", "words"))
    for page in chapter.pages:
        if page != "index" and f"]({page}.md" not in overview:
            yield (
                f"{chapter.place('index')}: the overview does not lead to {page}.md; "
                f"link to it under {OVERVIEW[1]!r}"
            )
    for page, following in LEADS_ON.items():
        words = chapter.find(page, "words")
        if words and f"]({following}.md" not in words[-1].text:
            yield (
                f"{chapter.place(page, words[-1].line)}: the page does not lead on; "
                f"end it with a link to {following}.md"
            )


def check_fences(chapter: Chapter) -> Iterator[str]:
    """Each block is drawn, and says in its title what it is."""
    for page, one in chapter.everything:
        where, title = chapter.place(page, one.line), TITLE.search(one.text)
        if one.kind == "unclosed":
            yield f"{where}: a block has no end; close it as it is opened"
        if one.kind != "fence":
            continue
        files = [file for file, _ in one.draws]
        if len(files) != 1 or len(one.body) != 2:
            yield (
                f"{where}: a block is one directive and nothing typed; "
                'draw it with --8<-- "file:section"'
            )
        elif not title or not title[2].strip():
            proposed = "What it prints" if one.is_output else files[0]
            yield f'{where}: a block has no title; write title="{proposed}"'
        elif not one.is_output and title[2] != files[0]:
            yield (
                f"{where}: code is titled with its file, got {title[2]!r}; "
                f'write title="{files[0]}"'
            )


def check_words_between(chapter: Chapter) -> Iterator[str]:
    """No two blocks touch, outputs below their code and imports aside."""
    for page, found in chapter.pages.items():
        for above, below in pairwise(found):
            if not {above.kind, below.kind} <= BLOCKS:
                continue
            prints = above.kind != "figure" and not above.is_output
            imports = any(section == "imports" for _, section in above.draws)
            if imports or (prints and below.is_output):
                continue
            yield (
                f"{chapter.place(page, below.line)}: two blocks touch; write a "
                "sentence between that says what to look for"
            )


def check_questions(chapter: Chapter) -> Iterator[str]:
    """Each question is answered below, in words first."""
    for page, found in chapter.pages.items():
        for asked, answer in pairwise([*found, Piece("end", 0, 0, "")]):
            folded = asked.kind == "folded" and asked.text.startswith("question")
            heading = asked.kind == "heading" and asked.text.endswith("?")
            if (heading and answer.kind != "words") or (
                folded and answer.indent <= asked.indent
            ):
                yield (
                    f"{chapter.place(page, asked.line)}: a question has no answer; "
                    "write it right below, in words"
                )


def check_exercise(chapter: Chapter) -> Iterator[str]:
    """There is an exercise that the checker or a test can judge."""
    drawn = [file for _, one in chapter.everything for file, _ in one.draws]
    judged = ("mha/exercises/", "mha/examples/exercise_")
    if not any(file.startswith(judged) for file in drawn):
        yield (
            f"{chapter.place('code')}: the chapter has no exercise that can be judged; "
            "draw a starter for mha check from mha/exercises/, or an answer whose "
            "output a test compares from mha/examples/exercise_*.py"
        )


def check_pitfalls(chapter: Chapter) -> Iterator[str]:
    """The chapter leads to what goes wrong."""
    if not any("](../../pitfalls/" in one.text for _, one in chapter.everything):
        yield (
            f"{chapter.place('code')}: the chapter leads to no pitfall; link to one in "
            "../../pitfalls/ where the reader may run into it"
        )


def check_tone(chapter: Chapter) -> Iterator[str]:
    """No word makes a reader feel slow."""
    for page, one in chapter.everything:
        if one.kind in {"fence", "formula", "directive"}:
            continue
        lines = [one.text, *one.body]  # a figure has its caption in it
        for number, line in enumerate(lines, one.line):
            for found in PATRONISING.finditer(NO_WORDS.sub("", line)):
                yield (
                    f"{chapter.place(page, number)}: {found[0]!r} "
                    "tells readers that they are slow; "
                    "leave it out, or say why it is so"
                )
