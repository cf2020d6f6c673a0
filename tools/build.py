"""Build the site, prove it, and only then put it in the place of the old one.

python -m tools.build [OUT]          OUT is `site` if not given
"""

import signal
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

ROOT = Path(__file__).resolve().parents[1]


def check_replaceable(out: Path) -> None:
    """Refuse to replace what MkDocs did not build.

    Raises:
        ValueError: If out is a file, or a folder with anything else in it.
    """
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    home = out / "index.html"
    text = home.read_text("utf-8", "replace") if home.is_file() else ""
    built = 'name="generator" content="mkdocs-' in text
    if not (built and (out / "sitemap.xml").is_file()):
        raise ValueError(
            "OUT must be new, empty or a site that MkDocs built, "
            f"got {str(out)!r}; remove it yourself or name another folder"
        )


def run(module: str, *arguments: str) -> int:
    """Run a Python module in the repository's root, its messages passing through."""
    command = [sys.executable, "-m", module, *arguments]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


def replace(out: Path, fresh: Path, old: Path) -> None:
    """Put a fresh folder in the place of out, which moves to old if it exists."""
    try:
        if out.exists():
            out.rename(old)
        fresh.rename(out)
    except BaseException:
        if old.exists() and not out.exists():
            old.rename(out)
        raise


def build(out: Path) -> int:
    """Build into a folder beside out; replace out if the build and the proof hold.

    Returns:
        0, or the exit status of the command that failed.

    Raises:
        ValueError: If out is something else than a site that MkDocs built.
        OSError: If out cannot be written.
    """
    check_replaceable(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(
        prefix=f".{out.name}-", dir=out.parent, ignore_cleanup_errors=True
    ) as folder:
        fresh = Path(folder, "fresh")
        status = (
            run("tools.proof")  # before MkDocs, whose message names no line
            or run("tools.assets")
            or run("mkdocs", "build", "--strict", "--site-dir", str(fresh))
            or run("tools.proof", str(fresh))
        )
        if status == 0:
            replace(out, fresh, Path(folder, "old"))
    return status


def main(arguments: list[str]) -> int:
    """Read the command line, build, say what became of OUT."""
    if len(arguments) > 1 or any(word.startswith("-") for word in arguments):
        print(__doc__)
        return 2
    out = Path(*arguments or ["site"]).resolve()
    try:
        status = build(out)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        words = f"cannot write {out}, got {error}; the old site is as it was"
        print(words, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"stopped; {out} is as it was", file=sys.stderr)
        return 130
    if status != 0:
        print(f"not built; {out} is as it was", file=sys.stderr)
    return status


if __name__ == "__main__":
    for name in {"SIGTERM", "SIGHUP"} & set(dir(signal)):  # Windows has no SIGHUP
        signal.signal(getattr(signal, name), signal.default_int_handler)
    sys.exit(main(sys.argv[1:]))
