"""Code on a page has no elements that show nothing, and keeps its text."""

import re
from pathlib import Path

from markdown import markdown

ASSETS = Path(__file__).resolve().parents[1] / "docs" / "assets"
FENCE = (
    '```python\ndef head(x: int = 0) -> str:\n    return "<n>" + x  # so & so\n```\n'
)
EXTENSIONS = ["pymdownx.superfences", "pymdownx.highlight"]


def text(html: str) -> str:
    return re.sub(r"<[^>]*>", "", html)


def test_plain_tokens_lose_their_elements_and_keep_their_text():
    full = markdown(FENCE, extensions=EXTENSIONS)
    thin = markdown(FENCE, extensions=[*EXTENSIONS, "tools.tokens"])

    assert set(re.findall('<span class="(n|p|o|w)">', full)) == {"n", "p", "o", "w"}
    assert set(re.findall('<span class="(n|p|o|w)">', thin)) == set()
    assert text(thin) == text(full)


def test_what_has_a_colour_keeps_it():
    full = markdown(FENCE, extensions=EXTENSIONS)
    thin = markdown(FENCE, extensions=[*EXTENSIONS, "tools.tokens"])
    kinds = set(re.findall(r'<span class="(\w+)">', full)) - {"n", "p", "o", "w"}

    assert kinds == set(re.findall(r'<span class="(\w+)">', thin))


def test_outputs_alone_have_no_copy_button():
    both = FENCE + FENCE.replace("python", "text")
    named = {"pymdownx.highlight": {"pygments_lang_class": True}}  # as in mkdocs.yml
    html = markdown(
        both, extensions=[*EXTENSIONS, "tools.tokens"], extension_configs=named
    )
    classes = re.findall(r'<div class="([^"]+)">', html)

    assert len(classes) == 2
    assert ["no-copy" in it.split() for it in classes] == [False, True]


def test_no_style_depends_on_what_stands_inside():
    css = "".join(path.read_text("utf-8") for path in ASSETS.glob("*.css"))

    # :has() makes the browser style a page anew for each copy button that is added.
    assert ":has(" not in re.sub(r"/\*.*?\*/", "", css, flags=re.S)
