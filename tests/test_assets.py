"""What is written beside the pages: Brython from its package, downloads from pages."""

import json

import pytest

from tools.assets import __main__ as assets
from tools.assets.brython import MODULES, runtime
from tools.assets.downloads import cells, downloads

CODE = """# --8<-- [start:first]
class Layer:
    # --8<-- [start:call]
    def call(self):
        print("called")

    # --8<-- [end:call]
# --8<-- [end:first]
# --8<-- [start:mha]
import mha
# --8<-- [end:mha]
"""
PAGE = """---
title: Two
---

# Two

## One more? {#one-more}

```{ .python .run title="mha/a.py" }
--8<-- "mha/a.py:first"
```

??? tip "Folded"

    ```python title="mha/a.py"
    --8<-- "mha/a.py:call"
    ```

    ```text title="What it prints"
    --8<-- "mha/examples/output/a.txt"
    ```

```text title="No output"
--8<-- "README.md:tree"
```

--8<-- "docs/figures/a.svg"
"""
CALL = 'def call(self):\n    print("called")'


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A small repository with a chapter of one page."""
    files = {
        "mha/a.py": CODE,
        "mha/examples/output/a.txt": "called\n",
        "README.md": "<!-- --8<-- [start:tree] -->\nmha/\n<!-- --8<-- [end:tree] -->\n",
        "docs/chapters/6.1-a-b/two.md": PAGE,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    monkeypatch.setattr(assets, "ROOT", tmp_path)
    return tmp_path


def test_a_page_is_read_as_headings_python_and_outputs(root):
    found = cells(root, root / "docs/chapters/6.1-a-b/two.md")

    assert [(cell.kind, cell.text, cell.printed) for cell in found] == [
        ("markdown", "# Two", ""),
        ("markdown", "## One more?", ""),
        ("code", 'class Layer:\n    def call(self):\n        print("called")', ""),
        ("code", CALL, "called\n"),
    ]


def test_a_page_becomes_a_script_and_a_notebook(root):
    files = downloads(root)

    book = json.loads(files["6.1-a-b-two.ipynb"])
    last = book["cells"][-1]
    assert files.keys() == {"6.1-a-b-two.py", "6.1-a-b-two.ipynb"}
    assert files["6.1-a-b-two.py"].startswith("# %% [markdown]\n# # Two\n\n")
    assert files["6.1-a-b-two.py"].endswith(f"\n\n# %%\n{CALL}\n")
    assert "".join(last["source"]) == CALL
    assert last["outputs"][0]["text"] == ["called\n"]


@pytest.mark.parametrize("section", ["mha", "first"])
def test_a_page_that_needs_mha_or_has_no_python_is_not_taken_away(root, section):
    page = root / "docs/chapters/6.1-a-b/two.md"
    page.write_text("# Two\n" if section == "first" else PAGE.replace(":first", ":mha"))

    assert downloads(root) == {}


def test_assets_are_written_once_and_old_ones_go(root):
    first = assets.main()
    old = root / "docs/downloads/old.py"
    old.write_text("")
    written = {path: path.stat().st_mtime_ns for path in root.glob("docs/*/**/*.*")}

    again = assets.main()

    kept = {path: path.stat().st_mtime_ns for path in root.glob("docs/*/**/*.*")}
    assert (first, again) == (0, 0)
    assert written.keys() - kept.keys() == {old}
    assert kept.items() <= written.items()
    assert (root / "docs/assets/vendor/brython.js").read_text("utf-8") == (
        runtime()["brython.js"]
    )


def test_a_directive_that_draws_nothing_is_told(root, capsys):
    page = root / "docs/chapters/6.1-a-b/two.md"
    page.write_text(PAGE.replace(":call", ":cal"))

    assert assets.main() == 1
    assert capsys.readouterr().err == (
        "a directive must name a file and a section of it, got 'mha/a.py:cal'\n"
    )


def test_of_brythons_library_only_what_is_needed_is_taken():
    text = runtime()["brython-modules.js"]
    start = text.index("{")

    assert list(json.JSONDecoder().raw_decode(text, start)[0]) == MODULES
