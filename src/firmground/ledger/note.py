"""Signed notes as C2SP writes them: a text, an empty line, one signature line a key.

``— <key name> base64(key id || signature)``. Parsing accepts one spelling of everything, so that a
note that was touched does not parse or does not verify. Signatures by keys the caller does not know
are kept apart and do not count.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from firmground.errors import InputError
from firmground.ledger.keys import SIGNATURE_BYTES, KeyedSigner, KeyKind, VerifierKey, check_name
from firmground.ledger.text import MAX_COUNT, b64, unb64

MAX_BYTES = 1 << 20
MAX_SIGNATURES = 64
KEY_ID_BYTES = 4
_TIME_BYTES = 8
_DASH = "\u2014 "
_CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Signature:
    """One signature line: who is said to have signed, and the bytes that should prove it."""

    name: str
    key_id: bytes
    blob: bytes

    @property
    def line(self) -> str:
        """The line as it stands in the note, without its newline."""
        return f"{_DASH}{self.name} {b64(self.key_id + self.blob)}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A text and its signature lines. Nothing about it is true until it is checked."""

    body: str
    signatures: tuple[Signature, ...]

    @property
    def text(self) -> str:
        """The note exactly as it is stored and sent."""
        return self.body + "\n" + "".join(f"{s.line}\n" for s in self.signatures)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteCheck:
    """Whose signatures hold. ``problem`` is empty exactly when the note may be believed."""

    problem: str
    signed_by: tuple[VerifierKey, ...] = ()
    times: tuple[int | None, ...] = ()
    """Beside each of ``signed_by``: when it cosigned, or None for a plain signature."""
    unknown: tuple[Signature, ...] = ()

    def __bool__(self) -> bool:
        return self.valid

    @property
    def valid(self) -> bool:
        """True when at least one key the caller knows signed, and none of those is wrong."""
        return not self.problem


def parse(text: str | bytes) -> Note:
    """Read a signed note, or say what is wrong with it."""
    text = _decode(text)
    body, gap, tail = text.rpartition("\n\n")
    if not gap or not body:
        raise InputError("the note has no empty line between text and signatures")
    if not tail.endswith("\n"):
        raise InputError("the note does not end with a newline")
    lines = tail[:-1].split("\n")
    if len(lines) > MAX_SIGNATURES:
        raise InputError(f"the note has {len(lines)} signatures, at most {MAX_SIGNATURES} are read")
    note = Note(body=body + "\n", signatures=tuple(_parse_line(line) for line in lines))
    _refuse_twins(note.signatures)
    return note


def sign(body: str, signers: Sequence[KeyedSigner]) -> Note:
    """Sign a text with plain note keys."""
    made = tuple(signature(body, signer) for signer in signers)
    return parse(Note(body=body, signatures=made).text)


def signature(body: str, signer: KeyedSigner, *, time: int | None = None) -> Signature:
    """Make one signature line; a cosigning key needs the POSIX time at which it signs."""
    key = signer.verifier
    message = signed_message(body, key.kind, time)
    blob = signer.sign(message)
    if time is not None:
        blob = time.to_bytes(_TIME_BYTES, "big") + blob
    return Signature(name=key.name, key_id=key.key_id, blob=blob)


def signed_message(body: str, kind: KeyKind, time: int | None) -> bytes:
    """The exact bytes that a key of this kind signs for this text."""
    if (kind is KeyKind.COSIGNATURE) != (time is not None):
        raise InputError("a cosignature has a time, a plain signature has none")
    if time is None:
        return body.encode("utf-8")
    if not 0 <= time <= MAX_COUNT:
        raise InputError(f"a cosignature's time lies in [0, 2**63), got {time}")
    return f"cosignature/v1\ntime {time}\n{body}".encode()


def check(note: Note, keys: Sequence[VerifierKey]) -> NoteCheck:
    """Verify the lines of known keys; one wrong line of a known key spoils the whole note."""
    known = {(key.name, key.key_id): key for key in keys}
    signed_by: list[VerifierKey] = []
    times: list[int | None] = []
    unknown: list[Signature] = []
    for line in note.signatures:
        key = known.get((line.name, line.key_id))
        if key is None:
            unknown.append(line)
            continue
        holds, time = _check_line(note.body, line, key)
        if not holds:
            return NoteCheck(problem=f"the signature of {key.name} is not valid")
        signed_by.append(key)
        times.append(time)
    problem = "" if signed_by else "no known key has signed"
    return NoteCheck(
        problem=problem, signed_by=tuple(signed_by), times=tuple(times), unknown=tuple(unknown)
    )


def _check_line(body: str, line: Signature, key: VerifierKey) -> tuple[bool, int | None]:
    blob, time = line.blob, None
    if key.kind is KeyKind.COSIGNATURE:
        time, blob = int.from_bytes(blob[:_TIME_BYTES], "big"), blob[_TIME_BYTES:]
        if time > MAX_COUNT:
            return False, None
    if len(blob) != SIGNATURE_BYTES:
        return False, None
    return key.verify(signed_message(body, key.kind, time), blob), time


def _decode(text: str | bytes) -> str:
    try:
        data = text.encode("utf-8") if isinstance(text, str) else text
        text = data.decode("utf-8")
    except UnicodeError:
        raise InputError("the note is not UTF-8") from None
    if len(data) > MAX_BYTES:
        raise InputError(f"the note takes {len(data)} bytes, at most {MAX_BYTES} are read")
    if _CONTROL.search(text):
        raise InputError("the note holds a control character")
    return text


def _parse_line(line: str) -> Signature:
    if not line.startswith(_DASH):
        raise InputError(f"a signature line begins with an em dash and a space: {line[:40]!r}")
    name, gap, encoded = line[len(_DASH) :].partition(" ")
    if not gap:
        raise InputError(f"a signature line holds a name and a signature: {line[:40]!r}")
    blob = unb64(encoded, f"the signature of {name[:40]!r}")
    if len(blob) <= KEY_ID_BYTES:
        raise InputError(f"the signature of {name[:40]!r} is too short")
    return Signature(name=check_name(name), key_id=blob[:KEY_ID_BYTES], blob=blob[KEY_ID_BYTES:])


def _refuse_twins(signatures: Sequence[Signature]) -> None:
    seen: set[tuple[str, bytes]] = set()
    for line in signatures:
        if (line.name, line.key_id) in seen:
            raise InputError(f"the key {line.name}+{line.key_id.hex()} has signed twice")
        seen.add((line.name, line.key_id))
