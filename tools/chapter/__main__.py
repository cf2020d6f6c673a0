"""Lay out a chapter: make chapter NUMBER=6.3 TITLE="Rotary Positions".

python -m tools.chapter              reads NUMBER and TITLE from the environment, so
                                     that no shell sees the title
"""

import os
import re
import signal
import sys
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory

from tools.chapter.names import Names, names

ROOT = Path(__file__).resolve().parents[2]
TEMPLATE = Path(__file__).parent / "template"
PLACES = {  # each file of template/, and what becomes of it
    "index.md": "docs/chapters/$folder/index.md",
    "why.md": "docs/chapters/$folder/why.md",
    "how.md": "docs/chapters/$folder/how.md",
    "code.md": "docs/chapters/$folder/code.md",
    "listing.py": "mha/$module.py",
    "test.py": "tests/layers/test_$module.py",
    "example.py": "mha/examples/$module.py",
    "example.txt": "mha/examples/output/$module.txt",
    "exercise.py": "mha/examples/exercise_$module.py",
    "exercise.txt": "mha/examples/output/exercise_$module.txt",
}


def files(chapter: Names) -> dict[str, str]:
    """Map each file of a new chapter to its text."""
    words = vars(chapter)
    return {
        Template(place).substitute(words): Template(
            (TEMPLATE / f"{name}.in").read_text("utf-8")
        ).substitute(words)
        for name, place in PLACES.items()
    }


def check_free(root: Path, chapter: Names) -> None:
    """Refuse a chapter whose number or whose names are taken.

    Raises:
        ValueError: With what is there already.
    """
    known = re.compile(rf'"{chapter.module}"|^(?:def )?{chapter.module}\b', re.M)
    packages = [root / "mha/__init__.py", root / "mha/examples/__init__.py"]
    slug = chapter.folder.partition("-")[2]
    folders = root.glob(f"docs/chapters/*-{slug}")
    taken = [
        *(one for one in packages if known.search(one.read_text("utf-8"))),
        *root.glob(f"docs/chapters/{chapter.number}-*"),
        *(one for one in folders if one.name.partition("-")[2] == slug),
        *root.glob(f"mha/{chapter.module}"),
        *root.glob(f"mha/examples/{chapter.module}"),
        *root.glob(f"tests/**/test_{chapter.module}.py"),
        *(root / place for place in files(chapter) if (root / place).exists()),
    ]
    left = root / "docs/chapters"  # an empty folder is left of one that was deleted
    taken = [one for one in taken if one.parent != left or any(one.iterdir())]
    if taken:
        raise ValueError(
            "NUMBER and TITLE must be new, got "
            f"{chapter.number} and {chapter.title!r}, and there is "
            f"{taken[0].relative_to(root).as_posix()}; take others, or see with "
            "make chapters how to go on with what is there"
        )


def lay_out(root: Path, chapter: Names) -> list[str]:
    """Write the files of a new chapter, all of them or none.

    Returns:
        The files, from the root.

    Raises:
        ValueError: If one of them is there already.
        OSError: If one cannot be written.
    """
    check_free(root, chapter)
    moved: list[Path] = []
    folder = root / "docs" / "chapters" / chapter.folder
    with TemporaryDirectory(
        prefix=".chapter-", dir=root, ignore_cleanup_errors=True
    ) as fresh:
        for place, text in files(chapter).items():
            path = Path(fresh, place)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8", newline="\n")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for place in files(chapter):
                moved.append(root / place)
                Path(fresh, place).rename(root / place)
        except BaseException:
            for path in moved:
                path.unlink(missing_ok=True)
            if folder.exists():
                folder.rmdir()
            raise
    return list(files(chapter))


def main() -> int:
    """Read the names, lay the chapter out, say what is there."""
    try:
        chapter = names(os.environ.get("NUMBER", ""), os.environ.get("TITLE", ""))
        written = lay_out(ROOT, chapter)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"nothing is laid out, got {error}", file=sys.stderr)
        return 1
    words = "laid out, as a draft that is not published (to undo, delete these):"
    print(words, *written, sep="\n  ")
    return 0


if __name__ == "__main__":
    for name in {"SIGINT", "SIGTERM", "SIGHUP"} & set(dir(signal)):  # not on Windows
        signal.signal(getattr(signal, name), signal.SIG_IGN)  # it is done in no time
    sys.exit(main())
