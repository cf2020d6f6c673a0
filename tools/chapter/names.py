"""The names of a new chapter, from its number and its title."""

import keyword
import re
import unicodedata
from dataclasses import dataclass

NUMBER = re.compile(r"[1-9][0-9]?\.[1-9][0-9]?", re.ASCII)
BETWEEN = " -',:()&"  # what may stand in a title between letters and digits
LONGEST = 48
NO_FILES = {"aux", "con", "nul", "prn"}  # on Windows
COMMAND = 'make chapter NUMBER=6.3 TITLE="Rotary Positions"'


@dataclass(frozen=True)
class Names:
    """What a chapter is called, on pages, as a folder and as a module."""

    number: str
    title: str
    folder: str
    module: str


def ascii_letters(text: str) -> str:
    """The text without accents, in small letters; "" where a letter has no such form.

    (A letter of another script would vanish from the name, and leave half a title.)
    """
    plain = unicodedata.normalize("NFKD", text)
    letters = "".join(sign for sign in plain if not unicodedata.combining(sign))
    return letters.lower() if letters.isascii() else ""


def names(number: str, title: str) -> Names:
    """Derive the names of a chapter.

    Raises:
        ValueError: If the number or the title will not do, with what would.
    """
    if not NUMBER.fullmatch(number):
        raise ValueError(
            f"NUMBER must be the part and the chapter, such as 6.3, got {number!r}; "
            f"write {COMMAND}"
        )
    if not title:
        raise ValueError(
            f"TITLE must say what the chapter is about, got nothing; write {COMMAND}"
        )
    title = unicodedata.normalize("NFC", title)  # accents may come apart on the way
    for sign in title:
        if not (sign.isalnum() or sign in BETWEEN):
            raise ValueError(
                "TITLE must be made of letters, digits, spaces and any of "
                f"{BETWEEN.strip()}, got {sign!r} in {title!r}"
            )
    words = re.findall("[a-z0-9]+", ascii_letters(title).replace("'", ""))
    module = "_".join(words)
    if not words:
        raise ValueError(
            "TITLE must have letters that are a to z without their accents, because "
            f"files are named after it, got {title!r}"
        )
    if module[0].isdigit():
        raise ValueError(
            "TITLE must begin with a letter, because files are named after it, "
            f"got {title!r}"
        )
    if keyword.iskeyword(module) or module in NO_FILES:
        raise ValueError(
            "TITLE must be more than a word of Python's or of Windows', because files "
            f"are named after it, got {title!r}"
        )
    if len(module) > LONGEST:
        raise ValueError(
            f"TITLE must make a name of at most {LONGEST} letters, "
            f"got {len(module)} in {module!r}"
        )
    if title != " ".join(title.split()):
        raise ValueError(f"TITLE must have single spaces between words, got {title!r}")
    return Names(number, title, f"{number}-{'-'.join(words)}", module)
