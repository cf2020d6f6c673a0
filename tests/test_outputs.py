"""Each output that pages show is what its example prints."""

import runpy
from pathlib import Path

import pytest

from tools import outputs

OUTPUTS = outputs.ROOT / "mha" / "examples" / "output"
NAMES = outputs.examples(outputs.ROOT)


@pytest.mark.parametrize("name", [n for n in NAMES if n not in outputs.PROCESSES])
def test_output_is_what_the_example_prints(name, capsys):
    runpy.run_module(f"mha.examples.{name}", run_name="__main__")

    printed = capsys.readouterr().out
    assert printed == read(OUTPUTS / f"{name}.txt"), (
        f"mha/examples/output/{name}.txt is stale; run make outputs"
    )


@pytest.mark.parametrize("name", outputs.PROCESSES)
def test_torchrun_writes_what_test_commands_compares(name):
    line = f"torchrun --nproc-per-node {outputs.PROCESSES[name]} -m mha.examples.{name}"

    assert line in (outputs.ROOT / "README.md").read_text("utf-8").splitlines()
    assert outputs.command(name)[-4:] == line.split()[1:]


def test_every_output_has_an_example():
    assert sorted(path.stem for path in OUTPUTS.iterdir()) == NAMES, "run make outputs"


def test_outputs_are_written_and_orphans_removed(root):
    wrong = outputs.write_outputs(root, outputs.examples(root))

    assert wrong == []
    assert contents(root) == {"good.txt": "3 µm\n"}


def test_an_example_that_fails_keeps_its_output(root):
    (root / "mha/examples/bad.py").write_text("print('half')\n1 / 0\n")
    (root / "mha/examples/output/bad.txt").write_text("as before\n")

    (wrong,) = outputs.write_outputs(root, outputs.examples(root))

    assert wrong.startswith("mha/examples/bad.py must run to its end, got:\n")
    assert wrong.endswith("ZeroDivisionError: division by zero\n")
    assert contents(root) == {"bad.txt": "as before\n", "good.txt": "3 µm\n"}


def test_a_warning_is_an_error(root):
    (root / "mha/examples/bad.py").write_text("import warnings\nwarnings.warn('hm')\n")

    (wrong,) = outputs.write_outputs(root, outputs.examples(root))

    assert wrong.endswith("UserWarning: hm\n")


def test_main_says_what_went_wrong(root, monkeypatch, capsys):
    (root / "mha/examples/bad.py").write_text("1 / 0\n")
    monkeypatch.setattr(outputs, "ROOT", root)

    assert outputs.main([]) == 1
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_one_example_can_be_asked_for(root, monkeypatch, capsys):
    (root / "mha/examples/bad.py").write_text("1 / 0\n")
    monkeypatch.setattr(outputs, "ROOT", root)

    assert outputs.main(["good"]) == 0
    assert capsys.readouterr() == ("mha/examples/good.py\n", "")
    assert contents(root)["good.txt"] == "3 µm\n"


def test_an_example_that_is_not_there_is_refused(root, monkeypatch, capsys):
    before = contents(root)
    monkeypatch.setattr(outputs, "ROOT", root)

    assert outputs.main(["good", "cosine"]) == 1
    rule = "EXAMPLE must name a file of mha/examples/, without .py"
    assert capsys.readouterr() == ("", f"{rule}, got 'cosine'\n")
    assert contents(root) == before


def test_an_interrupted_run_keeps_what_is_written(root, monkeypatch, capsys):
    (root / "mha/examples/late.py").write_text("print('late')\n")
    (root / "mha/examples/output/late.txt").write_text("as before\n")
    printed = outputs.printed

    def interrupted(root, name):
        if name == "late":
            raise KeyboardInterrupt
        return printed(root, name)

    monkeypatch.setattr(outputs, "ROOT", root)
    monkeypatch.setattr(outputs, "printed", interrupted)

    assert outputs.main([]) == 130
    assert capsys.readouterr().err == "stopped; the other outputs are as they were\n"
    written = contents(root)
    assert (written["good.txt"], written["late.txt"]) == ("3 µm\n", "as before\n")


def test_any_working_directory_will_do(root, monkeypatch, tmp_path_factory):
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))

    assert outputs.write_outputs(root, outputs.examples(root)) == []
    assert contents(root) == {"good.txt": "3 µm\n"}


@pytest.fixture
def root(tmp_path):
    """A small package: an example, and an output whose example is gone."""
    folder = tmp_path / "mha" / "examples" / "output"
    folder.mkdir(parents=True)
    for package in (folder.parent, folder.parents[1]):
        (package / "__init__.py").touch()
    (folder.parent / "good.py").write_text("print('3 µm')\n", "utf-8")
    (folder / "gone.txt").write_text("3\n")
    return tmp_path


def contents(root: Path) -> dict[str, str]:
    folder = root / "mha" / "examples" / "output"
    return {path.name: read(path) for path in sorted(folder.iterdir())}


def read(path: Path) -> str:
    return path.read_bytes().decode("utf-8")
