"""An OTLP receiver on loopback that keeps what exporters send to it."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


class Received:
    """The bodies of requests by path."""

    def __init__(self, address: str) -> None:
        self.address = address
        self.bodies: dict[str, list[bytes]] = {}

    def messages(self, path: str, kind: Any) -> list[Any]:
        """The requests to a path as protobuf messages."""
        found = []
        for body in self.bodies.get(path, []):
            message = kind()
            message.ParseFromString(body)
            found.append(message)
        return found


@contextmanager
def otlp_receiver() -> Iterator[Received]:
    """Run a receiver while the block lasts."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            received.bodies.setdefault(self.path, []).append(body)
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *args: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        received = Received(f"http://127.0.0.1:{server.server_port}")
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield received
        finally:
            server.shutdown()
            thread.join()


def attributes(item: Any) -> dict[str, Any]:
    """The attributes of a span, data point or log record."""
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in item.attributes}
