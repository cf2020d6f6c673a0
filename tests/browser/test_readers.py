"""Readers without a mouse, without scripts, with large letters, on paper."""

import pytest
from tab import OPEN_FOLDS, opened
from test_pages import (
    DESK,
    IS_WIDE,
    KEEP_ONE_OF_EACH_COLOUR,
    PHONE,
    addresses,
    barriers,
)

HOW = "chapters/6.1-multi-head-self-attention/how/"
CODE = "chapters/6.1-multi-head-self-attention/code/"
EXPERIMENT = "chapters/6.1-multi-head-self-attention/experiment/"
TOUCHED = [HOW, CODE, EXPERIMENT]
EXERCISES = "chapters/6.1-multi-head-self-attention/exercises/"
KEYBOARD_PAGES = ["", CODE, EXERCISES]
SEEN = """
const SEEN = { opacityProperty: true, visibilityProperty: true };
const isSeen = (it) => it.checkVisibility(SEEN) && it.getBoundingClientRect().width > 1;
"""
# Controls that can be seen and that Tab has not reached. A label stands for what it
# switches; the label of the search for the box, which opens with the focus.
UNREACHED = """
() => {
  const all = "a[href], button, input, select, textarea, summary, header label";
  const box = document.querySelector("[name=query]");
  const stands = (it) => (it.htmlFor === "__search" ? box : it.control ?? it);
  return [...document.querySelectorAll(all)].filter(isSeen).map(stands)
    .filter((it) => !("reached" in it.dataset)).map((it) => it.outerHTML.slice(0, 120));
}
"""
# Note where the focus is; say what is outlined there.
STEP = """
() => {
  const at = document.activeElement;
  at.dataset.reached = "";
  const outlined = (it) => getComputedStyle(it).outlineStyle !== "none" && isSeen(it);
  const labels = at.labels ?? [];
  const seen = [at, ...labels, ...at.getElementsByTagName("*")].some(outlined);
  return { isBody: at === document.body, html: at.outerHTML.slice(0, 120), seen };
}
"""
CONTROLS = """
() => {
  const all = "button, input, select, textarea, header label:not([for=__drawer])";
  return [...document.querySelectorAll(all)].filter(isSeen)
    .map((it) => it.outerHTML.slice(0, 120));
}
"""
FOLDED = """
() => [...document.querySelectorAll("details > :not(summary)")]
  .filter((it) => !it.checkVisibility() || !it.offsetHeight)
  .map((it) => it.outerHTML.slice(0, 120))
"""
# What an article says and shows, without the controls that scripts add.
CONTENT = """
() => {
  const copy = document.querySelector("article").cloneNode(true);
  const added = "button, nav, .needs-scripts, .run-bar, .run-note";
  copy.querySelectorAll(added).forEach((it) => it.remove());
  const count = (all) => copy.querySelectorAll(all).length;
  return [copy.textContent.replace(/\\s+/g, " ").trim(), count("svg"), count("td")];
}
"""
MOVES = """
() => [...document.querySelectorAll("*")].filter((it) => {
  const style = getComputedStyle(it);
  return style.transitionDuration.split(", ").some((time) => parseFloat(time))
    || style.animationName !== "none" || style.scrollBehavior === "smooth";
}).map((it) => it.outerHTML.slice(0, 120))
"""
LONG = (
    "Donaudampfschifffahrtselektrizitaetenhauptbetriebswerkbauunterbeamtengesellschaft"
)
ADD_LONG_WORDS = f"""
() => document.querySelector("article").insertAdjacentHTML("beforeend", `
  <h2>{LONG}</h2><p>{LONG} <code>{LONG}</code></p><ul><li>{LONG}</li></ul>
  <table><tr><td>{LONG}</td><td>{LONG}</td></tr></table>
  <figure class="drawn"><figcaption>{LONG}</figcaption></figure>
  <details open><summary>{LONG}</summary><p>{LONG}</p></details>`)
"""


def look(page, script: str):
    """Evaluate a function that may ask what can be seen."""
    return page.evaluate(f"() => {{ {SEEN} return ({script})(); }}")


def press_tab(page) -> dict:
    """Where the focus went; the search takes a moment to open."""
    page.keyboard.press("Tab")
    if not look(page, STEP)["seen"]:
        page.wait_for_timeout(300)
    return look(page, STEP)


@pytest.mark.parametrize("size", [PHONE, DESK], ids=["phone", "desk"])
def test_everything_is_reached_by_tab_with_visible_focus(browser, base_url, size):
    findings = []
    options = {"viewport": size, "reduced_motion": "reduce"}
    with opened(browser, base_url, findings, **options) as page:
        for address in KEYBOARD_PAGES:
            page.goto(base_url + address)
            while not (step := press_tab(page))["isBody"]:
                if not step["seen"]:
                    findings.append(f"{address}: no focus to be seen at {step['html']}")
            findings += [f"{address}: Tab misses {it}" for it in look(page, UNREACHED)]

    assert findings == []


def test_an_anchor_leads_to_its_heading(page, base_url):
    page.goto(f"{base_url}{CODE}#step-10")
    page.wait_for_timeout(300)

    assert 0 <= page.locator("#step-10").bounding_box()["y"] < DESK["height"] / 4


def scheme(page) -> str:
    return page.evaluate("document.body.dataset.mdColorScheme")


def icon(switch) -> list[int]:
    """Which of the two icons, the moon and the sun, is drawn."""
    paths = switch.locator("path").all()
    return [i for i, path in enumerate(paths) if path.bounding_box()]


def test_enter_and_space_switch_the_colours(page, base_url):
    page.goto(base_url)
    switch = page.get_by_role("button", name="Dark colours")
    switch.focus()
    icons = [icon(switch)]
    schemes = [scheme(page)]
    pressed = [switch.get_attribute("aria-pressed")]
    for key in ("Enter", "Space", "Space", "Enter"):
        page.keyboard.press(key)
        icons.append(icon(switch))
        schemes.append(scheme(page))
        pressed.append(switch.get_attribute("aria-pressed"))

    assert schemes == ["default", "slate", "default", "slate", "default"]
    assert pressed == ["false", "true", "false", "true", "false"]
    assert icons == [[0], [1], [0], [1], [0]]


def test_the_choice_of_colours_is_kept_and_said(page, base_url):
    page.goto(base_url)
    page.get_by_role("button", name="Dark colours").click()
    page.goto(base_url + EXERCISES)

    assert scheme(page) == "slate"
    assert page.get_by_role("button", name="Dark colours", pressed=True).is_visible()
    assert page.evaluate("document.documentElement.style.colorScheme") == "dark"


def test_the_system_chooses_the_colours_until_the_reader_does(page, base_url):
    schemes = []
    page.emulate_media(color_scheme="dark")
    page.goto(base_url)
    for system in ("dark", "light", "dark"):
        page.emulate_media(color_scheme=system)
        page.wait_for_timeout(100)  # the page is told a moment later
        schemes.append(scheme(page))
    page.get_by_role("button", name="Dark colours").click()
    for system in ("light", "dark"):
        page.emulate_media(color_scheme=system)
        page.wait_for_timeout(100)
        schemes.append(scheme(page))

    assert schemes == ["slate", "default", "slate", "default", "default"]


@pytest.mark.parametrize("key", ["Enter", "Space"])
def test_the_menu_opens_and_closes_by_keyboard(browser, base_url, key):
    findings = []
    options = {"viewport": PHONE, "reduced_motion": "reduce"}
    with opened(browser, base_url, findings, **options) as page:
        page.goto(base_url)
        link = page.locator(".md-sidebar--primary").get_by_role(
            "link", name="Questions"
        )
        states = [link.is_visible()]
        page.get_by_role("button", name="Menu").focus()
        for pressed in (key, key, key, "Escape"):
            page.keyboard.press(pressed)
            states.append(link.is_visible())

        page.keyboard.press(key)
        section = page.get_by_role("checkbox", name="Pitfalls")
        section.focus()
        page.keyboard.press(key)
        page.get_by_role("link", name="The softmax").focus()
        page.keyboard.press("Enter")
        page.wait_for_url("**/pitfalls/softmax/")

    assert states == [False, True, False, True, False]
    assert findings == []


def test_a_fold_opens_by_keyboard(page, base_url):
    page.goto(base_url + EXERCISES)
    page.locator("summary").first.focus()
    states = []
    for key in ("Enter", "Space"):
        page.keyboard.press(key)
        states.append(page.locator("details").first.get_attribute("open") is not None)

    assert states == [True, False]


def test_without_scripts_all_is_there_and_nothing_is_dead(browser, base_url, site):
    findings = []
    off = {"java_script_enabled": False}
    with (
        opened(browser, base_url, findings) as page,
        opened(browser, base_url, findings, **off) as plain,
    ):
        for address in addresses(site)[:-1]:
            page.goto(base_url + address)
            plain.goto(base_url + address)
            if look(plain, CONTENT) != look(page, CONTENT):
                findings.append(f"{address}: says something else without scripts")
            findings += [f"{address}: {it} is dead" for it in look(plain, CONTROLS)]

    assert findings == []


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "none"])
def test_printed_all_folds_are_open_and_no_controls(browser, base_url, site, scripts):
    findings = []
    options = {"java_script_enabled": scripts}
    with opened(browser, base_url, findings, **options) as page:
        for address in addresses(site)[:-1]:
            page.emulate_media(media="screen")
            page.goto(base_url + address)
            page.emulate_media(media="print")
            page.wait_for_timeout(20)
            findings += [f"{address}: {it} is folded" for it in look(page, FOLDED)]
            findings += [f"{address}: {it} is printed" for it in look(page, CONTROLS)]

    assert findings == []


def test_large_letters_and_long_words_do_no_harm(browser, base_url, site):
    findings = []
    zoomed = {"viewport": {"width": 640, "height": 450}, "device_scale_factor": 2}
    with opened(browser, base_url, findings, **zoomed) as page:
        for address in addresses(site):
            page.goto(base_url + address)
            for width in (640, 320):
                page.set_viewport_size({"width": width, "height": 450})
                page.evaluate(ADD_LONG_WORDS)
                if page.evaluate(IS_WIDE):
                    findings.append(f"{address}: scrolls sideways at {width}")

    assert [it for it in findings if "status of 404" not in it] == []


# Press what starts a figure, once it has arrived; true when the figure is there.
START = """
() => {
  const start = document.querySelector(".heads > button, .fuse .touch-bar button");
  if (start && !start.dataset.pressed) {
    start.dataset.pressed = "yes";
    start.click();
  }
  return Boolean(document.querySelector(".heads-told, .fuse details, .split form"));
}
"""


def use(page) -> None:
    """Start what can be started on a page, and open what is folded."""
    page.evaluate("document.querySelector('.split')?.scrollIntoView()")
    page.wait_for_function(START)
    page.evaluate(OPEN_FOLDS)


@pytest.mark.parametrize("address", TOUCHED)
@pytest.mark.parametrize(("width", "root"), [(390, 40), (195, 20)])
def test_twice_as_large_nothing_scrolls_sideways(page, base_url, address, width, root):
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(base_url + address)
    page.add_style_tag(content=f"html {{ font-size: {root}px !important }}")
    at_rest = page.evaluate(IS_WIDE)
    use(page)
    page.wait_for_timeout(200)

    assert (at_rest, page.evaluate(IS_WIDE)) == (False, False)


@pytest.mark.parametrize("address", TOUCHED)
def test_in_use_there_is_no_barrier(page, base_url, address):
    page.set_viewport_size(DESK)
    page.goto(base_url + address)
    use(page)
    page.wait_for_timeout(1200)  # matrices slide
    page.evaluate(KEEP_ONE_OF_EACH_COLOUR)

    assert barriers(page) == []


def test_on_a_phone_what_begins_to_scroll_can_be_reached(browser, base_url):
    findings = []
    phone = {"viewport": DESK, "has_touch": True, "is_mobile": True}
    code = "[...document.querySelectorAll('pre > code')]"
    with opened(browser, base_url, findings, **phone) as page:
        page.goto(base_url + CODE)
        counts = []
        for width in (1280, 390, 1280):
            page.set_viewport_size({"width": width, "height": 800})
            page.wait_for_timeout(200)
            scrolls = f"{code}.filter((it) => it.scrollWidth > it.clientWidth)"
            reached = f"{code}.filter((it) => it.tabIndex === 0)"
            counts.append(page.evaluate(f"[{scrolls}.length, {reached}.length]"))

    assert [scrolling == reached for scrolling, reached in counts] == [True] * 3
    assert counts[0][0] < counts[1][0]
    assert findings == []


def test_with_the_systems_colours_the_line_of_an_error_is_marked(page, base_url):
    page.emulate_media(forced_colors="active")
    page.goto(base_url + HOW)
    block = page.locator(".highlight.run").first
    block.get_by_role("button", name="Edit").click()
    block.locator("textarea").fill("x = 1\n1 / 0")
    block.get_by_role("button", name="Run").click()
    block.locator(".run-error:not(:empty)").wait_for()
    mark = block.locator("textarea").evaluate(
        "(it) => getComputedStyle(it).backgroundImage"
    )

    assert mark.startswith("linear-gradient")


def test_an_option_is_not_parted_from_its_hyphens(page, base_url):
    page.goto(base_url + "reference/")
    for width in range(320, 480, 4):
        page.set_viewport_size({"width": width, "height": 800})
        parted = page.locator("p code, li code").evaluate_all(
            "(all) => all.filter((it) => it.textContent.startsWith('--')"
            " && it.getClientRects().length > 1).map((it) => it.textContent)"
        )

        assert parted == []


def test_nothing_moves_for_readers_who_ask_for_that(browser, base_url):
    findings = []
    with opened(browser, base_url, findings, reduced_motion="reduce") as page:
        page.goto(base_url + EXERCISES)
        moves = page.evaluate(MOVES)

    assert moves + findings == []


def test_the_page_for_unknown_addresses_works_at_any_depth(page, base_url, findings):
    page.goto(f"{base_url}no/such/page/at/all")
    color = page.evaluate("getComputedStyle(document.body).getPropertyValue('--paper')")
    page.locator("a.md-logo").first.click()

    assert color
    assert page.url == base_url
    assert [it for it in findings if "status of 404" not in it] == []
    findings.clear()  # the address itself
