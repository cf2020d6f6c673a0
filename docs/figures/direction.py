"""How this site is made: one direction, from tested code to the published page."""

from pathlib import Path

from canvas import MUTED, TEAL, Canvas

ROOT = Path(__file__).parents[2]
SECTION = "MultiHeadAttention"  # followed from the listing to the page
PAGE = "docs/chapters/6.1-multi-head-self-attention/code.md"
STEPS = (  # what it is called, what it does, and which test does what about it
    (
        "mha/fused.py",
        f"the section {SECTION}",
        ("tests/layers/test_fused.py", "runs it"),
    ),
    (PAGE, "draws the section, and holds no code", ("docs/conftest.py", "runs it")),
    (
        "tools/build.py",
        "has MkDocs make HTML, in a temporary folder",
        ("tests/browser/test_pages.py", "looks at it"),
    ),
    (
        "tools/origins.py",
        "writes file and lines above the block",
        ("tests/test_origins.py", "compares"),
    ),
    (
        "tools/proof/code.py",
        "traces the block back to its file",
        ("tests/test_proof.py", "plants faults"),
    ),
    ("site/", "is replaced if the proof holds", ("tests/test_site.py", "reads it")),
)


def values():
    """The steps, once it is known that what they name is there."""
    listing = (ROOT / STEPS[0][0]).read_text("utf-8")
    if f"[start:{SECTION}]" not in listing:
        raise ValueError(f"mha/fused.py must have a section {SECTION}, got none")
    if f'"{STEPS[0][0]}:{SECTION}"' not in (ROOT / PAGE).read_text("utf-8"):
        raise ValueError(f"{PAGE} must draw the section {SECTION}, and does not")
    for name, _, (test, _) in STEPS:
        for file in {name, test} - {"site/"}:
            if not (ROOT / file).is_file():
                raise ValueError(f"the picture names {file}, and there is no such file")
    return {"steps": [[name, what, list(test)] for name, what, test in STEPS]}


def short(name):
    """A name that a phone has room for."""
    return name.replace("-multi-head-self-attention", "…")


def picture(values):
    """Draw the steps from top to bottom, in each the test that holds it."""
    steps = values["steps"]
    canvas = Canvas(
        96 * len(steps) - 14,
        "One direction, top to bottom: "
        + "; then ".join(
            f"{name} {what}, and {test} {does}" for name, what, (test, does) in steps
        )
        + ". Where the proof fails, nothing is published.",
    )
    for i, (name, what, (test, does)) in enumerate(steps):
        y, end = 4 + 96 * i, i in (0, len(steps) - 1)
        canvas.rect(2, y, 356, 74, TEAL, 0.14 if end else 0.05, TEAL, 6)
        canvas.text(14, y + 22, short(name), bold=True, mono=True)
        canvas.text(14, y + 42, what, size=12.5)
        canvas.text(14, y + 62, f"{test} {does}", MUTED, 12.5)
        if i:
            canvas.arrow((180, y - 21), (180, y - 2), TEAL)
    return canvas.svg()
