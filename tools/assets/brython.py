"""Brython, the Python that runs in the page, out of its installed package."""

import json
from importlib.resources import files

MODULES = ["math"]  # all that `mha.plain` imports; Brython's whole library is 5 MB


def runtime() -> dict[str, str]:
    """The two scripts that docs/assets/run-worker.js loads, by name."""
    data = files("brython") / "data"
    library = (data / "brython_stdlib.js").read_bytes().decode()
    start = library.index("{", library.index("var scripts"))
    modules, _ = json.JSONDecoder().raw_decode(library, start)
    chosen = json.dumps({name: modules[name] for name in MODULES})
    return {
        "brython.js": (data / "brython.js").read_bytes().decode(),
        "brython-modules.js": f"__BRYTHON__.use_VFS = true;\n"
        f"__BRYTHON__.update_VFS({chosen});\n",
    }
