"""The proof passes a sound site and finds each planted fault."""

import json
import os
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from tools.assets.brython import runtime
from tools.assets.downloads import Cell, notebook, script
from tools.proof.__main__ import ROOT, main, prove

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
        "site/assets/javascripts/a.js": "// https://x.org\nfetch('picture.png')",
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
        "docs/index.md:7: this block is in no tested file, 'THE FAULT'; write it to "
        'mha/, mark it as a section and draw it with --8<-- "file:section"'
    )


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("a THE FAULT\n> THE FAULT", "docs/index.md:8: "),
        ("a THE FAULT\n\nb THE FAULT", "docs/index.md:7, 9: "),
        ("THE FAULT\nTHE FAULT", "docs/index.md:7, 8: "),
    ],
)
def test_a_fault_is_placed_on_its_own_line_or_on_all_that_may_be(tmp_path, text, where):
    page = MARKDOWN.replace("THE FAULT", text)
    plant(tmp_path, "<pre>THE FAULT</pre>", **{"docs/index.md": page})

    assert found(tmp_path).startswith(where)


def test_a_long_block_is_quoted_by_its_beginning(tmp_path):
    plant(tmp_path, f"<pre>{'x' * 61}\ny</pre>")

    assert f"in no tested file, '{'x' * 60}'; write" in found(tmp_path)


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
        ("site/a.css", "a { background: u\\72l(https://x.org/a.png) }"),
        ("site/a.css", "a { background: url(htt\\70 s:\\/\\/x.org/a.png) }"),
        ("site/a.css", "a { content: '\\ffffff' } b { mask: url(//x.o\\\nrg/b.svg) }"),
        ("site/assets/javascripts/a.js", "import('https://x.org/a.js')"),
        ("site/assets/javascripts/a.js", "image.src = `https://x.org/a.png`"),
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
    "body",
    [
        "<iframe src='more/'></iframe>",
        "<object data='picture.png'></object>",
        "<embed src='picture.png'>",
        "<p srcdoc='x'>",
    ],
)
def test_a_frame_is_found(tmp_path, body):
    plant(tmp_path, body)

    assert "shows what no proof sees; write it into the page" in found(tmp_path)


@pytest.mark.parametrize(
    "body",
    [
        "<code>THE FAULT<br>b</code>",
        "<p><code>THE FAULT\nb</code>",
        "<code><span>THE FAULT</span><br/><span>b</span></code>",
        "<kbd>THE FAULT<br>b</kbd>",
        "<textarea>THE FAULT</textarea>",
        "<button data-clipboard-text='THE FAULT'>",
        "<p style='white-space: pre-wrap'>THE FAULT</p>",
        "<p style='white-\\73pace:pre'>THE FAULT</p>",
        "<p style='white-space-collapse: preserve'>THE FAULT</p>",
        "<style>p { white-space: break-spaces }</style>",
    ],
)
def test_lines_of_code_outside_a_block_are_found(tmp_path, body):
    plant(tmp_path, body)

    assert "may show code; draw it in a fence with --8<--" in found(tmp_path)


def test_lines_of_code_outside_a_block_are_placed(tmp_path):
    plant(tmp_path, "<code>THE FAULT<br>b</code>")

    assert found(tmp_path).startswith("docs/index.md:7: <code> may show code")


@pytest.mark.parametrize(
    "body",
    [
        "a <code>word</code> and <kbd>Esc</kbd><br>",
        "<pre><code>make serve\n</code></pre>",
        "<p style='white-space: nowrap'>",
        "<script src='assets/javascripts/a.js'></script>",
        "</article><script>theme()</script>",
    ],
)
def test_what_is_no_hidden_code_passes(tmp_path, body):
    plant(tmp_path, body)

    assert prove(tmp_path, tmp_path / "site", None)[0] == 0


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("site/more/index.html", "<h1 id=one>a</h1><article><p><script>a()</script>"),
        ("site/more/index.html", "<h1 id=one>a</h1><p onclick='a()'>"),
        (
            "site/more/index.html",
            "<h1 id=one>a</h1><article><script src='../assets/javascripts/a.js'>a()"
            "</script>",
        ),
        ("site/a.svg", "<svg><script>a()</script></svg>"),
    ],
)
def test_a_script_in_a_page_is_found(tmp_path, name, text):
    plant(tmp_path, **{name: text})

    assert "holds a script; put it into a file in docs/assets/" in found(tmp_path)


@pytest.mark.parametrize("url", ["javascript:a()", "data:text/html,x", "blob:x"])
def test_an_address_that_is_no_link_is_found(tmp_path, url):
    plant(tmp_path, f"<a href='{url}'>")

    assert "is no link; link to a page, https: or mailto:" in found(tmp_path)


@pytest.mark.parametrize(
    ("line", "got"),
    [
        ("navigator.sendBeacon('https://x.org/a')", "https://x.org/a"),
        ("e.setAttribute('src', '//x.org/a.js')", "'//x.org/a.js"),
        ("var u = `wss://x.org`", "wss://x.org"),
        ("// see http://x.org", "http://x.org"),
        ("document.cookie = 'a=b'", "cookie"),
        ("window['cookieStore']", "cookieStore"),
        ("localStorage.a = 1", "localStorage"),
        ("sessionStorage.a = 1", "sessionStorage"),
        ("indexedDB.open('a')", "indexedDB"),
    ],
)
def test_a_script_of_ours_that_asks_or_keeps_is_found(tmp_path, line, got):
    name = "assets/javascripts/b.js"  # ours, although among the theme's
    files = dict.fromkeys([f"docs/{name}", f"site/{name}"], f"// b\n{line}")
    plant(tmp_path, **files, **{"site/c.js": line})

    words = found(tmp_path)

    assert f"docs/{name}:2: our scripts may hold no address of a host" in words
    assert "c.js:1: our scripts may hold" in words
    assert f"got {got!r}; do without it" in words


VENDOR = "site/assets/vendor"


@pytest.mark.parametrize("name", ["brython.js", "brython-modules.js"])
def test_a_script_of_an_installed_package_passes(tmp_path, name):
    plant(tmp_path, **{f"{VENDOR}/{name}": runtime()[name]})

    assert prove(tmp_path, tmp_path / "site", None)[0] == 0


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("brython.js", '"use strict"', '"use strict" '),
        ("brython-modules.js", "(x)", "(y)"),
        ("brython-modules.js", '"math"', '"maths"'),
        ("brython-modules.js", "update_VFS(", "update_VFS(alert(1),"),
        ("brython-modules.js", ");\n", "); alert('https://x.org');\n"),
    ],
)
def test_a_script_of_a_package_that_was_changed_is_found(tmp_path, name, old, new):
    text = runtime()[name]
    assert old in text
    changed = text.replace(old, new)
    plant(tmp_path, **{f"{VENDOR}/{name}": changed, f"{VENDOR}/../c.js": text})

    words = found(tmp_path)

    assert f"assets/vendor/{name}:" in words
    assert "assets/c.js:" in words  # the very text, in another place
    assert "our scripts may hold no address of a host" in words


TAKEN = [Cell("markdown", "# Two"), Cell("code", DOUBLE), Cell("code", "width = 4")]
PAGE = (
    "<h1>Two</h1><div class='language-python highlight'>"
    f"<pre>{DOUBLE}</pre></div><div class='language-text'><pre>1   2</pre></div>"
    "<div class='language-python'><pre>width = 4</pre></div>"
)
WAYS = {"py": script, "ipynb": notebook}


def take(root: Path, kind: str, text: str) -> None:
    plant(
        root,
        **{
            f"site/downloads/6.1-a-b-two.{kind}": text,
            "site/chapters/6.1-a-b/two/index.html": PAGE,
            "mha/width.py": "width = 4\n",
        },
    )


@pytest.mark.parametrize("kind", WAYS)
def test_a_download_with_the_blocks_of_its_page_passes(tmp_path, kind):
    take(tmp_path, kind, WAYS[kind](TAKEN))

    assert prove(tmp_path, tmp_path / "site", None)[0] == 0


@pytest.mark.parametrize("kind", WAYS)
@pytest.mark.parametrize(
    "cells",
    [
        [],
        TAKEN[:2],
        TAKEN[::-1],
        [*TAKEN, Cell("code", "more")],
        [*TAKEN[:2], Cell("code", "width = 5")],
    ],
)
def test_a_download_that_is_not_its_page_is_found(tmp_path, kind, cells):
    take(tmp_path, kind, WAYS[kind](cells))

    assert found(tmp_path) == (
        f"downloads/6.1-a-b-two.{kind}: this is not the Python of "
        "chapters/6.1-a-b/two/index.html, block by block; run python -m tools.assets"
    )


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("py", f"import os\n{script(TAKEN)}"),
        ("py", script(TAKEN).replace("# # Two", "# # Two\nimport os")),
        ("ipynb", "{"),
        ("ipynb", "[]"),
        ("ipynb", "{}"),
    ],
)
def test_a_download_that_is_made_by_hand_is_found(tmp_path, kind, text):
    take(tmp_path, kind, text)

    assert "this is not the Python of chapters/6.1-a-b/two" in found(tmp_path)


@pytest.mark.parametrize("name", ["6.1-a-b-one.py", "two.ipynb"])
def test_a_download_without_a_page_is_found(tmp_path, name):
    plant(tmp_path, **{f"site/downloads/{name}": script(TAKEN)})

    assert found(tmp_path).startswith(f"downloads/{name}: no page has this name")


@pytest.mark.parametrize("name", ["a.py", "a.ipynb", "deep/a", ".hidden", "a.JS"])
def test_a_file_of_an_unknown_kind_is_found(tmp_path, name):
    plant(tmp_path, **{f"site/{name}": ""})

    assert found(tmp_path).startswith(f"{name}: files of this kind are not published")


@pytest.mark.parametrize(
    ("link", "words"),
    [
        ("docs/a.png", "docs/a.png: this is a symbolic link; put the file there"),
        ("docs/deep", "docs/deep: this is a symbolic link; put the file there"),
        ("site/a.png", "a.png: this is a symbolic link; put the file there"),
    ],
)
def test_a_symbolic_link_is_found(tmp_path, link, words):
    plant(tmp_path)
    (tmp_path / link).symlink_to(tmp_path / "mha")

    assert found(tmp_path) == words


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
        (
            '--8<-- "mha/examples/output/gone.txt"',
            "there is no output 'mha/examples/output/gone.txt'; write it with make out",
        ),
        ("--8<--", "a directive is one line"),
        ('--8<-- ""', "a directive is one line"),
        ('--8<-- "https://x.org/a.py"', "https://x.org/a.py is an address; name a f"),
        ('--8<-- "../a.py"', "'../a.py' leaves the repository; name a file"),
        ('--8<-- "/etc/passwd"', "'/etc/passwd' leaves the repository; name a file"),
        ('--8<-- "site/a.css"', "pages may not draw from 'site/a.css'; name a file"),
        ('--8<-- "mha/../README.md"', "pages may not draw from 'mha/../README.md'"),
        ("Write `# --8<-- [start:a]`.", "a line with a section mark vanishes"),
    ],
)
def test_a_directive_that_draws_nothing_is_found(tmp_path, line, message):
    plant(tmp_path, **{"docs/index.md": f"# Home\n\n{line}\n"})

    status, words = prove(tmp_path, None, None)

    assert status == 1
    assert words.startswith("docs/index.md:3: ")
    assert message in words


@pytest.mark.parametrize(
    ("formula", "message"),
    [
        (r"x \foo", r"a formula shows '\foo' as it is typed; write it with commands"),
        (r"\fraq{a}{b}", r"a formula shows '\fraq' as it is typed"),
        (r"\text{a\_b}", r"a formula shows '\_' as it is typed"),
        (r"x_", "the formula 'x_' cannot be read: missing super script or subscript;"),
        (r"\left( a", "cannot be read: extra left or missing right; mend"),
        (r"\begin{foo}", "cannot be read: no available tokens; mend or finish it"),
        (r"\frac{1}{i", "has a brace without its other; write both"),
        (r"\text{out", "has a brace without its other; write both"),
        (r"a}b", "has a brace without its other; write both"),
        (r"}a{", "has a brace without its other; write both"),
    ],
)
@pytest.mark.parametrize("form", ["It is `#!math {}`.", "```math\n{}\n```"])
def test_a_formula_that_cannot_be_read_is_found(tmp_path, form, formula, message):
    block = form.replace("{}", formula)
    plant(tmp_path, **{"docs/index.md": f"# Home\n\nSo.\n\n{block}\n"})

    words = prove(tmp_path, None, None)[1].splitlines()

    (found,) = (line for line in words if "formula" in line)
    assert found.startswith(f"docs/index.md:{6 if form[0] == '`' else 5}: ")
    assert message in found


def test_a_formula_with_braces_of_both_kinds_passes(tmp_path):
    page = MARKDOWN + r"It is `#!math \{ \frac{a}{b_{1}} \}`." + "\n"
    plant(tmp_path, **{"docs/index.md": page})

    assert prove(tmp_path, None, None)[0] == 0


def test_directives_can_be_proved_alone(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("tools.proof.__main__.ROOT", plant(tmp_path))

    assert main([]) == 0
    assert capsys.readouterr().out == "proved: 1 directives\n"


def test_the_repository_is_where_the_proof_is(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    main([])

    assert "proved: 0 directives" not in capsys.readouterr().out
    assert (ROOT / "tools/proof/__main__.py").is_file()


def test_pages_may_draw_pictures(tmp_path):
    page = MARKDOWN.replace("THE FAULT", '--8<-- "docs/figures/a.svg"')
    plant(tmp_path, **{"docs/figures/a.svg": "<svg/>", "docs/index.md": page})

    assert prove(tmp_path, None, None) == (0, "proved: 2 directives")


def test_docs_without_a_directive_are_refused(tmp_path):
    plant(tmp_path, **{"docs/index.md": "# Home\n\nText.\n"})

    assert found(tmp_path).startswith("docs/: no page draws code; write --8<--")


def test_docs_without_a_page_are_refused(tmp_path):
    (plant(tmp_path) / "docs/index.md").unlink()

    assert found(tmp_path).startswith("docs/: there is no page; write docs/index.md\n")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the page has no text; write some, or remove the page"),
        ("# Home\n", "the page has no text"),
        ("---\ntitle: Home\n---\n<!-- later\nmore -->\n", "the page has no text"),
        ("Words.\n", "the page has no heading; begin it with # and its name"),
        ("---\nhide: toc\n---\n## Two\n\nWords.\n", "the page has no heading"),
    ],
)
def test_an_emptied_page_is_found(tmp_path, text, message):
    plant(tmp_path, **{"docs/b.md": text})

    assert f"docs/b.md:1: {message}" in found(tmp_path)


@pytest.mark.parametrize(
    "text", ["# A\nb", "---\ntitle: A\n---\nb", "<h1 id=a>A</h1>\nb"]
)
def test_a_page_with_a_heading_and_text_passes(tmp_path, text):
    plant(tmp_path, **{"docs/b.md": text})

    assert prove(tmp_path, None, None)[0] == 0


@pytest.mark.parametrize(
    "name",
    ["docs/b.md", "README.md", "mha/b.py", "mha/examples/output/b.txt", "site/a.css"],
)
def test_a_file_that_is_not_utf_8_is_found(tmp_path, name):
    plant(tmp_path)
    (tmp_path / name).write_bytes(b"# A\n\n\xe9\n")

    assert found(tmp_path) == (
        f"{name.removeprefix('site/')}:3: this is not UTF-8; save the file as UTF-8"
    )


def test_a_syntax_error_is_found(tmp_path):
    plant(tmp_path, **{"mha/b.py": "x = 1\nif x\n"})

    assert found(tmp_path) == "mha/b.py:2: expected ':'; mend the syntax"


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
    (plant(tmp_path) / "site/index.html").unlink()

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
