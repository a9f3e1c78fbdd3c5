"""A scripted upstream: a raw server on loopback that sends any bytes in any pieces."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

MODEL = "scripted-1"


@dataclass(frozen=True)
class Plan:
    """What the upstream does with one request."""

    texts: Sequence[str] = ()
    """Deltas of the first choice; with ``others``, of further choices, too."""
    others: Sequence[Sequence[str]] = ()
    calls: Sequence[tuple[str, str]] = ()
    refusal: str = ""
    reasoning: str = ""
    finish: str | None = "stop"
    usage: tuple[int, int] | None = (7, 11)
    done: bool = True
    pieces: Callable[[bytes], Sequence[bytes]] = lambda raw: [raw]
    """Cuts the bytes of the reply into what is written at once."""
    pause: Callable[[int], float] = lambda at: 0.0
    """Seconds before each piece."""
    cut_at: int | None = None
    """Ends the connection after so many bytes of the body."""
    reset: bool = False
    hang: bool = False
    """Sends nothing more after the cut, and keeps the connection."""
    raw: bytes | None = None
    """The body instead of a proper one."""
    status: int = 200
    headers: Sequence[str] = ()
    line_end: str = "\n"
    chunked: bool = False


def chunks(plan: Plan) -> list[dict[str, Any]]:
    head = {"id": "up-1", "object": "chat.completion.chunk", "created": 1, "model": "x"}

    def one(index: int, delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": index, "delta": delta, "finish_reason": finish}
        return {**head, "choices": [choice]}

    made = [one(0, {"role": "assistant", "content": ""})]
    if plan.reasoning:
        made.append(one(0, {"reasoning_content": plan.reasoning}))
    every = [list(plan.texts), *map(list, plan.others)]
    for at in range(max(map(len, every))):
        made += [one(i, {"content": texts[at]}) for i, texts in enumerate(every) if at < len(texts)]
    if plan.refusal:
        made.append(one(0, {"refusal": plan.refusal}))
    for at, (name, arguments) in enumerate(plan.calls):
        begun = {"index": at, "id": f"call_{at}", "type": "function",
                 "function": {"name": name, "arguments": ""}}  # fmt: skip
        made.append(one(0, {"tool_calls": [begun]}))
        for letter in range(0, len(arguments), 7):
            part = {"index": at, "function": {"arguments": arguments[letter : letter + 7]}}
            made.append(one(0, {"tool_calls": [part]}))
    if plan.finish is not None:
        reason = "tool_calls" if plan.calls else plan.finish
        made += [one(index, {}, reason) for index in range(len(every))]
    return made


def streamed(plan: Plan) -> bytes:
    end = plan.line_end
    made = chunks(plan)
    if plan.usage is not None:
        prompt, completed = plan.usage
        used = {"prompt_tokens": prompt, "completion_tokens": completed}
        made.append({"object": "chat.completion.chunk", "choices": [], "usage": used})
    events = [f"data: {json.dumps(chunk)}{end}{end}" for chunk in made]
    return "".join(
        [f": hello{end}{end}", *events, f"data: [DONE]{end}{end}" if plan.done else ""]
    ).encode()


def whole(plan: Plan) -> bytes:
    every = ["".join(plan.texts), *("".join(texts) for texts in plan.others)]
    calls = [
        {"id": f"call_{at}", "type": "function", "function": {"name": name, "arguments": text}}
        for at, (name, text) in enumerate(plan.calls)
    ]
    choices = []
    for index, text in enumerate(every):
        message: dict[str, Any] = {"role": "assistant", "content": text or None}
        if index == 0:
            message |= {"refusal": plan.refusal or None, "reasoning_content": plan.reasoning}
            message |= {"tool_calls": calls} if calls else {}
        reason = "tool_calls" if calls else plan.finish
        choices.append({"index": index, "message": message, "finish_reason": reason})
    document: dict[str, Any] = {"id": "up-1", "object": "chat.completion", "choices": choices}
    if plan.usage is not None:
        document["usage"] = dict(
            zip(("prompt_tokens", "completion_tokens"), plan.usage, strict=True)
        )
    return json.dumps(document).encode()


@dataclass
class Upstream:
    """The server; ``plan`` says what it does with a request."""

    plan: Callable[[dict[str, Any]], Plan]
    asked: list[dict[str, Any]] = field(default_factory=list)
    """Bodies of the requests that came."""
    keys: list[str] = field(default_factory=list)
    port: int = 0
    sent: Callable[[dict[str, Any], bytes], None] = lambda body, raw: None
    """Told before bytes of a reply are written."""

    async def start(self) -> asyncio.Server:
        self.server = await asyncio.start_server(self._client, "127.0.0.1", 0)
        self.port = self.server.sockets[0].getsockname()[1]
        return self.server

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await self._request(reader, writer):
                pass
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _request(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
        lines = dict(line.split(": ", 1) for line in head.split("\r\n")[1:] if ": " in line)
        raw = await reader.readexactly(int(lines.get("content-length", 0)))
        self.keys.append(lines.get("authorization", ""))
        if head.startswith("get"):
            body = json.dumps({"data": [{"id": MODEL}, {"id": "<evil>"}, {"id": "other"}]}).encode()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
            await writer.drain()
            return True
        body = json.loads(raw)
        self.asked.append(body)
        return await self._reply(writer, body, self.plan(body))

    async def _reply(self, writer: asyncio.StreamWriter, body: dict[str, Any], plan: Plan) -> bool:
        stream = bool(body.get("stream"))
        raw = plan.raw if plan.raw is not None else streamed(plan) if stream else whole(plan)
        kind = "text/event-stream" if stream else "application/json"
        lines = [f"HTTP/1.1 {plan.status} X", f"Content-Type: {kind}", *plan.headers]
        lines.append("Transfer-Encoding: chunked" if plan.chunked else "Connection: close")
        writer.write("\r\n".join([*lines, "", ""]).encode())
        cut = raw if plan.cut_at is None else raw[: plan.cut_at]
        for at, piece in enumerate(plan.pieces(cut)):
            if (seconds := plan.pause(at)) > 0:
                await asyncio.sleep(seconds)
            self.sent(body, piece)
            if plan.chunked:
                writer.write(b"%x\r\n%s\r\n" % (len(piece), piece))
            else:
                writer.write(piece)
            await writer.drain()
        if plan.hang:
            await asyncio.sleep(3600)
        if plan.cut_at is not None and plan.reset:
            writer.transport.abort()
            return False
        if plan.chunked and plan.cut_at is None:
            writer.write(b"0\r\n\r\n")
            await writer.drain()
            return True
        return False


class UpstreamThread:
    """The server in a thread with a loop of its own, for clients that block."""

    def __init__(self, plan: Callable[[dict[str, Any]], Plan]) -> None:
        self.upstream = Upstream(plan=plan)
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self.upstream.start(), self._loop).result(10)

    def close(self) -> None:
        async def end() -> None:
            self.upstream.server.close()
            for task in asyncio.all_tasks() - {asyncio.current_task()}:
                task.cancel()
            await asyncio.sleep(0)

        asyncio.run_coroutine_threadsafe(end(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()
