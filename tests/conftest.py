"""The built site, once for all tests that read it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def given_site(folder: str) -> Path:
    """The folder that SITE_DIR names."""
    path = Path(folder).resolve()
    if not (path / "index.html").is_file():
        pytest.fail(f"SITE_DIR must be a folder with a built site, got {folder!r}")
    return path


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The site in SITE_DIR, which is about to be published, or a fresh one."""
    if folder := os.environ.get("SITE_DIR"):
        return given_site(folder)
    out = tmp_path_factory.mktemp("built") / "site"
    command = [sys.executable, "-m", "tools.build", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, encoding="utf-8")
    if done.returncode != 0:
        pytest.fail(f"the site must build, got:\n{done.stdout}{done.stderr}")
    return out
