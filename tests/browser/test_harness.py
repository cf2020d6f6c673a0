"""The watched tab sees what no page may do."""

import pytest
from tab import opened


def test_the_home_page_is_clean(page, base_url):
    page.goto(base_url)

    assert page.title() == "Head by Head"


@pytest.mark.parametrize(
    ("script", "finding"),
    [
        ("console.error('oh')", "console error: oh"),
        ("setTimeout(() => { throw Error('oh') })", "script error: oh"),
        ("fetch('http://127.0.0.2:9/').catch(() => {})", "asks another host"),
        ("localStorage.setItem('reader', 'me')", "keeps reader"),
        ("document.cookie = 'reader=me'", "keeps cookie reader"),
    ],
)
def test_a_fault_is_found(browser, base_url, script, finding):
    findings = []
    with opened(browser, base_url, findings) as page:
        page.goto(base_url)
        page.evaluate(f"() => {{ {script} }}")
        page.wait_for_timeout(100)

    assert findings
    assert findings[0].startswith(finding)
