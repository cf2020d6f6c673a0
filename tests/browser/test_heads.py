"""The models taken apart in the page compute what PyTorch computes, come what may."""

import functools
import json
import random
from copy import deepcopy
from pathlib import Path

import pytest
import torch

from mha.experiment import HEADS
from mha.experiment.files import read_model
from mha.experiment.grammar import (
    LONGEST,
    ORDERS,
    QUESTIONS,
    ROLES,
    answers,
    read,
    say,
    vocabulary,
    written,
)
from mha.experiment.model import without_head

ROOT = Path(__file__).resolve().parents[2]
PAGE = "chapters/6.1-multi-head-self-attention/experiment/"
START = 4  # heads
WORDS = 8
SENTENCE = "Anna sold Ben the oar at the bank."
LONG = [len(order) for order in ORDERS].index(LONGEST)
HIDDEN = "\u2013"  # what stands in a table for what the mask hides
LIGHT = 7000  # bytes of script over the wire
COUNT_SHIFTS = """
window.moved = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) {
    if (!entry.hadRecentInput) window.moved += entry.value;
  }
}).observe({ type: "layout-shift", buffered: true });
"""
COMPUTE = """
async ([heads, cases]) => {
  const base = document.querySelector("script[src$='assets/site.js']").src;
  const { ask } = await import(new URL("sentences.js", base));
  const file = new URL(`../measured/experiment_heads_${heads}.json`, base);
  const model = await (await fetch(file)).json();
  return cases.map(({ words, on, masked }) => ask(model, words, on, masked));
}
"""
GRAMMAR = """
async (sentences) => {
  const base = document.querySelector("script[src$='assets/site.js']").src;
  const { ORDERS, rightAnswers, wordsOf } = await import(new URL("sentences.js", base));
  const file = new URL("../measured/experiment_heads_4.json", base);
  const model = await (await fetch(file)).json();
  const words = sentences.map((sentence) => wordsOf(sentence, model));
  return [ORDERS, words, words.map((each) => rightAnswers(each, model))];
}
"""


@pytest.fixture
def asleep(page, base_url):
    """The page before anything has been pressed."""
    page.goto(base_url + PAGE)
    page.wait_for_selector(".heads button")
    return page


@pytest.fixture
def awake(asleep):
    """The page with a model at hand."""
    start(asleep)
    asleep.locator(".heads-told").wait_for()
    return asleep


def start(page) -> None:
    page.get_by_role("button", name="Take the heads apart").click()


def choose(page, group: str, name: str) -> None:
    page.get_by_role("group", name=group).get_by_label(name, exact=True).click()


def listed(page, name: str):
    return page.get_by_role("combobox", name=name, exact=True)


def take(page, heads: int) -> None:
    """Choose a number of heads, and wait for the model."""
    choose(page, "How many heads?", str(heads))
    switches = page.get_by_role("group", name="Heads that are on").locator("label")
    switches.nth(heads - 1).wait_for()
    page.wait_for_function(
        "(heads) => document.querySelectorAll('.heads [type=checkbox]').length == heads"
        " + 1",
        arg=heads,
    )


def type_in(page, text: str) -> None:
    page.get_by_label("or in your words").fill(text)
    page.keyboard.press("Enter")


def told(page) -> str:
    return page.locator(".heads-told").text_content()


def wrong(page) -> str:
    return page.locator(".heads-wrong").text_content()


def cells(page, name: str) -> list[list[str]]:
    """The cells of a table, without its heads."""
    rows = page.get_by_role("region", name=name).locator("tbody tr").all()
    return [row.locator("td").all_text_contents() for row in rows]


def given(page) -> list[str]:
    return [answer for answer, _, _ in cells(page, "What the model answers")]


def state(page) -> list:
    tables = ("What the model answers", "Where each word looks")
    return [cells(page, name) for name in tables]


@functools.cache
def kept(heads: int):
    return read_model(ROOT / f"docs/measured/experiment_heads_{heads}.json")[0].eval()


def model_of(heads: int):
    return deepcopy(kept(heads))


@torch.no_grad()
def by_pytorch(heads: int, words: list[str], on: list[bool], masked: bool):
    """Where the heads look, and the scores of all answers, from the package's layer."""
    model = model_of(heads)
    for head, brings in enumerate(on):
        model = model if brings else without_head(model, head)
    if not masked:
        model.attention.mask.zero_()
    seen = []
    model.attention.dropout.register_forward_hook(lambda m, i, o: seen.append(o[0]))
    tokens = torch.tensor([vocabulary(WORDS).index(word) for word in words])
    x = model.word(tokens) + model.position.weight[: len(words)]
    context_vec = model.attention(x[None])[0]
    return seen[0], model.read_out(context_vec[-1])


def answers_by_pytorch(heads, words, on=None, masked=True) -> list[str]:
    _, scores = by_pytorch(heads, words, on or [True] * heads, masked)
    choices = list(answers(WORDS).values())
    best = [part.argmax() for part in scores.split([len(each) for each in choices])]
    return [choice[i] for choice, i in zip(choices, best)]


def words_of(text: str) -> list[str]:
    tokens, ends = read([text], WORDS)
    return [vocabulary(WORDS)[token] for token in tokens[0, : ends[0] + 1]]


def percents(weights, masked: bool = True) -> list[list[str]]:
    """A table of weights as the page writes it."""
    return [
        [HIDDEN if masked and key > query else f"{100 * weight:.0f}"
         for key, weight in enumerate(row)]
        for query, row in enumerate(weights.double().tolist())
    ]  # fmt: skip


def sentences(count: int) -> list[list[str]]:
    """Half of them with an order of the grammar, half any words."""
    dice = random.Random(6)
    meant = torch.tensor(
        [dice.choices(range(WORDS), k=len(ROLES)) for _ in range(count)]
    )
    order = torch.tensor(dice.choices(range(len(ORDERS)), k=count))
    proper = say(meant, order, WORDS)
    found = []
    for i in range(count):
        if i % 2:
            length = dice.randint(1, LONGEST - 1)
            found.append(
                [*dice.choices(vocabulary(WORDS)[:5] + ROLE_WORDS, k=length), "."]
            )
        else:
            found.append(words_of(written(proper.tokens[i].tolist(), WORDS)))
    return found


ROLE_WORDS = vocabulary(WORDS)[6:]


@pytest.mark.parametrize("heads", HEADS)
def test_the_page_computes_what_pytorch_computes(asleep, heads):
    dice = random.Random(heads)
    cases = [
        {"words": words, "on": on, "masked": masked}
        for words in sentences(50)
        for masked in (True, False)
        for on in ([True] * heads, [dice.random() < 0.5 for _ in range(heads)])
    ]

    found = asleep.evaluate(COMPUTE, [heads, cases])

    largest = 0.0
    for case, page in zip(cases, found):
        attn_weights, scores = by_pytorch(heads, **case)
        for here, there in ((attn_weights, "attn_weights"), (scores, "scores")):
            away = (
                here.double() - torch.tensor(page[there], dtype=torch.float64)
            ).abs()
            largest = max(largest, away.max().item())
    print(f"largest difference with {heads} heads: {largest:.1e}")  # seen with -rP
    assert 0 < largest < 1e-4
    assert len(found) == 200


@torch.no_grad()
@pytest.mark.parametrize("heads", HEADS)
def test_a_sentence_alone_is_read_as_the_model_reads_it_filled_up(heads):
    words = words_of(SENTENCE)
    tokens, ends = read([SENTENCE], WORDS)

    _, scores = by_pytorch(heads, words, [True] * heads, masked=True)

    torch.testing.assert_close(scores, torch.cat(model_of(heads)(tokens, ends), 1)[0])


def test_orders_words_and_right_answers_are_those_of_the_grammar(asleep):
    meant = torch.cartesian_prod(*[torch.tensor([0, 1, 6, 7])] * len(ROLES))
    meant = meant[meant[:, 0] != meant[:, 3]].repeat(len(ORDERS), 1)
    order = torch.arange(len(ORDERS)).repeat_interleave(len(meant) // len(ORDERS))
    said = say(meant, order, WORDS)
    texts = [written(tokens, WORDS) for tokens in said.tokens.tolist()]

    orders, words, right = asleep.evaluate(GRAMMAR, texts)

    choices = answers(WORDS).values()
    assert [tuple(order) for order in orders] == list(ORDERS)
    assert words == [words_of(text) for text in texts]
    assert right == [
        [choice[number] for choice, number in zip(choices, numbers)]
        for numbers in said.answers.tolist()
    ]


@pytest.mark.parametrize("heads", HEADS)
def test_answers_and_looks_stand_in_tables(awake, heads):
    take(awake, heads) if heads != START else None
    words = words_of(SENTENCE)

    answered = cells(awake, "What the model answers")

    attn_weights, _ = by_pytorch(heads, words, [True] * heads, True)
    right = ["Anna", "sold", "oar", "Ben", "bank", "the river's"]
    assert given(awake) == answers_by_pytorch(heads, words)
    assert [row[1:] for row in answered] == [
        ["right" if answer == known else f"wrong: {known}", ""]
        for answer, known in zip(given(awake), right)
    ]
    assert cells(awake, "Where each word") == percents(attn_weights[0])
    last = torch.tensor(
        [[float(cell) for cell in row] for row in cells(awake, "Where “.”")]
    )
    away = last - 100 * attn_weights[:, -1].T
    assert last.shape == (len(words), heads)
    assert away.abs().max() <= 0.51


def test_every_order_and_word_can_be_chosen(awake):
    for i, slots in enumerate(ORDERS):
        listed(awake, "form").select_option(index=i)
        listed(awake, "who").select_option("Hugo")
        listed(awake, "where").select_option("mill")

        field = awake.get_by_label("or in your words").input_value()

        known = {"WHO": "Hugo", "DID": "sold", "WHAT": "oar", "WHOM": "Ben"}
        assert words_of(field) == [(known | {"WHERE": "mill"}).get(s, s) for s in slots]
        assert given(awake) == answers_by_pytorch(START, words_of(field))
        assert (
            "no bank"
            in cells(awake, "What the model answers")[-1][1] + given(awake)[-1]
        )


def test_without_a_head_what_changes_is_marked_and_told(awake):
    words = words_of(SENTENCE)
    before = given(awake)
    broken = 0
    for head in range(START):
        on = [other != head for other in range(START)]
        after = answers_by_pytorch(START, words, on)

        choose(awake, "Heads that are on", str(head + 1))

        changed = [i for i in range(len(QUESTIONS)) if before[i] != after[i]]
        marks = [row[2] for row in cells(awake, "What the model answers")]
        parts = [f"{QUESTIONS[i]}, from {before[i]} to {after[i]}" for i in changed]
        said = f"It changes: {'; '.join(parts)}." if parts else "No answer changes."
        assert given(awake) == after
        assert [i for i, mark in enumerate(marks) if mark] == changed
        assert {marks[i] for i in changed} == {
            f"changed, was {before[i]}" for i in changed
        }
        assert told(awake) == f"Head {head + 1} is off. {said}"
        choose(awake, "Heads that are on", str(head + 1))
        assert given(awake) == before
        broken += len(changed)
    assert broken


def test_without_the_mask_words_look_ahead_and_no_answer_changes(awake):
    words = words_of(SENTENCE)
    before = given(awake)

    choose(awake, "Mask", "hide later words")

    attn_weights, _ = by_pytorch(START, words, [True] * START, masked=False)
    assert cells(awake, "Where each word") == percents(attn_weights[0], masked=False)
    assert given(awake) == before
    assert told(awake) == (
        "The mask is off, and words look at later ones, too. No answer changes. "
        "The full stop is last: nothing was hidden from it."
    )
    choose(awake, "Mask", "hide later words")
    assert HIDDEN in cells(awake, "Where each word")[0]


def test_a_touched_word_shows_its_looks(awake):
    words = words_of(SENTENCE)
    attn_weights, _ = by_pytorch(START, words, [True] * START, True)
    choose(awake, "Which head is shown?", "head 3")

    choose(awake, "Which word looks?", "Ben")

    row = attn_weights[2, 2]
    most = int(row.argmax())
    looked = awake.locator(".heads-looks li span").all_text_contents()
    strong = awake.locator(".heads-looks path.strong").count()
    assert looked == percents(attn_weights[2])[2]
    assert strong == int((row[:3] >= 0.02).sum())
    assert [row[2] for row in cells(awake, "Where “Ben”")] == looked
    assert cells(awake, "Where each word looks with head 3") == percents(
        attn_weights[2]
    )
    assert told(awake) == (
        f"Head 3 of “Ben” looks at “{words[most]}” most, "
        f"with {100 * row[most]:.0f}\u00a0%."
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "A sentence needs at least one word, got none."),
        (" . ", "A sentence needs at least one word, got none."),
        (
            "Anna sold Ben the moon",
            "words of the lists above, and “the”, “at”, “to”, “was”, “by”; got “moon”.",
        ),
        ("1e999", "“by”; got “1e999”."),
        ("9" * 10_000, f"got “{'9' * 16}…”."),
        ("the " * LONGEST, f"A sentence may have at most {LONGEST - 1} words, got 12."),
        ("<b>Anna</b>", "got “<b>Anna</b>”."),
        ("constructor", "got “constructor”."),
        ("Anna sold. Ben sold.", "got “sold.”."),
        ("Anna don't", "got “don't”."),
    ],
)
def test_a_sentence_that_cannot_be_read_is_told_and_the_last_one_stays(
    awake, text, words
):
    choose(awake, "Heads that are on", "2")
    before = state(awake)

    type_in(awake, text)

    field = awake.get_by_label("or in your words")
    assert words in wrong(awake)
    assert wrong(awake).endswith(" Below is the sentence before.")
    assert state(awake) == before
    assert field.get_attribute("aria-invalid") == "true"
    type_in(awake, "HUGO handed anna the mask at the mill!")
    assert wrong(awake) == ""
    assert field.get_attribute("aria-invalid") == "false"
    assert given(awake) == answers_by_pytorch(
        START,
        words_of("Hugo handed Anna the mask at the mill."),
        [True, False, True, True],
    )


@pytest.mark.parametrize(
    "text",
    [
        "Anna, sold Ben the oar, at the bank.",
        "“Anna sold Ben the \u2018oar\u2019 at the bank.”",
        '"Anna" sold "Ben": the \'oar\' at the bank?!',
        "„Anna“ sold Ben; the «oar» at the bank …",
    ],
)
def test_marks_beside_words_do_not_matter(awake, text):
    listed(awake, "who").select_option("Hugo")

    type_in(awake, text)

    assert wrong(awake) == ""
    assert awake.get_by_label("or in your words").input_value() == SENTENCE


@pytest.mark.parametrize("text", ["Bank", "the " * (LONGEST - 1), "Ben Ben Ben"])
def test_any_known_words_are_read_and_nothing_is_called_right(awake, text):
    type_in(awake, text)

    verdicts = {row[1] for row in cells(awake, "What the model answers")}
    assert given(awake) == answers_by_pytorch(
        START, [*text.lower().replace("ben", "Ben").split(), "."]
    )
    assert verdicts == {"not known"}
    assert "none of the forms above" in told(awake)


def test_who_gives_to_themselves_is_told_to_be_strange(awake):
    listed(awake, "to whom").select_option("Anna")

    assert told(awake).endswith("(Nobody gives to themselves in training.)")


def test_nothing_is_fetched_before_the_start_and_scripts_are_light(page, base_url):
    requests = []
    page.on("requestfinished", lambda request: requests.append(request))
    page.goto(base_url + PAGE)
    page.wait_for_selector(".heads button")
    page.wait_for_load_state("networkidle")
    at_rest = {request.url.rpartition("/")[2]: request for request in requests}
    requests.clear()

    start(page)
    page.locator(".heads-told").wait_for()
    page.wait_for_load_state("networkidle")

    scripts = [at_rest[name] for name in ("heads.js", "sentences.js", "attention.js")]
    weights = [request.sizes()["responseBodySize"] for request in scripts]
    fetched = {request.url.removeprefix(base_url) for request in requests}
    assert fetched == {f"measured/experiment_heads_{START}.json", "assets/heads.css"}
    assert not any("measured" in request.url for request in at_rest.values())
    assert 0 < sum(weights) < LIGHT, weights


def test_other_pages_load_none_of_it(page, base_url):
    names = []
    page.on("request", lambda request: names.append(request.url.rpartition("/")[2]))
    page.goto(base_url + "questions/")
    page.wait_for_load_state("networkidle")

    assert "site.js" in names
    assert names.count("heads.js") == 0


@pytest.mark.parametrize("file", ["experiment_heads_4.json", "heads.css"])
def test_a_file_that_does_not_arrive_is_told_and_can_be_asked_again(
    page, base_url, file
):
    with page.context.browser.new_page() as other:  # its console holds the failure
        other.goto(base_url + PAGE)
        other.wait_for_selector(".heads button")
        other.route(f"**/{file}", lambda route: route.abort())
        start(other)
        other.locator(".heads [role=status]", has_text="did not arrive").wait_for()
        other.unroute(f"**/{file}")
        start(other)
        other.locator(".heads-told").wait_for()

        assert given(other) == answers_by_pytorch(START, words_of(SENTENCE))


def test_a_model_that_never_comes_is_told_after_20_seconds(page, base_url):
    page.clock.install()
    page.goto(base_url + PAGE)
    page.route("**/experiment_heads_*.json", lambda route: None)
    start(page)
    status = page.locator(".heads [role=status]")
    waiting = status.text_content()
    page.clock.fast_forward(20_000)
    status.get_by_text("Press the button to try again.").wait_for()
    page.unroute("**/experiment_heads_*.json")
    start(page)
    page.locator(".heads-told").wait_for()
    page.route("**/experiment_heads_8.json", lambda route: None)
    choose(page, "How many heads?", "8")
    page.clock.fast_forward(20_000)
    page.get_by_text("The model with 8 heads did not arrive.").wait_for()

    assert waiting == "Fetching a model …"
    assert given(page) == answers_by_pytorch(START, words_of(SENTENCE))


def test_pressed_twice_it_starts_once(asleep):
    held = []
    asleep.route("**/experiment_heads_4.json", lambda route: held.append(route))
    asleep.get_by_role("button", name="Take the heads apart").dblclick()
    asleep.wait_for_timeout(200)
    held[0].continue_()
    asleep.locator(".heads-told").wait_for()
    asleep.get_by_label("or in your words").fill("Ben sold")
    for route in held[1:]:
        route.continue_()
    asleep.wait_for_timeout(300)

    assert len(held) == 1
    assert asleep.get_by_label("or in your words").input_value() == "Ben sold"


@pytest.mark.parametrize("script", ["heads.js", "make.js", "attention.js"])
def test_a_script_that_does_not_arrive_is_told_in_its_place(page, base_url, script):
    with page.context.browser.new_page() as other:  # its console holds the failure
        other.route(f"**/{script}", lambda route: route.abort())
        other.goto(base_url + PAGE)
        said = other.locator(".heads").get_by_role("alert").text_content()

    assert said.startswith("What can be touched here did not arrive.")


@pytest.mark.parametrize("body", ["{}", "{", json.dumps({"kind": "other"}), "null"])
def test_a_file_of_another_kind_is_told_and_the_last_model_stays(awake, body):
    awake.route("**/experiment_heads_8.json", lambda route: route.fulfill(body=body))
    choose(awake, "Heads that are on", "2")
    before = state(awake)

    choose(awake, "How many heads?", "8")
    awake.wait_for_function("document.querySelector('.heads-wrong').textContent")

    chosen = awake.get_by_role("group", name="How many heads?").locator(":checked")
    label = chosen.locator("xpath=..").text_content()
    assert wrong(awake) == (
        "The model with 8 heads did not arrive. Below is the one before."
    )
    assert (label, state(awake)) == (str(START), before)
    awake.unroute("**/experiment_heads_8.json")
    take(awake, 8)
    assert (wrong(awake), told(awake)[:8]) == ("", "8 heads,")


def test_while_another_model_is_fetched_it_is_said(awake):
    held = []
    awake.route("**/experiment_heads_*.json", lambda route: held.append(route))
    type_in(awake, "moon")
    choose(awake, "How many heads?", "8")
    waiting = told(awake), wrong(awake)
    while not held:
        awake.wait_for_timeout(10)
    held[0].fulfill(body="{}")
    awake.get_by_text("The model with 8 heads did not arrive.").wait_for()
    given_up = told(awake)
    choose(awake, "How many heads?", "1")
    one = told(awake)
    while len(held) < 2:
        awake.wait_for_timeout(10)
    held[1].continue_()
    awake.get_by_text("1 head, all switched on.").wait_for()

    assert waiting == ("Fetching the model with 8 heads …", "")
    assert (given_up, one) == ("", "Fetching the model with 1 head …")


def test_the_last_choice_of_heads_counts_when_files_come_late(awake):
    held = []
    awake.route("**/experiment_heads_8.json", lambda route: held.append(route))
    choose(awake, "How many heads?", "8")
    take(awake, 2)
    held[0].continue_()
    awake.wait_for_timeout(300)

    assert told(awake).startswith("2 heads,")
    assert (
        awake.get_by_role("group", name="Which head is shown?").locator("label").count()
        == 2
    )


def test_the_keyboard_reaches_and_works_everything(asleep):
    asleep.locator(".heads button").focus()
    asleep.keyboard.press("Enter")
    asleep.locator(".heads-told").wait_for()
    names = "(document.activeElement.labels?.[0] ?? document.activeElement).textContent"
    visible = "getComputedStyle(document.activeElement).outlineStyle"
    stops, outlines = [], set()
    for _ in range(18):
        inside = asleep.evaluate("document.activeElement.closest('.heads') !== null")
        if inside:
            text = asleep.evaluate(
                "document.activeElement.labels?.[0]?.querySelector('span')?.textContent"
                f" ?? document.activeElement.ariaLabel ?? {names}"
            )
            stops.append(text)
            outlines.add(asleep.evaluate(visible))
        asleep.keyboard.press("Tab")

    assert stops[:9] == [
        *("form", *ROLES, "or in your words", "Read", str(START)),
    ]
    assert stops[9:16] == [
        *("1", "2", "3", "4", "hide later words"),
        *("What the model answers", "head 1"),
    ]
    assert stops[16] == "."
    assert outlines <= {"solid", "auto"}


def test_arrows_and_space_choose(awake):
    awake.get_by_role("group", name="Which word looks?").locator(":checked").focus()
    awake.keyboard.press("ArrowUp")
    word = told(awake)
    awake.get_by_role("group", name="Heads that are on").get_by_label("1").focus()
    awake.keyboard.press("Space")

    assert word.startswith("Head 1 of “bank” looks at ")
    assert told(awake).startswith("Head 1 is off. ")


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_the_page_never_scrolls_sideways(awake, width):
    awake.set_viewport_size({"width": width, "height": 800})
    listed(awake, "form").select_option(index=LONG)
    wide = []
    for heads in HEADS:
        take(awake, heads) if heads != START else None
        wide.append(awake.evaluate("document.documentElement.scrollWidth"))

    assert wide == [width] * len(HEADS)


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_moves_when_script_and_model_come_late(page, base_url, width):
    held = []
    page.add_init_script(COUNT_SHIFTS)
    page.set_viewport_size({"width": width, "height": 900})
    for late in ("**/heads.js", "**/experiment_heads_*.json"):
        page.route(late, lambda route: held.append(route))
    page.goto(base_url + PAGE + "#try")
    page.wait_for_timeout(700)
    held.pop().continue_()
    start(page)
    page.wait_for_timeout(1000)  # longer than a browser forgives after a press
    held.pop().continue_()
    page.locator(".heads-told").wait_for()
    page.wait_for_timeout(300)

    assert page.evaluate("window.moved") < 0.02


def test_without_scripts_and_on_paper_nothing_dead_is_shown(awake, base_url):
    awake.emulate_media(media="print")
    with awake.context.browser.new_context(java_script_enabled=False) as context:
        bare = context.new_page()
        bare.goto(base_url + PAGE)

        assert not bare.locator(".heads").is_visible()
        assert bare.get_by_role("heading", name="Try it yourself").is_visible()
    assert not awake.locator(".heads").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1280])
def test_axe_finds_no_barrier(awake, scheme, width):
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="axe is not installed"
    )
    awake.set_viewport_size({"width": width, "height": 900})
    awake.emulate_media(color_scheme=scheme)
    awake.reload()
    start(awake)
    awake.locator(".heads-told").wait_for()
    choose(awake, "Heads that are on", "2")
    choose(awake, "Mask", "hide later words")
    type_in(awake, "moon")

    found = axe.Axe().run(awake, context=".heads").response["violations"]

    assert [(it["id"], it["nodes"][0]["target"]) for it in found] == []
