"""A real HTTP server on loopback that says exactly what a test tells it to."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, str], Any]


def completion(text: str | None, *, n: int = 1, **extra: Any) -> dict[str, Any]:
    choices = [
        {"index": i, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
        for i in range(n)
    ]
    usage = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    return {
        "id": "c1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": choices,
        "usage": usage,
        **extra,
    }


def refusal(status: int, message: str, **headers: str) -> Answer:
    return status, headers, {"error": {"message": message, "type": "invalid_request_error"}}


@dataclass
class Wire:
    """The address, and every request body that arrived."""

    base_url: str
    seen: list[dict[str, Any]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)


@contextmanager
def wire(answer: Callable[[dict[str, Any], int], Answer]) -> Iterator[Wire]:
    """Serve ``answer(body, number of the request)`` until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            made.seen.append(body)
            made.paths.append(self.path)
            made.keys.append(self.headers.get("authorization", ""))
            status, headers, document = answer(body, len(made.seen))
            raw = document if isinstance(document, bytes) else json.dumps(document).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    made = Wire(base_url=f"http://127.0.0.1:{server.server_port}/v1")
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield made
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
