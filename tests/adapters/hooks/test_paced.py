"""Whatever a server floods us with, the loop turns and the deadline is kept."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest
from aiohttp.client_proto import ResponseHandler

from firmground.adapters import paced
from firmground.adapters.hooks.http_api import HttpApiHook
from firmground.core.finding import Fault, FaultKind, HookReply
from firmground.core.ports import HookCase
from firmground.hooks import HookEngine, Registered

CASE = HookCase(question=None, answer="The tower is 324 m tall.")
CHUNKED = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"


@contextmanager
def sends(head: bytes, unit: bytes, times: int | None = None) -> Iterator[int]:
    """A server that sends a head and then one thing, a number of times or without end."""
    listening = socket.create_server(("127.0.0.1", 0))
    held: list[socket.socket] = []

    def serve() -> None:
        with suppress(OSError):
            client, _ = listening.accept()
            held.append(client)
            client.recv(4096)
            client.sendall(head)
            sent = 0
            while times is None or sent < times:
                client.sendall(unit)
                sent += 1
            client.shutdown(socket.SHUT_WR)

    thread = threading.Thread(target=serve)
    thread.start()
    yield listening.getsockname()[1]
    listening.close()
    for client in held:
        client.close()
    thread.join()


def ask(port: int, seconds: float = 60.0, **fields: Any) -> tuple[HookReply | Fault, list[int]]:
    """What the hook says, and how much the parser was given at a time."""
    bites: list[int] = []
    origin = f"http://127.0.0.1:{port}"
    hook = HttpApiHook(url=origin + "/x", allow=(origin,), private=True, **fields)

    class Counts(ResponseHandler):
        def data_received(self, data: bytes) -> None:
            bites.append(len(data))
            super().data_received(data)

    registered = Registered(hook=hook, inline=True, timeout_seconds=seconds)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("aiohttp.client_proto.ResponseHandler", Counts)
        paced.paced.cache_clear()
        (reply,) = asyncio.run(HookEngine([registered], deadline_seconds=seconds).run(CASE))
    paced.paced.cache_clear()
    return reply, bites


@pytest.mark.parametrize(
    ("head", "unit"),
    [
        (b"", b"HTTP/1.1 100 Continue\r\n\r\n" * 20_000),
        (b"", b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 10_000),
        (CHUNKED, b"1\r\nx\r\n" * 40_000),
        (CHUNKED, b"1;" + b"e" * 5000 + b"\r\nx\r\n"),
        (b"", b"\r\n" * 100_000),
    ],
)
def test_a_flood_is_eaten_in_bites_and_ends_at_the_deadline(head: bytes, unit: bytes) -> None:
    with sends(head, unit) as port:
        reply, bites = ask(port, seconds=1.0)
    assert isinstance(reply, Fault)
    assert reply.kind in (FaultKind.TIMEOUT, FaultKind.LIMIT)
    assert bites
    assert max(bites) <= paced.BITE


@pytest.mark.parametrize("ended", ["by length", "by chunks", "by hanging up"])
def test_a_long_honest_reply_arrives_whole(ended: str) -> None:
    body = b'{"height": "324 m", "more": "' + b"y" * 700_000 + b'"}'
    head = {
        "by length": b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body),
        "by chunks": CHUNKED,
        "by hanging up": b"HTTP/1.1 200 OK\r\n\r\n",
    }[ended]
    sent = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body) if ended == "by chunks" else body
    with sends(b"HTTP/1.1 100 Continue\r\n\r\n" * 3 + head, sent, times=1) as port:
        reply, bites = ask(port, pointer="/height")
    assert isinstance(reply, HookReply), reply
    assert reply.passed
    assert sum(bites) >= len(body)
    assert max(bites) <= paced.BITE


def test_a_reply_that_breaks_off_is_a_fault() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n"
    with sends(head, b'{"height": "324 m"' + b" " * 100_000, times=1) as port:
        reply, _ = ask(port, pointer="/height")
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.UNREACHABLE


def test_a_reply_sent_before_it_was_asked_for_is_read_in_order() -> None:
    body = b'{"height": "324 m", "more": "' + bytes(range(48, 58)) * 3000 + b'"}'
    listening = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        client, _ = listening.accept()
        client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body))
        client.recv(4096)
        client.close()

    thread = threading.Thread(target=serve)
    thread.start()
    reply, _ = ask(listening.getsockname()[1], pointer="/height")
    thread.join()
    listening.close()
    assert isinstance(reply, HookReply), reply
    assert reply.passed


class _Wire(asyncio.Transport):
    """Takes no bytes and can be paused."""

    def pause_reading(self) -> None:
        return

    def resume_reading(self) -> None:
        return

    def is_closing(self) -> bool:
        return False

    def get_extra_info(self, name: str, default: object = None) -> object:
        return default


def test_what_came_before_the_question_stays_before_what_came_after() -> None:
    body = b"".join(b"%06d" % number for number in range(5000))
    early = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)

    async def scenario() -> bytes:
        handler = paced.paced(ResponseHandler)(loop=asyncio.get_running_loop())
        handler.connection_made(_Wire())
        handler.data_received(early[:20_000])
        await asyncio.sleep(0.01)
        handler.data_received(early[20_000:])
        handler.set_response_params(auto_decompress=False)
        async with asyncio.timeout(60):
            _, payload = await handler.read()
            return bytes(await payload.read())

    assert asyncio.run(scenario()) == body
