"""A browser's tab that is watched."""

from contextlib import contextmanager

from playwright.sync_api import Browser, BrowserContext, Page

OPEN_FOLDS = "document.querySelectorAll('details').forEach((it) => (it.open = true))"
KEPT = "Object.keys(localStorage).concat(Object.keys(sessionStorage))"


def watch(page: Page, base_url: str, findings: list[str]) -> None:
    """Write down what no page may do."""
    host = base_url.removesuffix("name/")

    def asks(request) -> None:
        if not request.url.startswith((host, "data:", "blob:")):
            findings.append(f"asks another host: {request.url}")

    def says(message) -> None:
        if message.type == "error":
            findings.append(f"console error: {message.text}")

    page.on("request", asks)
    page.on("console", says)
    page.on("pageerror", lambda error: findings.append(f"script error: {error}"))


def kept(context: BrowserContext) -> list[str]:
    """What a site keeps about its reader, beside the choice of colours."""
    keys = [key for page in context.pages for key in page.evaluate(KEPT)]
    cookies = [f"cookie {cookie['name']}" for cookie in context.cookies()]
    return cookies + [key for key in keys if not key.endswith("__palette")]


@contextmanager
def opened(browser: Browser, base_url: str, findings: list[str], **options):
    """A watched tab of its own, with the options of Playwright's new_context."""
    context = browser.new_context(**options)
    try:
        page = context.new_page()
        watch(page, base_url, findings)
        yield page
        if page.url.startswith(base_url) and options.get("java_script_enabled", True):
            findings += [f"keeps {key}" for key in kept(context)]
    finally:
        context.close()
