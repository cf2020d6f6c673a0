"""Twelve numbers split and glued by touch, heads that fuse: all as torch has it."""

import gzip
import json
import re
from pathlib import Path

import pytest
import torch

from mha import MultiHeadAttentionWrapper, fuse
from mha.examples import inputs

ROOT = Path(__file__).parents[2]
CHAPTER = "/chapters/6.1-multi-head-self-attention/"
MINUS = "\u2212"
DATA = json.loads((ROOT / "docs/figures/split_steps.json").read_text("utf-8"))
OWN = [7, -3, 0, 12, 999, -99, 5, 5, 41, 8, -1, 60]
MOVED = (
    "window.moved = 0; new PerformanceObserver((list) => { for (const entry of "
    "list.getEntries()) if (!entry.hadRecentInput) window.moved += entry.value; })"
    ".observe({ type: 'layout-shift', buffered: true });"
)


def awake(page):
    """The figure of the How page, with its numbers."""
    box = page.locator("#step-through")
    box.scroll_into_view_if_needed()
    box.locator(".split-cell").first.wait_for()
    return box


@pytest.fixture
def split(page, base_url):
    page.goto(base_url.rstrip("/") + CHAPTER + "how/")
    return awake(page)


@pytest.fixture
def fused(page, base_url):
    """The figure of the Code page, as it comes."""
    page.goto(base_url.rstrip("/") + CHAPTER + "code/")
    page.locator(".fuse .touch-bar").scroll_into_view_if_needed()
    return page.locator(".fuse")


def press(box, name: str) -> None:
    box.get_by_role("button", name=name, exact=True).click()


def pick(box, name: str) -> None:
    box.get_by_role("radio", name=name, exact=True).check()


def use(box, text: str) -> None:
    box.get_by_role("textbox").fill(text)
    press(box, "Use")


def plain(text: str) -> int:
    return int(text.replace(MINUS, "-"))


def cells(box) -> dict[tuple, tuple[int, int]]:
    """The number that stands at each index, and its place in memory."""
    found = {}
    for text, words in box.locator(".split-cell").evaluate_all(
        "cells => cells.map((cell) => [cell.textContent, cell.ariaLabel])"
    ):
        number, index, place = re.fullmatch(
            r"(\S+), index \[(.*)\], place (\d+) in memory", words
        ).groups()
        assert text == number
        found[tuple(map(int, index.split(", ")))] = (plain(number), int(place))
    return found


def memory(box) -> list[int]:
    """The row of memory, from left to right."""
    found = box.locator(".split-row span").evaluate_all(
        "spans => spans.map((s) => [+s.style.getPropertyValue('--x'), s.textContent])"
    )
    return [plain(number) for _, number in sorted(found)]


def told(box) -> str:
    return box.locator(".split-told").text_content()


def steps(x, num_heads: int) -> dict[str, list]:
    """Code and tensor of each step on each way, by torch."""
    split = (1, 3, num_heads, 4 // num_heads)
    wrong = (1, num_heads, 3, 4 // num_heads)
    cut = x.view(split)
    worked = cut.transpose(1, 2).clone(memory_format=torch.contiguous_format)
    there = [
        ("W_value(x)", x),
        (f"view{split}", cut),
        ("transpose(1, 2)", cut.transpose(1, 2)),
        ("attn_weights @ values", worked),
    ]
    back = worked.transpose(1, 2)
    return {
        "as in the listing": [
            *there,
            ("transpose(1, 2)", back),
            ("contiguous()", back.contiguous()),
            ("view(1, 3, 4)", back.contiguous().view(1, 3, 4)),
        ],
        "split by view alone": [there[0], (f"view{wrong}", x.view(wrong))],
        "glued without transposing back": [
            *there,
            ("view(1, 3, 4)", worked.view(1, 3, 4)),
        ],
    }


def check_step(box, code, tensor) -> None:
    """The figure shows this tensor: numbers, shape, strides, places and memory."""
    strides = tensor.stride()
    words = f"{code} → shape {tuple(tensor.shape)}, strides {strides}"
    indices = torch.cartesian_prod(*map(torch.arange, tensor.shape)).tolist()
    expected = {
        tuple(index): (
            tensor[tuple(index)].item(),
            sum(i * stride for i, stride in zip(index, strides)),
        )
        for index in indices
    }

    assert told(box).startswith(words)
    assert cells(box) == expected
    assert memory(box) == tensor.as_strided((12,), (1,)).tolist()


@pytest.mark.parametrize("num_heads", [1, 2, 4])
@pytest.mark.parametrize("own", [list(range(12)), OWN], ids=["first", "own"])
def test_every_step_of_every_way_is_what_torch_says(split, num_heads, own):
    x = torch.tensor(own).view(1, 3, 4)
    use(split, " ".join(map(str, own)))
    pick(split, str(num_heads))

    for way, expected in steps(x, num_heads).items():
        pick(split, way)
        if num_heads > 1 and way != "as in the listing":
            press(split, "Show me")
        while "step 1 of" not in split.locator(".touch-bar span").text_content():
            press(split, "Previous")
        for i, (code, tensor) in enumerate(expected):
            assert f"step {i + 1} of {len(expected)}" in split.text_content()
            check_step(split, code, tensor)
            split.get_by_text("Next").dispatch_event("click")  # at the end, nothing
        check_step(split, *expected[-1])


def test_the_place_of_a_touched_number_is_its_index_times_the_strides(split):
    press(split, "Next")
    press(split, "Next")
    split.get_by_role("button", name="9, index").click()

    assert split.locator(".split-sum").text_content() == (
        "9 has index [0, 0, 2, 1]; times strides (12, 2, 4, 1):"
        "0·12 + 0·2 + 2·4 + 1·1 = place 9"
    )
    assert split.locator(".split-row .split-chosen").text_content() == "9"
    assert split.locator(".split-cell[aria-pressed=true]").text_content() == "9"


@pytest.mark.parametrize(
    ("num_heads", "way", "answer", "words"),
    [
        (2, "split by view alone", "0, 1, 4, 5, 8, 9",
         "You said 0, 1, 4, 5, 8, 9. Not quite: it should be so, and in the listing it "
         "is. Head 1 gets 0, 1, 2, 3, 4, 5."),
        (2, "split by view alone", "0, 2, 4, 6, 8, 10",
         "You said 0, 2, 4, 6, 8, 10. Not quite: nothing here takes every second "
         "number. Head 1 gets 0, 1, 2, 3, 4, 5. Boundaries are drawn in memory"),
        (2, "split by view alone", "0, 1, 2, 3, 4, 5",
         "As you said: Head 1 gets 0, 1, 2, 3, 4, 5."),
        (4, "split by view alone", "Show me", "Head 1 gets 0, 1, 2."),
        (2, "glued without transposing back", "0, 1, 2, 3",
         "You said 0, 1, 2, 3. Not quite: it should be so, and in the listing it is. "
         "Row 1 gets 0, 1, 4, 5."),
        (4, "glued without transposing back", "0, 4, 8, 1",
         "As you said: Row 1 gets 0, 4, 8, 1."),
    ],
)  # fmt: skip
def test_a_prediction_comes_before_what_the_wrong_way_does(
    split, num_heads, way, answer, words
):
    pick(split, str(num_heads))
    pick(split, way)
    question = split.get_by_role("group", name="What do you think")
    before = cells(split)
    asked = question.is_visible()
    press(question, answer)
    answered = told(split)
    pick(split, "as in the listing")
    pick(split, way)

    assert asked
    assert words in answered
    assert cells(split) != before
    assert not question.is_visible()  # it is asked once
    assert told(split) == answered


def test_while_a_question_is_open_words_picture_and_table_show_the_step_before(split):
    pick(split, "split by view alone")
    shown = cells(split)
    split.locator("summary").click()
    caption = split.locator("caption").text_content()
    lines = split.locator(".split-told p").all_text_contents()
    counted = split.locator(".touch-bar span").first.text_content()
    press(split, "Previous")

    assert shown == cells(split)
    assert caption == split.locator("caption").text_content()
    assert lines[0] == split.locator(".split-told p").first.text_content()
    assert lines[1].startswith("Next comes view(1, 2, 3, 2).")
    assert counted == "before step 2 of 2"


@pytest.mark.parametrize("answer", ["0, 1, 4, 5, 8, 9", "0, 1, 2, 3, 4, 5"])
def test_a_guess_is_forgotten_with_the_numbers_that_it_was_made_of(split, answer):
    pick(split, "split by view alone")
    press(split, answer)
    guessed = told(split)
    use(split, " ".join(map(str, OWN)))

    first = ", ".join(map(str, OWN[:6])).replace("-", MINUS)
    assert " said" in guessed
    assert " said" not in told(split)
    assert f"Head 1 gets {first}. Boundaries are drawn" in told(split)


def test_one_head_is_the_same_on_both_ways_and_nothing_is_asked(split):
    pick(split, "1")
    pick(split, "split by view alone")

    assert "With one head, both ways are the same." in told(split)
    pick(split, "as in the listing")
    for name in ("cut", "transposed", "worked", "back", "copied", "glued"):
        press(split, "Next")
        assert DATA["1"][name]["words"] in told(split)
        assert DATA["1"][name]["words"] != DATA["2"][name]["words"]
    assert not split.get_by_role("group", name="What do you think").is_visible()


NEEDED = "Whole numbers with spaces or commas between them are needed, got "


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("one two", f"{NEEDED}“one”."),
        ("1.5 " * 12, f"{NEEDED}“1.5”."),
        ("<b>" * 99, f"{NEEDED}“<b><b><b><b>…”."),
        ("", "Twelve numbers are needed, got none."),
        ("1, 2, 3", "Twelve numbers are needed, got 3."),
        ("1 " * 13, "Twelve numbers are needed, got 13."),
        ("0 " * 11 + "9" * 400, f"Numbers from {MINUS}99 to 999 fit into the cells, "
         "got 999999999999…."),
        ("0 " * 11 + "-100", f"Numbers from {MINUS}99 to 999 fit into the cells, "
         "got -100."),
    ],
)  # fmt: skip
def test_bad_numbers_get_a_sentence_and_change_nothing(split, text, words):
    press(split, "Next")
    use(split, ", ".join(map(str, OWN)))
    before = cells(split), told(split)

    use(split, text)

    assert split.get_by_role("alert").text_content() == words
    assert split.get_by_role("textbox").get_attribute("aria-invalid") == "true"
    assert (cells(split), told(split)) == before
    press(split, "0 to 11")
    assert split.locator(".touch-wrong").text_content() == ""
    assert cells(split)[0, 2, 1, 1] == (11, 11)


def test_it_is_worked_by_keyboard(split, page):
    split.get_by_role("radio", name="2", exact=True).focus()
    seen = []
    keys = ["Tab", "Tab", "Tab", "Enter", "Space", "Tab", "ArrowRight", "ArrowDown"]
    for key in [*keys, "ArrowDown", "ArrowDown", "ArrowLeft", "ArrowUp"]:
        page.keyboard.press(key)
        seen.append(page.evaluate("document.activeElement.textContent"))
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")

    assert seen[:5] == ["", "Previous", "Next", "Next", "Next"]
    assert "step 3 of 7" in split.text_content()
    assert seen[5:] == ["6", "7", "11", "11", "11", "10", "6"]
    assert outline != "none"


# From each number by each arrow: where both stand in the picture, counted in cells.
WALKED = """
(box) => [...box.querySelectorAll(".split-cell")].flatMap((cell) => {
  const spot = (it) => ["--x", "--y"].map((axis) => +it.style.getPropertyValue(axis));
  return ["Left", "Right", "Up", "Down"].map((name) => {
    cell.focus();
    const event = { key: `Arrow${name}`, bubbles: true, cancelable: true };
    cell.dispatchEvent(new KeyboardEvent("keydown", event));
    return [name, spot(cell), spot(document.activeElement)];
  });
})
"""
WAYS = {"Left": (-1, 0), "Right": (1, 0), "Up": (0, -1), "Down": (0, 1)}


def neighbour(spots, name: str, here) -> tuple:
    """The nearest spot in line, or the same one."""
    x, y = here
    (right, down), line = WAYS[name], [here]
    for to in spots:
        ahead = right * (to[0] - x) + down * (to[1] - y)
        aside = down * (to[0] - x) + right * (to[1] - y)
        line += [to] if ahead > 0 and not aside else []
    return min(line, key=lambda to: (to == here, abs(to[0] - x) + abs(to[1] - y)))


@pytest.mark.parametrize("way", DATA["ways"])
def test_arrows_go_to_the_neighbour_in_the_picture_and_reach_all(split, way):
    for num_heads in (1, 2, 4):
        walk_all(split, num_heads, way)


def walk_all(split, num_heads: int, way: str) -> None:
    """Walk from each number by each arrow, at each step."""
    pick(split, str(num_heads))
    pick(split, way)
    if num_heads > 1 and way != "as in the listing":
        press(split, "Show me")
    while "step 1 of" not in split.locator(".touch-bar span").text_content():
        press(split, "Previous")
    for _ in DATA["ways"][way]:
        walked = [(n, tuple(a), tuple(b)) for n, a, b in split.evaluate(WALKED)]
        spots = {here for _, here, _ in walked}
        reached = {walked[0][1]}
        for _ in spots:
            reached |= {to for _, here, to in walked if here in reached}

        assert walked == [(n, here, neighbour(spots, n, here)) for n, here, _ in walked]
        assert reached == spots
        split.get_by_text("Next").dispatch_event("click")  # at the end, nothing


@pytest.mark.parametrize("width", [320, 390])
def test_with_wide_letters_names_of_rows_stay_beside_the_cells(split, page, width):
    page.set_viewport_size({"width": width, "height": 844})
    page.add_style_tag(  # of WCAG 1.4.12
        content="* { letter-spacing: 0.12em !important;"
        " word-spacing: 0.16em !important; line-height: 1.5 !important; }"
    )
    edges = split.evaluate(
        "(box) => [...box.querySelectorAll('.split-token')].map((name) => {"
        " const range = document.createRange(); range.selectNodeContents(name);"
        " const { left, right } = range.getBoundingClientRect();"
        " const cells = [...box.querySelectorAll('.split-cell')];"
        " const first = cells.map((cell) => cell.getBoundingClientRect().left);"
        " return [left, right, Math.min(...first)]; })"
    )

    assert len(edges) == 3
    assert all(0 <= left < right <= cell for left, right, cell in edges)


def test_a_table_stands_in_for_the_picture(split):
    press(split, "Next")
    split.locator("summary").click()
    rows = split.locator("tbody tr").all_text_contents()

    assert (
        split.locator("caption").text_content()
        == "view(1, 3, 2, 2), shape (1, 3, 2, 2)"
    )
    assert len(rows) == 12
    assert rows[5] == "[0, 1, 0, 1]55"


def test_nothing_is_fetched_until_it_is_near_and_it_is_light(page, base_url):
    names = []
    page.on("requestfinished", lambda r: names.append(r.url.rpartition("/")[2]))
    page.goto(base_url.rstrip("/") + CHAPTER + "how/")
    page.wait_for_load_state("networkidle")
    before = set(names)
    awake(page)
    scripts = [ROOT / "docs/assets" / f"{n}.js" for n in ("touch", "split")]

    assert {"split.js", "touch.js"} <= before
    assert set(names) - before >= {"split_steps.json", "touch.css"}
    assert before.isdisjoint({"split_steps.json", "touch.css", "fuse.js"})
    assert sum(len(gzip.compress(path.read_bytes())) for path in scripts) < 6200


def test_other_pages_do_not_load_it(page, base_url):
    names = []
    page.on("request", lambda request: names.append(request.url.rpartition("/")[2]))
    page.goto(base_url.rstrip("/") + "/questions/")
    page.wait_for_load_state("networkidle")

    assert "site.js" in names
    assert {"touch.js", "split.js", "fuse.js"}.isdisjoint(names)


@pytest.mark.parametrize("what", ["split_steps.json", "touch.css"])
def test_numbers_that_do_not_arrive_are_told_and_can_be_tried_again(
    page, base_url, what
):
    with page.context.new_page() as other:  # its console holds the failure
        other.route(f"**/{what}", lambda route: route.abort())
        other.goto(base_url.rstrip("/") + CHAPTER + "how/")
        box = other.locator("#step-through")
        box.scroll_into_view_if_needed()
        said = box.get_by_role("alert").text_content()
        drawn = other.get_by_role("img", name="Three tokens of")
        still_there = drawn.is_visible()
        other.unroute(f"**/{what}")
        press(box, "Try again")
        box.locator(".split-cell").first.wait_for()
        styles = other.locator("style").all_inner_texts()

    assert said.startswith("The numbers of this figure did not arrive")
    assert still_there
    assert sum(".split-stage" in style for style in styles) == 1


@pytest.mark.parametrize(
    ("page_name", "file", "place"),
    [
        ("how", "split_steps.json", "#step-through"),
        ("how", "touch.css", "#step-through"),
        ("code", "stacked_fused.json", ".fuse"),
        ("code", "touch.css", ".fuse"),
    ],
)
def test_a_file_that_never_comes_is_told_after_20_seconds(
    page, base_url, page_name, file, place
):
    page.clock.install()
    page.route(f"**/{file}", lambda route: None)
    page.goto(base_url.rstrip("/") + CHAPTER + page_name + "/")
    figure = page.locator(place)
    figure.scroll_into_view_if_needed()
    if page_name == "code":
        press(figure, "Slide together")
    figure.get_by_text("Fetching the numbers …").wait_for()
    page.clock.fast_forward(20_000)
    said = figure.get_by_role("alert").text_content()
    page.unroute(f"**/{file}")
    press(figure, "Try again")
    figure.locator("details").wait_for()

    assert said.startswith("The numbers of this figure did not arrive")
    assert figure.get_by_text("Fetching the numbers …").count() == 0


LOST = "What can be touched here did not arrive."


@pytest.mark.parametrize(
    ("script", "page_name", "words", "there"),
    [
        ("split.js", "how", LOST, "#step-through .split-cell"),
        ("fuse.js", "code", LOST, ".fuse button"),
        ("heads.js", "experiment", LOST, ".heads button"),
        (
            "run.js",
            "how",
            "The script that runs blocks",
            ".run-intro >> text=press Run",
        ),
    ],
)
def test_a_script_that_comes_late_is_missed_until_it_comes(
    page, base_url, script, page_name, words, there
):
    held = []
    page.clock.install()
    page.route(f"**/assets/{script}", lambda route: held.append(route))
    page.goto(base_url.rstrip("/") + CHAPTER + page_name + "/")
    said = page.get_by_text(words)
    before = said.count()
    page.clock.fast_forward(20_000)
    said.wait_for()
    held[0].continue_()
    page.locator(there.split()[0]).first.scroll_into_view_if_needed()
    page.locator(there).first.wait_for()
    said.wait_for(state="detached")

    assert before == 0
    page.wait_for_function("!document.querySelector('.missing')")


FOCUSED = "(box) => box.contains(document.activeElement)"


@pytest.mark.parametrize(
    ("page_name", "file", "place"),
    [
        ("how", "split_steps.json", "#step-through"),
        ("code", "stacked_fused.json", ".fuse"),
    ],
)
def test_trying_again_keeps_the_focus_in_the_figure(
    page, base_url, page_name, file, place
):
    with page.context.new_page() as other:  # its console holds the failure
        other.route(f"**/{file}", lambda route: route.abort())
        other.goto(base_url.rstrip("/") + CHAPTER + page_name + "/")
        figure = other.locator(place)
        figure.scroll_into_view_if_needed()
        if page_name == "code":
            press(figure, "Slide together")
        seen = []
        for _ in range(2):
            again = figure.get_by_role("button", name="Try again")
            again.press("Enter")
            again.wait_for()
            seen.append(figure.evaluate(FOCUSED))
        other.unroute(f"**/{file}")
        again.press("Enter")
        figure.locator("details").wait_for()
        seen.append(figure.evaluate(FOCUSED))

    assert seen == [True] * 3


@pytest.mark.parametrize(
    ("script", "page_name", "place"),
    [
        ("split.js", "how", "#step-through"),
        ("touch.js", "how", "#step-through"),
        ("fuse.js", "code", ".fuse"),
        ("make.js", "code", ".fuse"),
    ],
)
def test_a_script_that_does_not_arrive_is_told_and_leaves_no_hole(
    page, base_url, script, page_name, place
):
    with page.context.new_page() as other:  # its console holds the failure
        other.set_viewport_size({"width": 390, "height": 844})
        other.route(f"**/{script}", lambda route: route.abort())
        other.goto(base_url.rstrip("/") + CHAPTER + page_name + "/")
        alert = other.locator(place).get_by_role("alert")
        said = alert.text_content()
        hole = other.locator(place).evaluate(
            "(box) => box.getBoundingClientRect().bottom"
            " - box.lastElementChild.getBoundingClientRect().bottom"
        )

    assert said.startswith("What can be touched here did not arrive.")
    assert hole < 30


@pytest.mark.parametrize("page_name", ["how", "code", "experiment"])
def test_without_the_script_of_the_site_nothing_is_offered(page, base_url, page_name):
    seen = "(all) => all.filter((it) => it.checkVisibility()).map((it) => it.className)"
    with page.context.new_page() as other:  # its console holds the failure
        other.route("**/assets/site.js", lambda route: route.abort())
        other.goto(base_url.rstrip("/") + CHAPTER + page_name + "/")
        offered = other.locator(".needs-scripts").evaluate_all(seen)
        rooms = other.locator(".fuse, .highlight.run").evaluate_all(
            "(all) => all.map((it) => getComputedStyle(it).paddingBottom)"
        )

    assert offered == []
    assert set(rooms) <= {"0px"}


def test_pressed_twice_the_matrices_are_drawn_once(fused, page):
    held = []
    page.route("**/stacked_fused.json", lambda route: held.append(route))
    fused.get_by_role("button", name="Slide together").dblclick()
    page.wait_for_timeout(200)
    for route in held:
        route.continue_()
    page.locator("svg[data-live]").first.wait_for()
    page.wait_for_timeout(300)

    assert page.locator("svg[data-live]").count() == 1
    assert fused.locator("details").count() == 1


# While the matrices move: which names of heads can be seen over which numbers.
CROSSED = """
async (figure) => {
  const found = new Set();
  const end = performance.now() + 1200;
  while (performance.now() < end) {
    await new Promise(requestAnimationFrame);
    const boxes = [...figure.querySelectorAll(".fuse-slide .fuse-number")]
      .map((number) => number.getBoundingClientRect());
    for (const name of figure.querySelectorAll(".fuse-head")) {
      let seen = 1;
      for (let at = name; at !== figure; at = at.parentElement) {
        seen *= Number(getComputedStyle(at).opacity);
      }
      const box = name.getBoundingClientRect();
      const [top, bottom] = [box.top + 2, box.bottom - 2];
      const crosses = boxes.some((it) => it.top < bottom && it.bottom > top
        && it.left < box.right && it.right > box.left);
      if (seen > 0.2 && crosses) found.add(name.textContent);
    }
  }
  return [...found];
}
"""


def test_names_of_heads_never_cross_numbers(fused, page):
    press(fused, "Slide together")
    page.locator("svg[data-live]").wait_for()
    crossed = [fused.evaluate(CROSSED)]
    for name in ("Take apart", "Slide together"):
        press(fused, name)
        crossed.append(fused.evaluate(CROSSED))

    assert crossed == [[], [], []]


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_numbers_in_a_row_keep_apart(fused, page, width):
    page.set_viewport_size({"width": width, "height": 900})
    press(fused, "Slide together")
    page.locator("svg[data-live]").wait_for()
    rooms = fused.locator(".fuse-number").evaluate_all(
        "(all) => all.map((number) => (number.previousElementSibling.getBBox().width"
        " - number.getBBox().width) / 2)"
    )

    assert min(rooms) > 2  # on each side, of 360 in the picture
    assert len(rooms) == 3 * 12 + 2 * 24


def test_on_a_phone_a_row_of_numbers_has_one_line(fused, page):
    page.set_viewport_size({"width": 390, "height": 844})
    press(fused, "Slide together")
    fused.locator("summary").click()
    lines = fused.locator("td:not(:first-child)").evaluate_all(
        "(all) => all.map((cell) => { const range = document.createRange();"
        " range.selectNodeContents(cell);"
        " return new Set([...range.getClientRects()].map((it) => it.top)).size; })"
    )

    assert set(lines) == {1}


def test_with_the_systems_colours_tokens_differ_and_the_chosen_one_too(split, page):
    page.emulate_media(forced_colors="active")
    for places in (".split-cell", ".split-row span"):
        looks = split.locator(places).evaluate_all(
            "(all) => all.map((it) => { const { borderTopStyle, backgroundColor } ="
            " getComputedStyle(it); return [borderTopStyle, backgroundColor]; })"
        )
        borders = [border for border, _ in looks]
        backgrounds = [background for _, background in looks]
        chosen = backgrounds[6]

        assert borders == ["solid"] * 4 + ["dashed"] * 4 + ["dotted"] * 4
        assert backgrounds.count(chosen) == 1


@pytest.mark.parametrize("page_name", ["how", "code"])
@pytest.mark.parametrize("width", [320, 390, 1280])
def test_nothing_moves_when_it_comes_and_nothing_scrolls_sideways(
    page, base_url, width, page_name
):
    page.add_init_script(MOVED)
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(base_url.rstrip("/") + CHAPTER + page_name + "/")
    place = page.locator("#step-through" if page_name == "how" else ".fuse")
    place.scroll_into_view_if_needed()
    page.wait_for_timeout(700)
    moved = page.evaluate("window.moved")
    if page_name == "code":
        press(place, "Slide together")
        page.locator("svg[data-live]").wait_for()
    else:
        pick(place, "4")
        pick(place, "split by view alone")

    assert moved < 0.02
    assert page.evaluate("document.documentElement.scrollWidth") == width


def test_without_scripts_and_on_paper_the_drawn_pictures_say_it(split, page, base_url):
    page.emulate_media(media="print")
    printed = (
        split.is_visible(),
        page.get_by_role("img", name="Three tokens of").is_visible(),
    )
    with page.context.browser.new_context(java_script_enabled=False) as context:
        bare = context.new_page()
        bare.goto(base_url.rstrip("/") + CHAPTER + "how/")
        box = bare.locator("#step-through").is_visible()
        drawn = bare.get_by_role("img", name="Three tokens of").is_visible()

    assert printed == (False, True)
    assert (box, drawn) == (False, True)


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_cells_slide_only_where_motion_is_welcome(split, page, motion):
    page.emulate_media(reduced_motion=motion)
    cell = split.locator(".split-cell").first

    slides = cell.evaluate("c => getComputedStyle(c).transitionDuration") != "0s"

    assert slides == (motion == "no-preference")


@torch.no_grad()
def test_the_matrices_that_slide_are_those_of_a_real_pair_of_layers(fused, page):
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(123)
        stacked = MultiHeadAttentionWrapper(3, 2, 6, 0.0, 2).eval()
    big = fuse(stacked)
    press(fused, "Slide together")
    page.locator("svg[data-live]").wait_for()
    fused.locator("summary").click()
    weights, outputs = fused.locator("table").all()

    def row(tensor) -> str:
        return " ".join(f"{n:.2f}".replace("-", MINUS) for n in tensor.tolist())

    expected = [
        f"{name}, row {i + 1}"
        + row(getattr(stacked.heads[i // 2], name).weight[i % 2])
        + row(getattr(big, name).weight[i])
        for name in ("W_query", "W_key", "W_value")
        for i in range(4)
    ]
    tokens = zip(stacked(inputs[None])[0], big(inputs[None])[0])
    assert weights.locator("tbody tr").all_text_contents() == expected
    found = outputs.locator("tbody tr").all_text_contents()
    assert [re.sub(r"^[A-Za-z]+", "", line) for line in found] == [
        row(one) + row(other) for one, other in tokens
    ]


def test_matrices_slide_together_and_apart(fused, page):
    drawn = fused.locator("svg").first
    size = drawn.bounding_box()
    press(fused, "Slide together")
    live = page.locator("svg[data-live]")
    live.wait_for()
    page.wait_for_timeout(1200)
    together = live.locator(".fuse-slide").nth(2).bounding_box()
    press(fused, "Take apart")
    page.wait_for_timeout(1200)
    apart = live.locator(".fuse-slide").nth(2).bounding_box()

    assert live.bounding_box() == size
    assert together["y"] < apart["y"]
    assert "three big matrices" not in fused.get_by_role("status").text_content()
    assert (
        live.get_attribute("aria-label") == fused.get_by_role("status").text_content()
    )


def test_a_picture_whose_numbers_do_not_arrive_stays(page, base_url):
    with page.context.new_page() as other:
        other.route("**/stacked_fused.json", lambda route: route.abort())
        other.goto(base_url.rstrip("/") + CHAPTER + "code/")
        figure = other.locator(".fuse")
        press(figure, "Slide together")
        said = figure.get_by_role("alert").text_content()
        still_there = figure.locator("svg").is_visible()
        other.unroute("**/stacked_fused.json")
        press(figure, "Try again")
        other.locator("svg[data-live]").wait_for()

    assert said.startswith("The numbers of this figure did not arrive")
    assert still_there


def test_data_of_the_page_is_data_of_the_repository(page, base_url):
    name = "figures/split_steps.json"
    answer = page.request.get(base_url.rstrip("/") + "/" + name)

    assert answer.json() == json.loads((ROOT / "docs" / name).read_text("utf-8"))
