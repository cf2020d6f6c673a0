"""The mistakes that the checker knows by name, read from `mha.mistakes`."""

import importlib
import inspect
import re
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata

from mha.checker.records import Finding
from mha.mistakes.layer import Layer

FAMILIES = (
    "mask",
    "softmax",
    "scale",
    "heads",
    "groups",
    "projections",
    "dropout",
    "calls",
    "state",
    "learning",
    "unnamed",
)


@dataclass(frozen=True)
class Mistake:
    """A mistake: a layer that makes it, and what to say to those who made it."""

    code: str
    family: str
    layer_class: type[Layer]
    wrong: str
    expected: str
    ask: str


def in_words(name: str) -> str:
    """`MaskInverted` is `mask-inverted`."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()


def read(family: str, layer_class: type[Layer]) -> Mistake:
    """A mistake from the docstring of its class."""
    text = " ".join(inspect.getdoc(layer_class).split())  # type: ignore[union-attr]
    wrong, _, rest = text.partition(" Expected: ")
    expected, _, ask = rest.partition(" Ask: ")
    code = in_words(layer_class.__name__)
    if not (wrong and expected and ask):
        raise ValueError(f"{code} must have an Expected: and an Ask:, got {text!r}")
    return Mistake(code, family, layer_class, wrong, expected, ask)


def all_mistakes() -> dict[str, Mistake]:
    """Every mistake by its code, in the order of the pages."""
    found: dict[str, Mistake] = {}
    for family in FAMILIES:
        module = importlib.import_module(f"mha.mistakes.{family}")
        for layer_class in vars(module).values():
            if getattr(layer_class, "__module__", "") == module.__name__:
                mistake = read(family, layer_class)
                found[mistake.code] = mistake
    return found


MISTAKES = all_mistakes()


def site() -> str:
    """The address of the site where the package's metadata know it."""
    try:
        urls = metadata("mha").get_all("Project-URL") or []
    except PackageNotFoundError:
        urls = []
    known = [url.partition(", ")[2] for url in urls if url.startswith("Documentation,")]
    return known[0].rstrip("/") + "/" if known else ""


def finding(code: str, seen: str) -> Finding:
    """What to tell about a mistake that was seen."""
    mistake = MISTAKES[code]
    page = f"pitfalls/{mistake.family}"
    link = f"{site()}{page}/#{code}" if site() else f"docs/{page}.md#{code}"
    return Finding(code, mistake.wrong, seen, mistake.expected, mistake.ask, link)
