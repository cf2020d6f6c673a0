"""Each rule of a chapter's pages, broken once, says what, where and how to mend it."""

import re
from pathlib import Path

import pytest

from tools.chapter.__main__ import lay_out
from tools.chapter.names import names
from tools.proof.__main__ import main, prove
from tools.proof.chapters import chapters, check_chapters, report
from tools.proof.markdown import pieces

ROOT = Path(__file__).resolve().parents[1]
FOLDER = "docs/chapters/6.2-new-heads"
NAV = """nav:
  - Home: index.md
  # - Overview: chapters/6.9-late/index.md
  - 6.2 New Heads:
      - Overview: chapters/6.2-new-heads/index.md
      - Why we do it: chapters/6.2-new-heads/why.md
      - How we do it: chapters/6.2-new-heads/how.md
      - Code implementation: chapters/6.2-new-heads/code.md
"""
OUTPUT = """```text title="What it prints"
--8<-- "mha/examples/output/new_heads.txt"
```
"""
LISTING = """```python title="mha/new_heads.py"
--8<-- "mha/new_heads.py"
```
"""
IMPORTS = LISTING.replace('.py"\n`', '.py:imports"\n`')
FIGURE = """<figure class="drawn">
--8<-- "docs/figures/mask.svg"
<figcaption>A mask.</figcaption>
</figure>
"""
README = """<!-- --8<-- [start:bench] -->
```shell
mha bench
```
<!-- --8<-- [end:bench] -->
"""
TABLE = '--8<-- "docs/figures/cost_rates.table"\n'
NEXT = "Next: [the same thing, fast](code.md).\n"


@pytest.fixture
def root(tmp_path):
    """A small repository with a chapter that is finished and published."""
    for folder in ("docs/chapters", "mha/examples/output", "tests/layers"):
        (tmp_path / folder).mkdir(parents=True)
    for package in ("mha/__init__.py", "mha/examples/__init__.py"):
        (tmp_path / package).touch()
    for name in lay_out(tmp_path, names("6.2", "New Heads")):
        text = (tmp_path / name).read_text("utf-8")
        (tmp_path / name).write_text(text.replace("TODO: ", "It is so: "), "utf-8")
    with (tmp_path / "mha/new_heads.py").open("a") as listing:
        listing.write("# --8<-- [start:imports]\nimport math\n# --8<-- [end:imports]\n")
    (tmp_path / "mkdocs.yml").write_text(NAV)
    (tmp_path / "README.md").write_text(README)
    (tmp_path / "docs/figures").mkdir()
    for name in ("mask.svg", "cost_rates.table"):
        (tmp_path / "docs/figures" / name).touch()
    return tmp_path


def edit(root: Path, name: str, old: str, new: str) -> None:
    """Replace the first of a text in a file; it has to be there."""
    text = (root / name).read_text("utf-8")
    assert old in text
    (root / name).write_text(text.replace(old, new, 1), "utf-8")


def test_a_sound_chapter_breaks_no_rule(root):
    assert list(check_chapters(root)) == []


FAULTS = {  # the page, what is replaced by what, the line to look at, the message
    "another number": (
        *("index", "# 6.2 New Heads", "# 6.3 New Heads", "---"),
        "the overview is headed by the number of its folder, 6.2, got "
        "'6.3 New Heads'; make them one",
    ),
    "no title": (
        *("index", "# 6.2 New Heads", "# New Heads", "---"),
        "the overview is headed by the number of its folder, 6.2, got 'New Heads'; "
        "make them one",
    ),
    "a section is missing": (
        *("index", "## The way through\n", "", "---"),
        "an overview has the sections 'What you will be able to do', "
        "'The way through', 'Where it comes from' in this order, got "
        "'What you will be able to do', 'Where it comes from'; "
        "write or move what differs",
    ),
    "a section of another level": (
        *("index", "## The way through", "### The way through", "---"),
        "an overview has the sections 'What you will be able to do', ",
    ),
    "no source": (
        *("index", "https://arxiv.org/abs/1706.03762", "why.md"),
        "## Where it comes from",
        "no source is named; say where the ideas come from, with a link that begins "
        "with https://",
    ),
    "a page that nobody finds": (
        *("index", "[How we do it](how.md)", "How we do it", "---"),
        "the overview does not lead to how.md; link to it under 'The way through'",
    ),
    "why does not lead on": (
        *("why", "Next: [how it is done](how.md).", "It is so.", "It is so."),
        "the page does not lead on; end it with a link to how.md",
    ),
    "how leads on too early": (
        *("how", NEXT, f"{NEXT}It is so.\n", "It is so."),
        "the page does not lead on; end it with a link to code.md",
    ),
    "typed code": (
        *("code", LISTING, LISTING.replace('--8<-- "mha/new_heads.py"', "x = 1")),
        '```python title="mha/new_heads.py"',
        "a block is one directive and nothing typed; "
        'draw it with --8<-- "file:section"',
    ),
    "typed below what is drawn": (
        *("code", LISTING, LISTING.replace("\n```", "\nx = 1\n```")),
        '```python title="mha/new_heads.py"',
        "a block is one directive and nothing typed; ",
    ),
    "no block title": (
        *("code", ' title="mha/new_heads.py"', "", "```python"),
        'a block has no title; write title="mha/new_heads.py"',
    ),
    "an empty block title": (
        *("code", 'title="What it prints"', 'title=" "', '```text title=" "'),
        'a block has no title; write title="What it prints"',
    ),
    "another file's title": (
        *("code", 'title="mha/new_heads.py"', 'title="mha/fused.py"'),
        '```python title="mha/fused.py"',
        "code is titled with its file, got 'mha/fused.py'; write "
        'title="mha/new_heads.py"',
    ),
    "two blocks of code": (
        *("code", LISTING, f"{LISTING}\n{LISTING}", "```python"),
        "two blocks touch; write a sentence between that says what to look for",
    ),
    "code below an output": (
        *("code", OUTPUT, f"{OUTPUT}\n{LISTING}", "```python"),
        "two blocks touch; ",
    ),
    "two outputs": (
        *("code", OUTPUT, f"{OUTPUT}\n{OUTPUT}", "```text"),
        "two blocks touch; ",
    ),
    "a picture below an output": (
        *("code", OUTPUT, f"{OUTPUT}\n{FIGURE}", "<figure"),
        "two blocks touch; ",
    ),
    "an output below a picture": (
        *("code", LISTING, f"{LISTING}\nThe mask:\n\n{FIGURE}\n{OUTPUT}", "```text"),
        "two blocks touch; ",
    ),
    "a table below a picture": (
        *("how", NEXT, f"{FIGURE}\n{TABLE}\n{NEXT}", "--8<--"),
        "two blocks touch; ",
    ),
    "a comment is no sentence": (
        *("how", NEXT, f"{FIGURE}\n<!-- so -->\n\n{FIGURE}\n{NEXT}", "<figure"),
        "two blocks touch; ",
    ),
    "a question without an answer": (
        *("how", NEXT, f"## Why?\n\n## Because\n\n{NEXT}", "## Why?"),
        "a question has no answer; write it right below, in words",
    ),
    "a question at the end": (
        *("code", "## Try it {#try-it}", "## Why? {#why}\n\n## Try it {#try-it}"),
        "## Why? {#why}",
        "a question has no answer; ",
    ),
    "a question answered by a block": (
        *("how", NEXT, f"## Why? {{#why}}\n\n{FIGURE}\n{NEXT}", "## Why?"),
        "a question has no answer; ",
    ),
    "an empty fold": (
        *("how", NEXT, f'??? question "Why"\n\n{NEXT}', "??? question"),
        "a question has no answer; ",
    ),
    "no pitfall": (
        *("code", "[mask](../../pitfalls/mask.md)", "mask", "---"),
        "the chapter leads to no pitfall; link to one in ../../pitfalls/ where the "
        "reader may run into it",
    ),
    "simply": (
        *("why", "It is so", "It is simply so", "It is simply so"),
        "'simply' tells readers that they are slow; leave it out, or say why it is so",
    ),
    "Of course": (
        *("why", "It is so", "Of course it is so", "Of course"),
        "'Of course' tells readers that they are slow; ",
    ),
    "in a heading": (
        *("why", "## What it costs", "## What it obviously costs"),
        "## What it obviously costs",
        "'obviously' tells readers that they are slow; ",
    ),
    "below a picture": (
        *("how", NEXT, f"{FIGURE.replace('A mask', 'Just a mask')}\n{NEXT}"),
        "<figcaption>Just",
        "'Just' tells readers that they are slow; ",
    ),
    "in a fold": (
        *("code", '"Where to begin"', '"A trivial case"', '??? tip "A trivial'),
        "'trivial' tells readers that they are slow; ",
    ),
    "a note is left": (
        *("why", "It is so: the price", "TODO: the price", "TODO: the price"),
        "TODO: the price of what the chapter proposes, measured or counted by an "
        "example.",
    ),
    "a note is left in a comment": (
        *("why", "Next:", "<!-- TODO: a picture -->\n\nNext:", "<!-- TODO"),
        "TODO: a picture",
    ),
}


@pytest.mark.parametrize(
    ("page", "old", "new", "line", "message"), FAULTS.values(), ids=FAULTS
)
def test_a_broken_rule_is_found(root, page, old, new, line, message):
    name = f"{FOLDER}/{page}.md"
    edit(root, name, old, new)

    (found,) = check_chapters(root)

    place, number, words = re.fullmatch(r"(.*?):(\d+): (.*)", found).groups()
    shown = (root / name).read_text("utf-8").splitlines()[int(number) - 1]
    assert place == name
    assert shown.strip().startswith(line)
    assert words.startswith(message)


def test_a_missing_page_is_found(root):
    (root / FOLDER / "how.md").unlink()

    assert f"{FOLDER}/how.md:1: a chapter has a page 'How we do it'; write how.md" in (
        list(check_chapters(root))
    )


def test_a_chapter_without_an_exercise_is_found(root):
    name = f"{FOLDER}/code.md"
    text = (root / name).read_text("utf-8").partition("## Try it")[0]
    (root / name).write_text(text, "utf-8")

    (found,) = check_chapters(root)

    assert found == (
        f"{name}:1: the chapter has no exercise that can be judged; draw a starter for "
        "mha check from mha/exercises/, or an answer whose output a test compares from "
        "mha/examples/exercise_*.py"
    )


def test_pages_in_another_order_are_found(root):
    edit(root, "mkdocs.yml", "/why.md", "/then.md")
    edit(root, "mkdocs.yml", "/how.md", "/why.md")
    edit(root, "mkdocs.yml", "/then.md", "/how.md")

    assert list(check_chapters(root)) == [
        "mkdocs.yml:5: a chapter begins with index, why, how, code, "
        "got index, how, why, code; put these four first"
    ]


UNBUILT = {  # what is added, the line of it that is told, and what is missing then
    "no such section": (
        LISTING.replace('.py"\n`', '.py:new"\n`'),
        2,
        "mha/new_heads.py has no section 'new'; mark it there",
    ),
    "no output": (
        OUTPUT.replace("new_heads.txt", "old_heads.txt"),
        2,
        "there is no output 'mha/examples/output/old_heads.txt'; write it with make",
    ),
    "a section mark": ("# --8<-- [start:x]", 1, "a line with a section mark vanishes"),
    "a formula cut short": ("It is `#!math x_`.", 1, "the formula 'x_' cannot be read"),
    "a block that has no end": (LISTING[:-4], 1, "a block has no end; close it as it"),
}


@pytest.mark.parametrize(("text", "line", "message"), UNBUILT.values(), ids=UNBUILT)
def test_what_cannot_be_built_is_missing(root, text, line, message):
    page = root / FOLDER / "code.md"
    above = page.read_text("utf-8")
    page.write_text(above + text, "utf-8")

    found = [it for it in check_chapters(root) if message in it]

    place = f"{FOLDER}/code.md:{above.count(chr(10)) + line}: "
    assert [it.startswith(place) for it in found] == [True]


def test_an_empty_page_is_missing(root):
    (root / FOLDER / "how.md").write_text("# How\n")

    assert (
        f"{FOLDER}/how.md:1: the page has no text; write some, or remove the page"
        in (list(check_chapters(root)))
    )


def test_a_folder_without_a_page_is_no_chapter(root):
    (root / "docs/chapters/6.3-gone").mkdir()

    assert [one.folder.name for one in chapters(root)] == ["6.2-new-heads"]


@pytest.mark.parametrize(
    ("name", "old"),
    [
        ("mha/new_heads.py", "It is so: the paper"),
        ("mha/examples/new_heads.py", "It is so: what this"),
        ("mha/examples/exercise_new_heads.py", "It is so: the solution"),
        ("tests/layers/test_new_heads.py", "It is so: what holds"),
    ],
)
def test_a_note_in_what_a_page_draws_is_found(root, name, old):
    edit(root, name, old, old.replace("It is so", "TODO"))

    (found,) = check_chapters(root)

    assert re.match(rf"{re.escape(name)}:\d+: TODO: \w[^\"]*\Z", found)


WELL = {
    "an output below its code": "",
    "an output below a command": f'--8<-- "README.md:bench"\n\n{OUTPUT}',
    "imports above their code": f"{IMPORTS}\n{LISTING}",
    "a block in a fold": f'{OUTPUT}\n??? tip "So"\n    ```text title="a"\n'
    '    --8<-- "mha/examples/output/new_heads.txt"\n    ```\n',
    "a formula between": f"{FIGURE}\n```math\nx\n```\n\n{FIGURE}",
    "words of code": "Call `just(x)`, see [it](https://a.org/simply/just).\n",
    "a word in a word": "Adjust it justly.\n",
    "math": "```math\n\\text{just}\n```\n",
    "a fold of another kind": '??? tip "Why?"\n\n    So.\n',
    "an answered question": '??? question "Why?"\n    So.\n',
}


@pytest.mark.parametrize("text", WELL.values(), ids=WELL)
def test_what_is_well_is_not_found(root, text):
    edit(root, f"{FOLDER}/how.md", NEXT, f"Look.\n\n{text}\n{NEXT}")

    assert list(check_chapters(root)) == []


def test_a_commented_chapter_is_a_draft_and_a_draft_may_break_rules(root):
    edit(root, f"{FOLDER}/why.md", "It is so", "It is simply so")
    assert len(list(check_chapters(root))) == 1

    text = (root / "mkdocs.yml").read_text()
    (root / "mkdocs.yml").write_text(text.replace("      - ", "      # - "))

    assert list(check_chapters(root)) == []
    assert report(root).splitlines()[:2] == [
        "6.2 New Heads: a draft, not published, 1 to do",
        f"  {FOLDER}/why.md:7: 'simply' tells readers that they are slow; leave it "
        "out, or say why it is so",
    ]


def test_the_report_of_a_half_written_chapter(root):
    (root / "mkdocs.yml").write_text("nav:\n  - Home: index.md\n")
    (root / FOLDER / "how.md").unlink()
    (root / FOLDER / "extra.md").write_text(
        "# More: heads {#more}\n\nTODO: all of it\n"
    )
    edit(root, "mha/new_heads.py", "It is so: the paper", "TODO: who said it first")

    assert report(root) == (
        f"""6.2 New Heads: a draft, not published, 4 to do
  {FOLDER}/how.md:1: a chapter has a page 'How we do it'; write how.md
  {FOLDER}/index.md:1: the overview does not lead to extra.md; link to it under \
'The way through'
  {FOLDER}/extra.md:3: TODO: all of it
  mha/new_heads.py:3: TODO: who said it first that this listing follows, with the \
section.
  when it is ready, add to nav in mkdocs.yml:
  - "6.2 New Heads":
      - "Overview": chapters/6.2-new-heads/index.md
      - "Why we do it": chapters/6.2-new-heads/why.md
      - "Code implementation": chapters/6.2-new-heads/code.md
      - "More: heads": chapters/6.2-new-heads/extra.md"""
    )


def test_chapters_come_in_the_order_of_their_numbers(tmp_path):
    for name in ("6.10-late", "6.2-second", "10.1-last", "6.1-first"):
        (tmp_path / "docs/chapters" / name).mkdir(parents=True)
        (tmp_path / "docs/chapters" / name / "index.md").write_text("# A chapter\n")

    found = [chapter.folder.name for chapter in chapters(tmp_path)]

    assert found == ["6.1-first", "6.2-second", "6.10-late", "10.1-last"]


def test_the_proof_stops_before_the_site_is_built(root):
    edit(root, f"{FOLDER}/why.md", "It is so", "It is simply so")

    status, words = prove(root, None, None)

    assert status == 1
    assert f"{FOLDER}/why.md:7: 'simply' tells readers" in words


def test_the_command_line_says_what_is_missing(capsys):
    assert main(["--chapters"]) == 0
    assert "6.1 Multi-Head Self-Attention: published, nothing is missing\n" in (
        capsys.readouterr().out
    )


def test_a_file_that_is_no_text_is_told_by_the_command_line(root, monkeypatch, capsys):
    (root / FOLDER / "why.md").write_bytes(b"# Why\n\xff\n")
    monkeypatch.setattr("tools.proof.__main__.ROOT", root)

    assert main(["--chapters"]) == 1
    assert capsys.readouterr().out == (
        f"{FOLDER}/why.md:2: this is not UTF-8; save the file as UTF-8\n"
    )


def test_every_rule_is_explained_where_chapters_are():
    page = (ROOT / "docs/contribute.md").read_text("utf-8")
    explained = re.findall(r"^\| \*(.+)\* \|", page, re.M)
    rules = (ROOT / "tools/proof/rules.py").read_text("utf-8")

    said = [message for *_, message in FAULTS.values()]

    assert [one for one in said if not any(words in one for words in explained)] == []
    assert len(re.findall(r"yield (?:\(|f[\"'])", rules)) == sum(
        words in rules for words in explained
    )


def test_a_fence_ends_where_its_own_marks_stand_again(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("````text\n```\n# no heading\n```\n````\nWords.\n")

    assert [one.kind for one in pieces(tmp_path, page)] == ["fence", "words"]
