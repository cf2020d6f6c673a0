"""Results of measurements: where they come from, and files that are whole."""

import json
import os
import platform
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

import torch


def provenance(command: str, threads: int) -> dict[str, Any]:
    """The birth certificate of what is measured now.

    Args:
        command: What somebody types to measure it.
        threads: With how many threads torch computes.
    """
    gpu = torch.cuda.get_device_name() if torch.cuda.is_available() else None
    capability = torch.backends.cpu.get_cpu_capability()
    return {
        "command": command,
        "date": datetime.now(UTC).date().isoformat(),
        "machine": f"{processor()}, {os.cpu_count()} CPUs, {capability}",
        "gpu": gpu,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "threads": threads,
    }


def processor(cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """The name of the processor, as far as the system tells it."""
    text = cpuinfo.read_text("utf-8") if cpuinfo.is_file() else ""
    names = re.findall(r"^model name\s*: (.+)$", text, re.M)
    return next(iter(names), platform.processor() or "unknown processor")


def check_folder(folder: Path) -> None:
    """Make the folder, and see that a file can be put there, before the work begins.

    Raises:
        OSError: If it cannot.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with NamedTemporaryFile(dir=folder, prefix=".try-"):
        pass


def check_file(path: Path) -> None:
    """See that a file can be written, before the work begins.

    Raises:
        OSError: If it cannot.
    """
    if path.is_dir():
        raise IsADirectoryError(f"must be a file, got the folder {str(path)!r}")
    check_folder(path.parent)


def write(path: Path, data: Mapping[str, Any]) -> None:
    """Put a JSON file in its place, whole or not at all.

    Raises:
        OSError: If it cannot be written.
    """
    lines = [f"{json.dumps(name)}: {lined(value)}" for name, value in data.items()]
    fresh = path.with_name(f".{path.name}-{os.getpid()}")
    try:
        fresh.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8", newline="\n")
        os.replace(fresh, path)
    finally:
        fresh.unlink(missing_ok=True)


def lined(value: Any) -> str:
    """JSON with a line for each entry of a list or an object."""
    if isinstance(value, dict):
        items = [f"{json.dumps(name)}: {json.dumps(v)}" for name, v in value.items()]
        return "{\n " + ",\n ".join(items) + "\n}"
    if isinstance(value, list):
        return "[\n " + ",\n ".join(json.dumps(entry) for entry in value) + "\n]"
    return json.dumps(value)


def read(path: Path, kind: str) -> dict[str, Any]:
    """The data of a file whose entry `kind` says what it holds.

    Raises:
        OSError: If the file cannot be read.
        ValueError: If it is no JSON, or of another kind.
    """
    try:
        data = json.loads(path.read_text("utf-8"))
    except ValueError as error:  # no JSON, or no UTF-8
        raise ValueError(f"{path.name} must be JSON, got: {error}") from None
    found = data.get("kind") if isinstance(data, dict) else None
    if found != kind:
        raise ValueError(f"{path.name} must be of kind {kind!r}, got {found!r}")
    return data
