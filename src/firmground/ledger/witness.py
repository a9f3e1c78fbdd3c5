"""A second pair of eyes: cosigns a checkpoint only if it continues the last one it saw.

The witness holds nothing but its key and, for each log, the last checkpoint. Request and answer are
those of C2SP ``tlog-witness``: an ``old`` line, the consistency proof, an empty line, the signed
checkpoint; back comes a cosignature line.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from firmground.core.merkle import EMPTY_ROOT, SIZE, verify_consistency
from firmground.errors import InputError, LedgerUnavailable
from firmground.ledger import checkpoint as checkpoints
from firmground.ledger import note as notes
from firmground.ledger.checkpoint import Checkpoint
from firmground.ledger.files import locked, write_durably
from firmground.ledger.keys import KeyedSigner, KeyKind, VerifierKey
from firmground.ledger.text import b64, count, unb64

MAX_REQUEST = 1 << 16
MAX_PATH = 63
OK, BAD_REQUEST, FORBIDDEN, NOT_FOUND, CONFLICT, UNPROCESSABLE = 200, 400, 403, 404, 409, 422


class ConsistencyProver(Protocol):
    """A log that can prove that it only grew."""

    def consistency(self, old: int, new: int) -> tuple[bytes, ...]:
        """Return the proof that the tree of ``old`` entries is a beginning of that of ``new``."""
        ...


class Cosigner(Protocol):
    """Somebody who may be asked for a cosignature."""

    @property
    def key(self) -> VerifierKey:
        """The key by which the cosignature is checked."""
        ...

    def cosign(self, log: ConsistencyProver, note: str) -> tuple[notes.Signature, ...]:
        """Return lines for this checkpoint, or raise ``LedgerUnavailable``."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class WitnessReply:
    """What a witness answers: an HTTP status and a body."""

    status: int
    body: str


def write_request(*, old: int, path: Sequence[bytes], note: str) -> str:
    """The request for a cosignature, as text; also the form of the offline file."""
    return "\n".join([f"old {old}", *map(b64, path)]) + "\n\n" + note


def parse_request(data: bytes) -> tuple[int, tuple[bytes, ...], str]:
    """Read a request: the size it builds on, the proof, the checkpoint."""
    if len(data) > MAX_REQUEST:
        raise InputError(f"a request has at most {MAX_REQUEST} bytes")
    try:
        head, gap, note = data.decode("utf-8").partition("\n\n")
    except UnicodeDecodeError:
        raise InputError("the request is not UTF-8") from None
    first, *hashes = head.split("\n")
    if not gap or not first.startswith("old "):
        raise InputError("a request begins with its old size and holds a checkpoint")
    path = tuple(unb64(line, f"hash {number}") for number, line in enumerate(hashes))
    if len(path) > MAX_PATH or any(len(item) != SIZE for item in path):
        raise InputError(f"a proof has at most {MAX_PATH} hashes of {SIZE} bytes")
    return count(first.removeprefix("old "), "the old size"), path, note


class Witness:
    """Decides about requests and remembers, on disk, the last checkpoint of each log."""

    def __init__(
        self,
        *,
        key: KeyedSigner,
        folder: Path,
        logs: Sequence[VerifierKey],
        also: Sequence[KeyedSigner] = (),
        clock: Callable[[], float] = time.time,
    ) -> None:
        for each in (key, *also):
            if each.verifier.kind is not KeyKind.COSIGNATURE:
                raise InputError(
                    f"{each.name} is not a witness key; make one with  keys new --witness"
                )
        if not logs:
            raise InputError("a witness needs the key of at least one log")
        self._key = key
        self._also = tuple(also)
        self._folder = folder
        self._logs = tuple(logs)
        self._clock = clock
        folder.mkdir(parents=True, exist_ok=True)

    @property
    def verifier(self) -> VerifierKey:
        """The key by which its cosignatures are checked."""
        return self._key.verifier

    def answer(self, request: bytes) -> WitnessReply:
        """Cosign, or say why not; never raises on what the request holds."""
        try:
            old, path, text = parse_request(request)
            stated, _ = checkpoints.parse(text)
        except InputError as error:
            return WitnessReply(status=BAD_REQUEST, body=f"{error}\n")
        if all(key.name != stated.origin for key in self._logs):
            return WitnessReply(
                status=NOT_FOUND, body=f"the log {stated.origin} is not known here\n"
            )
        report = checkpoints.verify(text, keys=self._logs)
        if not report.valid:
            return WitnessReply(status=FORBIDDEN, body="; ".join(report.reasons) + "\n")
        if old > stated.size:
            told = f"the old size {old} is above the checkpoint's {stated.size}\n"
            return WitnessReply(status=BAD_REQUEST, body=told)
        place = self._place(stated.origin)
        with locked(place.with_suffix(".lock")):
            return self._consider(place, old, path, stated, text)

    def last(self, origin: str) -> Checkpoint:
        """The last checkpoint seen of a log; the empty one if there was none."""
        return self._last(self._place(origin), origin)

    def _consider(
        self, place: Path, old: int, path: tuple[bytes, ...], stated: Checkpoint, text: str
    ) -> WitnessReply:
        last = self._last(place, stated.origin)
        if old != last.size:
            return WitnessReply(status=CONFLICT, body=f"{last.size}\n")
        if old == stated.size and stated.root != last.root:
            return WitnessReply(status=CONFLICT, body=f"{last.size}\n")
        if not verify_consistency(
            old=old, new=stated.size, old_root=last.root, new_root=stated.root, path=path
        ):
            return WitnessReply(
                status=UNPROCESSABLE,
                body=f"the log of {stated.size} entries does not continue the {old} seen here\n",
            )
        write_durably(place, text.encode("utf-8"))
        now = max(0, int(self._clock()))
        lines = [checkpoints.cosign(text, key, time=now) for key in (self._key, *self._also)]
        return WitnessReply(status=OK, body="".join(f"{each.line}\n" for each in lines))

    def _last(self, place: Path, origin: str) -> Checkpoint:
        try:
            checkpoint, _ = checkpoints.parse(place.read_bytes())
        except FileNotFoundError:
            return Checkpoint(origin=origin, size=0, root=EMPTY_ROOT)
        except InputError as error:
            raise LedgerUnavailable(f"{place} cannot be read: {error}") from error
        except OSError as error:
            raise LedgerUnavailable(f"{place}: {error.strerror}") from error
        return checkpoint

    def _place(self, origin: str) -> Path:
        return self._folder / f"{hashlib.sha256(origin.encode('utf-8')).hexdigest()[:32]}.last"


class OfflineCosigner:
    """Asks a witness in the same process; also what the tests and the file mode use."""

    def __init__(self, witness: Witness) -> None:
        self._witness = witness

    @property
    def key(self) -> VerifierKey:
        """The witness's key."""
        return self._witness.verifier

    def cosign(self, log: ConsistencyProver, note: str) -> tuple[notes.Signature, ...]:
        """Ask for a cosignature."""
        return ask(self._witness.answer, log, note)


def ask(
    send: Callable[[bytes], WitnessReply], log: ConsistencyProver, note: str
) -> tuple[notes.Signature, ...]:
    """Ask a witness, telling it first what it has seen if it says so."""
    size = checkpoints.parse(note)[0].size
    reply = send(_request(log, 0, size, note))
    if reply.status == CONFLICT:
        known = count(reply.body.removesuffix("\n"), "the witness's size")
        if known > size:
            raise LedgerUnavailable(f"the witness has seen {known} entries, this is about {size}")
        if known:
            reply = send(_request(log, known, size, note))
    if reply.status != OK:
        raise LedgerUnavailable(f"the witness says {reply.status}: {reply.body.strip()}")
    return parse_lines(reply.body, note)


def parse_lines(text: str, note: str) -> tuple[notes.Signature, ...]:
    """Read the cosignature lines that a witness gave for a checkpoint; one key or several."""
    body = checkpoints.parse(note)[1].body
    return notes.parse(f"{body}\n{text}").signatures


def _request(log: ConsistencyProver, old: int, size: int, note: str) -> bytes:
    return write_request(old=old, path=log.consistency(old, size), note=note).encode("utf-8")
