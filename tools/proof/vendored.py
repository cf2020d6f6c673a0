"""Third-party scripts that are published: just what an installed package holds."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

FOLDER = "assets/vendor/"
AROUND = {  # what stands around the modules in Brython's library, and in our part of it
    "__BRYTHON__.use_VFS = true;\nvar scripts = \n__BRYTHON__.update_VFS(scripts)\n",
    "__BRYTHON__.use_VFS = true;\n__BRYTHON__.update_VFS();\n",
}


def modules(script: str) -> dict[str, Any]:
    """The modules in a library of Brython's; none if the script is anything else."""
    start = max(script.find('{"'), 0)
    try:
        found, end = json.JSONDecoder().raw_decode(script, start)
    except ValueError:
        return {}
    return found if script[:start] + script[end:] in AROUND else {}


def is_vendored(name: str, path: Path) -> bool:
    """Whether a published script is what the installed package `brython` holds.

    Brython names hosts and knows storage, in comments and in parts that the page does
    not use, so it would not pass as a script of ours; a browser test holds that it
    asks and keeps nothing here.
    """
    if not name.startswith(FOLDER):
        return False
    try:
        data = files("brython") / "data"
    except ModuleNotFoundError:
        return False
    if name == f"{FOLDER}brython.js":
        return path.read_bytes() == (data / "brython.js").read_bytes()
    chosen = modules(path.read_text("utf-8"))
    library = modules((data / "brython_stdlib.js").read_text("utf-8"))
    return bool(chosen) and chosen.items() <= library.items()
