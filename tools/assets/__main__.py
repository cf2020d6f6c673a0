"""Write the assets into docs/, where MkDocs finds them; git ignores them.

python -m tools.assets
"""

import sys
from pathlib import Path

from tools.assets.brython import runtime
from tools.assets.downloads import downloads

ROOT = Path(__file__).resolve().parents[2]
VENDOR = "docs/assets/vendor"
DOWNLOADS = "docs/downloads"


def write(folder: Path, files: dict[str, str]) -> None:
    """Make a folder hold these files and no others; touch none that is as it should be.

    (MkDocs watches the folder, and builds anew whenever a file in it is touched.)
    """
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        path = folder / name
        if not path.is_file() or path.read_bytes() != text.encode():
            path.write_bytes(text.encode())
    for path in folder.iterdir():
        if path.name not in files:
            path.unlink()


def main() -> int:
    """Write all assets; say what is wrong where one cannot be made."""
    try:
        write(ROOT / VENDOR, runtime())
        write(ROOT / DOWNLOADS, downloads(ROOT))
    except ValueError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
