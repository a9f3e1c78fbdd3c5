"""A witness behind loopback HTTP or a Unix socket, with the standard library alone."""

from __future__ import annotations

import http.client
import ipaddress
import socket
import socketserver
import stat
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

from firmground.errors import InputError, LedgerUnavailable
from firmground.ledger import note as notes
from firmground.ledger.keys import VerifierKey
from firmground.ledger.witness import (
    CONFLICT,
    MAX_REQUEST,
    NOT_FOUND,
    OK,
    Provable,
    Reply,
    Witness,
    ask,
)

PATH = "/add-checkpoint"
_UNIX = "unix:"


class WitnessServer(socketserver.ThreadingMixIn, socketserver.TCPServer):
    """Serves one witness; ``serve_forever`` runs it, ``shutdown`` ends it."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(self, address: str, witness: Witness) -> None:
        self.witness = witness
        where = _place(address)
        if isinstance(where, str):
            self.address_family = socket.AF_UNIX
            _clear(Path(where))
        elif not ipaddress.ip_address(where[0]).is_loopback:
            raise InputError(f"{address}: a witness listens on loopback or a Unix socket only")
        super().__init__(where, _Handler)  # type: ignore[arg-type]

    @property
    def address(self) -> str:
        """Where it listens, in the form the client takes."""
        where = self.server_address
        return f"{_UNIX}{where}" if isinstance(where, str) else f"{where[0]!s}:{where[1]}"


def _clear(path: Path) -> None:
    """Take away a socket that an earlier witness left behind, and nothing else."""
    try:
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise InputError(f"{path} is there already and is no socket")
        path.unlink()
    except FileNotFoundError:
        return
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None


class _Handler(BaseHTTPRequestHandler):
    server: WitnessServer
    timeout = 10

    def do_POST(self) -> None:
        """Answer a request for a cosignature."""
        length = self.headers.get("Content-Length", "")
        if self.path != PATH:
            self._reply(Reply(status=NOT_FOUND, body=f"only {PATH} is served here\n"))
        elif not length.isdigit() or int(length) > MAX_REQUEST:
            self._reply(Reply(status=413, body=f"a request has at most {MAX_REQUEST} bytes\n"))
        else:
            self._reply(self.server.witness.answer(self.rfile.read(int(length))))

    def do_GET(self) -> None:
        """Name the key, so that a person can see who listens here."""
        self._reply(Reply(status=OK, body=f"{self.server.witness.verifier}\n"))

    def _reply(self, reply: Reply) -> None:
        kind = "text/x.tlog.size" if reply.status == CONFLICT else "text/plain; charset=utf-8"
        data = reply.body.encode("utf-8")
        self.send_response(reply.status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def address_string(self) -> str:
        """Name the caller in the log; a Unix socket has none."""
        return str(self.client_address)

    def log_message(self, format: str, *args: Any) -> None:
        """Keep quiet: the caller hears every refusal."""


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class RemoteCosigner:
    """Asks a witness at ``127.0.0.1:port`` or ``unix:/path``."""

    def __init__(self, address: str, key: VerifierKey, *, timeout_seconds: float = 5.0) -> None:
        self._where = _place(address)
        self._address = address
        self._key = key
        self._timeout = timeout_seconds

    @property
    def key(self) -> VerifierKey:
        """The witness's key, as the caller knows it."""
        return self._key

    def cosign(self, log: Provable, note: str) -> notes.Signature:
        """Ask for a cosignature."""
        return ask(self._send, log, note)

    def _send(self, request: bytes) -> Reply:
        connection = self._connection()
        try:
            connection.request("POST", PATH, body=request)
            response = connection.getresponse()
            return Reply(status=response.status, body=response.read(MAX_REQUEST).decode("utf-8"))
        except (OSError, http.client.HTTPException, UnicodeDecodeError) as error:
            raise LedgerUnavailable(f"witness {self._address}: {error}") from error
        finally:
            connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        if isinstance(self._where, str):
            return _UnixConnection(self._where, self._timeout)
        return http.client.HTTPConnection(*self._where, timeout=self._timeout)


def _place(address: str) -> str | tuple[str, int]:
    if address.startswith(_UNIX):
        return address.removeprefix(_UNIX)
    host, gap, port = address.rpartition(":")
    if not gap or not port.isdigit():
        raise InputError(f"{address!r} is neither host:port nor unix:/path")
    return host, int(port)
