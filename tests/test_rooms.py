"""Who may import whom: listings only listings shown earlier, tools nobody."""

import ast
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LISTINGS = {  # beside torch and the standard library
    "plain": set(),
    "causal": set(),
    "stacked": {"causal"},
    "fused": set(),
    "sdpa": set(),
    "convert": {"causal", "stacked", "fused"},
    "parallel": {"fused"},
    "grouped": set(),
    "pooling": {"fused", "grouped"},
}


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


def test_every_module_has_a_room():
    modules = {path.stem for path in ROOT.glob("mha/*.py")} - {"__init__", "__main__"}
    folders = {path.name for path in ROOT.glob("mha/*/") if path.name[0] not in "_."}

    assert modules == LISTINGS.keys() | {"measured"}
    assert folders == {
        *("bench", "checker", "commands", "examples", "exercises", "experiment"),
        "mistakes",
    }


@pytest.mark.parametrize("listing", LISTINGS)
def test_a_listing_imports_only_what_the_chapter_shows_earlier(listing: str):
    found = own(imports(ROOT / "mha" / f"{listing}.py"), "mha")

    assert found <= LISTINGS[listing]


def test_plain_imports_math_alone():
    assert imports(ROOT / "mha" / "plain.py") == {"math"}


@pytest.mark.parametrize("path", files("mha/**/*.py"), ids=str)
def test_the_package_needs_torch_rich_and_the_standard_library(path: Path):
    known = {"torch", "mha", *sys.stdlib_module_names}
    known |= {"rich"} if path.parent.name == "commands" else set()

    assert {name.split(".")[0] for name in imports(path)} <= known


@pytest.mark.parametrize("path", files("mha/examples/*.py"), ids=str)
def test_an_example_uses_public_names(path: Path):
    public = {"mha", "plain", "parallel", "examples"}
    public |= {"checker", "mistakes", "exercises"}

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
