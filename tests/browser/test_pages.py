"""Every page, in light and dark, on a phone and on a desk."""

import json

import pytest
from axe_playwright_python.sync_playwright import Axe
from tab import opened

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
AXE = {"runOnly": {"type": "tag", "values": TAGS}, "resultTypes": ["violations"]}
WEIGHT = 150_000  # bytes, compressed
SHIFT = 0.02
CHAPTER = "chapters/6.1-multi-head-self-attention/"
LONG_PAGES = [f"{CHAPTER}{page}/" for page in ("code", "how", "exercises")]
PHONE = {"width": 390, "height": 800}
DESK = {"width": 1280, "height": 900}
COUNT_SHIFTS = """
window.shift = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (!entry.hadRecentInput) window.shift += entry.value;
  }
}).observe({ type: "layout-shift", buffered: true });
"""
# Axe looks at each colour of code once in a page: thousands of words take minutes.
KEEP_ONE_OF_EACH_COLOUR = """
() => {
  const seen = new Set();
  for (const span of document.querySelectorAll("pre span")) {
    let kind = "";
    for (let at = span; at.matches("span"); at = at.parentElement) {
      kind += `.${at.className}`;
    }
    if (seen.has(kind)) span.replaceWith(...span.childNodes);
    seen.add(kind);
  }
}
"""
IS_WIDE = "document.documentElement.scrollWidth > document.documentElement.clientWidth"


def addresses(site) -> list[str]:
    """Every page, and an address that no page has."""
    folders = {path.parent.relative_to(site) for path in site.rglob("index.html")}
    pages = sorted(f"{it.as_posix()}/".removeprefix("./") for it in folders)
    return [*pages, "no/such/page"]


def barriers(page) -> list[str]:
    """What axe finds, each with the first place."""
    return [
        f"{found['id']} in {len(found['nodes'])} places: {found['nodes'][0]['target']}"
        for found in Axe().run(page, options=AXE).response["violations"]
    ]


def faults(page, url: str) -> list[str]:
    """What is wrong with a page at first view."""
    weights = []
    page.on("response", lambda it: weights.append(int(it.headers["content-length"])))
    page.goto(url, wait_until="load")
    page.wait_for_timeout(100)
    shift = page.evaluate("window.shift")
    found = ["scrolls sideways"] if page.evaluate(IS_WIDE) else []
    if shift >= SHIFT:
        found.append(f"shifts its layout by {shift:.3f}")
    if sum(weights) > WEIGHT:
        found.append(f"weighs {sum(weights) / 1000:.0f} kB")
    page.evaluate(KEEP_ONE_OF_EACH_COLOUR)
    return found + barriers(page)


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_is_sound(browser, base_url, site, scheme, size):
    findings, found = [], []
    options = {"color_scheme": scheme, "viewport": size}
    if size == PHONE:
        options |= {"has_touch": True, "is_mobile": True}
    with opened(browser, base_url, findings, **options) as page:
        page.add_init_script(COUNT_SHIFTS)
        for address in addresses(site):
            found += [f"{address}: {it}" for it in faults(page, base_url + address)]

    missing = "status of 404"  # of the address that no page has
    assert found + [it for it in findings if missing not in it] == []


def restyled(browser, url: str) -> tuple[int, int]:
    """How many elements the browser styled until the page was at rest, and has."""
    page = browser.new_page(viewport=PHONE)
    browser.start_tracing(page=page, categories=["devtools.timeline", "blink"])
    try:
        page.goto(url, wait_until="load")
        page.wait_for_timeout(300)
        elements = page.evaluate("document.getElementsByTagName('*').length")
    finally:
        events = json.loads(browser.stop_tracing())["traceEvents"]
        page.close()
    counts = [
        event["args"].get("elementCount", 0)
        for event in events
        if event["name"] == "UpdateLayoutTree"
    ]
    return sum(counts), elements


@pytest.mark.parametrize("address", LONG_PAGES)
def test_a_page_is_not_styled_anew_for_each_of_its_blocks(browser, base_url, address):
    styled, elements = restyled(browser, base_url + address)

    assert elements < styled < 5 * elements


# Note each class that the root had.
NOTE_CLASSES = """
window.classes = [];
new MutationObserver((changes) => {
  const root = changes.filter(({ target }) => target === document.documentElement);
  classes.push(...root.map(({ oldValue }) => oldValue));
}).observe(document, {
  subtree: true,
  attributeOldValue: true,
  attributeFilter: ["class"],
});
"""
CLASSES = "window.classes.concat(document.documentElement.className)"


@pytest.mark.parametrize("address", LONG_PAGES)
def test_no_class_of_the_root_changes_once_there_is_a_page(page, base_url, address):
    page.add_init_script(NOTE_CLASSES)
    page.goto(base_url + address)
    page.wait_for_load_state("networkidle")

    assert set(page.evaluate(CLASSES)) == {"no-js", "js js-focus-visible"}


@pytest.mark.parametrize("address", LONG_PAGES)
def test_without_the_themes_script_the_root_says_so(browser, base_url, address):
    findings = []
    with opened(browser, base_url, findings) as page:
        page.route("**/bundle.*", lambda route: route.abort())
        page.goto(base_url + address)
        classes = page.locator("html").get_attribute("class")

    assert classes == "no-js"
    assert [it for it in findings if "ERR_FAILED" not in it] == []
