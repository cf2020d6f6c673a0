"""Every question that people asked has its answer under a heading of its own."""

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

CHAPTER = "chapters/6.1-multi-head-self-attention"
SHARED = "chapters/6.2-grouped-query-attention"
ANSWERS = {
    "view and then transpose": f"{CHAPTER}/how#why-view-then-transpose",
    "without transposing back": f"{CHAPTER}/how#glued-without-transposing-back",
    ".contiguous()": f"{CHAPTER}/how#why-contiguous",
    "wrapper and the fused": f"{CHAPTER}/code#same-model-different-numbers",
    "independent projections": f"{CHAPTER}/code#independent-or-slices",
    "before or after projecting": f"{CHAPTER}/how#split-after-projecting",
    "output projection": f"{CHAPTER}/how#output-projection",
    "True mean keep or hide": f"{CHAPTER}/how#does-true-hide",
    "infinity before the softmax": f"{CHAPTER}/how#why-minus-infinity",
    "one place too many": f"{CHAPTER}/how#one-place-too-many",
    "under the root": f"{CHAPTER}/how#which-width-under-the-root",
    "which axis": f"{CHAPTER}/how#over-which-axis",
    "between two calls in eval": f"{CHAPTER}/code#eval-output-changes",
    "dropout numbers differ": f"{CHAPTER}/code#dropout-numbers-differ",
    "more tokens than context_length": f"{CHAPTER}/code#too-many-tokens",
    "read the future": f"{CHAPTER}/code#does-it-read-the-future",
    "NaN in the first row": f"{CHAPTER}/how#nan-in-the-first-row",
    "why a buffer": f"{CHAPTER}/code#why-a-buffer",
    "faster": f"{CHAPTER}/code#is-fused-faster",
    "notebook not run": "contribute#how-the-code-stays-fresh",
    "fewer heads of keys": f"{SHARED}/why#why-fewer",
    "repeat or repeat_interleave": f"{SHARED}/how#repeat-or-repeat-interleave",
    "wrong with a cache": f"{SHARED}/how#is-causal-with-a-cache",
}


class Page(HTMLParser):
    """Collect the headings with an id, and the links with their words."""

    def __init__(self, text: str):
        super().__init__()
        self.headings: dict[str, str] = {}
        self.links: list[tuple[str, str]] = []
        self.heading = self.link = None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if re.fullmatch("h[1-6]", tag) and attributes.get("id"):
            self.heading = attributes["id"]
            self.headings[self.heading] = ""
        if tag == "a":
            self.link = attributes.get("href")
            self.links.append((self.link or "", ""))

    def handle_endtag(self, tag):
        if re.fullmatch("h[1-6]", tag):
            self.heading = None
        if tag == "a":
            self.link = None

    def handle_data(self, data):
        if self.heading:
            self.headings[self.heading] += data
        if self.link:
            href, words = self.links.pop()
            self.links.append((href, words + data))


def read(site: Path, page: str) -> Page:
    return Page((site / page / "index.html").read_text("utf-8"))


def test_every_question_is_listed_here(site: Path):
    items = re.findall(r'class="asked"', (site / "questions/index.html").read_text())

    assert len(items) == len(ANSWERS) > 20


@pytest.mark.parametrize(("words", "answer"), ANSWERS.items())
def test_a_question_leads_to_a_heading(site: Path, words: str, answer: str):
    page, _, anchor = answer.partition("#")

    hrefs = [href for href, text in read(site, "questions").links if words in text]

    assert hrefs == [f"../{page}/#{anchor}"]
    assert anchor in read(site, page).headings


def test_a_missing_heading_is_seen():
    page = Page('<h2 id="here">Here</h2><a href="#there">there</a>')

    assert page.headings == {"here": "Here"}
    assert page.links == [("#there", "there")]
