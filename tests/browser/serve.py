"""A built site under a sub-path, compressed, as GitHub Pages serves it."""

import gzip
import os
import re
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

NAME = "/name/"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
COMPRESSED = {".css", ".html", ".js", ".json", ".svg", ".txt", ".xml"}
CANONICAL = re.compile(r'<link rel="canonical" href="([^"]+)"')


def browser_path() -> str:
    """The browser that MHA_BROWSER names, or the system's; "" if there is none."""
    found = (os.environ.get("MHA_BROWSER"), *map(shutil.which, BROWSERS))
    return next(filter(None, found), "")


@cache
def body(path: Path) -> bytes:
    """What a file is sent as: text is compressed."""
    data = path.read_bytes()
    return gzip.compress(data, 6) if path.suffix in COMPRESSED else data


@cache
def not_found(site: Path) -> bytes:
    """The page for unknown addresses, whose links begin with the sub-path.

    The others' links are relative: only this page depends on SITE_URL.
    """
    built = CANONICAL.search((site / "index.html").read_text("utf-8"))
    root = urlsplit(built[1]).path if built else "/"
    text = (site / "404.html").read_text("utf-8")
    return gzip.compress(re.sub(rf'"{root}(?=[^/])', f'"{NAME}', text).encode(), 6)


class Pages(SimpleHTTPRequestHandler):
    """Answers with the files of `server.site`."""

    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Stay silent: what fails is seen in the browser."""

    def do_GET(self) -> None:
        site: Path = self.server.site  # type: ignore[attr-defined]
        asked = unquote(urlsplit(self.path).path)
        path = site / asked.removeprefix(NAME)
        if asked.endswith("/"):
            path /= "index.html"
        if asked.startswith(NAME) and path.is_file():
            self.answer(200, path.name, body(path))
        else:
            self.answer(404, "404.html", not_found(site))

    def answer(self, status: int, name: str, data: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", self.guess_type(name))
        self.send_header("Content-Length", str(len(data)))
        if Path(name).suffix in COMPRESSED:
            self.send_header("Content-Encoding", "gzip")
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def served(site: Path) -> Iterator[str]:
    """The address of a site, for as long as it is served."""
    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        server.site = site  # type: ignore[attr-defined]
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}{NAME}"
        finally:
            server.shutdown()
            thread.join()
