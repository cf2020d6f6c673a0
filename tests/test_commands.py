"""Every command that README and CONTRIBUTING show is one that works."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MAKE = shutil.which("make")
needs_make = pytest.mark.skipif(MAKE is None, reason="make is not installed")


def shown() -> list[str]:
    texts = (ROOT / name for name in ("README.md", "CONTRIBUTING.md"))
    fences = [
        fence
        for text in texts
        for fence in re.findall(r"^```shell\n(.*?)^```", text.read_text(), re.M | re.S)
    ]
    return [line for fence in fences for line in fence.splitlines()]
