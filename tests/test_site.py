"""The site that is published: proved, complete, and its code runs by itself."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tools.assets.downloads import pages
from tools.proof.__main__ import prove
from tools.proof.chapters import chapters, is_published
from tools.proof.pages import BLOCKS, blocks, read_site
from tools.proof.sources import GUIDES, clean, directives, sources

ROOT = Path(__file__).resolve().parents[1]
DRAFTS = [one.folder.name for one in chapters(ROOT) if not is_published(one)]
WITHOUT_MHA = """import sys

class Refuse:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "mha":
            raise ImportError("a reader's notebook has no mha")

sys.meta_path.insert(0, Refuse())
with open(sys.argv[1], encoding="utf-8") as notebook:
    exec(compile(notebook.read(), sys.argv[1], "exec"))
"""


def test_the_proof_finds_nothing(site):
    status, words = prove(ROOT, site, None)

    assert status == 0, words


def is_draft(name: str) -> bool:
    """Whether a page or a download belongs to a chapter that is not published."""
    return any(draft in name for draft in DRAFTS)


def html_name(place: str) -> str:
    """The page of the site that is made from the Markdown of a directive's place."""
    name = place.rpartition(":")[0].removeprefix("docs/").removesuffix(".md")
    return f"{name.removesuffix('index').rstrip('/')}/index.html".lstrip("/")


def drawn() -> dict[str, list[str]]:
    """Map each page to the code blocks that its directives draw, in order."""
    texts: dict[str, list[str]] = {}
    for text, places in sources(ROOT).items():
        for place in places:
            texts.setdefault(place.name, []).append(text)
    pages: dict[str, list[str]] = {}
    for place, file, section in directives(ROOT):
        if is_draft(place):
            continue
        if file.endswith((".py", ".txt")) or file in GUIDES:
            name = f"{file}:{section}" if section else file
            pages.setdefault(html_name(place), []).extend(texts[name])
    return pages


def test_every_directive_shows_up_as_a_block(site):
    pages = read_site(ROOT, site).pages

    shown = {name: blocks(pages[name]) for name in drawn()}

    assert shown == drawn()


def code_pages() -> list[str]:
    pages = sorted(ROOT.glob("docs/chapters/*/code.md"))
    names = [path.relative_to(ROOT / "docs").with_suffix("") for path in pages]
    return [name.as_posix() for name in names if not is_draft(name.as_posix())]


def blocks_in(site: Path, page: str, language: str) -> list[str]:
    """The text of each block of a page in one language, in order."""
    found, now = [], ""
    for element in read_site(ROOT, site).pages[f"{page}/index.html"].elements:
        now = next((c for c in element.classes if c.startswith("language-")), now)
        if element.tag in BLOCKS and now == f"language-{language}":
            found.append(clean(element.text))
    return found


def run_without_mha(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    """Run code in a fresh interpreter that cannot import mha."""
    (folder / "notebook.py").write_text(code, "utf-8")
    isolated = ["-I", "-X", "utf8", "-W", "error"]
    return subprocess.run(
        [sys.executable, *isolated, "-c", WITHOUT_MHA, "notebook.py"],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
    )


@pytest.mark.parametrize("page", code_pages())
def test_a_code_page_runs_without_mha(site, page, tmp_path):
    outputs = {
        clean(path.read_text("utf-8")): path.read_text("utf-8")
        for path in ROOT.glob("mha/examples/output/*.txt")
    }
    code = "\n\n".join(blocks_in(site, page, "python"))
    shown = "".join(outputs[text] for text in blocks_in(site, page, "text"))

    done = run_without_mha(tmp_path, code)

    assert done.stderr == ""
    assert done.stdout == shown


def test_there_is_a_code_page():
    assert code_pages()


@pytest.mark.parametrize("line", ["import mha", "from mha.fused import torch"])
def test_a_notebook_cannot_import_mha(tmp_path, line):
    done = run_without_mha(tmp_path, line)

    assert done.stderr.endswith("ImportError: a reader's notebook has no mha\n")


DOWNLOADS = [name for name, _ in pages(ROOT) if not is_draft(name)]
AFTER_A_CELL = "\nprint(end='\\0')\n"  # to tell what each cell prints


def cells_in(site: Path, name: str) -> list[dict]:
    notebook = (site / "downloads" / f"{name}.ipynb").read_text("utf-8")
    return json.loads(notebook)["cells"]


def outputs_of(cell: dict) -> str:
    return "".join(line for output in cell["outputs"] for line in output["text"])


def test_pages_that_need_only_torch_can_be_taken_away():
    chapter = "6.1-multi-head-self-attention"

    assert {f"{chapter}-how", f"{chapter}-code"} <= set(DOWNLOADS)
    assert f"{chapter}-exercises" not in DOWNLOADS  # its blocks import mha


@pytest.mark.parametrize("name", DOWNLOADS)
def test_a_page_leads_to_its_downloads(site, name):
    chapter, _, page = name.rpartition("-")
    html = read_site(ROOT, site).pages[f"chapters/{chapter}/{page}/index.html"]
    links = {a.attrs.get("href", "").rpartition("/")[2] for a in html.tagged("a")}

    assert {f"{name}.py", f"{name}.ipynb"} <= links


@pytest.mark.parametrize("name", DOWNLOADS)
def test_a_notebook_prints_what_it_shows_without_mha(site, name, tmp_path):
    cells = [cell for cell in cells_in(site, name) if cell["cell_type"] == "code"]
    code = AFTER_A_CELL.join("".join(cell["source"]) for cell in cells)

    done = run_without_mha(tmp_path, code)

    printed, shown = "", ""
    for cell, text in zip(cells, done.stdout.split("\0"), strict=True):
        printed += text
        shown += outputs_of(cell)
        # As on the page, an output may stand below several blocks that add to it.
        assert printed == shown or not outputs_of(cell)
    assert (done.stderr, printed) == ("", shown)
    assert any(map(outputs_of, cells))


@pytest.mark.parametrize("name", DOWNLOADS)
def test_a_script_prints_what_its_notebook_shows(site, name, tmp_path):
    cells = [cell for cell in cells_in(site, name) if cell["cell_type"] == "code"]

    done = run_without_mha(
        tmp_path, (site / "downloads" / f"{name}.py").read_text("utf-8")
    )

    assert done.stderr == ""
    assert done.stdout == "".join(map(outputs_of, cells))


@pytest.mark.parametrize("name", DOWNLOADS)
def test_a_notebook_is_of_format_4_5(site, name):
    text = (site / "downloads" / f"{name}.ipynb").read_text("utf-8")
    book = json.loads(text)
    both = {"cell_type", "id", "metadata", "source"}
    keys = {"markdown": both, "code": both | {"execution_count", "outputs"}}

    assert (book["nbformat"], book["nbformat_minor"]) == (4, 5)
    assert book.keys() == {"cells", "metadata", "nbformat", "nbformat_minor"}
    assert book["metadata"]["kernelspec"].keys() >= {"name", "display_name"}
    assert all(cell.keys() == keys[cell["cell_type"]] for cell in book["cells"])
    ids = [cell["id"] for cell in book["cells"]]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch("[a-zA-Z0-9-_]{1,64}", one) for one in ids)
    streams = [out for cell in book["cells"] for out in cell.get("outputs", [])]
    assert all(out.keys() == {"output_type", "name", "text"} for out in streams)
