"""Each block and each page says where it comes from, and it is true."""

import os
import re
import shutil
import subprocess
import sys
from html import unescape
from pathlib import Path
from types import SimpleNamespace

import pytest
from markdown import Markdown
from markdown.preprocessors import Preprocessor

from tools import origins
from tools.origins import Origins, changed, drawn, holders, span
from tools.proof.__main__ import prove
from tools.proof.sources import GUIDES, clean

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted(path.relative_to(ROOT / "docs") for path in ROOT.glob("docs/**/*.md"))
SOURCE = "https://github.com/OWNER/REPOSITORY/blob/COMMIT/"
EDIT = "https://github.com/OWNER/REPOSITORY/edit/BRANCH/docs/"
BLOCK = re.compile(
    r'<div class="[^"]*highlight[^"]*">(?:<span class="filename">(.*?)</span>)?'
    r"<pre[^>]*>(.*?)</pre>",
    re.S,
)
LINES = re.compile(r"(.*) · lines? (\d+)(?:-(\d+))?")
FOOTER = re.compile(r'<footer class="origin"[^>]*>(.*?)</footer>', re.S)
HREF = re.compile(r"href='([^']*)'")


def words(html: str) -> str:
    """What a reader sees."""
    return unescape(re.sub(r"<[^>]*>", "", html))


def pages(site: Path) -> dict[Path, str]:
    """Map each published page, as it lies in docs/, to its HTML."""
    found: dict[Path, str] = {}
    for page in PAGES:
        name = page.with_suffix("").as_posix().removesuffix("index").rstrip("/")
        if (path := site / name / "index.html").is_file():
            found[page] = path.read_text("utf-8")
    return found


def blocks(site: Path) -> list[tuple[str, str]]:
    """The title of each block in HTML, and its text; signatures are none."""
    texts = [html for page, html in pages(site).items() if page.stem != "reference"]
    found = [block for text in texts for block in BLOCK.findall(text)]
    return [(title, clean(words(text))) for title, text in found]


def named(title: str) -> tuple[str, int, int]:
    """The file that a title names, and the lines; (…, 0, 0) for all of it."""
    lines = LINES.fullmatch(words(title))
    if not lines:
        return words(title), 0, 0
    return lines[1], int(lines[2]), int(lines[3] or lines[2])


def text_of(file: str, first: int, last: int) -> str:
    """Lines of a file, or all of it, as a block shows them."""
    text = (ROOT / file).read_text("utf-8")
    lines = text.splitlines()[first - 1 : last] if first else text.splitlines()
    return clean("\n".join(lines))


@pytest.fixture(scope="module")
def linked(tmp_path_factory):
    """The site as it is built where the repository is known."""
    out = tmp_path_factory.mktemp("linked") / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", out]
    env = os.environ | {"SOURCE_URI": SOURCE, "EDIT_URI": EDIT}
    subprocess.run(command, cwd=ROOT, env=env, check=True, capture_output=True)
    return out


def test_every_block_has_a_title(site):
    assert len(blocks(site)) > 300
    assert [text for title, text in blocks(site) if not title] == []


def test_the_lines_in_a_title_are_the_lines_in_the_block(site):
    found = [(*named(title), text) for title, text in blocks(site)]
    files = [(*place, text) for *place, text in found if (ROOT / place[0]).is_file()]

    assert [it for it in files if text_of(*it[:3]) != it[3]] == []
    others = {it[0] for it in found if it not in files}
    assert "What it prints" in others
    assert [
        title for title in others if not re.match(r"What .* prints?\b", title)
    ] == []


def test_every_block_leads_to_its_file_and_lines(linked):
    for title, text in blocks(linked):
        (href,) = HREF.findall(title)
        file, _, anchor = href.removeprefix(SOURCE).partition("#")
        first, last = map(int, re.findall(r"\d+", anchor) or (0, 0))

        assert href.startswith(SOURCE)
        assert (first, last) == named(title)[1:]
        assert text_of(file, first, last) == text


def test_the_proof_holds_where_the_repository_is_known(linked):
    status, said = prove(ROOT, linked, None)

    assert status == 0, said


def test_every_page_ends_with_where_it_comes_from(linked):
    assert len(pages(linked)) > 20
    for page, html in pages(linked).items():
        (footer,) = FOOTER.findall(html)
        uris = HREF.findall(footer)
        files = [uri.removeprefix(SOURCE) for uri in uris if uri.startswith(SOURCE)]

        assert files[0] == f"docs/{page.as_posix()}"
        assert [file for file in files if not (ROOT / file).exists()] == []
        assert [uri for uri in uris if not uri.startswith(SOURCE)] == [
            f"{EDIT}{page.as_posix()}"
        ]


def test_without_a_repository_a_title_leads_nowhere():
    said = converted('```python title="mha/causal.py"\n--8<-- "mha/causal.py"\n```\n')

    assert '<span class="filename">mha/causal.py</span>' in said


@pytest.mark.parametrize(
    ("page", "test"),
    [
        ("pitfalls/mask.md", "tests/test_pitfalls.py"),
        ("questions.md", "tests/test_questions.py"),
        ("index.md", "tests/test_site.py"),
        ("contribute.md", "tests/test_commands.py"),
        ("chapters/6.1-multi-head-self-attention/code.md", "docs/conftest.py"),
        ("chapters/6.1-multi-head-self-attention/code.md", "tests/test_outputs.py"),
        (
            "chapters/6.1-multi-head-self-attention/code.md",
            "tests/layers/test_fused.py",
        ),
        (
            "chapters/6.1-multi-head-self-attention/cost.md",
            "tests/bench/test_cost_page.py",
        ),
        (
            "chapters/6.1-multi-head-self-attention/parallel.md",
            "tests/parallel/test_parallel_page.py",
        ),
    ],
)
def test_a_page_names_the_test_that_holds_it(page, test):
    assert test in holders(ROOT, page, (ROOT / "docs" / page).read_text("utf-8"))


def test_a_page_without_code_is_held_by_no_notebook():
    assert holders(ROOT, "index.md", "# Home\n") == ["tests/test_site.py"]


def test_the_files_that_a_page_draws_are_named_once():
    text = '--8<-- "mha/b.py:one"\n\n    --8<-- "mha/a.py"\n--8<-- "mha/b.py"\n'

    assert drawn(text) == ["mha/b.py", "mha/a.py"]


def converted(text: str, **settings: str) -> str:
    extensions = [Origins(**settings), "pymdownx.superfences", "pymdownx.snippets"]
    snippets = {"base_path": [str(ROOT)], "dedent_subsections": True}
    configs = {"pymdownx.snippets": snippets}
    return Markdown(extensions=extensions, extension_configs=configs).convert(text)


def test_a_block_in_a_list_has_its_lines():
    first, last = span(ROOT, "mha/stacked.py", "MultiHeadAttentionWrapper")
    draws = '--8<-- "mha/stacked.py:MultiHeadAttentionWrapper"'

    said = converted(
        f'1. One\n\n    ```python title="mha/x.py"\n    {draws}\n    ```\n'
    )

    assert f'<span class="filename">mha/x.py · lines {first}-{last}</span>' in said


def test_a_command_out_of_a_guide_gets_a_title():
    (line, _) = span(ROOT, "README.md", "serve")

    said = converted('1. One\n\n    --8<-- "README.md:serve"\n', source_uri=SOURCE)

    link = f"<a href='{SOURCE}README.md#L{line}-L{line}'>README.md · line {line}</a>"
    assert f'<span class="filename">{link}</span>' in said


def test_the_guides_are_those_that_the_proof_allows():
    assert origins.GUIDES == GUIDES  # no tool imports a tool


def test_words_lead_to_the_repository_where_it_is_known():
    text = "Get [all of it](repository:), [it](repository:) is small.\n"
    link = '<a href="https://github.com/OWNER/REPOSITORY">'

    assert converted(text) == "<p>Get all of it, it is small.</p>"
    assert converted(text, source_uri=SOURCE) == (
        f"<p>Get {link}all of it</a>, {link}it</a> is small.</p>"
    )


def test_the_exercises_say_where_the_project_is(site, linked):
    page = Path("chapters/6.1-multi-head-self-attention/exercises.md")
    (section,) = re.findall(r'id="get">(.*?)<h2', pages(linked)[page], re.S)

    assert 'href="https://github.com/OWNER/REPOSITORY"' in section
    assert "pip install -e ." in words(section)
    assert "pip install -e ." in words(pages(site)[page])
    assert "repository:" not in pages(site)[page]


def test_words_in_a_title_stay_words():
    said = converted('```text title="a < b"\n--8<-- "mha/causal.py"\n```\n')

    assert '<span class="filename">a &lt; b</span>' in said


@pytest.mark.parametrize("text", ["```python\n1\n```\n", "# Head\n\nText.\n"])
def test_what_draws_nothing_stays_as_it_is(text):
    plain = Markdown(extensions=["pymdownx.superfences"]).convert(text)

    assert converted(text) == plain


def test_a_section_that_is_not_there_is_left_to_the_proof():
    assert span(ROOT, "mha/causal.py", "no-such") == span(ROOT, "no.py", "x") == (0, 0)


@pytest.mark.parametrize("file", ["README.md", "mha/a.py"])
def test_an_empty_section_has_no_lines(tmp_path, file):
    (tmp_path / "mha").mkdir()
    (tmp_path / file).write_text("# --8<-- [start:x]\n\n# --8<-- [end:x]\n")

    assert span(tmp_path, file, "x") == (0, 0)


def test_zensicals_page_gets_its_last_lines():
    md = Markdown(extensions=[Origins(edit_uri=EDIT)])
    context = Preprocessor(md)
    vars(context)["page"] = SimpleNamespace(path="questions.md")
    context.run = lambda lines: lines
    md.preprocessors.register(context, "rendering_context", 0)

    (footer,) = FOOTER.findall(md.convert("# Questions\n"))

    assert words(footer).startswith("This page is docs/questions.md")
    assert HREF.findall(footer) == [f"{EDIT}questions.md"]


def git(folder: Path, *arguments: str) -> None:
    """Run git as nobody in particular, on a day of its own."""
    who = {
        f"GIT_{role}_{it}": "x"
        for role in ("AUTHOR", "COMMITTER")
        for it in ("NAME", "EMAIL")
    }
    day = {
        "GIT_AUTHOR_DATE": "2026-02-03T12:00Z",
        "GIT_COMMITTER_DATE": "2026-03-04T12:00Z",
    }
    subprocess.run(
        ["git", *arguments], cwd=folder, env=os.environ | who | day, check=True
    )


@pytest.fixture
def repository(tmp_path):
    """A repository with one file in one commit."""
    if shutil.which("git") is None:
        pytest.skip("there is no git here")
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "page.md").write_text("# Page\n")
    git(folder, "init", "--quiet")
    git(folder, "add", "page.md")
    git(folder, "commit", "--quiet", "--message", "A page")
    return folder


def test_a_page_changed_on_the_day_of_its_last_commit(repository):
    assert changed(repository, "page.md") == "4 March 2026"


def test_a_page_that_is_in_no_commit_has_no_day(repository):
    (repository / "new.md").write_text("# New\n")

    assert changed(repository, "new.md") == ""


def test_a_shallow_clone_does_not_tell_when(repository, tmp_path):
    git(tmp_path, "clone", "--quiet", "--depth=1", repository.as_uri(), "shallow")

    assert changed(tmp_path / "shallow", "page.md") == ""


def test_without_a_repository_nobody_knows_when(tmp_path, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))

    assert changed(tmp_path, "page.md") == ""


def test_without_git_nobody_knows_when(repository, monkeypatch):
    monkeypatch.setenv("PATH", "")

    assert changed(repository, "page.md") == ""
