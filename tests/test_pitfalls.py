"""Every mistake that the checker names has an entry, where the checker's link leads."""

import importlib
import json
import re
import sys
from pathlib import Path

import pytest

from mha.checker.codes import FAMILIES, MISTAKES, finding

ROOT = Path(__file__).parents[1]
PAGES = ROOT / "docs" / "pitfalls"
FIGURES = ROOT / "docs" / "figures"
sys.path.append(str(FIGURES))
pitfalls = importlib.import_module("pitfalls")
count = importlib.import_module("pitfalls_count")
HEADING = re.compile(r"^### (.+) \{#([a-z-]+)\}$", re.M)
MARK = re.compile(r"<!-- -8<- \[(start|end):([a-z-]+)\] -->")
NO_PICTURE = re.compile("so (there is no picture|no picture)|no pictures")


def page(family: str) -> str:
    return (PAGES / f"{family}.md").read_text("utf-8")


def entries(text: str) -> dict[str, str]:
    """What a page says of each mistake, by its code."""
    parts = HEADING.split(re.sub(r"^## .*$", "", text, flags=re.M))
    return dict(zip(parts[2::3], parts[3::3]))


def data(family: str) -> dict[str, dict[str, list[list[float | str]]]]:
    """The matrices of a family's pictures; none where it has no pictures."""
    path = FIGURES / f"pitfalls_{family}.json"
    return json.loads(path.read_text("utf-8")) if path.is_file() else {"right": {}}


ENTRIES = {family: entries(page(family)) for family in FAMILIES}
OF = {code: mistake.family for code, mistake in MISTAKES.items()}


@pytest.mark.parametrize("family", FAMILIES)
def test_entries_are_the_codes_of_the_family(family: str):
    codes = {code for code in MISTAKES if OF[code] == family}

    assert codes == ENTRIES[family].keys(), (
        f"each of {codes} is a heading in {family}.md"
    )


def test_there_is_a_page_for_each_family_and_no_other():
    pages = {path.stem for path in PAGES.glob("*.md")}

    assert pages == {*FAMILIES, "index"}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_code_stands_once_on_its_page(family: str):
    codes = [code for _, code in HEADING.findall(page(family))]

    assert len(codes) == len(set(codes))


@pytest.mark.parametrize("code", MISTAKES)
def test_an_entry_shows_the_wrong_lines(code: str):
    entry = ENTRIES[OF[code]].get(code, "")

    directive = f'--8<-- "mha/mistakes/{OF[code]}.py:{code}"'
    assert directive in entry, f"{code}: draw the wrong lines with {directive}"


@pytest.mark.parametrize("code", MISTAKES)
def test_an_entry_or_its_group_shows_the_right_lines(code: str):
    before, _, _ = page(OF[code]).partition(f"{{#{code}}}")
    group = before.rpartition("\n## ")[2].partition("\n### ")[0]

    assert "mha/mistakes/layer.py:" in group + ENTRIES[OF[code]].get(code, "")


@pytest.mark.parametrize("code", MISTAKES)
def test_an_entry_says_what_training_shows_and_where_it_was_seen(code: str):
    entry = ENTRIES[OF[code]].get(code, "")

    training = re.search(r"\*\*(Why training|Training)", entry)
    seen = re.search(r'class="asked">(Seen at|Asked about|No public thread)', entry)
    assert training, f"{code}: write a paragraph that begins with **Why training"
    assert seen, f'{code}: end with <span class="asked">Seen at … or No public thread'


@pytest.mark.parametrize("code", MISTAKES)
def test_an_entry_has_a_picture_where_there_is_something_to_see(code: str):
    entry, family = ENTRIES[OF[code]].get(code, ""), OF[code]

    pictured = f'--8<-- "docs/figures/pitfalls_{family}.svg:{code}"' in entry

    assert pictured == (code in data(family)), f"{code}: make figures, and draw it"
    said = NO_PICTURE.search(entry + before_entries(family, code))
    assert pictured or said, f"{code}: draw its picture, or say why there is none"


def before_entries(family: str, code: str) -> str:
    """What the page says before its entries, and the group before its first."""
    before, _, _ = page(family).partition(f"{{#{code}}}")
    group = before.rpartition("\n## ")[2].partition("\n### ")[0]
    return before.partition("\n## ")[0] + group


@pytest.mark.parametrize("code", MISTAKES)
def test_the_link_of_a_finding_leads_to_the_entry(site: Path, code: str):
    address, _, anchor = finding(code, "").link.partition("#")
    path = address.removeprefix("docs/").removesuffix(".md")

    html = (site / path / "index.html").read_text("utf-8")

    assert re.search(rf'<h3 id="{anchor}"', html)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_first_page_leads_to_each_family(family: str):
    assert f"]({family}.md" in page("index").rpartition("\n## ")[2]


@pytest.mark.parametrize("family", pitfalls.FAMILIES)
def test_each_picture_of_a_sheet_is_marked_with_its_code(family: str):
    sheet = (FIGURES / f"pitfalls_{family}.svg").read_text("utf-8")
    codes = [code for code in data(family) if code != "right"]

    assert MARK.findall(sheet) == [(m, c) for c in codes for m in ("start", "end")]


@pytest.mark.parametrize("family", pitfalls.FAMILIES)
def test_the_upper_matrices_are_those_of_attention(family: str):
    right = data(family)["right"]

    for name, rows in right.items():
        assert all(value == 0 for i, row in enumerate(rows) for value in row[i + 1 :])
        assert all(value > 0 for i, row in enumerate(rows) for value in row[: i + 1])
        if name != "moves":
            assert [sum(row) for row in rows] == pytest.approx([1] * 6, abs=4e-4)


def test_a_picture_says_what_differs():
    sheet = (FIGURES / "pitfalls_mask.svg").read_text("utf-8")

    label = re.search(r'aria-label="([^"]*the mistake mask-hides-itself:[^"]*)"', sheet)

    assert label is not None
    assert "6 places that are not numbers" in label[1]


def test_every_mistake_is_counted_once():
    counted = json.loads((FIGURES / "pitfalls_count.json").read_text("utf-8"))

    families = {code: family for family, codes in counted.items() for code in codes}

    assert families == OF
    assert sum(count.counted(counted).values()) == len(MISTAKES)


def test_a_missing_entry_is_seen():
    text = "## A\n\n### One {#one}\n\nsays\n\n## B\n\n### Two {#two}\n\nmore\n"

    assert entries(text) == {"one": "\n\nsays\n\n\n\n", "two": "\n\nmore\n"}
