"""A statement in the envelope that supply-chain tools read: DSSE around in-toto Statement v1.

What is signed is ``PAE(type, payload)``, and what comes back from verification is the very payload
that was verified. Envelope and statement each have one accepted spelling: compact JSON with sorted
keys and canonical base64.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from firmground.core.canon import write_with_stdlib
from firmground.errors import InputError
from firmground.ledger.keys import KeyedSigner, KeyKind, VerifierKey
from firmground.ledger.text import b64, unb64, unhex

PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:firmground:answer:v1"
MAX_BYTES = 1 << 20
MAX_SIGNATURES = 16


def pae(payload_type: str, payload: bytes) -> bytes:
    """The pre-authentication encoding of DSSE: what is really signed."""
    kind = payload_type.encode("utf-8")
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


@dataclass(frozen=True, slots=True, kw_only=True)
class Envelope:
    """A payload and the signatures over it, not yet believed."""

    payload: bytes
    signatures: tuple[tuple[str, bytes], ...]
    """(key id text, signature) pairs."""
    payload_type: str = PAYLOAD_TYPE

    @property
    def data(self) -> bytes:
        """The envelope as a file."""
        signatures = [{"keyid": key, "sig": b64(sig)} for key, sig in self.signatures]
        document: dict[str, Any] = {
            "payload": b64(self.payload),
            "payloadType": self.payload_type,
            "signatures": signatures,
        }
        return write_with_stdlib(document)


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """The result of verification: the verified bytes, or why there are none."""

    problem: str
    payload: bytes = b""
    signed_by: tuple[VerifierKey, ...] = ()

    def __bool__(self) -> bool:
        return self.valid

    @property
    def valid(self) -> bool:
        """True when known keys signed exactly ``payload``."""
        return not self.problem


def key_name(key: VerifierKey) -> str:
    """How an envelope names a key."""
    return f"{key.name}+{key.key_id.hex()}"


def sign(
    payload: bytes, signers: Sequence[KeyedSigner], *, payload_type: str = PAYLOAD_TYPE
) -> Envelope:
    """Put a payload into an envelope."""
    message = pae(payload_type, payload)
    made = tuple((key_name(signer.verifier), signer.sign(message)) for signer in signers)
    envelope = Envelope(payload=payload, signatures=made, payload_type=payload_type)
    return parse_envelope(envelope.data)


def parse_envelope(data: bytes) -> Envelope:
    """Read an envelope that has the one accepted spelling."""
    document = _load(data, "the envelope")
    _exact(document, {"payload", "payloadType", "signatures"}, "the envelope")
    payload = unb64(_text(document["payload"], "payload"), "the payload of the envelope")
    listed = document["signatures"]
    if type(listed) is not list or not 1 <= len(listed) <= MAX_SIGNATURES:
        raise InputError(f"an envelope has 1 to {MAX_SIGNATURES} signatures")
    made = tuple(_signature(item) for item in listed)
    if len({key for key, _ in made}) != len(made):
        raise InputError("a key has signed the envelope twice")
    envelope = Envelope(
        payload=payload,
        signatures=made,
        payload_type=_text(document["payloadType"], "payloadType"),
    )
    if envelope.data != data:
        raise InputError("the envelope is JSON, but not in its one accepted spelling")
    return envelope


def open_envelope(
    data: bytes, keys: Sequence[VerifierKey], *, payload_type: str = PAYLOAD_TYPE
) -> Opened:
    """Verify an envelope: every signature in it must be valid and by a known note key."""
    try:
        envelope = parse_envelope(data)
    except InputError as error:
        return Opened(problem=str(error))
    if envelope.payload_type != payload_type:
        return Opened(
            problem=f"the envelope holds {envelope.payload_type[:80]}, not {payload_type}"
        )
    known = {key_name(key): key for key in keys if key.kind is KeyKind.NOTE}
    message = pae(envelope.payload_type, envelope.payload)
    for name, signature in envelope.signatures:
        if name not in known:
            return Opened(
                problem=f"the envelope is signed by {name[:80]}, which is not a known key"
            )
        if not known[name].verify(message, signature):
            return Opened(problem=f"the signature of {name} on the envelope is not valid")
    signed_by = tuple(known[name] for name, _ in envelope.signatures)
    return Opened(problem="", payload=envelope.payload, signed_by=signed_by)


@dataclass(frozen=True, slots=True, kw_only=True)
class LogStatement:
    """What the log says about a disclosed answer: run, label, and where it stands in the log."""

    subjects: tuple[tuple[str, bytes], ...]
    """(name, SHA-256) of each thing spoken about, usually the disclosed answer."""
    run: str
    label: tuple[tuple[str, str], ...]
    origin: str
    index: int
    size: int
    bundle: bytes
    """SHA-256 of the export file's other parts in canonical form."""

    @property
    def data(self) -> bytes:
        """The in-toto Statement as bytes."""
        subjects = [{"digest": {"sha256": d.hex()}, "name": name} for name, d in self.subjects]
        document: dict[str, Any] = {
            "_type": STATEMENT_TYPE,
            "subject": subjects,
            "predicateType": PREDICATE_TYPE,
            "predicate": {
                "bundle": self.bundle.hex(),
                "label": dict(self.label),
                "log": {"index": self.index, "origin": self.origin, "size": self.size},
                "run": self.run,
            },
        }
        return write_with_stdlib(document)


def answer_digest(answer: bytes) -> bytes:
    """SHA-256 of an answer's exact bytes, the digest that in-toto subjects carry."""
    return hashlib.sha256(answer).digest()


def parse_statement(data: bytes) -> LogStatement:
    """Read a statement that has the one accepted spelling."""
    document = _load(data, "the statement")
    _exact(document, {"_type", "subject", "predicateType", "predicate"}, "the statement")
    predicate = document["predicate"]
    _exact(predicate, {"bundle", "label", "log", "run"}, "the predicate")
    log, label, listed = predicate["log"], predicate["label"], document["subject"]
    _exact(log, {"index", "origin", "size"}, "the predicate's log")
    if type(label) is not dict or type(listed) is not list or not listed:
        raise InputError("the statement has no label or no subject")
    if type(log["index"]) is not int or type(log["size"]) is not int:
        raise InputError("the statement's index and size are not whole numbers")
    statement = LogStatement(
        subjects=tuple(_subject(item) for item in listed),
        run=_text(predicate["run"], "run"),
        label=tuple(sorted((_text(k, "a label"), _text(v, "a label")) for k, v in label.items())),
        origin=_text(log["origin"], "origin"),
        index=log["index"],
        size=log["size"],
        bundle=unhex(_text(predicate["bundle"], "bundle"), "the predicate's bundle"),
    )
    if statement.data != data:
        raise InputError("the statement is not in its one accepted spelling")
    return statement


def _signature(item: Any) -> tuple[str, bytes]:
    _exact(item, {"keyid", "sig"}, "a signature of the envelope")
    return _text(item["keyid"], "keyid"), unb64(_text(item["sig"], "sig"), "a signature")


def _subject(item: Any) -> tuple[str, bytes]:
    _exact(item, {"digest", "name"}, "a subject")
    _exact(item["digest"], {"sha256"}, "a subject's digest")
    digest = unhex(_text(item["digest"]["sha256"], "sha256"), "a subject's digest")
    return _text(item["name"], "name"), digest


def _load(data: bytes, what: str) -> Any:
    if len(data) > MAX_BYTES:
        raise InputError(f"{what} takes {len(data)} bytes, at most {MAX_BYTES} are read")
    try:
        return json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        raise InputError(f"{what} is not JSON") from None


def _exact(value: Any, keys: set[str], what: str) -> None:
    if type(value) is not dict or value.keys() != keys:
        raise InputError(f"{what} must have exactly the keys {', '.join(sorted(keys))}")


def _text(value: Any, what: str) -> str:
    if type(value) is not str:
        raise InputError(f"{what} must be a text")
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        raise InputError(f"{what} holds a lone surrogate") from None
    return value
