"""Prove the site from the command line.

python -m tools.proof                              what the site is made of
python -m tools.proof SITE                         and the HTML in the folder SITE
python -m tools.proof SITE --coverage REPORT       and that tests run what is shown
python -m tools.proof --chapters                   what each chapter is still missing
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from tools.proof.chapters import check_chapters, report
from tools.proof.code import check_blocks, check_coverage
from tools.proof.downloads import check_downloads
from tools.proof.forbidden import check_elements, check_kinds, check_scripts
from tools.proof.inputs import check_inputs
from tools.proof.links import check_files, check_links, check_material, urls
from tools.proof.outline import check_headings, check_ids, check_pictures
from tools.proof.pages import Site, blocks, html_pages, read_site
from tools.proof.sources import directives, sources

ROOT = Path(__file__).resolve().parents[2]


def check_site(site: Site, coverage: Path | None = None) -> Iterator[str]:
    """All that is wrong with a site, in words."""
    known = sources(site.root)
    yield from check_blocks(site, known)
    yield from check_elements(site)
    yield from check_headings(site)
    yield from check_ids(site)
    yield from check_pictures(site)
    yield from check_links(site)
    yield from check_files(site)
    yield from check_material(site)
    yield from check_kinds(site)
    yield from check_scripts(site)
    yield from check_downloads(site)
    if coverage is not None:
        yield from check_coverage(site, known, coverage)


def summary(site: Site) -> str:
    """How much of a site was proved."""
    pages = html_pages(site)
    shown = sum(len(blocks(page)) for page in pages)
    links = sum(len(list(urls(e))) for page in pages for e in page.elements)
    return f"proved: {len(pages)} pages, {shown} code blocks, {links} links"


def prove(root: Path, folder: Path | None, coverage: Path | None) -> tuple[int, str]:
    """The exit status and what to print: each finding once, or what was proved."""
    try:
        wrong = list(dict.fromkeys([*check_inputs(root), *check_chapters(root)]))
        done = f"proved: {len(list(directives(root)))} directives"
        if folder is not None and not wrong:
            site = read_site(root, folder)
            wrong = list(dict.fromkeys(check_site(site, coverage)))
            done = summary(site)
    except ValueError as error:
        return 1, str(error)
    return (1, "\n".join(wrong)) if wrong else (0, done)


def told(root: Path) -> tuple[int, str]:
    """The exit status and what to print of what each chapter is missing."""
    try:
        return 0, report(root)
    except ValueError as error:
        return 1, str(error)


def main(arguments: list[str]) -> int:
    """Read the command line, prove, print."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.proof",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("site", metavar="SITE", nargs="?", type=Path)
    parser.add_argument("--coverage", metavar="REPORT", type=Path)
    parser.add_argument("--chapters", action="store_true")
    options = parser.parse_args(arguments)
    if options.chapters:
        status, words = told(ROOT)
    else:
        status, words = prove(ROOT, options.site, options.coverage)
    print(words)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
