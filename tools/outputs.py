"""Write what each example prints into mha/examples/output/.

python -m tools.outputs            of all examples
python -m tools.outputs word       of mha/examples/word.py
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROCESSES = {"sharded": 2}  # examples that torchrun starts, in how many processes


def examples(root: Path) -> list[str]:
    """The names of the examples, in order."""
    files = (root / "mha" / "examples").glob("*.py")
    return sorted(path.stem for path in files if path.stem != "__init__")


def command(name: str) -> list[str]:
    """What runs an example."""
    run = [sys.executable, "-X", "utf8", "-W", "error"]
    if name in PROCESSES:
        run = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
        run += ["--nproc-per-node", str(PROCESSES[name])]
    return [*run, "-m", f"mha.examples.{name}"]


def printed(root: Path, name: str) -> str:
    """What an example prints.

    Raises:
        ValueError: If it fails; the message is what Python says.
    """
    done = subprocess.run(
        command(name), cwd=root, capture_output=True, encoding="utf-8", check=False
    )
    if done.returncode != 0:
        raise ValueError(
            f"mha/examples/{name}.py must run to its end, got:\n{done.stderr}"
        )
    return done.stdout


def write_outputs(root: Path, names: list[str]) -> list[str]:
    """Write the outputs of these examples, and remove those whose example is gone.

    Returns:
        What went wrong, in words. The output of an example that fails stays.
    """
    folder = root / "mha" / "examples" / "output"
    folder.mkdir(exist_ok=True)
    wrong: list[str] = []
    for name in names:
        print(f"mha/examples/{name}.py", flush=True)
        try:
            text = printed(root, name)
        except ValueError as error:
            wrong.append(str(error))
        else:
            (folder / f"{name}.txt").write_text(text, "utf-8", newline="\n")
    for output in folder.glob("*.txt"):
        if output.stem not in examples(root):
            output.unlink()
    return wrong


def main(names: list[str]) -> int:
    """Write the outputs; print what went wrong."""
    known = examples(ROOT)
    if unknown := sorted({*names} - {*known}):
        print(
            "EXAMPLE must name a file of mha/examples/, without .py, "
            f"got {unknown[0]!r}",
            file=sys.stderr,
        )
        return 1
    try:
        wrong = write_outputs(ROOT, names or known)
    except KeyboardInterrupt:
        print("stopped; the other outputs are as they were", file=sys.stderr)
        return 130
    print("\n".join(wrong), end="", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
