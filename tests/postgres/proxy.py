"""A TCP proxy of ours between client and server: it can cut, go silent, or lose one reply."""

from __future__ import annotations

import select
import socket
import threading


class Proxy:
    """Forwards connections to a port on loopback until it is told otherwise."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._pairs: list[tuple[socket.socket, socket.socket]] = []
        self._lock = threading.Lock()
        self.silent = threading.Event()
        """While set, bytes are taken and not passed on."""
        self.refuses = threading.Event()
        """While set, new connections are closed at once."""
        self.lose_reply_to: bytes | None = None
        """When the client sends these bytes they are passed on, and then the line is cut."""
        self.lost = threading.Event()
        self._closed = False
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while not self._closed:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            if self.refuses.is_set():
                client.close()
                continue
            server = socket.create_connection(("127.0.0.1", self._to))
            with self._lock:
                self._pairs.append((client, server))
            threading.Thread(target=self._pump, args=(client, server), daemon=True).start()

    def _pump(self, client: socket.socket, server: socket.socket) -> None:
        try:
            while True:
                ready, _, _ = select.select([client, server], [], [], 0.1)
                for source in ready:
                    data = source.recv(65_536)
                    if not data:
                        return
                    if self.silent.is_set():
                        continue
                    wanted = self.lose_reply_to
                    losing = source is client and wanted is not None and wanted in data
                    (server if source is client else client).sendall(data)
                    if losing:
                        self.lose_reply_to = None
                        select.select([server], [], [], 30)  # the server has answered
                        self.lost.set()
                        return
        except (OSError, ValueError):
            return
        finally:
            client.close()
            server.close()

    def cut(self) -> None:
        """Close every connection."""
        with self._lock:
            pairs, self._pairs = self._pairs, []
        for pair in pairs:
            for end in pair:
                end.close()

    def close(self) -> None:
        """Close everything."""
        self._closed = True
        self._listener.close()
        self.cut()
