"""The search box: loaded late, finds the questions, is worked by keyboard."""

import re
from urllib.parse import urlsplit

from test_questions import ANSWERS, read

# Each question's own main words, as somebody might type them.
WORDS = [
    "view then transpose",
    "glued without transposing back",
    ".contiguous()",
    "wrapper fused class same model",
    "independent projections slices of one projection",
    "split before or after projecting",
    "output projection W^O",
    "mask True keep or hide",
    "minus infinity before the softmax",
    "triu(diagonal=1) one place too many",
    "which width under the root",
    "which axis softmax",
    "output change between two calls eval",
    "dropout numbers differ printed",
    "more tokens than context_length",
    "loss wonderful model useless future",
    "NaN first row",
    "mask CPU break GPU buffer",
    "combined matrix faster than three",
    "notebook not run page package differ",
    "fewer heads of keys and values models",
    "repeat repeat_interleave order copied",
    "is_causal wrong with a cache",
]
HITS = ".md-search-result__item a:not(details:not([open]) a)"
PARTS = re.compile(r"/search_index\.json$|/workers/")


def search(page, words: str) -> None:
    """Type words into an emptied box and wait for what is found."""
    page.get_by_role("textbox", name="Search").fill("")
    page.keyboard.press("End")
    page.wait_for_function("!document.querySelector('.md-search-result__item')")
    page.get_by_role("textbox", name="Search").fill(words)
    page.keyboard.press("End")
    page.wait_for_selector(HITS)


def hits(page) -> list[str]:
    """The addresses that can be seen, without what marks the words on their pages."""
    found = page.eval_on_selector_all(HITS, "links => links.map(a => a.href)")
    return [re.sub(r"\?[^#]*", "", address) for address in found]


def questions(site) -> list[str]:
    """What each question says on the page of questions, in the order of ANSWERS."""
    links = read(site, "questions").links
    return [next(text for _, text in links if part in text) for part in ANSWERS]


def test_main_words_are_the_questions_own(site):
    for words, question in zip(WORDS, questions(site), strict=True):
        own = set(re.findall(r"\w+", question.lower()))
        assert set(re.findall(r"\w+", words.lower())) <= own


def test_each_question_finds_its_answer_among_the_first_three(page, base_url, site):
    page.goto(base_url)
    late = {}
    for asked in (WORDS, questions(site)):
        for words, answer in zip(asked, ANSWERS.values(), strict=True):
            search(page, words)
            address = base_url + answer.replace("#", "/#")
            if address not in hits(page)[:3]:
                late[words] = hits(page)

    assert late == {}


def test_nothing_of_the_search_is_loaded_before_a_word_is_typed(page, base_url):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(base_url)
    page.get_by_role("textbox", name="Search").focus()
    page.wait_for_timeout(200)
    before = [
        url for url in asked if re.search(r"search_index|/workers/", urlsplit(url).path)
    ]

    search(page, "mask")

    after = [
        url for url in asked if re.search(r"search_index|/workers/", urlsplit(url).path)
    ]
    assert before == []
    assert len(after) == 2


def test_a_search_that_does_not_load_says_so_and_tries_again(page, base_url):
    page.route("**/search_index.json", lambda route: route.abort())
    page.goto(base_url)

    search(page, "mask")
    said = page.locator(HITS).first
    assert said.inner_text().startswith("The search did not load.")
    assert hits(page) == [f"{base_url}questions/"]

    page.unroute("**/search_index.json")
    search(page, "mask")
    assert len(hits(page)) > 3


def test_the_search_is_worked_by_keyboard(page, base_url):
    page.goto(base_url)
    page.keyboard.press("/")
    page.keyboard.type("why contiguous")
    page.wait_for_selector(HITS)

    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    focused = page.evaluate("document.activeElement.href")
    page.keyboard.press("Enter")
    page.wait_for_url("**/how/**")

    assert page.url == focused
    assert page.evaluate("location.hash") == "#why-contiguous"


def test_escape_leaves_the_search(page, base_url):
    page.goto(base_url)
    page.keyboard.press("/")
    page.wait_for_function("document.getElementById('__search').checked")
    page.keyboard.press("Escape")

    page.wait_for_function("!document.getElementById('__search').checked")
    assert page.evaluate("document.activeElement === document.body")
