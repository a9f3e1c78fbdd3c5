"""RFC 3161 time stamps for checkpoints: asked for, checked, and read again."""

from __future__ import annotations

import http.client
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from firmground.adapters.extras import need
from firmground.errors import InputError, LedgerUnavailable
from firmground.ledger.checkpoint import Checkpoint
from firmground.ledger.entry import StampEntry, StampKind
from firmground.ledger.fields import MAX_BLOB
from firmground.ledger.witness_http import split_address

_MOST_BYTES = MAX_BLOB
_QUERY = "application/timestamp-query"


def stamp_request(checkpoint: Checkpoint) -> bytes:
    """The request (DER) to a time-stamping authority about a checkpoint's signed lines."""
    client = _client()
    builder = client.TimestampRequestBuilder().data(checkpoint.body.encode("utf-8"))
    algorithm = client.HashAlgorithm.SHA256
    request = builder.hash_algorithm(algorithm).nonce(nonce=False).build()
    made: bytes = request.as_bytes()
    return made


def ask_authority(url: str, request: bytes, *, timeout_seconds: float = 20.0) -> bytes:
    """Send a request to the authority at an http or https address; return its reply (DER)."""
    scheme, (host, port), path = split_address(url)
    kind = http.client.HTTPSConnection if scheme == "https" else http.client.HTTPConnection
    connection = kind(host, port, timeout=timeout_seconds)
    try:
        connection.request("POST", path or "/", body=request, headers={"Content-Type": _QUERY})
        reply = connection.getresponse()
        data = reply.read(_MOST_BYTES + 1)
    except (OSError, http.client.HTTPException) as error:
        raise LedgerUnavailable(f"{url}: {error}") from error
    finally:
        connection.close()
    if reply.status != http.client.OK:
        raise LedgerUnavailable(f"{url}: the authority replied {reply.status}")
    return data


def stamp_entry(checkpoint: Checkpoint, reply: bytes, roots: Sequence[Path]) -> StampEntry:
    """The log entry for an authority's reply, once it is checked against the authority's roots."""
    check_stamp(checkpoint, reply, roots)
    return StampEntry(
        size=checkpoint.size, root=checkpoint.root, kind=StampKind.RFC3161, token=reply
    )


def stamped_at(stamp: StampEntry, origin: str, roots: Sequence[Path]) -> datetime:
    """When the authority saw the checkpoint that an entry is about; an error unless it holds."""
    checkpoint = Checkpoint(origin=origin, size=stamp.size, root=stamp.root)
    return check_stamp(checkpoint, stamp.token, roots)


def check_stamp(checkpoint: Checkpoint, reply: bytes, roots: Sequence[Path]) -> datetime:
    """Check a reply; return the time that it states."""
    client = _client()
    if len(reply) > _MOST_BYTES:
        raise InputError(f"the reply takes more than {_MOST_BYTES} bytes")
    try:
        response = client.decode_timestamp_response(reply)
        builder = client.VerifierBuilder()
        for root in _certificates(roots):
            builder = builder.add_root_certificate(root)
        builder.build().verify_message(response, checkpoint.body.encode("utf-8"))
        seen: datetime = response.tst_info.gen_time
    except (ValueError, client.VerificationError) as error:
        raise InputError(f"the stamp does not hold for this checkpoint: {error}") from None
    return seen


def _certificates(paths: Sequence[Path]) -> list[Any]:
    from cryptography import x509

    found: list[Any] = []
    for path in paths:
        try:
            found += x509.load_pem_x509_certificates(path.read_bytes())
        except OSError as error:
            raise InputError(f"{path}: {error.strerror}") from None
        except ValueError as error:
            raise InputError(f"{path} holds no certificate: {error}") from None
    return found


def _client() -> Any:
    purpose = "time stamps of checkpoints"
    return need("rfc3161_client", package="rfc3161-client", extra="timestamp", purpose=purpose)
