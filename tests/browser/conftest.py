"""A browser on the built site, served as a web host would serve it."""

import functools
import gzip
import http.server
import os
import shutil
import threading
from pathlib import Path

import pytest

KINDS = {".css", ".html", ".ipynb", ".js", ".json", ".py", ".svg", ".txt", ".xml"}


class Pages(http.server.SimpleHTTPRequestHandler):
    """Files under /name/, text compressed."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *words):
        pass

    def do_GET(self):
        place = self.path.partition("?")[0].removeprefix("/name/")
        path = Path(self.directory, place)
        path = path / "index.html" if path.is_dir() else path
        if not self.path.startswith("/name/") or not path.is_file():
            self.send_error(404)
            return
        body = path.read_bytes()
        zipped = path.suffix in KINDS
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        if zipped:
            body = gzip.compress(body, 6)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture(scope="session")
def base_url(site):
    handler = functools.partial(Pages, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/name/"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    names = [os.environ.get("MHA_BROWSER", ""), "chromium", "google-chrome"]
    program = next(filter(None, map(shutil.which, filter(None, names))), None)
    if program is None:
        words = "there is no chromium here"
        pytest.fail(words) if os.environ.get("CI") == "true" else pytest.skip(words)
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def page(browser, base_url):
    context = browser.new_context()
    page = context.new_page()
    wrong = []
    page.on("console", lambda m: wrong.append(m.text) if m.type == "error" else None)
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on(
        "request",
        lambda r: None if r.url.startswith(base_url) else wrong.append(r.url),
    )
    yield page
    context.close()
    assert wrong == []
