"""The built site in a real browser: `base_url` is its address, `page` a watched tab.

The browser is the one that MHA_BROWSER names, or the system's Chromium or Chrome.
"""

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Error, Page, sync_playwright
from serve import browser_path, served
from tab import opened


@pytest.fixture(scope="session")
def base_url(site) -> Iterator[str]:
    """Where the site is served, under a sub-path and compressed; ends with a slash."""
    with served(site) as address:
        yield address


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """One browser for all tests; without one they are skipped, but fail in CI."""
    named, path = os.environ.get("MHA_BROWSER"), browser_path()
    place = {"executable_path": path} if path else {"channel": "chrome"}
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(**place)
        except Error as error:
            if named or os.environ.get("CI") == "true":
                pytest.fail(f"a browser must start, got: {error.message}")
            pytest.skip("there is no Chromium or Chrome here; MHA_BROWSER names one")
        yield browser
        browser.close()


@pytest.fixture
def findings() -> list[str]:
    """What the browser saw; a test that provokes an error clears it."""
    return []


@pytest.fixture
def page(browser, base_url, findings) -> Iterator[Page]:
    """A tab that fails its test for errors, for other hosts and for what is kept."""
    with opened(browser, base_url, findings) as page:
        yield page
    assert findings == []
