"""The site that is published: proved, complete, and its code runs by itself."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools.proof.__main__ import prove
from tools.proof.pages import BLOCKS, blocks, read_site
from tools.proof.sources import clean, directives, sources

ROOT = Path(__file__).resolve().parents[1]
GUIDES = ("README.md", "CONTRIBUTING.md")
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
    return [
        path.relative_to(ROOT / "docs").with_suffix("").as_posix() for path in pages
    ]


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
