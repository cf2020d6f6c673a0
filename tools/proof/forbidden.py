"""What no page and no published file may hold: short rules rather than clever ones."""

import re
from collections.abc import Iterator
from pathlib import Path

from tools.proof.downloads import is_download
from tools.proof.links import unescaped
from tools.proof.pages import BLOCKS, Element, Site
from tools.proof.sources import named, read
from tools.proof.vendored import is_vendored

# Every kind of file that is published, downloads aside.
KINDS = {
    *(".css", ".gz", ".html", ".ico", ".inv", ".js", ".json", ".map", ".png", ".svg"),
    *(".txt", ".webmanifest", ".xml", "LICENSE"),
}
FRAMES = {"applet", "embed", "frame", "frameset", "iframe", "object", "portal"}
INLINE_CODE = {"code", "kbd", "samp", "tt", "var"}
KEEPS_LINES = re.compile(r"white-space(-collapse)?\s*:\s*(pre|break-spaces)", re.I)
THEME_SCRIPTS = "assets/javascripts/"
ASKS_OR_KEEPS = re.compile(
    r"""\w*://[^\s"'`]*|["'`]//[^\s"'`]+"""
    r"|\bcookie\w*|\b(?:local|session)Storage\b|\bindexedDB\b"
)


def hides_code(element: Element) -> bool:
    """Whether an element may show lines of code where no block is."""
    attrs = element.attrs
    styles = attrs.get("style", "") + element.text * (element.tag == "style")
    inline = element.tag in INLINE_CODE and not element.stands_in(*BLOCKS)
    return (
        element.tag == "textarea"
        or "data-clipboard-text" in attrs
        or (inline and "\n" in element.text.strip("\n"))
        or bool(KEEPS_LINES.search(unescaped(styles)))
    )


def runs_script(element: Element) -> bool:
    """Whether an element holds a script; outside articles they are the theme's."""
    inline = element.tag == "script" and (
        "src" not in element.attrs or bool(element.text.strip())
    )
    handles = any(name.startswith("on") for name in element.attrs)
    return handles or (inline and element.stands_in("article", "svg"))


def forbidden(element: Element) -> str:
    """What is wrong with an element, and what to do; "" if nothing is."""
    tag = element.tag
    if tag in FRAMES or "srcdoc" in element.attrs:
        return f"<{tag}> shows what no proof sees; write it into the page"
    if hides_code(element):
        return f'<{tag}> may show code; draw it in a fence with --8<-- "file:section"'
    if runs_script(element):
        return f"<{tag}> holds a script; put it into a file in docs/assets/"
    return ""


def check_elements(site: Site) -> Iterator[str]:
    """No page has frames, scripts of its own, or lines of code outside blocks."""
    for page in site.pages.values():
        for element in page.elements:
            if wrong := forbidden(element):
                first = element.text.strip().split("\n")[0].strip()
                hints = (first, f"<{element.tag}")
                yield f"{site.place(page, element.line, *hints)}: {wrong}"


def check_kinds(site: Site) -> Iterator[str]:
    """Each published file is of a known kind, and stands where it seems to."""
    for path in sorted(site.folder.rglob("*")):
        name = named(site.folder, path)
        if path.is_symlink():
            yield f"{name}: this is a symbolic link; put the file there"
        known = (path.suffix or path.name) in KINDS or is_download(name)
        if path.is_file() and not path.is_symlink() and not known:
            yield (
                f"{name}: files of this kind are not published; name it in mkdocs.yml "
                "under exclude_docs, or its kind in KINDS of tools/proof/forbidden.py"
            )


def own_scripts(site: Site) -> Iterator[tuple[str, Path]]:
    """Each published script that is not the theme's and not from a package."""
    for path in sorted(site.folder.rglob("*.js")):
        name = named(site.folder, path)
        if is_vendored(name, path):
            continue
        if (site.root / "docs" / name).is_file():
            yield f"docs/{name}", path
        elif not name.startswith(THEME_SCRIPTS):
            yield name, path


def check_scripts(site: Site) -> Iterator[str]:
    """Our own scripts name no other host and keep nothing about the reader."""
    for name, path in own_scripts(site):
        for number, line in enumerate(read(site.folder, path).splitlines(), 1):
            for found in ASKS_OR_KEEPS.finditer(line):
                yield (
                    f"{name}:{number}: our scripts may hold no address of a host, no "
                    f"cookie and no storage, got {found[0]!r}; do without it"
                )
