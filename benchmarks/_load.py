"""Servers and clients on loopback for ``benchmarks service``."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

EVIDENCE = (
    "The Alder bridge opened in 1932. It carries 40,000 cars a day. It is 300 metres long. "
    "It was built by the city of Norwick. The toll is 2 crowns. "
)
ANSWER = "The Alder bridge opened in 1932. It carries 40,000 cars a day. It is 300 metres long."
MODEL = "scripted"
_TICK = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")

UPSTREAM = f"""
import asyncio, json, sys
ANSWER = {ANSWER!r}
WHOLE = json.dumps({{"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [
    {{"index": 0, "finish_reason": "stop", "message": {{"role": "assistant", "content": ANSWER}}}}],
    "usage": {{"prompt_tokens": 9, "completion_tokens": 9, "total_tokens": 18}}}}).encode()
def chunk(delta, finish=None):
    made = {{"id": "x", "object": "chat.completion.chunk", "created": 1, "model": "m",
            "choices": [{{"index": 0, "delta": delta, "finish_reason": finish}}]}}
    return b"data: " + json.dumps(made).encode() + b"\\n\\n"
words = [w + " " for w in ANSWER.split()]
words[-1] = words[-1].rstrip()
PIECES = [chunk({{"role": "assistant", "content": w}}) for w in words]
END = chunk({{}}, "stop") + b"data: [DONE]\\n\\n"
async def client(reader, writer):
    try:
        while True:
            head = (await reader.readuntil(b"\\r\\n\\r\\n")).lower()
            size = int(head.split(b"content-length: ")[1].split(b"\\r")[0]) if b"content-length" in head else 0
            body = json.loads(await reader.readexactly(size) or b"{{}}")
            wait, token = [float(x) for x in (body.get("user") or "0/0").split("/")]
            if wait:
                await asyncio.sleep(wait)
            if not body.get("stream"):
                writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Type: application/json\\r\\nContent-Length: %d\\r\\n\\r\\n" % len(WHOLE) + WHOLE)
                await writer.drain()
                continue
            writer.write(b"HTTP/1.1 200 OK\\r\\nContent-Type: text/event-stream\\r\\nConnection: close\\r\\n\\r\\n")
            for piece in PIECES:
                writer.write(piece)
                await writer.drain()
                if token:
                    await asyncio.sleep(token)
            writer.write(END)
            await writer.drain()
            break
    except (OSError, asyncio.IncompleteReadError):
        pass
    finally:
        writer.close()
async def main():
    server = await asyncio.start_server(client, "127.0.0.1", int(sys.argv[1]), backlog=2048)
    await server.serve_forever()
asyncio.run(main())
"""


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


@dataclass
class Target:
    """A server that is asked: its address, and the process that does the work."""

    name: str
    port: int
    process: asyncio.subprocess.Process
    key: str = "none"

    async def ready(self, path: str, seconds: float = 120) -> bool:
        until = time.monotonic() + seconds
        while time.monotonic() < until and self.process.returncode is None:
            try:
                if (await request(self, "GET", path)).status in (200, 404, 400, 401, 405):
                    return True
            except OSError:
                pass
            await asyncio.sleep(0.2)
        return False

    def cpu_seconds(self) -> float:
        """Processor time of the process and of its children."""
        total = 0
        for pid in (self.process.pid, *_children(self.process.pid)):
            try:
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            total += int(fields[11]) + int(fields[12])
        return total / _TICK

    def memory(self) -> int:
        """Resident bytes of the process and of its children."""
        total = 0
        for pid in (self.process.pid, *_children(self.process.pid)):
            try:
                total += int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
            except OSError:
                continue
        return total

    async def stop(self) -> None:
        if self.process.returncode is None:
            self.process.terminate()
            try:
                await asyncio.wait_for(self.process.wait(), 40)
            except TimeoutError:
                self.process.kill()
                await self.process.wait()


def _children(pid: int) -> list[int]:
    try:
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        return []
    return [int(one) for one in found]


async def started(name: str, port: int, *command: str, **env: str) -> Target:
    """Start a server in a process of its own."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
        env={**os.environ, **env},
    )
    return Target(name, port, process)


async def upstream() -> Target:
    port = free_port()
    made = await started("bare", port, sys.executable, "-c", UPSTREAM, str(port))
    until = time.monotonic() + 30
    while time.monotonic() < until:
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            return made
        except OSError:
            await asyncio.sleep(0.05)
    raise RuntimeError("the scripted upstream did not start")


@dataclass
class Reply:
    status: int
    headers: dict[str, str]
    body: bytes
    times: list[float] = field(default_factory=list)
    """When pieces of a streamed body came, from the start of the request."""
    texts: list[str] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        return self.times[-1]


class Connection:
    """One client that keeps its connection."""

    def __init__(self, target: Target) -> None:
        self._target = target
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def ask(self, body: dict[str, Any] | None, path: str, method: str = "POST") -> Reply:
        began = time.perf_counter()
        if self._streams is None:
            self._streams = await asyncio.open_connection("127.0.0.1", self._target.port)
        reader, writer = self._streams
        raw = b"" if body is None else json.dumps(body).encode()
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            f"Authorization: Bearer {self._target.key}\r\nContent-Length: {len(raw)}\r\n\r\n"
        )
        writer.write(head.encode() + raw)
        lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
        reply = Reply(int(lines[0].split()[1]), headers, b"")
        if "content-length" in headers:
            reply.body = await reader.readexactly(int(headers["content-length"]))
            reply.times.append(time.perf_counter() - began)
        else:
            await self._streamed(
                reader, reply, began, "chunked" in headers.get("transfer-encoding", "")
            )
        if headers.get("connection") == "close" or "content-length" not in headers:
            self.close()
        return reply

    async def _streamed(
        self, reader: asyncio.StreamReader, reply: Reply, began: float, chunked: bool
    ) -> None:
        rest = b""
        while True:
            if chunked:
                size = int((await reader.readuntil(b"\r\n")).strip() or b"0", 16)
                piece = (await reader.readexactly(size + 2))[:-2] if size else b""
            else:
                piece = await reader.read(65_536)
            if not piece:
                reply.times.append(time.perf_counter() - began)
                return
            rest += piece
            *events, rest = rest.split(b"\n\n")
            for event in events:
                if not event.startswith(b"data: {"):
                    continue
                document = json.loads(event[6:])
                text = "".join(
                    choice["delta"].get("content") or "" for choice in document.get("choices", ())
                )
                if text:
                    reply.times.append(time.perf_counter() - began)
                    reply.texts.append(text)

    def close(self) -> None:
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None


async def request(target: Target, method: str, path: str, body: Any = None) -> Reply:
    connection = Connection(target)
    try:
        return await connection.ask(body, path, method)
    finally:
        connection.close()


def chat(*, stream: bool = False, wait: float = 0.0, token: float = 0.0) -> dict[str, Any]:
    """A chat request; ``wait`` and ``token`` tell the upstream how slow to be."""
    return {
        "model": MODEL,
        "stream": stream,
        "user": f"{wait}/{token}",
        "messages": [
            {"role": "system", "content": f"Use only this.\n<document>{EVIDENCE}</document>"},
            {"role": "user", "content": "Tell me about the Alder bridge."},
        ],
    }
