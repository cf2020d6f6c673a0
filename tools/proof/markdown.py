"""A page as it is written, in the pieces that the rules of a chapter speak of."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from tools.proof.sources import DIRECTIVE, read

FENCE = re.compile(r"(?P<marks>`{3,}|~{3,})(?P<info>.*)")
HEADING = re.compile(r"(?P<hashes>#{1,6}) +(?P<words>.*?)(?: *\{.*\})?")
FOLDED = re.compile(r"(?:\?{3}\+?|!{3}) +(?P<kind>\w+)(?: +\"(?P<words>.*)\")?")
BLOCKS = {"fence", "directive", "figure"}


@dataclass
class Piece:
    """A heading, a line of words, or a block, and where it stands."""

    kind: str  # heading, folded, words, fence, formula, directive, figure, unclosed
    line: int
    indent: int
    text: str  # a heading's words, a fence's info, a line of words
    level: int = 0  # of a heading
    body: list[str] = field(default_factory=list[str])  # the lines in a fence

    @property
    def draws(self) -> list[tuple[str, str]]:
        """The files that a block draws, each with its section or ""."""
        found = map(DIRECTIVE.match, self.body)
        return [(one[2] or "", one[3] or "") for one in found if one]

    @property
    def is_output(self) -> bool:
        """Whether it is what the block above prints."""
        return self.kind == "fence" and self.text.lstrip("{ .").startswith("text")


def opened(line: str, number: int, indent: int) -> Piece:
    """The piece that a line begins."""
    if fence := FENCE.fullmatch(line):
        kind = "formula" if fence["info"].strip() == "math" else "fence"
        return Piece(kind, number, indent, fence["info"].strip())
    if heading := HEADING.fullmatch(line):
        level = len(heading["hashes"])
        return Piece("heading", number, indent, heading["words"], level)
    if folded := FOLDED.fullmatch(line):
        return Piece("folded", number, indent, f"{folded['kind']}: {folded['words']}")
    if DIRECTIVE.match(line):
        return Piece("directive", number, indent, line, body=[line])
    if line.startswith("<figure"):
        return Piece("figure", number, indent, line)
    return Piece("words", number, indent, line)


def pieces(root: Path, path: Path) -> list[Piece]:
    """The pieces of a page, in order, without the settings at its head."""
    lines = read(root, path).splitlines()
    first = 0
    if lines[:1] == ["---"] and "---" in lines[1:]:
        first = lines.index("---", 1) + 1
    found: list[Piece] = []
    end = ""  # what closes the fence or the figure that is open
    for number, line in enumerate(lines[first:], first + 1):
        text = line.strip()
        if end:
            found[-1].body.append(text)
            closes = text.startswith(end) and (end[0] == "<" or not text.strip(end[0]))
            end = "" if closes else end
        elif text and not text.startswith("<!--"):
            found.append(opened(text, number, len(line) - len(line.lstrip())))
            if fence := FENCE.fullmatch(text):
                end = fence["marks"]
            elif found[-1].kind == "figure":
                end = "</figure" if "</figure" not in text else ""
    if end:
        found[-1].kind = "unclosed"
    return found
