"""The file format of an exported run, verifiable with this file and a public key alone.

The file is canonical JSON with the keys ``disclosed dsse entry format proof stages``. Every part
has one accepted spelling and the statement in ``dsse`` is signed over all the others, so that a
file in which anything was changed is not accepted. Payloads are addressed by the ordinal of their
stage, and any subset of them may be disclosed.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from firmground.core.canon import canonical, parse
from firmground.core.merkle import SIZE
from firmground.core.run import SALT_BYTES, PlannedStage, Stage, commitment
from firmground.errors import InputError
from firmground.ledger import dsse
from firmground.ledger.checkpoint import Checkpoint, with_signatures
from firmground.ledger.checkpoint import parse as parse_checkpoint
from firmground.ledger.entry import Entry, RunEntry, parse_entry
from firmground.ledger.extras import ErasableExtras, commit_extras, read_extras
from firmground.ledger.keys import KeyedSigner
from firmground.ledger.proof import parse as parse_proof
from firmground.ledger.record import Stages, check_stages
from firmground.ledger.text import b64, unb64

FORMAT = "firmground-bundle/1"
FORMAT_WITH_KEYS = "firmground-bundle/2"
"""The same with the history of the log's keys, written once a key was rotated or revoked."""
MAX_KEY_ENTRIES = 1 << 10
MAX_BYTES = 1 << 26
MAX_PATH = 63
MAX_STAGES = 1 << 10
"""As many stages as one run can have in a log."""
MAX_MARKS = 1 << 16
"""Commas and brackets in a file: payloads are base64 and hold none, so size needs no more."""
MAX_ESCAPES = 1 << 15
"""Backslashes in a file: only the proof has any, one a line."""
_KEYS = {"disclosed", "dsse", "entry", "format", "proof", "stages"}
_ANSWERS = (Stage.ANSWER, Stage.RENDER)


@dataclass(frozen=True, slots=True, kw_only=True)
class Disclosure:
    """The payload of one stage, and the salt with which it was committed."""

    ordinal: int
    salt: bytes
    payload: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class DisclosedStage:
    """A payload that was shown and matches what the log committed to."""

    ordinal: int
    stage: Stage
    attempt: int
    payload: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyHistoryRecord:
    """One key entry of the log, and the proof that it is under the export's checkpoint."""

    entry: bytes
    path: tuple[bytes, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bundle:
    """The parts of an export, read but not believed."""

    entry: bytes
    stages: tuple[bytes, ...]
    proof: str
    disclosed: tuple[Disclosure, ...] = ()
    dsse: bytes | None = None
    history: tuple[KeyHistoryRecord, ...] = ()
    """All key entries of the log in order; empty where only one key ever spoke for it."""

    @property
    def data(self) -> bytes:
        """The export as a file."""
        sealed = None if self.dsse is None else b64(self.dsse)
        return canonical({**self._parts(), "dsse": sealed}, max_bytes=MAX_BYTES)

    @property
    def digest(self) -> bytes:
        """SHA-256 over everything but the statement; the statement carries it."""
        return hashlib.sha256(canonical(self._parts(), max_bytes=MAX_BYTES)).digest()

    def _parts(self) -> dict[str, Any]:
        keys = {
            "keys": [
                {"entry": b64(one.entry), "path": [b64(each) for each in one.path]}
                for one in self.history
            ]
        }
        return {
            **(keys if self.history else {}),
            "format": FORMAT_WITH_KEYS if self.history else FORMAT,
            "entry": b64(self.entry),
            "stages": [b64(stage) for stage in self.stages],
            "proof": self.proof,
            "disclosed": [
                {"ord": item.ordinal, "payload": b64(item.payload), "salt": b64(item.salt)}
                for item in self.disclosed
            ],
        }


def make_bundle(
    *,
    entry: bytes,
    stages: Sequence[bytes],
    proof: str,
    disclosed: Sequence[Disclosure] = (),
    signers: Sequence[KeyedSigner] = (),
    history: Sequence[KeyHistoryRecord] = (),
) -> Bundle:
    """Export a run; with the log's signing key the file carries a statement over all of itself."""
    ordered = tuple(sorted(disclosed, key=lambda item: item.ordinal))
    shown = parse_proof(proof)
    head, _ = parse_checkpoint(shown.checkpoint)
    proof = replace(shown, checkpoint=with_signatures(shown.checkpoint, ())).text
    bare = Bundle(
        entry=entry,
        stages=tuple(stages),
        proof=proof,
        disclosed=ordered,
        history=tuple(history),
    )
    read, run = read_run(entry)
    checked = check_stages(bare.stages, run)
    open_all(bare, run, checked)
    statement = expected_statement(bare, read.seq, run, checked.plan, head)
    if not signers:
        return parse_bundle(bare.data)
    sealed = dsse.sign(statement.data, signers).data
    return parse_bundle(replace(bare, dsse=sealed).data)


def read_run(entry: bytes) -> tuple[Entry, RunEntry]:
    """Read an entry that records a run."""
    read = parse_entry(entry)
    if not isinstance(read.body, RunEntry):
        raise InputError(f"entry {read.seq} records a {read.body.type}, not a run")
    return read, read.body


def open_all(
    bundle: Bundle, run: RunEntry, stages: Stages
) -> tuple[tuple[DisclosedStage, ...], ErasableExtras]:
    """Return everything that is disclosed, if it is what the log committed to."""
    n = len(stages.plan)
    shown = tuple(open_disclosure(item, stages) for item in bundle.disclosed if item.ordinal != n)
    beside = [_open_aside(item, run) for item in bundle.disclosed if item.ordinal == n]
    return shown, beside[0] if beside else ErasableExtras()


def _open_aside(item: Disclosure, run: RunEntry) -> ErasableExtras:
    if run.aside is None:
        raise InputError("something is disclosed beside the stages, where nothing was recorded")
    commit = commit_extras(salt=item.salt, payload=item.payload)
    if not hmac.compare_digest(commit, run.aside):
        raise InputError("what is disclosed beside the stages is not what was recorded")
    return read_extras(item.payload)


def open_disclosure(item: Disclosure, stages: Stages) -> DisclosedStage:
    """Return the payload if it is the one that the log committed to."""
    if item.ordinal >= len(stages.plan):
        raise InputError(f"a payload is disclosed for stage {item.ordinal}, which does not exist")
    planned = stages.plan[item.ordinal]
    commit = commitment(salt=item.salt, stage=planned.stage, payload=item.payload)
    if not hmac.compare_digest(commit, stages.commits[item.ordinal]):
        raise InputError(f"the payload disclosed for stage {item.ordinal} is not the one recorded")
    return DisclosedStage(
        ordinal=item.ordinal, stage=planned.stage, attempt=planned.attempt, payload=item.payload
    )


def expected_statement(
    bundle: Bundle, seq: int, run: RunEntry, plan: tuple[PlannedStage, ...], head: Checkpoint
) -> dsse.LogStatement:
    """The only statement that this export may carry.

    Its subjects are the disclosed answers, by attempt; where none is disclosed, the entry.
    """
    subjects = tuple(
        (f"answer/{plan[item.ordinal].attempt}", dsse.answer_digest(item.payload))
        for item in bundle.disclosed
        if item.ordinal < len(plan) and plan[item.ordinal].stage in _ANSWERS
    )
    return dsse.LogStatement(
        subjects=subjects or (("entry", dsse.answer_digest(bundle.entry)),),
        run=run.run,
        label=run.label,
        origin=head.origin,
        index=seq,
        size=head.size,
        bundle=bundle.digest,
    )


def parse_bundle(data: bytes) -> Bundle:
    """Read an export that has the one accepted spelling."""
    _refuse_crowds(data)
    document = parse(data, max_bytes=MAX_BYTES)
    if type(document) is not dict:
        raise InputError("a bundle is a JSON object")
    wanted = _KEYS | {"keys"} if document.get("format") == FORMAT_WITH_KEYS else _KEYS
    if document.keys() != wanted or document["format"] not in (FORMAT, FORMAT_WITH_KEYS):
        raise InputError(f"a bundle of format {FORMAT} has exactly the keys {sorted(_KEYS)}")
    text, stages, disclosed = document["proof"], document["stages"], document["disclosed"]
    if type(text) is not str or type(stages) is not list or type(disclosed) is not list:
        raise InputError("proof must be a text, stages and disclosed must be lists")
    if max(len(stages), len(disclosed)) > MAX_STAGES:
        raise InputError(f"a run has at most {MAX_STAGES} stages, each disclosed once")
    sealed = document["dsse"]
    return Bundle(
        entry=_bytes(document["entry"], "entry"),
        stages=tuple(_bytes(item, f"stages[{i}]") for i, item in enumerate(stages)),
        proof=text,
        disclosed=_disclosures(disclosed),
        dsse=None if sealed is None else _bytes(sealed, "dsse"),
        history=_history(document["keys"]) if "keys" in document else (),
    )


def _history(items: Any) -> tuple[KeyHistoryRecord, ...]:
    if type(items) is not list or not 1 <= len(items) <= MAX_KEY_ENTRIES:
        raise InputError(f"keys lists 1 to {MAX_KEY_ENTRIES} key entries")
    return tuple(_key_record(item, f"keys[{number}]") for number, item in enumerate(items))


def _key_record(item: Any, where: str) -> KeyHistoryRecord:
    if type(item) is not dict or item.keys() != {"entry", "path"}:
        raise InputError(f"{where} must have exactly the keys entry, path")
    path = item["path"]
    if type(path) is not list or len(path) > MAX_PATH:
        raise InputError(f"{where}.path lists at most {MAX_PATH} hashes")
    hashes = tuple(_bytes(each, f"{where}.path") for each in path)
    if any(len(each) != SIZE for each in hashes):
        raise InputError(f"{where}.path holds a hash that has not {SIZE} bytes")
    return KeyHistoryRecord(entry=_bytes(item["entry"], f"{where}.entry"), path=hashes)


def _refuse_crowds(data: bytes) -> None:
    """Refuse before parsing what would become millions of small values in memory."""
    if len(data) > MAX_BYTES:
        raise InputError(f"the file takes more than {MAX_BYTES} bytes; no bundle does")
    marks = sum(data.count(mark) for mark in (b",", b"[", b"{"))
    if marks > MAX_MARKS:
        raise InputError(f"the file has {marks} commas and brackets, a bundle {MAX_MARKS} at most")
    escapes = data.count(b"\\")
    if escapes > MAX_ESCAPES:
        raise InputError(f"the proof has {escapes} escapes, at most {MAX_ESCAPES} are read")


def _disclosures(items: list[Any]) -> tuple[Disclosure, ...]:
    made = tuple(_disclosure(item, f"disclosed[{i}]") for i, item in enumerate(items))
    ordinals = [item.ordinal for item in made]
    if ordinals != sorted(set(ordinals)):
        raise InputError("disclosed must be in the order of the stages, each once")
    return made


def _disclosure(item: Any, where: str) -> Disclosure:
    if type(item) is not dict or item.keys() != {"ord", "payload", "salt"}:
        raise InputError(f"{where} must have exactly the keys ord, payload, salt")
    ordinal, salt = item["ord"], _bytes(item["salt"], f"{where}.salt")
    if type(ordinal) is not int or ordinal < 0 or len(salt) != SALT_BYTES:
        raise InputError(f"{where} needs an ordinal and a salt of {SALT_BYTES} bytes")
    return Disclosure(ordinal=ordinal, salt=salt, payload=_bytes(item["payload"], where))


def _bytes(value: Any, where: str) -> bytes:
    if type(value) is not str:
        raise InputError(f"{where} must be base64")
    return unb64(value, where)
