"""The proof passes a sound site and finds each planted fault."""

import json
import os
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tools.proof.__main__ import main, prove

LAYER = '''"""A layer."""

import torch


# --8<-- [start:double]
def double(x: torch.Tensor, times: int = 1) -> torch.Tensor:
    """Twice, or more often."""
    return x * 2**times


# --8<-- [end:double]
class Layer:
    # --8<-- [start:call]
    width: int = 4

    def __init__(self, width: int) -> None:
        self.width = width

    @staticmethod
    def made(width: int) -> "Layer":
        return Layer(width)

    # --8<-- [end:call]
    def call(self, x, *, times: int):
        return double(x, times)


STRING = """
# --8<-- [start:string]
print("never run")
# --8<-- [end:string]
"""
'''
README = """# Read me

<!-- --8<-- [start:serve] -->
```shell
make serve
```
<!-- --8<-- [end:serve] -->
"""
MARKDOWN = """# Home

```python
--8<-- "mha/layer.py:double"
```

THE FAULT
"""
DOUBLE = "\n".join(LAYER.split("\n")[6:9])
SOUND = f"""<pre><span></span><code>{DOUBLE}
</code></pre>
<h2 id="two">Two</h2>
<a href="#two">here</a> <a href="#">up</a> <a href="more/#one">there</a>
<a href="more/">page</a> <a href="mailto:a@b.c">post</a> <a href="https://x.org">x</a>
<img src="picture.png" alt="a picture" srcset="picture.png 1x, picture.png 2x">
<figure><svg role="img"><title>drawn</title><use href="#two"/></svg></figure>
<svg><path d="M0 0"/></svg><svg aria-label="dots" role="img"/>
<style>
p {{ background: url("data:image/svg+xml,<svg xmlns='http://w3.org/svg'>") }}
</style>
"""
HEAD = '<link rel="canonical" href="https://a.org/sub/">'


def plant(root: Path, body: str = "", **files: str) -> Path:
    """A small repository with a site of two pages, whose home page gets a body."""
    page = f"<html><head>{HEAD}</head><body><article><h1>Home</h1>{SOUND}"
    contents = {
        "mha/layer.py": LAYER,
        "mha/examples/output/walk.txt": "1\t2\n",
        "README.md": README,
        "docs/index.md": MARKDOWN,
        "site/index.html": f"{page}\n{body}</article></body></html>",
        "site/more/index.html": "<h1 id=one>More</h1><a href='..#two'>back</a>",
        "site/404.html": "<h1>Lost</h1><a href='/sub/'>home</a>",
        "site/picture.png": "",
        "site/a.css": "/* url(https://x.org) */ a { background: url(picture.png) }",
        "site/a.js": "// https://x.org\nfetch('picture.png')",
    }
    for name, text in {**contents, **files}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, "utf-8")
    return root


def found(root: Path) -> str:
    """What the proof says of a planted site that has a fault."""
    status, words = prove(root, root / "site", None)
    assert status == 1
    return words


def test_a_sound_site_passes(tmp_path):
    plant(tmp_path)

    status, words = prove(tmp_path, tmp_path / "site", None)

    assert (status, words) == (0, "proved: 3 pages, 1 code blocks, 14 links")


@pytest.mark.parametrize(
    "block",
    [
        f"<pre>{LAYER}</pre>",
        "<pre><code>1   2</code></pre>",
        "<pre>make serve</pre>",
        "<figure><pre>make serve</figure>and a page that goes on",
        "<pre>width: int = 4<br><br>def __init__(self, width: int) -&gt; None:\n"
        "    self.width = width\n\n@staticmethod\n"
        'def made(width: int) -> "Layer":\n    return Layer(width)</pre>',
        '<div class="doc-signature"><pre>double(x: Tensor, times: int = 1) -&gt; '
        "Tensor</pre></div>",
        '<div class="doc-signature"><pre>Layer(\n    width: int,\n)</pre></div>',
        '<div class="doc-signature"><pre>call(x, *, times: int)</pre></div>',
        '<div class="doc-signature"><pre>made(width: int) -&gt; "Layer"</pre></div>',
        '<div class="doc-signature"><pre>width: int = 4</pre></div>',
    ],
)
def test_a_block_that_stands_in_a_file_passes(tmp_path, block):
    plant(tmp_path, block)

    assert prove(tmp_path, tmp_path / "site", None)[0] == 0


@pytest.mark.parametrize(
    "block",
    [
        '<div class="highlight"><pre><code>THE FAULT</code></pre></div>',
        "<pre>THE FAULT</pre>",
        "<br/><input/><pre>THE FAULT</pre>",
        "<p><pre>THE FAULT",
        "<pre/>THE FAULT</pre>",
        "<xmp>THE FAULT</xmp>",
        "<svg><foreignObject><pre>THE FAULT</pre></foreignObject></svg>",
        '<div class="doc-signature highlight"><pre>THE FAULT</pre></div>',
    ],
)
def test_a_typed_block_is_found(tmp_path, block):
    plant(tmp_path, block)

    assert found(tmp_path) == (
        "docs/index.md:7: this block is in no tested file; write it to mha/, "
        'mark it as a section and draw it with --8<-- "file:section"'
    )


@pytest.mark.parametrize(
    "block",
    [
        "<pre>    return x * 2**times</pre>",  # a piece of a section
        f"<pre>{DOUBLE}\n\n    more</pre>",
        "<pre>width: int = 4</pre>",  # a signature where none is due
        '<div class="doc-signature"><pre>double(x: Tensor) -> Tensor</pre></div>',
        '<div class="doc-signature"><pre>double(x, times=1)</pre></div>',
        '<div class="doc-signature"><pre>Layer(height: int)</pre></div>',
        '<div class="doc-signature"><pre>call(x, times: int)</pre></div>',
        '<div class="doc-signature"><pre>print(1)</pre></div>',
        '<div class="doc-signature"><pre>a = 1; b = 2</pre></div>',
    ],
)
def test_a_block_that_differs_is_found(tmp_path, block):
    plant(tmp_path, block)

    assert "this block is in no tested file" in found(tmp_path)


@pytest.mark.parametrize(
    "block",
    ["<pre></pre>", "<pre><code>\n</code></pre>"],
)
def test_an_empty_block_is_found(tmp_path, block):
    plant(tmp_path, f"\n\n{block}")
    html = (tmp_path / "site/index.html").read_text("utf-8")
    line = html[: html.index(block)].count("\n") + 1

    assert found(tmp_path) == (
        f"index.html:{line}: a code block is empty; draw something into it"
    )


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("<a href='gone/'>", "'gone/' leads nowhere; link to a file that is there"),
        ("<a href='../'>", "'../' leaves the site, which is at /sub/"),
        ("<a href='/more/'>", "'/more/' leaves the site, which is at /sub/"),
        ("<a href='https://a.org/sub/gone'>", "leads nowhere"),
        ("<a href='#three'>", "'#three' leads to no anchor; index.html has none"),
        ("<a href='more/#two'>", "more/index.html has none named 'two'"),
        ("<img alt=a src=gone.png>", "'gone.png' leads nowhere"),
        ("<img alt=a srcset='picture.png 1x, gone.png 2x'>", "'gone.png' leads nowh"),
        ("<svg><use href='#three'/></svg>", "'#three' leads to no anchor"),
        ("<svg><path fill='url(#three)'/></svg>", "'#three' leads to no anchor"),
        ("<p style='background: url(gone.png)'>", "'gone.png' leads nowhere"),
        ("<script src='gone.js'></script>", "'gone.js' leads nowhere"),
        ("<a href='http://[bad'>", "is no address"),
        ("<base href='more/'>", "<base> moves every link; remove it"),
    ],
)
def test_a_link_that_leads_nowhere_is_found(tmp_path, body, message):
    plant(tmp_path, body)

    assert message in found(tmp_path)


@pytest.mark.parametrize(
    "body",
    [
        "<link rel='stylesheet' href='https://x.org/a.css'>",
        "<link rel='preload alternate' href='https://x.org/a.woff2'>",
        "<link rel='preconnect' href='//x.org'>",
        "<link href='https://x.org/a.css'>",
        "<script src='//x.org/a.js'></script>",
        "<script src='\\\\x.org/a.js'></script>",
        "<script>fetch('https://x.org/a')</script>",
        "<script type='module'>import a from 'https://x.org/a.js'</script>",
        "<img alt=a src='https://x.org/a.png'>",
        "<img alt=a srcset='picture.png, https://x.org/a.png 2x'>",
        "<picture><source srcset='https://x.org/a.png'></picture>",
        "<video poster='https://x.org/a.png' src='picture.png'></video>",
        "<audio src='https://x.org/a.mp3'></audio>",
        "<iframe src='https://x.org'></iframe>",
        "<embed src='https://x.org'>",
        "<object data='https://x.org'></object>",
        "<form action='https://x.org'></form>",
        "<svg><use xlink:href='https://x.org/a.svg#b'/></svg>",
        "<svg><image href='https://x.org/a.png'/></svg>",
        "<style>@import 'https://x.org/a.css';</style>",
        "<style>@font-face { src: url( https://x.org/a.woff2 ) }</style>",
        "<p style='background: image-set(\"https://x.org/a.png\" 1x)'>",
        "<meta http-equiv='refresh' content='0; url=https://x.org'>",
    ],
)
def test_a_page_that_asks_another_host_is_found(tmp_path, body):
    plant(tmp_path, body)

    assert "asks another host; put the file into docs/" in found(tmp_path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("site/a.css", "a { background: url('https://x.org/a.png') }"),
        ("site/a.css", '@import "//x.org/a.css";'),
        ("site/a.js", "import('https://x.org/a.js')"),
        ("site/a.js", "image.src = `https://x.org/a.png`"),
        ("site/a.svg", "<svg><image href='https://x.org/a.png'/></svg>"),
    ],
)
def test_a_file_that_asks_another_host_is_found(tmp_path, name, text):
    plant(tmp_path, **{name: text})

    assert found(tmp_path).startswith(name.removeprefix("site/"))
    assert "asks another host" in found(tmp_path)


def test_a_style_sheet_without_its_file_is_found(tmp_path):
    plant(tmp_path, **{"site/deep/b.css": "a { background: url(picture.png) }"})

    assert found(tmp_path).startswith("deep/b.css: 'picture.png' leads nowhere")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("<a data-md-component='source'>", "mkdocs.yml: repo_url makes each page ask"),
        ("<div class='mermaid'>", "mermaid is loaded from unpkg.com"),
    ],
)
def test_what_makes_the_theme_ask_another_host_is_found(tmp_path, body, message):
    plant(tmp_path, body)

    assert message in found(tmp_path)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("<h4>THE FAULT</h4>", "docs/index.md:7: h4 follows h2; use h3"),
        ("<h1>THE FAULT</h1>", "docs/index.md:7: this is a second h1; use h2"),
        ("<p id=two>", "id 'two' is there twice; rename one of them"),
        ("<img src='picture.png'>", "image 'picture.png' has no alt text"),
        ("<img src='picture.png' alt=' '>", "image 'picture.png' has no alt text"),
        ("<svg role=img></svg>", "a picture has no words; give the svg an aria-label"),
        ("<svg role=img><title> </title></svg>", "a picture has no words"),
        ("<svg role=img /><title>not its</title>", "a picture has no words"),
        ("<figure><svg></svg></figure>", "an svg in a figure is no picture"),
    ],
)
def test_a_page_that_reads_badly_is_found(tmp_path, body, message):
    plant(tmp_path, body)

    assert message in found(tmp_path)


def test_a_page_without_a_heading_is_found(tmp_path):
    plant(tmp_path, **{"site/b.html": "<p>text"})

    assert found(tmp_path) == "b.html:1: there is no h1; begin the page with one"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('--8<-- "mha/layer.py:dubble"', "mha/layer.py has no section 'dubble'"),
        ('--8<-- "mha/layer.py:1:5"', "a whole section, not line numbers"),
        ('> --8<-- "mha/gone.py"', "there is no file 'mha/gone.py'; name one"),
        ("--8<--", "a directive is one line"),
    ],
)
def test_a_directive_that_draws_nothing_is_found(tmp_path, line, message):
    plant(tmp_path, **{"docs/index.md": f"# Home\n\n{line}\n"})

    status, words = prove(tmp_path, None, None)

    assert status == 1
    assert words.startswith("docs/index.md:3: ")
    assert message in words


def test_directives_can_be_proved_alone(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(plant(tmp_path))

    assert main([]) == 0
    assert capsys.readouterr().out == "proved: 1 directives\n"


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        ("start:a end:a start:a end:a", "mha/b.py:3: section 'a' starts twice"),
        ("start:a start:a end:a", "mha/b.py:2: section 'a' starts twice"),
        ("start:b end:a", "mha/b.py:2: section 'a' ends without a start; mark both"),
        ("start:a", "mha/b.py:1: section 'a' has no end; mark both"),
    ],
)
def test_a_section_marked_wrongly_is_found(tmp_path, marks, message):
    lines = [f"# --8<-- [{mark}]".replace(":", ": ") for mark in marks.split()]
    plant(tmp_path, **{"mha/b.py": "\n".join(lines)})

    assert message in found(tmp_path)


def test_a_folder_without_a_site_is_refused(tmp_path):
    (tmp_path / "site").mkdir()

    assert "SITE must be a folder with a built site in it" in found(tmp_path)


# Coverage: LAYER's double stands on lines 7 to 9.


def covered(root: Path, later: float = 60, **lines: list[int]) -> str:
    """What the proof says, given lines and a report written in so many seconds."""
    lines = {
        "executed_lines": [7, 9],
        "missing_lines": [],
        "excluded_lines": [],
    } | lines
    time = datetime.now() + timedelta(seconds=later)
    report = {
        "meta": {"timestamp": time.isoformat()},
        "files": {str(Path("mha", "layer.py")): lines},
    }
    (root / "coverage.json").write_text(json.dumps(report))
    return prove(root, root / "site", root / "coverage.json")[1]


def test_a_shown_block_that_tests_run_passes(tmp_path):
    plant(tmp_path)

    assert covered(tmp_path, missing_lines=[3]).startswith("proved: ")


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ({"missing_lines": [9, 12]}, "no test runs line 9; test it"),
        ({"excluded_lines": [7, 9]}, "no test runs line 7, 9; test it"),
        ({"executed_lines": [3]}, "no test runs this: it is no code, or code in a str"),
    ],
)
def test_a_shown_line_that_no_test_runs_is_found(tmp_path, lines, message):
    plant(tmp_path)

    words = covered(tmp_path, **lines)

    assert words.startswith(
        "docs/index.md:4: mha/layer.py is shown from line 7 on, but"
    )
    assert message in words


def test_code_in_a_string_is_found(tmp_path):
    plant(tmp_path, '<pre>print("never run")</pre>')

    assert "it is no code, or code in a string" in covered(tmp_path)


def test_an_example_that_no_test_runs_is_found(tmp_path):
    plant(tmp_path, "<pre>x = 3</pre>", **{"mha/examples/idle.py": "x = 3\n"})

    assert "mha/examples/idle.py is shown from line 1 on, but no test" in covered(
        tmp_path
    )


def test_a_report_older_than_the_code_is_refused(tmp_path):
    plant(tmp_path)
    os.utime(tmp_path / "mha/layer.py")

    assert covered(tmp_path, later=-60) == (
        f"REPORT must be newer than the code, got {tmp_path / 'coverage.json'} older "
        f"than {Path('mha', 'layer.py')}; run the tests again"
    )


def test_a_missing_report_is_refused(tmp_path):
    plant(tmp_path)

    words = prove(tmp_path, tmp_path / "site", tmp_path / "gone.json")[1]

    assert words.startswith("REPORT must be a file that coverage.py wrote, got ")
