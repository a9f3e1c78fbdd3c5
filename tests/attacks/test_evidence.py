"""Breaks of the evidence readers: each was possible once."""

from __future__ import annotations

import gzip
import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from click.testing import CliRunner

from firmground import Engine
from firmground.adapters.evidence import fetch_url, load_source
from firmground.adapters.evidence import load as loading
from firmground.adapters.evidence.limits import ReadLimits
from firmground.cli.main import cli
from firmground.errors import InputError

SECRET = "s3cr3t-Qx81Zk2Lm0"
Serve = Callable[[BaseHTTPRequestHandler], None]


@contextmanager
def serving(serve: Serve) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            serve(self)

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def page(body: bytes = b"It rained.", **headers: str) -> Serve:
    def serve(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.send_header("Content-Type", "text/plain")
        for name, value in headers.items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(body)

    return serve


def fetched(url: str, *, private: bool = True, seconds: float = 20.0) -> bytes:
    return fetch_url(
        url, allowed=True, private=private, limits=ReadLimits(), timeout_seconds=seconds
    )[0]


@pytest.mark.parametrize(
    "host",
    [
        "127.1", "2130706433", "0x7f000001", "0177.0.0.1", "0.0.0.0", "127.0.0.1", "[::1]",
        "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "localhost", "[::]", "①②⑦.0.0.1",
    ],
)  # fmt: skip
def test_no_spelling_of_this_machine_is_fetched_as_evidence(host: str) -> None:
    with serving(page()) as where:
        port = where.rpartition(":")[2]
        with pytest.raises(InputError):
            fetched(f"http://{host}:{port}/", private=False)


@pytest.mark.parametrize("host", ["127.1", "2130706433", "0x7f000001", "0177.0.0.1"])
def test_an_odd_spelling_is_refused_even_where_the_own_network_is_allowed(host: str) -> None:
    with serving(page()) as where, pytest.raises(InputError):
        fetched(f"http://{host}:{where.rpartition(':')[2]}/")


@pytest.mark.parametrize("host", ["168.63.129.16", "[fd20:ce::254]", "169.254.169.254"])
def test_no_metadata_address_of_a_cloud_is_fetched_as_evidence(host: str) -> None:
    with pytest.raises(InputError, match=r"lies in|not global"):
        fetched(f"http://{host}/", private=False, seconds=1.0)


def test_a_redirect_to_another_host_is_not_followed() -> None:
    def away(request: BaseHTTPRequestHandler) -> None:
        request.send_response(302)
        request.send_header("Location", f"http://{other}/secret")
        request.end_headers()

    asked: list[str] = []

    def secret(request: BaseHTTPRequestHandler) -> None:
        asked.append(request.path)
        page()(request)

    with (
        serving(secret) as other,
        serving(away) as where,
        pytest.raises(InputError, match="redirect"),
    ):
        fetched(f"http://{where}/")
    assert asked == []


def test_a_body_shorter_than_its_content_length_is_an_error() -> None:
    with (
        serving(page(b"It rained", Content_Length="4000")) as where,
        pytest.raises(InputError, match="could not be fetched"),
    ):
        fetched(f"http://{where}/")


def test_a_truncated_gzip_body_is_an_error() -> None:
    packed = gzip.compress(b"It rained in the north. " * 200)[:-12]
    with (
        serving(page(packed, Content_Encoding="gzip")) as where,
        pytest.raises(InputError, match="could not be fetched"),
    ):
        fetched(f"http://{where}/")


def test_a_server_that_sends_a_byte_at_a_time_meets_a_total_deadline() -> None:
    gone = threading.Event()

    def drip(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.end_headers()
        for _ in range(600):
            if gone.wait(0.05):
                return
            try:
                request.wfile.write(b"x")
            except OSError:
                return

    began = time.monotonic()
    with serving(drip) as where:
        with pytest.raises(InputError, match="in time"):
            fetched(f"http://{where}/", seconds=0.5)
        took = time.monotonic() - began
        gone.set()
    assert took < 20


@pytest.mark.parametrize(
    "form",
    ["http://{at}/a.txt?api_key={key}", "http://{at}/a.txt?id=7&X-Amz-Signature={key}"],
)
def test_a_key_in_an_evidence_address_is_in_no_origin(form: str) -> None:
    with serving(page()) as where:
        (piece,) = load_source(form.format(at=where, key=SECRET), fetch=True, private=True).evidence
    assert SECRET not in piece.origin
    assert piece.origin.startswith(f"http://{where}/a.txt?")
    assert "id=7" in piece.origin or "id" not in form


@pytest.mark.parametrize(
    "address",
    [
        f"https://user:{SECRET}@wiki.example/a",
        f"https://wiki.example/a?token={SECRET}",
        f"https://wiki.example/a#access_token={SECRET}",
    ],
)
def test_a_key_in_the_address_of_given_evidence_reaches_neither_json_page_nor_ledger(
    tmp_path: Path, address: str
) -> None:
    ledger = tmp_path / "log.sqlite"
    row = {"text": "It rained in Rome.", "origin": address}
    document = {"answer": "It rained in Rome.", "evidence": [row]}
    (tmp_path / "case.json").write_text(json.dumps(document))
    told = CliRunner().invoke(
        cli,
        [
            "check",
            "--input",
            str(tmp_path / "case.json"),
            "--judge",
            "lexical",
            "--json",
            "--ledger",
            str(ledger),
            "--html",
            str(tmp_path / "page.html"),
        ],
    )
    assert told.exit_code == 0, told.output
    assert "wiki.example/a" in told.output
    written = b"".join(each.read_bytes() for each in tmp_path.glob("log.sqlite*"))
    shown = told.output + (tmp_path / "page.html").read_text()
    assert SECRET not in shown
    assert SECRET.encode() not in written


def test_a_key_in_the_metadata_of_a_document_object_is_not_kept() -> None:
    class Document:
        page_content = "It rained in Rome."
        metadata = {"source": f"https://wiki.example/a?sig={SECRET}"}  # noqa: RUF012

    with Engine(judge="lexical") as engine:
        result = engine.check("It rained in Rome.", [Document()])
    assert SECRET not in json.dumps(result.to_dict())


def test_a_link_that_appears_while_a_folder_is_read_leads_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between looking at a name and opening it, somebody puts a link there."""
    outside = tmp_path / "outside.txt"
    outside.write_text("The password is hunter2.")
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "a.txt").write_text("It rained.")
    (folder / "b.txt").write_text("It snowed.")
    before = loading._why_not

    def swapped(*args: object, **rest: object) -> str:
        told = before(*args, **rest)  # type: ignore[arg-type]
        if "b.txt" in str(args):
            (folder / "b.txt").unlink(missing_ok=True)
            os.symlink(outside, folder / "b.txt")
        return told

    monkeypatch.setattr(loading, "_why_not", swapped)
    try:
        found = load_source(str(folder)).evidence
    except InputError:
        found = ()
    assert all("hunter2" not in piece.text for piece in found)


def test_a_subfolder_that_becomes_a_link_while_a_folder_is_read_leads_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "b.txt").write_text("The password is hunter2.")
    folder = tmp_path / "docs"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.txt").write_text("It rained.")
    (folder / "sub" / "b.txt").write_text("It snowed.")
    before = loading._why_not

    def swapped(*args: object, **rest: object) -> str:
        told = before(*args, **rest)  # type: ignore[arg-type]
        if "b.txt" in str(args) and not (folder / "sub").is_symlink():
            (folder / "sub").rename(tmp_path / "gone")
            os.symlink(outside, folder / "sub")
        return told

    monkeypatch.setattr(loading, "_why_not", swapped)
    try:
        found = load_source(str(folder)).evidence
    except InputError:
        found = ()
    assert all("hunter2" not in piece.text for piece in found)
