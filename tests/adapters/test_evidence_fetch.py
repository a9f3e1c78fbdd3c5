"""An address is fetched only when asked, over http only, and never without bound."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from firmground.adapters.evidence import fetch_url, load_source
from firmground.adapters.evidence.limits import ReadLimits
from firmground.errors import InputError


class Pages(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/away":
            self.send_response(302)
            self.send_header("Location", "ftp://example.com/x")
            self.end_headers()
            return
        if self.path == "/loop":
            self.send_response(302)
            self.send_header("Location", "/loop")
            self.end_headers()
            return
        self.send_response(404 if self.path == "/none" else 200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.end_headers()
        self.wfile.write(b"<title>T</title><p>Seen &lt;here&gt;</p>")

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def server() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Pages) as http:
        thread = threading.Thread(target=http.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{http.server_port}"
        http.shutdown()
        thread.join()


def test_nothing_is_fetched_unless_asked() -> None:
    with pytest.raises(InputError, match="not fetched unless you ask for it with --fetch"):
        load_source("https://example.com/a.html")


def test_a_fetched_page_is_read_by_its_media_type(server: str) -> None:
    (piece,) = load_source(server + "/page", fetch=True, private=True).evidence
    assert piece.text == "Seen <here>"
    assert piece.title == "T"
    assert piece.origin == server + "/page"


@pytest.mark.parametrize("url", ["file:///etc/hostname", "ftp://example.com/x", "gopher://a/b"])
def test_only_http_is_spoken(url: str) -> None:
    with pytest.raises(InputError, match="only http and https"):
        load_source(url, fetch=True)


def test_a_redirect_to_another_scheme_is_refused(server: str) -> None:
    with pytest.raises(InputError, match="must begin with http"):
        load_source(server + "/away", fetch=True, private=True)


def test_endless_redirects_missing_pages_and_large_replies_are_errors(server: str) -> None:
    with pytest.raises(InputError, match="more than 3 redirects"):
        load_source(server + "/loop", fetch=True, private=True)
    with pytest.raises(InputError, match="the server replied 404"):
        load_source(server + "/none", fetch=True, private=True)
    with pytest.raises(InputError, match="longer than 5 bytes"):
        fetch_url(server + "/page", allowed=True, private=True, limits=ReadLimits(max_bytes=5))


def test_a_server_that_is_not_there_is_an_error() -> None:
    with pytest.raises(InputError, match="could not be fetched"):
        load_source("http://127.0.0.1:9/", fetch=True, private=True)
