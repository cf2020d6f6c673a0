"""Headings in order, ids that differ, pictures with words."""

from collections.abc import Iterator

from tools.proof.pages import HEADINGS, Site, html_pages


def check_headings(site: Site) -> Iterator[str]:
    """One h1 in a page, and no level left out; the theme adds no heading of its own."""
    for page in html_pages(site):
        if not page.tagged("h1"):
            yield f"{site.place(page, 1)}: there is no h1; begin the page with one"
        level = 0
        for heading in page.tagged(*HEADINGS):
            where = site.place(page, heading.line, heading.text.strip("¶ \n"))
            new = int(heading.tag[1])
            if new > level + 1:
                yield f"{where}: h{new} follows h{level}; use h{level + 1}"
            if new == 1 and level:
                yield f"{where}: this is a second h1; use h2"
            level = new


def check_ids(site: Site) -> Iterator[str]:
    """No two elements of a page share an id."""
    for page in site.pages.values():
        seen: set[str] = set()
        for element in page.elements:
            name = element.attrs.get("id", "")
            if name and name in seen:
                where = site.place(page, element.line, f"#{name}", f'id="{name}"')
                yield f"{where}: id {name!r} is there twice; rename one of them"
            seen.add(name)


def check_pictures(site: Site) -> Iterator[str]:
    """Each picture says in words what it shows."""
    for page in html_pages(site):
        titled = [e.parent for e in page.tagged("title") if e.text.strip()]
        for svg in page.tagged("svg"):
            if svg.attrs.get("aria-hidden") == "true":
                continue
            drawn = svg.parent is not None and svg.parent.tag == "figure"
            named = svg.attrs.get("aria-label", "").strip() or any(
                svg is parent for parent in titled
            )
            if drawn and svg.attrs.get("role") != "img":
                where = site.place(page, svg.line, "<svg")
                yield f'{where}: an svg in a figure is no picture; give it role="img"'
            elif svg.attrs.get("role") == "img" and not named:
                where = site.place(page, svg.line, "<svg")
                yield f"{where}: a picture has no words; give the svg an aria-label"
        for image in page.tagged("img"):
            if not image.attrs.get("alt", "").strip():
                source = image.attrs.get("src", "")
                where = site.place(page, image.line, source.rsplit("/", 1)[-1])
                yield f"{where}: image {source!r} has no alt text; say what it shows"
