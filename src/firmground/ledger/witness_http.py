"""A witness behind HTTP, HTTPS or a Unix socket, with the standard library alone."""

from __future__ import annotations

import http.client
import ipaddress
import socket
import socketserver
import ssl
import stat
import sys
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from firmground.core.redact import shown_address
from firmground.errors import InputError, LedgerUnavailable
from firmground.ledger import note as notes
from firmground.ledger.keys import VerifierKey
from firmground.ledger.witness import (
    CONFLICT,
    MAX_REQUEST,
    NOT_FOUND,
    OK,
    ConsistencyProver,
    Witness,
    WitnessReply,
    ask,
)

PATH = "/add-checkpoint"
_UNIX = "unix:"


class WitnessServer(socketserver.ThreadingMixIn, socketserver.TCPServer):
    """Serves one witness; ``serve_forever`` runs it, ``shutdown`` ends it."""

    daemon_threads = True
    allow_reuse_address = True

    def __init__(
        self,
        address: str,
        witness: Witness,
        *,
        prefix: str = "",
        tls: tuple[Path, Path] | None = None,
    ) -> None:
        """Listen at ``address``, below the path ``prefix``; ``tls`` is a certificate and its key.

        Without TLS only loopback and Unix sockets are allowed.
        """
        self.witness = witness
        self.path = _prefix(prefix) + PATH
        self.tls = _server_context(*tls) if tls is not None else None
        where = _place(address)
        if isinstance(where, str):
            self.address_family = socket.AF_UNIX
            _clear(Path(where))
        elif self.tls is None and not ipaddress.ip_address(where[0]).is_loopback:
            raise InputError(
                f"{address}: without TLS a witness listens on loopback or a Unix socket only"
            )
        super().__init__(where, _Handler)  # type: ignore[arg-type]

    def get_request(self) -> tuple[Any, Any]:
        """Take a connection; the handshake of TLS is made in the thread that serves it."""
        connection, address = super().get_request()
        if self.tls is None:
            return connection, address
        wrapped = self.tls.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
        return wrapped, address

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Keep quiet about a connection that broke; a defect of ours is still printed."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)

    @property
    def url(self) -> str:
        """The submission prefix under which clients find it."""
        scheme = "http" if self.tls is None else "https"
        below = self.path.removesuffix(PATH)
        where = self.server_address
        if isinstance(where, str):
            return f"{_UNIX}{where}"
        return f"{scheme}://{where[0]!s}:{where[1]}{below}"

    @property
    def address(self) -> str:
        """Where it listens, in the form the client takes."""
        where = self.server_address
        return f"{_UNIX}{where}" if isinstance(where, str) else f"{where[0]!s}:{where[1]}"


def _clear(path: Path) -> None:
    """Take away a socket that an earlier witness left behind, and nothing else."""
    try:
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise InputError(f"{path} exists already and is not a socket")
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
        if self.path != self.server.path:
            told = f"only {self.server.path} is served here\n"
            self._reply(WitnessReply(status=NOT_FOUND, body=told))
        elif not length.isdigit() or int(length) > MAX_REQUEST:
            self._reply(
                WitnessReply(status=413, body=f"a request has at most {MAX_REQUEST} bytes\n")
            )
        else:
            self._reply(self.server.witness.answer(self.rfile.read(int(length))))

    def do_GET(self) -> None:
        """Name the key, so that a person can see who listens here."""
        self._reply(WitnessReply(status=OK, body=f"{self.server.witness.verifier}\n"))

    def _reply(self, reply: WitnessReply) -> None:
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
    """Asks a witness at ``https://host/prefix``, ``127.0.0.1:port`` or ``unix:/path``.

    An address with a scheme is the witness's *submission prefix*; ``/add-checkpoint`` follows it.
    """

    def __init__(self, address: str, key: VerifierKey, *, timeout_seconds: float = 5.0) -> None:
        self._address = address
        self._key = key
        self._timeout = timeout_seconds
        self._scheme, self._path = "", PATH
        self._where: str | tuple[str, int]
        if "://" in address:
            self._scheme, self._where, prefix = split_address(address)
            self._path = prefix + PATH
        else:
            self._where = _place(address)

    @property
    def key(self) -> VerifierKey:
        """The witness's key, as the caller knows it."""
        return self._key

    def cosign(self, log: ConsistencyProver, note: str) -> tuple[notes.Signature, ...]:
        """Ask for cosignatures."""
        return ask(self._send, log, note)

    def _send(self, request: bytes) -> WitnessReply:
        connection = self._connection()
        try:
            connection.request("POST", self._path, body=request)
            response = connection.getresponse()
            return WitnessReply(
                status=response.status, body=response.read(MAX_REQUEST).decode("utf-8")
            )
        except (OSError, http.client.HTTPException, UnicodeDecodeError) as error:
            raise LedgerUnavailable(f"witness {self._address}: {error}") from error
        finally:
            connection.close()

    def _connection(self) -> http.client.HTTPConnection:
        if isinstance(self._where, str):
            return _UnixConnection(self._where, self._timeout)
        host, port = self._where
        if self._scheme == "https":
            return http.client.HTTPSConnection(host, port, timeout=self._timeout)
        return http.client.HTTPConnection(host, port, timeout=self._timeout)


def split_address(url: str) -> tuple[str, tuple[str, int], str]:
    """Scheme, place and path prefix of a witness's address."""
    try:
        named = urlsplit(url)
        port = named.port or {"http": 80, "https": 443}.get(named.scheme)
        plain = not (named.username or named.password or named.query or named.fragment)
    except ValueError:
        plain, port = False, None
    if not plain or port is None or not named.hostname:
        raise InputError(f"{shown_address(url)!r}: a witness has an http or https address")
    return named.scheme, (named.hostname, port), _prefix(named.path)


def _prefix(path: str) -> str:
    """A path prefix in the form ``/a/b``; empty for none."""
    stripped = path.strip("/")
    if any(mark.isspace() or mark in "?#" for mark in stripped):
        raise InputError(f"{path!r} is not a path prefix")
    return f"/{stripped}" if stripped else ""


def _server_context(certificate: Path, key: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(certificate, key)
    except OSError as error:  # what is wrong with a certificate is told as one, too
        raise InputError(f"{certificate}, {key}: {error}") from None
    return context


def _place(address: str) -> str | tuple[str, int]:
    if address.startswith(_UNIX):
        return address.removeprefix(_UNIX)
    host, gap, port = address.rpartition(":")
    if not gap or not port.isdigit():
        raise InputError(f"{address!r} is neither host:port nor unix:/path")
    return host, int(port)
