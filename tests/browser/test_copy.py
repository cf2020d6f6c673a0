"""The copy button gives code that runs."""

import pytest
from tab import OPEN_FOLDS, opened
from test_site import ROOT, blocks_in, code_pages, run_without_mha

from tools.proof.sources import clean

CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}
BUTTONS = ".language-python .md-code__nav button"


def copied(page) -> list[str]:
    """What the button of each block of Python puts into the clipboard, folds open."""
    page.evaluate(OPEN_FOLDS)
    texts = []
    for button in page.locator(BUTTONS).all():
        page.evaluate("navigator.clipboard.writeText('')")
        button.click()
        page.wait_for_function("async () => await navigator.clipboard.readText()")
        texts.append(page.evaluate("navigator.clipboard.readText()"))
    return texts


@pytest.mark.parametrize("name", code_pages())
def test_what_is_copied_in_turn_runs_without_mha(
    browser, base_url, site, tmp_path, name
):
    findings = []
    outputs = {
        clean(path.read_text("utf-8")): path.read_text("utf-8")
        for path in ROOT.glob("mha/examples/output/*.txt")
    }
    shown = "".join(outputs[text] for text in blocks_in(site, name, "text"))

    with opened(browser, base_url, findings, **CLIPBOARD) as page:
        page.goto(f"{base_url}{name}/")
        texts = copied(page)
    done = run_without_mha(tmp_path, "\n\n".join(texts))

    assert findings == []
    assert [clean(text) for text in texts] == blocks_in(site, name, "python")
    assert (done.stderr, done.stdout) == ("", shown)
