"""Who may import whom: listings only listings shown earlier, tools nobody."""

import ast
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SECTIONS = ["index", "why", "how", "code"]  # of a chapter; its other pages follow


def files(pattern: str) -> list[Path]:
    return sorted(path.relative_to(ROOT) for path in ROOT.glob(pattern))


def imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse((ROOT / path).read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: write the import in full"
            parts = {f"{node.module}.{alias.name}" for alias in node.names}
            modules = {part for part in parts if is_module(part)}
            names |= modules or {node.module or ""}
    return names


def is_module(name: str) -> bool:
    return (ROOT / name.replace(".", "/")).with_suffix(".py").is_file()


def own(names: set[str], package: str) -> set[str]:
    inside = (name for name in names if name.split(".")[0] == package)
    return {name.partition(".")[2] or package for name in inside}


def as_read(page: Path) -> tuple[list[int], int, str]:
    """What puts pages into the order in which they are read: 6.2 before 6.10."""
    number = [int(part) for part in page.parent.name.partition("-")[0].split(".")]
    place = SECTIONS.index(page.stem) if page.stem in SECTIONS else len(SECTIONS)
    return number, place, page.stem


def listings(root: Path) -> list[str]:
    """The modules that chapters show, in the order in which they first show them."""
    pages = sorted(root.glob("docs/chapters/*/*.md"), key=as_read)
    text = "".join(page.read_text("utf-8") for page in pages)
    return list(dict.fromkeys(re.findall(r'--8<-- "mha/(\w+)\.py[":]', text)))


LISTINGS = listings(ROOT)


def test_every_module_has_a_room():
    modules = {path.stem for path in ROOT.glob("mha/*.py")} - {"__init__", "__main__"}
    folders = {path.name for path in ROOT.glob("mha/*/") if path.name[0] not in "_."}

    assert modules == {*LISTINGS, "measured"}  # each is shown, but for one
    assert folders == {
        *("bench", "checker", "commands", "examples", "exercises", "experiment"),
        "mistakes",
    }


@pytest.mark.parametrize("listing", LISTINGS)
def test_a_listing_imports_only_what_the_chapter_shows_earlier(listing: str):
    found = own(imports(ROOT / "mha" / f"{listing}.py"), "mha")

    assert found <= set(LISTINGS[: LISTINGS.index(listing)])


def test_listings_are_in_the_order_of_the_pages(tmp_path: Path):
    pages = {
        "6.10-late/index": "f",
        "6.1-first/extra": "e",
        "6.1-first/code": "b:part",
        "6.1-first/how": "a",
        "6.2-second/how": "a",
        "6.2-second/code": "c",
    }
    for name, shown in pages.items():
        page = tmp_path / "docs/chapters" / f"{name}.md"
        page.parent.mkdir(parents=True, exist_ok=True)
        file, mark, section = shown.partition(":")
        page.write_text(f'```python\n--8<-- "mha/{file}.py{mark}{section}"\n```\n')

    assert listings(tmp_path) == ["a", "b", "e", "c", "f"]


def test_plain_imports_math_alone():
    assert imports(ROOT / "mha" / "plain.py") == {"math"}


@pytest.mark.parametrize("path", files("mha/**/*.py"), ids=str)
def test_the_package_needs_torch_rich_and_the_standard_library(path: Path):
    known = {"torch", "mha", *sys.stdlib_module_names}
    known |= {"rich"} if path.parent.name == "commands" else set()

    assert {name.split(".")[0] for name in imports(path)} <= known


@pytest.mark.parametrize("path", files("mha/examples/*.py"), ids=str)
def test_an_example_uses_public_names(path: Path):
    exported = own(imports(Path("mha/__init__.py")), "mha")
    public = {"mha", "examples", "checker", "mistakes", "exercises"}
    public |= set(LISTINGS) - exported  # what `mha` does not hand on

    assert {name.split(".")[0] for name in own(imports(path), "mha")} <= public


@pytest.mark.parametrize("path", files("mha/mistakes/*.py"), ids=str)
def test_a_mistake_imports_only_the_right_layer(path: Path):
    assert own(imports(path), "mha") <= {"mistakes.layer"}


@pytest.mark.parametrize("path", files("mha/checker/*.py"), ids=str)
def test_the_checker_imports_mistakes_and_itself(path: Path):
    rooms = {name.split(".")[0] for name in own(imports(path), "mha")}

    assert rooms <= {"checker", "mistakes"}


@pytest.mark.parametrize("path", files("mha/experiment/*.py"), ids=str)
def test_the_experiment_imports_the_fused_listing_and_itself(path: Path):
    rooms = {name.split(".")[0] for name in own(imports(path), "mha")}

    assert rooms <= {"experiment", "fused", "measured"}


@pytest.mark.parametrize("path", files("mha/bench/*.py"), ids=str)
def test_the_benchmark_imports_listings_and_itself(path: Path):
    rooms = {name.split(".")[0] for name in own(imports(path), "mha")}

    assert rooms <= {"bench", "convert", "fused", "measured", "sdpa"}


def test_modulesof_results_know_nothing_of_what_they_hold():
    assert own(imports(Path("mha/measured.py")), "mha") == set()


@pytest.mark.parametrize("path", files("mha/**/*.py"), ids=str)
def test_nobody_imports_the_command_line(path: Path):
    found = {name.split(".")[0] for name in own(imports(path), "mha")}
    allowed = {"commands"} if path.parts[1] in {"__main__.py", "commands"} else set()

    assert found & {"__main__", "commands"} <= allowed


@pytest.mark.parametrize("path", files("tools/**/*.py"), ids=str)
def test_a_tool_imports_neither_the_package_nor_another_tool(path: Path):
    room = path.parts[1].removesuffix(".py")
    others = {
        name for name in own(imports(path), "tools") if name.split(".")[0] != room
    }

    assert own(imports(path), "mha") | others == set()


@pytest.mark.parametrize("path", files("mha/**/*.py"), ids=str)
def test_the_package_knows_nothing_of_the_pages(path: Path):
    assert own(imports(path), "tools") | own(imports(path), "docs") == set()


def test_a_wrong_import_is_seen(tmp_path: Path):
    planted = tmp_path / "plain.py"
    planted.write_text("import torch\nfrom mha.fused import MultiHeadAttention\n")

    assert imports(planted) == {"torch", "mha.fused"}
    assert own(imports(planted), "mha") == {"fused"}
