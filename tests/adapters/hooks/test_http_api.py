"""The HTTP hook against a real server on loopback."""

from __future__ import annotations

import asyncio
import base64
import gzip
import hashlib
import json
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import quote, quote_plus

import pytest

from firmground.adapters.hooks.http_api import HttpApiHook, occurs
from firmground.core.finding import Fault, FaultKind, HookReply
from firmground.core.ports import HookCase
from firmground.errors import InputError

CASE = HookCase(
    question=None, answer="The tower is 324 m tall.", metadata=(("tower", "Eiffel & Co"),)
)


class Server:
    """Replies with what it is told and remembers what it was asked."""

    def __init__(self) -> None:
        self.routes: dict[str, tuple[int, bytes, dict[str, str]]] = {}
        self.seen: list[tuple[str, dict[str, str]]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.seen.append((self.path, dict(self.headers)))
                status, body, headers = outer.routes[self.path.partition("?")[0]]
                self.send_response(status)
                for key, value in headers.items():
                    self.send_header(key, value)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                with suppress(ConnectionError):
                    self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def say(self, path: str, body: object, status: int = 200, **headers: str) -> None:
        raw = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.routes[path] = (status, raw, {k.replace("_", "-"): v for k, v in headers.items()})

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


def ask(server: Server, path: str = "/x", **fields: Any) -> HookReply | Fault:
    fields.setdefault("allow", (server.origin,))
    hook = HttpApiHook(url=server.origin + path, private=True, **fields)
    return asyncio.run(hook.ask(CASE))


def fault(reply: HookReply | Fault) -> FaultKind:
    assert isinstance(reply, Fault), reply
    return reply.kind


def test_a_value_in_the_reply_that_the_answer_says_passes(server: Server) -> None:
    server.say("/x", {"tower": {"height": "324 m"}})
    reply = ask(server, pointer="/tower/height")
    assert isinstance(reply, HookReply)
    assert reply.passed
    assert len(reply.replied) == 64


def test_a_value_the_answer_does_not_say_is_a_no_with_guidance(server: Server) -> None:
    server.say("/x", {"height": 330})
    reply = ask(server, pointer="/height")
    assert isinstance(reply, HookReply)
    assert not reply.passed
    assert "330" in reply.guidance


def test_a_value_can_be_compared_with_a_fixed_one(server: Server) -> None:
    server.say("/x", {"status": "released", "n": 3})
    good, bad, number = (
        ask(server, pointer="/status", equals="released"),
        ask(server, pointer="/status", equals="draft"),
        ask(server, pointer="/n", equals="3"),
    )
    assert [r.passed for r in (good, bad, number) if isinstance(r, HookReply)] == [
        True,
        False,
        True,
    ]


def test_the_api_may_give_the_verdict_itself(server: Server) -> None:
    server.say("/x", {"passed": False, "message": "no", "confidence": 0.7, "guidance": "repair"})
    reply = ask(server)
    assert isinstance(reply, HookReply)
    assert (reply.passed, reply.message, reply.confidence, reply.guidance) == (
        False, "no", 0.7, "repair",
    )  # fmt: skip


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"passed": "true"},
        {"passed": 1},
        {"passed": None},
        [],
        [{"passed": True}],
        {"blocked": True},
        {"passed": True, "confidence": 7},
        {"passed": True, "confidence": "1"},
    ],
)
def test_a_reply_without_a_clear_yes_or_no_is_a_fault(server: Server, body: object) -> None:
    server.say("/x", body)
    assert fault(ask(server)) is FaultKind.BAD_REPLY


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (401, FaultKind.REFUSED),
        (403, FaultKind.REFUSED),
        (404, FaultKind.BAD_REPLY),
        (429, FaultKind.LIMIT),
        (500, FaultKind.UNREACHABLE),
        (503, FaultKind.UNREACHABLE),
    ],
)
def test_an_error_status_is_a_fault_even_with_a_passing_body(
    server: Server, status: int, kind: FaultKind
) -> None:
    server.say("/x", {"passed": True}, status=status)
    assert fault(ask(server)) is kind


@pytest.mark.parametrize("body", [b"", b"{", b"passed: true", b"\xff\xfe", b"[" * 5000, b"NaN"])
def test_malformed_json_is_a_fault(server: Server, body: bytes) -> None:
    server.say("/x", body)
    assert fault(ask(server)) is FaultKind.BAD_REPLY


def test_a_huge_body_is_a_fault(server: Server) -> None:
    server.say("/x", b'{"passed": true, "x": "' + b"x" * 3_000_000 + b'"}')
    assert fault(ask(server)) is FaultKind.LIMIT


def test_a_body_that_unpacks_to_something_huge_is_a_fault(server: Server) -> None:
    server.say("/x", gzip.compress(b" " * 50_000_000), Content_Encoding="gzip")
    assert fault(ask(server)) is FaultKind.LIMIT


def test_gzip_nobody_asked_for_is_read_within_limits(server: Server) -> None:
    body = json.dumps({"passed": True, "message": "packed"}).encode()
    server.say("/x", gzip.compress(body), Content_Encoding="gzip")
    reply = ask(server)
    assert isinstance(reply, HookReply)
    assert reply.passed


def test_a_name_that_does_not_resolve_is_a_fault() -> None:
    hook = HttpApiHook(
        url="http://nobody.invalid/x", allow=("http://nobody.invalid",), private=True
    )
    assert fault(asyncio.run(hook.ask(CASE))) is FaultKind.UNREACHABLE


def test_a_server_that_is_not_there_is_a_fault(server: Server) -> None:
    server.close()
    assert fault(ask(server)) is FaultKind.UNREACHABLE
    server.__init__()  # type: ignore[misc]


def test_a_redirect_on_the_list_is_followed_without_credentials(server: Server) -> None:
    other = Server()
    try:
        server.say("/x", b"", status=302, Location=f"{other.origin}/y")
        other.say("/y", {"passed": True})
        reply = ask(
            server,
            allow=(server.origin, other.origin),
            headers=(("Authorization", "Bearer s3cret"),),
        )
        assert isinstance(reply, HookReply)
        assert reply.passed
        assert server.seen[0][1]["Authorization"] == "Bearer s3cret"
        assert "Authorization" not in other.seen[0][1]
    finally:
        other.close()


def test_a_redirect_off_the_list_is_refused_and_not_visited(server: Server) -> None:
    other = Server()
    try:
        for location in (f"{other.origin}/y", f"//127.0.0.1:{other.port}/y", "file:///etc/passwd"):
            server.say("/x", b"", status=302, Location=location)
            assert fault(ask(server)) is FaultKind.REFUSED
        assert other.seen == []
    finally:
        other.close()


def test_redirects_without_end_are_a_fault(server: Server) -> None:
    server.say("/x", b"", status=302, Location="/x")
    assert fault(ask(server)) is FaultKind.LIMIT
    assert len(server.seen) == 4


def test_without_permission_the_own_network_is_closed(server: Server) -> None:
    hook = HttpApiHook(url=f"{server.origin}/x", allow=(server.origin,))
    reply = asyncio.run(hook.ask(CASE))
    assert fault(reply) is FaultKind.REFUSED
    assert "private = true" in reply.message
    assert server.seen == []


def test_a_proxy_in_the_environment_is_ignored(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    server.say("/x", {"passed": True})
    assert isinstance(ask(server), HookReply)


def test_query_values_are_encoded_and_cannot_add_parameters(server: Server) -> None:
    server.say("/x", {"passed": True})
    ask(server, query=(("tower", "metadata:tower"), ("a", "literal:1&b=2#c")))
    assert server.seen[0][0] == "/x?tower=Eiffel+%26+Co&a=1%26b%3D2%23c"


def test_a_query_value_the_case_does_not_have_means_nothing_was_asked(server: Server) -> None:
    assert fault(ask(server, query=(("q", "metadata:absent"),))) is FaultKind.SKIPPED
    assert server.seen == []


@pytest.mark.parametrize(
    ("written", "passed"),
    [
        ("2026-05-01T11:59:00Z", True),
        ("2026-05-01T13:59:00+02:00", True),
        ("2026-05-01T10:00:00Z", False),
    ],
)
def test_data_must_be_fresh(server: Server, written: str, passed: bool) -> None:
    server.say("/x", {"at": written, "passed": True})
    noon = 1777636800.0
    reply = ask(server, fresh_pointer="/at", fresh_seconds=600, now=lambda: noon)
    assert isinstance(reply, HookReply)
    assert reply.passed is passed


@pytest.mark.parametrize("body", [{}, {"at": "yesterday"}, {"at": "2026-05-01T11:59:00"}])
def test_data_that_does_not_say_its_age_is_a_fault(server: Server, body: dict[str, str]) -> None:
    server.say("/x", {"passed": True, **body})
    assert fault(ask(server, fresh_pointer="/at", fresh_seconds=600)) is FaultKind.BAD_REPLY


@pytest.mark.parametrize("written", ["2026-05-01T12:06:00Z", "2999-01-01T00:00:00Z"])
def test_data_from_the_future_is_not_fresh_but_a_fault(server: Server, written: str) -> None:
    server.say("/x", {"at": written, "passed": True})
    reply = ask(server, fresh_pointer="/at", fresh_seconds=600, now=lambda: 1777636800.0)
    assert fault(reply) is FaultKind.BAD_REPLY


def test_a_pointer_that_leads_nowhere_is_a_fault(server: Server) -> None:
    server.say("/x", {"a": 1, "empty": ""})
    assert fault(ask(server, pointer="/b")) is FaultKind.BAD_REPLY
    assert fault(ask(server, pointer="/empty")) is FaultKind.BAD_REPLY


@pytest.mark.parametrize(
    "fields",
    [
        {"url": "https://example.org/x", "allow": ()},
        {"url": "https://example.org/x", "allow": ("https://example.com",)},
        {"url": "https://example.org/x", "allow": ("https://example.org/x",)},
        {"url": "http://user@example.org/", "allow": ("http://example.org",)},
        {"url": "https://example.org/#x", "allow": ("https://example.org",)},
        {"url": "https://example.org/", "allow": ("https://example.org",), "fresh_seconds": 1.0},
        {"url": "https://example.org/", "allow": ("https://example.org",), "query": (("q", "x"),)},
        *(
            {
                "url": "https://example.org/",
                "allow": ("https://example.org",),
                "fresh_pointer": "/at",
                "fresh_seconds": seconds,
            }
            for seconds in (float("nan"), float("inf"), 0.0, -1.0)
        ),
    ],
)
def test_a_wrong_setting_is_an_error(fields: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        HttpApiHook(**fields)


@pytest.mark.parametrize(
    ("value", "wanted", "passes"),
    [
        (42, 42, True), (42.0, 42, True), (42, "42", True), ("42", 42, False), (True, 1, False),
        (True, True, True), (True, "true", True), (43, 42, False),
    ],
)  # fmt: skip
def test_a_number_is_compared_with_a_number(
    server: Server, value: object, wanted: float, passes: bool
) -> None:
    server.say("/x", {"v": value})
    reply = ask(server, pointer="/v", equals=wanted)
    assert isinstance(reply, HookReply)
    assert reply.passed is passes


TOKEN = "s3cr3t-Tök/en+value"


@pytest.mark.parametrize(
    "spelled",
    [
        f"Bearer {TOKEN}",
        TOKEN,
        TOKEN.upper(),
        base64.b64encode(TOKEN.encode()).decode(),
        base64.b64encode(f"Bearer {TOKEN}".encode()).decode(),
        base64.b64encode(f"ab {TOKEN} and more".encode()).decode(),
        base64.urlsafe_b64encode(TOKEN.encode()).decode().rstrip("="),
        quote(TOKEN, safe=""),
        quote(TOKEN, safe="").lower(),
        quote_plus(f"Bearer {TOKEN}"),
        json.dumps(TOKEN),
    ],
)
@pytest.mark.parametrize("pointer", [None, "/message"])
def test_a_secret_that_the_api_repeats_is_neither_told_nor_hashed(
    server: Server, spelled: str, pointer: str | None
) -> None:
    header = ("Authorization", f"Bearer {TOKEN}")
    body = {"passed": False, "message": f"got {spelled} !", "guidance": spelled}
    server.say("/x", body)
    reply = ask(server, pointer=pointer, headers=(header,))
    told = f"{reply!r} {json.dumps(repr(reply))}".lower()
    assert isinstance(reply, HookReply)
    assert server.seen[0][1]["Authorization"].encode("latin-1").decode().endswith(TOKEN)
    assert "[redacted]" in told
    assert not any(piece in told for piece in ("s3cr3t", "tök", "zwn", "pt62bk", spelled.lower()))
    assert reply.replied != hashlib.sha256(json.dumps(body).encode()).hexdigest()


def test_a_reply_without_secrets_is_hashed_as_it_came(server: Server) -> None:
    server.say("/x", {"passed": True, "message": "fine"})
    reply = ask(server, headers=(("Authorization", f"Bearer {TOKEN}"),))
    assert isinstance(reply, HookReply)
    assert reply.replied == hashlib.sha256(server.routes["/x"][1]).hexdigest()


def test_a_secret_that_is_cut_off_leaves_no_beginning(server: Server) -> None:
    server.say("/x", {"passed": True, "message": "x" * 1990 + TOKEN})
    reply = ask(server, headers=(("Authorization", f"Bearer {TOKEN}"),))
    assert isinstance(reply, HookReply)
    assert "s3cr" not in reply.message


def test_basic_credentials_are_known_by_their_password_too(server: Server) -> None:
    basic = base64.b64encode(b"bob:hunter2secret").decode()
    server.say("/x", {"passed": False, "message": "no: hunter2secret"})
    reply = ask(server, headers=(("Authorization", f"Basic {basic}"),))
    assert isinstance(reply, HookReply)
    assert reply.message == "no: [redacted]"


def test_keys_in_the_query_are_not_told(server: Server) -> None:
    server.say("/x", {"passed": False, "message": "/x?api_key=K3yK3y&format=json and V4lueV4lue"})
    path, secret = "/x?api_key=K3yK3y&format=json", (("token", "V4lueV4lue"),)
    reply = ask(server, path, query_secrets=secret)
    assert isinstance(reply, HookReply)
    assert server.seen[0][0] == "/x?api_key=K3yK3y&format=json&token=V4lueV4lue"
    assert reply.message == "/x?api_key=[redacted]&format=json and [redacted]"


@pytest.mark.parametrize(
    "url",
    [
        "http://bob:hunter2@api.example/x",
        "http://api.example:x/?api_key=hunter2",
        "http://bob:hunter2@/x",
        "bob:hunter2@api.example",
        "http://elsewhere.example/?hunter2",
    ],
)
def test_a_wrong_address_is_told_without_password_and_key(url: str) -> None:
    with pytest.raises(InputError) as caught:
        HttpApiHook(url=url, allow=("http://api.example",))
    assert "hunter2" not in str(caught.value)
    assert "hook 'http_api': url: " in str(caught.value)
    with pytest.raises(InputError) as caught:
        HttpApiHook(url="http://api.example/", allow=(url,))
    assert "hunter2" not in str(caught.value)
    assert "hook 'http_api': allow: " in str(caught.value)


@pytest.mark.parametrize(
    ("value", "text", "found"),
    [
        ("324", "It is 324 m.", True),
        ("324", "It is 1324 m.", False),
        ("324", "It is 324.5 m.", False),
        ("24", "It is 3,24 m.", False),
        ("324", "It is 3245 or 324.", True),
        ("Gustave", "Gustaves", False),
        ("C++", "in C++.", True),
        ("5", "It is -5 degrees.", False),
        ("5", "It is −5 degrees.", False),
        ("5", "-5 degrees", False),
        ("-5", "It is -5 degrees.", True),
        ("5", "It is .5 m.", False),
        ("19", "About COVID-19.", True),
        ("5", "Three-5 or 5.", True),
    ],
)
def test_a_value_occurs_as_a_whole_or_not_at_all(value: str, text: str, found: bool) -> None:
    assert occurs(value, text) is found
