"""How this site is made: one direction, from tested code to the published page."""

from pathlib import Path

from canvas import FAINT, MUTED, TEAL, Canvas

ROOT = Path(__file__).parents[2]
STEPS = (
    ("mha/fused.py", "in marked sections"),
    ("docs/**/*.md", "prose that names sections, and holds no code"),
    ("mkdocs build --strict", "puts the sections into the pages"),
    ("HTML in a temporary folder", "what a reader would get"),
    ("tools/proof/", "traces each code block back to its file"),
    ("site/", "published only if the proof holds"),
)
BESIDE = ("tests/", "on CPU and GPU")


def values():
    """The steps, once it is known that what they name is there."""
    section = "MultiHeadAttention"
    if f"[start:{section}]" not in (ROOT / "mha/fused.py").read_text("utf-8"):
        raise ValueError(f"mha/fused.py must have a section {section}, got none")
    for place in ("tools/proof/", "tests/"):
        if not (ROOT / place).is_dir():
            raise ValueError(f"the picture names {place}, and there is no such folder")
    return {"steps": [list(step) for step in STEPS], "beside": list(BESIDE)}


def picture(values):
    """Draw the steps from top to bottom, the tests beside the first."""
    steps, (tests, where) = values["steps"], values["beside"]
    canvas = Canvas(
        418,
        "One direction, top to bottom: "
        + "; then ".join(f"{name}, {what}" for name, what in steps)
        + f". Beside the code stand the {tests} that run it {where}. "
        "Where the proof fails, nothing is published.",
    )
    for i, (name, what) in enumerate(steps):
        y, wide = 4 + 72 * i, 200 if i == 0 else 340
        last = i in (0, len(steps) - 1)
        canvas.rect(2, y, wide, 50, TEAL, 0.14 if last else 0.05, TEAL, 6)
        words = name.startswith("HTML")
        canvas.text(14, y + 21, name, bold=True, mono=not words)
        canvas.text(14, y + 40, what, MUTED, 12.5)
        if i:
            canvas.arrow((110, y - 21), (110, y - 2), TEAL)
    canvas.rect(232, 4, 126, 50, FAINT, 0.08, FAINT, 6)
    canvas.text(243, 25, tests, bold=True, mono=True)
    canvas.text(243, 44, where, MUTED, 12.5)
    canvas.arrow((231, 29), (205, 29), FAINT)
    return canvas.svg()
