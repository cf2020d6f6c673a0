"""Each address leads somewhere, and none makes the browser ask another host."""

import re
from collections.abc import Iterator
from urllib.parse import unquote, urljoin, urlsplit

from tools.proof.pages import Element, Site, html_pages
from tools.proof.sources import read

# Links that a browser shows or ignores, but does not load.
FOLLOWED = {"alternate", "author", "canonical", "license", "next", "prev"}
URLS = re.compile("action|background|data|formaction|href|poster|src|xlink:href")
STYLES = re.compile("clip-path|fill|filter|marker-(end|mid|start)|mask|stroke|style")
CSS_COMMENT = re.compile(r"/\*.*?\*/", re.S)
CSS_ESCAPE = re.compile(r"\\(?:([0-9a-f]{1,6})\s?|\n|(.))", re.I)
CSS_URL = re.compile(
    r"""(?:\burl\(\s*|@import\s+)(?:"([^"]*)"|'([^']*)'|([^)"'\s]*)\s*\))"""
)
CSS_HOST = re.compile(r"""["']((?:https?:)?//[^"']+)""")
JS_REQUEST = re.compile(  # not every address in a script is one that it asks
    r"(?:\b(?:fetch|import|importScripts|Worker|WebSocket|EventSource)\s*\(?\s*"
    r"|\bfrom\s*|\.(?:src|href)\s*=\s*)[\"'`]((?:https?:|wss?:)?//[^\"'`]+)"
)


def unescaped(css: str) -> str:
    """A style sheet with its escapes read."""

    def character(escape: re.Match[str]) -> str:
        code = escape[1]
        return chr(min(int(code, 16), 0x10FFFF)) if code else escape[2] or ""

    return CSS_ESCAPE.sub(character, css)


def css_urls(css: str) -> Iterator[str]:
    """Every address in a style sheet."""
    css = unescaped(CSS_COMMENT.sub("", css))
    for match in CSS_URL.finditer(css):
        yield match[1] or match[2] or match[3] or ""
    yield from CSS_HOST.findall(CSS_URL.sub("", css))


def js_urls(script: str) -> list[str]:
    """Every address on another host that a script asks."""
    return JS_REQUEST.findall(script)


def urls(element: Element) -> Iterator[str]:
    """Every address in an element."""
    for name, value in element.attrs.items():
        if URLS.fullmatch(name):
            yield value
        elif name in {"srcset", "imagesrcset"}:
            yield from re.findall(r"(?:^|,)\s*(\S*[^\s,])", value)
        elif STYLES.fullmatch(name):
            yield from css_urls(value)
    if element.tag == "style":
        yield from css_urls(element.text)
    if element.tag == "script":
        yield from js_urls(element.text)
    if (
        element.tag == "meta"
        and element.attrs.get("http-equiv", "").lower() == "refresh"
    ):
        yield element.attrs.get("content", "").partition("=")[2].strip("'\" ")


def is_followed(element: Element) -> bool:
    """Whether a browser goes to an element's address only when the reader does."""
    rel = set(element.attrs.get("rel", "").lower().split())
    return element.tag in {"a", "area"} or (
        element.tag == "link" and bool(rel) and rel <= FOLLOWED
    )


def problem(site: Site, page_url: str, url: str, followed: bool) -> str:
    """What is wrong with an address on a page, and what to do; "" if nothing is."""
    try:
        target = urlsplit(urljoin(page_url, url.replace("\\", "/")))
    except ValueError:
        return f"{url!r} is no address; write it anew"
    base = urlsplit(site.base)
    if target.scheme == "mailto" or url.startswith("data:image/"):
        return ""
    if not target.netloc:
        return f"{url[:60]!r} is no link; link to a page, https: or mailto:"
    if (target.scheme, target.netloc) != (base.scheme, base.netloc):
        asks = f"{url!r} asks another host; put the file into docs/"
        return "" if followed else asks
    path = target.path or "/"
    if not path.startswith(base.path):
        return f"{url!r} leaves the site, which is at {base.path}; link to a page of it"
    file = unquote(path.removeprefix(base.path))
    if (site.folder / file).is_dir():
        file = f"{file.rstrip('/')}/index.html".lstrip("/")
    if not (site.folder / file).is_file():
        return f"{url!r} leads nowhere; link to a file that is there"
    anchor = unquote(target.fragment)
    if file in site.pages and anchor not in site.pages[file].anchors:
        return f"{url!r} leads to no anchor; {file} has none named {anchor!r}"
    return ""


def hints(url: str) -> list[str]:
    """How a link may be written in Markdown."""
    path, _, anchor = url.partition("#")
    stem = path.rstrip("/").rsplit("/", 1)[-1]
    return [url, f"{stem}.md#{anchor}", f"#{anchor}" if anchor else "", stem.strip(".")]


def check_links(site: Site) -> Iterator[str]:
    """Each address leads somewhere, and none asks another host."""
    for page in site.pages.values():
        for element in page.elements:
            for url in urls(element):
                if wrong := problem(site, page.url, url, is_followed(element)):
                    yield f"{site.place(page, element.line, *hints(url))}: {wrong}"
            if element.tag == "base":
                yield f"{page.name}:{element.line}: <base> moves every link; remove it"


def check_files(site: Site) -> Iterator[str]:
    """No style sheet and no script asks another host or for a missing file."""
    for suffix, urls_in in ((".css", css_urls), (".js", js_urls), (".mjs", js_urls)):
        for path in sorted(site.folder.rglob(f"*{suffix}")):
            name = path.relative_to(site.folder).as_posix()
            for url in urls_in(read(site.folder, path)):
                if wrong := problem(site, urljoin(site.base, name), url, False):
                    yield f"{name}: {wrong}"


def check_material(site: Site) -> Iterator[str]:
    """Nothing is there for which Material's own script asks another host."""
    for page in html_pages(site):
        for element in page.elements:
            if element.attrs.get("data-md-component") == "source":
                yield (
                    "mkdocs.yml: repo_url makes each page ask api.github.com; remove it"
                )
            if "mermaid" in element.classes:
                where = site.place(page, element.line, "mermaid")
                yield f"{where}: mermaid is loaded from unpkg.com; draw the picture"
