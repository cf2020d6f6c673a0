"""Built pages, read as browsers read them."""

from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin

from tools.proof.sources import clean, named, read

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
BLOCKS = ("pre", "listing", "xmp", "plaintext")  # what a browser sets line by line
KEPT = {
    *HEADINGS,
    *BLOCKS,
    *("article", "code", "figure", "kbd", "samp", "script", "style", "svg", "title"),
    *("tt", "var"),
}


@dataclass
class Element:
    """A start tag, the line it stands on, and the text up to its end tag if KEPT."""

    tag: str
    attrs: dict[str, str]
    line: int
    parent: "Element | None"
    text: str = ""

    @property
    def classes(self) -> list[str]:
        """The names in its class attribute."""
        return self.attrs.get("class", "").split()

    def stands_in(self, *tags: str) -> bool:
        """Whether an element around it has one of these tags, all of them in KEPT."""
        parent = self.parent
        while parent is not None and parent.tag not in tags:
            parent = parent.parent
        return parent is not None


@dataclass
class Page(HTMLParser):
    """An HTML or SVG file, read as browsers read it: unclosed tags stay open."""

    name: str
    html: str
    url: str
    elements: list[Element] = field(default_factory=list[Element])
    opened: list[Element] = field(default_factory=list[Element])

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the element; keep it open if its text matters."""
        values = {name: value or "" for name, value in reversed(attrs)}
        parent = self.opened[-1] if self.opened else None
        self.elements.append(Element(tag, values, self.getpos()[0], parent))
        if tag in KEPT:
            self.opened.append(self.elements[-1])
        if tag == "br":
            self.handle_data("\n")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Close what closes itself: in SVG only, as in browsers."""
        self.handle_starttag(tag, attrs)
        if tag == "svg" or any(element.tag == "svg" for element in self.opened[:-1]):
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost such element and what was left open in it."""
        for depth in reversed(range(len(self.opened))):
            if self.opened[depth].tag == tag:
                del self.opened[depth:]
                return

    def handle_data(self, data: str) -> None:
        """Add text to every element that it stands in."""
        for element in self.opened:
            element.text += data

    def tagged(self, *tags: str) -> list[Element]:
        """The elements with one of these tags, in order."""
        return [element for element in self.elements if element.tag in tags]

    @cached_property
    def anchors(self) -> set[str]:
        """What may stand behind # in a link to this page."""
        named = {a.attrs.get("name", "") for a in self.tagged("a")}
        ids = {element.attrs.get("id", "") for element in self.elements}
        return ids | named | {"", "top"}


@dataclass(frozen=True)
class Site:
    """A built site, and the repository that it was built from."""

    root: Path
    folder: Path
    base: str
    pages: dict[str, Page]

    def place(self, page: Page, line: int, *hints: str) -> str:
        """Where to look: the lines of the Markdown with a hint, or else the HTML."""
        stem = page.name.removesuffix("index.html").rstrip("/")
        for source in (f"docs/{stem}/index.md", f"docs/{stem}.md"):
            path = self.root / source
            lines = read(self.root, path).splitlines() if path.is_file() else []
            for hint in filter(None, hints):
                if numbers := lines_with(lines, hint):
                    return f"{named(self.root, path)}:{', '.join(map(str, numbers))}"
        return f"{page.name}:{line}"


def lines_with(lines: list[str], hint: str) -> list[int]:
    """The numbers of the lines that are a hint, or else of all that hold it."""
    marked = list(enumerate(lines, 1))
    exact = [n for n, line in marked if hint in (line.strip(), line.strip("># \t"))]
    return exact or [n for n, line in marked if hint in line]


def read_site(root: Path, folder: Path) -> Site:
    """Read every page; the site's own address is what its home page says it is."""
    if not (folder / "index.html").is_file():
        raise ValueError(
            f"SITE must be a folder with a built site in it, got {str(folder)!r}, "
            "which has no index.html; build it with make site"
        )
    home = Page("index.html", read(folder, folder / "index.html"), "")
    canonical = [e.attrs["href"] for e in home.tagged("link") if is_canonical(e)]
    base = canonical[0] if canonical else "http://site.invalid/"
    pages: dict[str, Page] = {}
    for path in sorted([*folder.rglob("*.html"), *folder.rglob("*.svg")]):
        name = named(folder, path)
        url = urljoin(base, name.removesuffix("index.html"))
        pages[name] = Page(name, read(folder, path), url)
    return Site(root, folder, base, pages)


def is_canonical(link: Element) -> bool:
    """Whether a link element holds the page's own address."""
    return link.attrs.get("rel") == "canonical" and "href" in link.attrs


def html_pages(site: Site) -> list[Page]:
    """The pages that people read."""
    return [page for name, page in site.pages.items() if name.endswith(".html")]


def blocks(page: Page) -> list[str]:
    """The text of each code block of a page, in order."""
    return [clean(block.text) for block in page.tagged(*BLOCKS)]
