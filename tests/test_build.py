"""The build replaces the old site by a proved one, or leaves it as it was."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tools import build

SETTINGS = """site_name: Small
theme: {name: material, font: false}
markdown_extensions:
  - pymdownx.superfences
  - pymdownx.snippets: {check_paths: true}
validation: {anchors: warn}
"""
EXAMPLE = """# --8<-- [start:answer]
print(42)
# --8<-- [end:answer]
"""
PAGE = """# Small

```python
--8<-- "mha/example.py:answer"
```
"""


@pytest.fixture
def root(tmp_path, monkeypatch):
    """A small repository with a site that was built before."""
    shutil.copytree(build.ROOT / "tools", tmp_path / "tools")
    for folder in ("docs", "mha", "site"):
        (tmp_path / folder).mkdir()
    (tmp_path / "mkdocs.yml").write_text(SETTINGS)
    (tmp_path / "docs/index.md").write_text(PAGE)
    (tmp_path / "mha/example.py").write_text(EXAMPLE)
    (tmp_path / "site/index.html").write_text(
        '<meta name="generator" content="mkdocs-1.6.1">'
    )
    for name in ("sitemap.xml", "old.html"):
        (tmp_path / "site" / name).touch()
    monkeypatch.setattr(build, "ROOT", tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def is_as_it_was(root) -> bool:
    """Whether the old site is there, and nothing lies beside it."""
    site = {path.name for path in (root / "site").iterdir()}
    beside = {path.name for path in root.iterdir()}
    return site == {"index.html", "sitemap.xml", "old.html"} and beside == {
        *("docs", "mha", "mkdocs.yml", "site", "tools")
    }


def test_a_proved_site_replaces_the_old_one(root, capfd):
    first = build.main([])
    second = build.main(["site"])  # what it built, it may replace

    assert (first, second) == (0, 0)
    assert "proved: 2 pages, 1 code blocks" in capfd.readouterr().out
    assert (root / "site/search/search_index.json").is_file()
    assert not (root / "site/old.html").exists()
    assert not list(root.glob(".site*"))


@pytest.mark.parametrize(
    ("page", "message"),
    [
        pytest.param(
            PAGE.replace(":answer", ":anser"),
            "docs/index.md:4: mha/example.py has no section 'anser'; mark it there",
            id="renamed section",
        ),
        pytest.param(
            f"{PAGE}\n[gone](gone.md)\n",
            "Aborted with 1 warnings in strict mode!",
            id="broken link",
        ),
        pytest.param(
            f"{PAGE}\n[gone](#gone)\n",
            "Aborted with 1 warnings in strict mode!",
            id="broken anchor",
        ),
        pytest.param(
            f"{PAGE}\n```python\nprint(43)\n```\n",
            "docs/index.md:8: this block is in no tested file",
            id="typed code",
        ),
        pytest.param(
            f"{PAGE}\n<pre>print(43)</pre>\n",
            "docs/index.md:7: this block is in no tested file",
            id="raw HTML",
        ),
    ],
)
def test_a_fault_leaves_the_old_site(root, capfd, page, message):
    (root / "docs/index.md").write_text(page)

    assert build.main([]) == 1
    printed = capfd.readouterr()
    assert message in printed.out + printed.err
    assert printed.err.endswith(f"not built; {root / 'site'} is as it was\n")
    assert is_as_it_was(root)


def test_ctrl_c_leaves_the_old_site(root, monkeypatch, capsys):
    def interrupt(module, *arguments):
        if module == "mkdocs":
            raise KeyboardInterrupt
        return 0

    monkeypatch.setattr(build, "run", interrupt)

    assert build.main([]) == 130
    assert capsys.readouterr().err == f"stopped; {root / 'site'} is as it was\n"
    assert is_as_it_was(root)


@pytest.mark.skipif(os.name == "nt", reason="Windows sends no such signals")
@pytest.mark.parametrize("number", ["SIGTERM", "SIGHUP"])
def test_a_signal_leaves_the_old_site(root, number):
    command = [sys.executable, "-m", "tools.build"]
    with subprocess.Popen(command, cwd=root, stderr=subprocess.PIPE) as process:
        while process.poll() is None and not list(root.glob(".site-*/fresh")):
            time.sleep(0.01)
        process.send_signal(getattr(signal, number))
        words = process.communicate()[1].decode()

    assert process.returncode == 130
    assert words.endswith(f"stopped; {root / 'site'} is as it was\n")
    assert is_as_it_was(root)


def test_out_below_a_file_is_refused(root, capsys):
    assert build.main(["mkdocs.yml/deep/site"]) == 1

    words = capsys.readouterr().err
    assert words.startswith(f"cannot write {root / 'mkdocs.yml/deep/site'}, got [")
    assert words.endswith("; the old site is as it was\n")
    assert is_as_it_was(root)


def test_a_full_disk_leaves_the_old_site(root, monkeypatch, capsys):
    def fill(*folders):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(build, "run", lambda module, *arguments: 0)
    monkeypatch.setattr(build, "replace", fill)

    assert build.main([]) == 1
    assert capsys.readouterr().err == (
        f"cannot write {root / 'site'}, got [Errno 28] No space left on device; "
        "the old site is as it was\n"
    )
    assert is_as_it_was(root)


def test_a_failing_exchange_puts_the_old_site_back(root):
    with pytest.raises(FileNotFoundError):
        build.replace(root / "site", root / "missing", root / "old")

    assert is_as_it_was(root)


@pytest.mark.parametrize("renames", [1, 2])
def test_a_signal_amid_the_exchange_leaves_one_whole_site(root, monkeypatch, renames):
    (root / "site-fresh").mkdir()
    done, rename = [], Path.rename

    def interrupted(path, target):
        rename(path, target)
        done.append(path)
        if len(done) == renames:
            raise KeyboardInterrupt

    monkeypatch.setattr(Path, "rename", interrupted)

    with pytest.raises(KeyboardInterrupt):
        build.replace(root / "site", root / "site-fresh", root / "old")
    assert (root / "site/old.html").exists() == (renames == 1)
    assert (root / "site").exists()


@pytest.mark.parametrize("out", ["docs", ".", "mkdocs.yml"])
def test_what_is_no_site_is_not_replaced(root, capsys, out):
    assert build.main([out]) == 1
    assert capsys.readouterr().err == (
        "OUT must be new, empty or a site that MkDocs built, "
        f"got {str((root / out).resolve())!r}; "
        "remove it yourself or name another folder\n"
    )
    assert is_as_it_was(root)


def test_a_home_page_by_hand_is_no_site(root):
    (root / "site/index.html").write_text("<h1>My page</h1>")

    assert build.main([]) == 1
    assert is_as_it_was(root)


@pytest.mark.parametrize("arguments", [["--help"], ["site", "other"]])
def test_other_arguments_show_how_it_is_called(root, capsys, arguments):
    assert build.main(arguments) == 2
    assert "python -m tools.build [OUT]" in capsys.readouterr().out
    assert is_as_it_was(root)
