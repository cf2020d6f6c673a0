"""Blocks of plain Python run in the page as they run anywhere, and harm nothing."""

import contextlib
import io
import traceback

import pytest

HOW = "/chapters/6.1-multi-head-self-attention/how/"
LOOP = "while True:\n    pass"
MOST = 330_000  # bytes over the wire until Python runs


@pytest.fixture
def how(page, base_url):
    """The page with blocks that run, in a browser."""
    page.goto(base_url.rstrip("/") + HOW)
    page.wait_for_selector(".run-bar")
    return page


def cells(page) -> list:
    return page.locator(".highlight.run").all()


def press(cell, name: str) -> None:
    cell.get_by_role("button", name=name, exact=True).click()


def text(cell) -> str:
    """The text of a block as the page shows it now."""
    editor = cell.locator("textarea")
    return editor.input_value() if editor.count() else code(cell)


def code(cell) -> str:
    return cell.locator("pre > code").text_content().rstrip("\n")


def edit(cell, source: str) -> None:
    press(cell, "Edit")
    cell.locator("textarea").fill(source)


def result(cell) -> tuple[str, str, str]:
    """What a block printed, its error, and what the page says of the run."""
    cell.locator(".run-result[aria-busy=false]").wait_for(state="attached")
    parts = [".run-printed", ".run-error", ".run-said"]
    return tuple(cell.locator(part).text_content() for part in parts)


def run(cell) -> tuple[str, str, str]:
    press(cell, "Run")
    return result(cell)


def marked(page) -> list[tuple[int, int]]:
    """The number of each block with a marked line, and the line."""
    found = page.evaluate(
        "[...document.querySelectorAll('.highlight.run')].map((box, i) => [i + 1, "
        "box.matches('.run-fault') && +box.style.getPropertyValue('--line') + 1])"
    )
    return [(number, line) for number, line in found if line]


def printed_by_cpython(sources: list[str]) -> list[str]:
    """What each of several blocks prints, run one after the other."""
    names, found = {"__name__": "__main__"}, []
    for source in sources:
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(source, names)
        found.append(out.getvalue())
    return found


def test_each_block_prints_what_cpython_prints(how):
    expected = printed_by_cpython([code(cell) for cell in cells(how)])

    found = [run(cell) for cell in cells(how)]

    assert [printed for printed, _, _ in found] == expected
    assert {error for _, error, _ in found} == {""}
    assert sum(map(bool, expected)) == 3


def test_the_blocks_that_run_are_those_that_need_no_torch(how):
    blocks = how.locator(".language-python.highlight").all()
    runs = ["run" in block.get_attribute("class").split() for block in blocks]
    titles = [block.locator(".filename").text_content() for block in blocks]
    titles = [title.partition(" ")[0] for title in titles]  # without the lines
    plain = ["torch" not in block.locator("code").text_content() for block in blocks]

    assert runs == plain
    assert all(runs[i] for i, title in enumerate(titles) if title == "mha/plain.py")
    assert runs[titles.index("mha/examples/word.py")]


def weight(request) -> int:
    """The bytes of an answer as they come over the wire."""
    return request.sizes()["responseBodySize"]


def test_python_is_fetched_with_the_first_run_and_is_light(how):
    requests = []
    how.wait_for_load_state("networkidle")
    how.on("requestfinished", lambda request: requests.append(request))
    how.wait_for_timeout(500)
    before = list(requests)
    first = run(cells(how)[2])

    assert before == []
    assert first[0].startswith("word  ")
    names = {request.url.rpartition("/")[2] for request in requests}
    assert names == {"run-worker.js", "brython.js", "brython-modules.js"}
    assert 250_000 < sum(map(weight, requests)) <= MOST


def test_the_buttons_are_light(page, base_url):
    with page.expect_request_finished(lambda r: r.url.endswith("/run.js")) as request:
        page.goto(base_url.rstrip("/") + HOW)

    assert 0 < weight(request.value) < 4300


def test_other_pages_do_not_load_the_buttons(page, base_url):
    names = []
    page.on("request", lambda request: names.append(request.url.rpartition("/")[2]))
    page.goto(base_url.rstrip("/") + "/questions/")
    page.wait_for_load_state("networkidle")

    assert "site.js" in names
    assert "run.js" not in names


def test_an_edit_counts_here_and_below_until_it_is_reset(how):
    _, word, example, *_ = cells(how)
    before = code(word)

    edit(word, before.replace("[3, 1", "[30, 10"))
    changed = run(example)
    press(word, "Reset")
    again = run(example)

    assert "head 1         [30, 10, 4, 1]\n" in changed[0]
    assert changed[2] == "Block 2 ran as edited."
    assert again[0] == printed_by_cpython([code(c) for c in cells(how)[:3]])[2]
    assert again[2] == ""
    assert text(word) == before


def test_each_run_starts_afresh(how):
    word = cells(how)[1]
    edit(word, "import math\nmath.kept = kept = 1")
    run(word)
    edit(word, "import math\nprint(hasattr(math, 'kept'), 'kept' in globals())")

    assert run(word)[0] == "False False\n"


def test_an_error_shows_its_line_here_and_in_the_block_that_it_comes_from(how):
    project, projected = cells(how)[3:5]
    line = (
        code(project)
        .split("\n")
        .index(
            '        raise ValueError(f"a and b must be equally long, '
            'got {len(a)} and {len(b)}")'
        )
    )
    edit(projected, "print(1)\n\ndot([1], [])")

    printed, error, _ = run(projected)

    assert printed == "1\n"
    assert error == (
        "Traceback (most recent call last):\n"
        '  File "block 5", line 3, in <module>\n'
        "    dot([1], [])\n"
        "    ~~~^^^^^^^^^\n"
        f'  File "block 4", line {line + 1}, in dot\n'
        f"    {code(project).split(chr(10))[line].strip()}\n"
        "ValueError: a and b must be equally long, got 1 and 0"
    )
    assert marked(how) == [(4, line + 1), (5, 3)]
    edit(projected, "print(1)")
    assert run(projected)[1] == ""
    assert marked(how) == []


@pytest.mark.parametrize(
    ("source", "line", "words"),
    [
        ("print(1)\nx = (1,", 2, "SyntaxError: '(' was never closed"),
        ("x = 1\nfor i in x:\nprint(i)", 3, "after 'for' statement on line 2"),
        ("'''", 1, "SyntaxError: "),
        ("x =\\", 1, "SyntaxError: "),
        ("return 1", 1, "SyntaxError: 'return' outside function"),
        ("1 / 0", 1, "ZeroDivisionError: division by zero"),
        ("def f(n):\n    f(n)\nf(1)", 2, "RecursionError: maximum recursion depth"),
        ("print(input())", 1, "OSError: nobody can answer input()"),
        ("x = 1\nx is 1", 2, 'SyntaxWarning: "is" with'),
        ("raise SystemExit", 1, "SystemExit"),
    ],
)
def test_an_error_is_told_and_its_line_is_marked(how, source, line, words):
    word = cells(how)[1]
    edit(word, source)

    _, error, _ = run(word)

    assert words in error
    assert marked(how) == [(2, line)]


def failing_line(source: str) -> int:
    """The line on which CPython says that a source fails."""
    try:
        exec(compile(source, "source", "exec"), {})
    except SyntaxError as error:
        return error.lineno
    except Exception as error:
        return traceback.extract_tb(error.__traceback__)[-1].lineno
    raise ValueError("a source must fail, got one that does not")


@pytest.mark.parametrize(
    "source",
    [
        " x = 1\ny = 2",
        "x = 1\n y = 2\nz = 3\n",
        "if 1:\n    x = 1\n      y = 2\nz = 3",
        "if 1:\n    x = 1\n  y = 2\nz = 3",
        "try: pass",
        "try:\n    1 / 0\nfinally:\n    x = 1",
        "def f():\n    try:\n        1 / 0\n    finally:\n        x = 1\n\nf()",
        "try:\n    1 / 0\nexcept KeyError:\n    x = 1\nfinally:\n    x = 2",
        "try:\n    x = 1\nfinally:\n    x = 2\n    x / 0\n    x = 3",
        "def f():\n    try:\n        return 1\n    finally:\n        x = 2\nf()\nf(1)",
        "print(\n    1,\n    nope,\n)",
        "x = [\n    1,\n    [][1],\n]",
        "def f(a):\n    return a\nf(\n    f(1, 2),\n)",
        "def f(*a):\n    raise ValueError(\n        'x'\n    )\nf(\n    1,\n)",
        "x = [\n    [int('a') for j in range(2)]\n    for i in range(2)\n]",
    ],
)
def test_the_line_of_an_error_is_that_of_cpython(how, source):
    word = cells(how)[1]
    edit(word, source)

    run(word)

    assert marked(how) == [(2, failing_line(source))]


def test_an_error_shows_the_text_of_its_line(how):
    word = cells(how)[1]
    edit(word, "try:\n    1 / 0\nexcept ZeroDivisionError:\n    raise ValueError(2)")

    assert '"block 2", line 4, in <module>\n    raise ValueError(2)\n' in run(word)[1]


def test_an_error_whose_line_is_not_known_names_none(how):
    word = cells(how)[1]
    edit(word, "type X = int")  # Brython does not say where

    _, error, _ = run(word)

    assert "ModuleNotFoundError" in error
    assert "line" not in error
    assert marked(how) == []


def test_a_line_is_not_marked_in_a_text_that_did_not_run(how):
    word = cells(how)[1]
    edit(word, "for i in range(10**6):\n    i\n1 / 0")
    press(word, "Run")
    word.locator("textarea").fill("word = 1")

    assert "line 3" in result(word)[1]
    assert marked(how) == []


@pytest.mark.parametrize("source", ["min()", "max()"])
def test_a_fault_of_the_page_s_python_is_called_so(how, source):
    word = cells(how)[1]
    edit(word, source)

    _, error, said = run(word)

    assert "undefined" in error
    assert said == (
        "The page's Python stopped in a way of its own; "
        "endless recursion or a wrong call may be behind it."
    )


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ("def a(n): return b(n)\ndef b(n): return a(n)\na(1)", [1, 2]),
        ("def a(n):\n    return b(n)\ndef b(n):\n    return a(n)\n\na(1)", [2, 4]),
    ],
)
def test_functions_that_call_each_other_without_end_are_told(how, source, lines):
    word = cells(how)[1]
    edit(word, source)

    _, error, said = run(word)

    assert error.endswith("\nRecursionError: maximum recursion depth exceeded")
    assert "lines more …" in error
    assert error.count("\n") == 40
    assert said == ""
    assert marked(how)[0][1] in lines


@pytest.mark.parametrize("path", ["http://127.0.0.1/", "../index.html"])
def test_open_finds_no_files_and_asks_nobody(how, path):
    names = []
    word = cells(how)[1]
    edit(word, f"open({path!r})")
    how.on("request", lambda request: names.append(request.url.rpartition("/")[2]))

    _, error, _ = run(word)

    assert error.endswith("OSError: code in this page has no files")
    assert set(names) == {"run-worker.js", "brython.js", "brython-modules.js"}


def test_a_block_that_only_defines_says_what(how):
    first, word, *_ = cells(how)

    names = run(first)[2]
    edit(word, "1 + 1")

    assert names == (
        "Defined Token, Text, Layer. To see a value, press Edit and add print(…)."
    )
    assert run(word)[2] == "It prints nothing."


def test_an_error_above_is_told_where_it_stops_the_block(how):
    _, word, example, *_ = cells(how)
    edit(word, "word = [1")

    printed, error, said = run(example)

    assert (printed, error.splitlines()[0]) == ("", 'File "block 2", line 1')
    assert said == (
        "A block above fails, and this one needs it. Block 2 ran as edited."
    )
    assert marked(how) == [(2, 1)]


def test_what_is_defined_below_is_not_known_yet(how):
    example = cells(how)[2]
    edit(example, "print(dot([1], [2]))")

    assert run(example)[1].endswith("NameError: name 'dot' is not defined")


@pytest.mark.parametrize("name", ["torch", "os", "random"])
def test_an_import_says_what_there_is_and_asks_nobody(how, name):
    names = []
    word = cells(how)[1]
    edit(word, f"import {name}")
    how.on("request", lambda request: names.append(request.url.rpartition("/")[2]))

    _, error, said = run(word)

    assert error.endswith(f"ModuleNotFoundError: No module named '{name}'")
    assert said == "Nothing but math can be imported here."
    assert set(names) == {"run-worker.js", "brython.js", "brython-modules.js"}


def test_a_loop_without_end_is_stopped_and_the_page_goes_on(how):
    _, word, example, *_ = cells(how)
    edit(word, f"print('begun')\n{LOOP}")

    press(word, "Run")
    how.get_by_role("link", name="Hide what comes later").first.click()
    alive = how.url.endswith("#mask")
    printed, _, said = result(word)
    below = run(example)[2]
    press(word, "Reset")

    assert alive
    assert printed == "begun\n"
    assert said == "Stopped after 5 seconds: this block had not come to its end."
    assert below.startswith("Stopped after 5 seconds: a block above had not")
    assert run(example)[0].startswith("word  ")


def test_empty_output_without_end_does_not_flood_the_page(page, base_url):
    page.add_init_script(
        "window.heard = 0; window.Worker = class extends Worker { constructor(...all) {"
        "super(...all); if (String(all[0]).includes('run-worker')) "
        "this.addEventListener('message', () => { window.heard += 1; });"
        "} };"
    )
    page.goto(base_url.rstrip("/") + HOW)
    page.wait_for_selector(".run-bar")
    word = cells(page)[1]
    edit(word, "while True:\n    print(end='')")

    assert run(word)[2].startswith("Stopped after 5 seconds")
    assert page.evaluate("window.heard") == 2  # Python is there, the block has its turn


def test_a_new_run_ends_the_one_before(how):
    _, word, example, *_ = cells(how)
    before = code(word)
    edit(word, LOOP)

    press(word, "Run")
    edit(word, before)
    again = run(example)

    assert again[0].startswith("word  "), again
    assert result(word)[2] == "Ended, because another run began."


@pytest.mark.parametrize(
    "source", ["while True:\n    print('x')", "print('x' * 10**6)"]
)
def test_output_without_end_is_cut_with_a_word_about_it(how, source):
    word = cells(how)[1]
    edit(word, source)

    printed, _, said = run(word)

    assert len(printed) == 10_000
    assert said.startswith("Stopped: it prints more than 10000 characters")


def test_output_is_not_cut_within_a_character(how):
    word = cells(how)[1]
    edit(word, "print('x' + '🎉' * 10**4)")

    assert run(word)[0] == "x" + "🎉" * 4999


def test_python_that_takes_long_to_arrive_is_told_and_can_be_tried_again(
    page, base_url
):
    page.clock.install()
    page.goto(base_url.rstrip("/") + HOW)
    page.wait_for_selector(".run-bar")
    page.route("**/vendor/brython.js", lambda route: None)
    example = cells(page)[2]
    said = example.locator(".run-said")
    press(example, "Run")
    before = said.text_content()
    page.clock.fast_forward(20_000)
    after = said.text_content()
    page.unroute("**/vendor/brython.js")

    assert before == "Fetching Python …"
    assert after == (
        "Python has not arrived after 20 seconds. Wait on, or press Run to try again."
    )
    assert run(example)[0].startswith("word  ")
    assert result(example)[2] == ""


@pytest.mark.parametrize("name", ["run.js", "make.js"])
def test_buttons_that_do_not_arrive_are_not_promised(page, base_url, name, findings):
    page.route(f"**/assets/{name}", lambda route: route.abort())
    page.goto(base_url.rstrip("/") + HOW)
    page.get_by_text("The script that runs blocks in this page").wait_for()

    assert page.get_by_text("press Run").count() == 0
    assert page.locator(".run-bar").count() == 0
    findings.clear()  # what did not arrive


def test_python_that_does_not_arrive_is_told_and_can_be_tried_again(page, base_url):
    with page.context.new_page() as other:  # its console holds the failure
        other.goto(base_url.rstrip("/") + HOW)
        other.wait_for_selector(".run-bar")
        other.route("**/vendor/brython.js", lambda route: route.abort())
        first = run(cells(other)[2])
        other.unroute("**/vendor/brython.js")
        second = run(cells(other)[2])

    assert first == ("", "", "Python did not arrive, or this browser cannot run it. "
                     "Press Run to try again.")  # fmt: skip
    assert second[0].startswith("word  ")


def test_a_browser_without_workers_is_told_so(page, base_url):
    page.add_init_script("delete window.Worker")
    page.goto(base_url.rstrip("/") + HOW)
    page.wait_for_selector(".run-bar")

    assert run(cells(page)[2]) == (
        "",
        "",
        "This browser has no workers, so Python cannot run here. "
        "Copy the block instead.",
    )


def test_the_keyboard_reaches_everything_and_tab_leaves_the_editor(how):
    word = cells(how)[1]
    editor = word.locator("textarea")
    word.get_by_role("button", name="Run").focus()
    focused = []
    for key in ["Tab", "Enter", "Tab", "Tab", "Tab"]:
        how.keyboard.press(key)
        focused.append(how.evaluate("document.activeElement.textContent"))
    open_then = editor.is_visible()
    how.keyboard.press("Enter")

    assert focused == ["Edit", "", "Run", "Edit", "Reset"]
    assert open_then
    assert not editor.is_visible()
    assert how.evaluate("document.activeElement.textContent") == "Edit"


def test_the_editor_indents_undoes_and_runs(how):
    word = cells(how)[1]
    edit(word, "")
    how.keyboard.type("for i in [7]:\nprint(i)\nprint(i)")
    typed = text(word)
    how.keyboard.press("Control+Enter")
    printed = result(word)[0]
    for _ in range(50):
        how.keyboard.press("Control+z")

    assert typed == "for i in [7]:\n    print(i)\n    print(i)"
    assert printed == "7\n7\n"
    assert text(word) == code(word)


@pytest.mark.parametrize(
    ("before", "typed"),
    [
        ("if 1:  # so", "if 1:  # so\n    x"),
        ("if 1:\n\ty = 1", "if 1:\n\ty = 1\n\tx"),
        ("if 1:\n\tif 1:", "if 1:\n\tif 1:\n\t\tx"),
        ("x = {1: 2,", "x = {1: 2,\nx"),
    ],
)
def test_a_new_line_is_indented_as_the_one_before(how, before, typed):
    word = cells(how)[1]
    edit(word, before)
    how.keyboard.press("Control+End")
    how.keyboard.type("\nx")

    assert text(word) == typed


def test_where_code_is_edited_the_page_says_once_what_its_python_is(how):
    _, word, example, *_ = cells(how)
    note = how.get_by_text("The Python in this page is Brython")
    seen = [note.count()]
    for cell in (word, example):
        press(cell, "Edit")
        seen.append((note.count(), cell.locator("#run-corners").count()))
    press(example, "Reset")

    assert seen == [0, (1, 1), (1, 1)]
    assert note.count() == 0


def test_reset_takes_away_what_edited_code_left(how):
    _, word, example, *_ = cells(how)
    untouched = run(cells(how)[0])
    edit(word, code(word) + "\n1 / 0")
    run(word)
    run(example)

    press(word, "Reset")

    assert result(word) == result(example) == ("", "", "")
    assert marked(how) == []
    assert result(cells(how)[0]) == untouched


def test_reset_leaves_the_mark_of_an_error_above(how):
    _, word, example, *_ = cells(how)
    edit(word, "1 / 0")
    error = run(word)[1]
    edit(example, code(example))
    press(example, "Reset")

    assert result(word)[1] == error
    assert marked(how) == [(2, 1)]


def test_reset_ends_a_run_of_edited_code(how):
    word = cells(how)[1]
    edit(word, LOOP)
    press(word, "Run")
    press(word, "Reset")

    assert result(word) == ("", "", "")


def test_reset_of_a_block_above_ends_a_run_with_a_word(how):
    _, word, example, *_ = cells(how)
    before = code(word)
    edit(word, before + "\nprint('above')")
    edit(example, f"print('begun')\n{LOOP}")
    press(example, "Run")
    example.get_by_text("begun").wait_for()
    press(word, "Reset")

    assert result(example) == ("", "", "Ended, because a block above was reset.")


@pytest.mark.parametrize("index", [1, 2])
def test_reset_of_an_unchanged_block_ends_nothing(how, index):
    edit(cells(how)[0], code(cells(how)[0]) + "\nx = 1")
    cell = cells(how)[1]
    edit(cell, "print('on')\nwhile True:\n    pass")  # runs until it is stopped
    if index == 1:  # what runs is the text before it was typed back
        before = code(cell)
        press(cell, "Run")
        cell.get_by_text("on", exact=True).wait_for()
        cell.locator("textarea").fill(before)
        press(cell, "Reset")
    else:
        edit(cells(how)[0], code(cells(how)[0]))
        press(cell, "Run")
        cell.get_by_text("on", exact=True).wait_for()
        press(cells(how)[0], "Reset")

    printed, error, said = result(cell)
    assert (printed, error) == ("on\n", "")
    assert said.startswith("Stopped after 5 seconds")


def test_the_copy_button_copies_the_text_as_it_stands(how):
    how.context.grant_permissions(["clipboard-read", "clipboard-write"])
    word = cells(how)[1]

    def copied() -> str:
        word.locator(".md-code__button").first.click()
        return how.evaluate("navigator.clipboard.readText()")

    first = copied()
    edit(word, "word = [1]")
    second = copied()
    press(word, "Reset")

    assert (first, second, copied()) == (code(word), "word = [1]", code(word))


def test_torch_blocks_say_how_they_run(how):
    blocks = how.locator(".language-python.highlight:not(.run)").all()

    for block in blocks:
        links = block.locator(".run-note a").all()
        kinds = [link.get_attribute("href").rpartition(".")[2] for link in links]
        answers = [how.request.get(link.evaluate("a => a.href")) for link in links]
        assert "Needs PyTorch" in block.locator(".run-note").text_content()
        assert (kinds, {a.status for a in answers}) == (["py", "ipynb"], {200})
    assert blocks


def test_nothing_is_kept_about_the_reader(how):
    run(cells(how)[2])

    kept = how.evaluate(
        "async () => [Object.keys(localStorage), Object.keys(sessionStorage), "
        "await indexedDB.databases(), await caches.keys(), document.cookie]"
    )

    assert [key for key in kept[0] if "palette" not in key] == []
    assert [key for key in kept[1] if "palette" not in key] == []
    assert kept[2:] == [[], [], ""]


def test_without_scripts_nothing_is_missing_and_no_button_is_dead(page, base_url):
    with page.context.browser.new_context(java_script_enabled=False) as context:
        bare = context.new_page()
        bare.goto(base_url.rstrip("/") + HOW)

        assert bare.locator(".run-bar, .run-note").count() == 0
        only = bare.locator(".needs-scripts").all()
        assert [part for part in only if part.is_visible()] == []
        assert all(cell.locator("code").is_visible() for cell in cells(bare))
        assert bare.locator('article a[href$=".ipynb"]').is_visible()


def test_printed_there_are_no_controls(how):
    word = cells(how)[1]
    edit(word, "word = [1]")
    how.emulate_media(media="print")

    assert word.locator("pre > code").is_visible()
    for part in (".run-bar", ".run-note", "textarea", ".needs-scripts"):
        assert not how.locator(part).first.is_visible(), part


def test_on_paper_output_is_that_of_the_code_on_the_paper(how):
    _, _, example, _, projected, *_ = cells(how)
    run(example)
    edit(projected, "print('MINE')")
    run(projected)
    how.emulate_media(media="print")

    assert example.locator(".run-printed").is_visible()
    assert not projected.locator(".run-printed").is_visible()


def test_nothing_moves_when_the_buttons_come(page, base_url):
    page.add_init_script(
        "window.moved = 0; new PerformanceObserver((list) => { for (const entry of "
        "list.getEntries()) window.moved += entry.value; })"
        ".observe({ type: 'layout-shift', buffered: true });"
    )
    page.set_viewport_size({"width": 1280, "height": 4000})
    held = []
    page.route("**/run.js", lambda route: held.append(route))
    page.goto(base_url.rstrip("/") + HOW)
    page.wait_for_timeout(500)  # the page is drawn, and the buttons are not there
    held[0].continue_()
    page.wait_for_selector(".run-bar")
    page.wait_for_timeout(500)

    assert page.evaluate("window.moved") < 0.02


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_nothing_scrolls_sideways_but_code(how, width):
    how.set_viewport_size({"width": width, "height": 800})
    edit(cells(how)[1], "print('x' * 500)")
    run(cells(how)[1])

    assert how.evaluate("document.documentElement.scrollWidth") == width
