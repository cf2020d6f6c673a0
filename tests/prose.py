"""The words of a page, for tests of what it claims."""

import re
from pathlib import Path


def prose(page: Path) -> str:
    """The words of a page in one line, without links' targets and marks of code."""
    text = page.read_text("utf-8").partition("\n# ")[2]
    text = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    text = re.sub(r"^ *--8<--.*$|</?fig.*?>|\{#.*?\}", "", text, flags=re.M)
    return " ".join(re.sub(r"\]\([^)]*\)", "]", text).split())  # no-break spaces, too
