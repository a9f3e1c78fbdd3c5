"""The entries of the log, in canonical bytes.

Every entry has a head (``v type seq prev ts durability``) and the fields of its type, no more and
no fewer; a field without a value is null, never absent. The bytes are the record: the entry's hash
is the RFC 9162 leaf hash of them, and ``prev`` is the hash of the entry before.

This module is pure: the caller passes the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import ClassVar, TypeAlias

from firmground.core import merkle
from firmground.core.canon import MAX_BYTES, Value, canonical, parse
from firmground.core.run import AttemptReason, Shape, stage_plan
from firmground.errors import InputError
from firmground.ledger import fields as kinds
from firmground.ledger.fields import FieldType

VERSION = "fg1"
NO_ENTRY = bytes(merkle.SIZE)
"""``prev`` of the first entry."""


class Durability(StrEnum):
    """What an acknowledged append has survived when it is acknowledged."""

    FULL = "full"
    """Written through to the disk: survives a power cut."""
    PROCESS = "process"
    """Handed to the operating system: survives the process, not a power cut."""


class StampKind(StrEnum):
    """What kind of stamp a token is."""

    RFC3161 = "rfc3161"


class Stream(StrEnum):
    """How the answer left: after its check, in checked windows, or before its check."""

    BUFFERED = "buffered"
    WINDOWED = "windowed"
    ANNOTATE = "annotate"


class HookOutcome(StrEnum):
    """The outcome of asking a hook."""

    PASS = "pass"  # noqa: S105 - the word is a verdict
    FAIL = "fail"
    ERROR = "error"
    SKIPPED = "skipped"


class CacheState(StrEnum):
    """Whether a cached answer may be served."""

    LIVE = "live"
    FAILED = "failed"
    STALE = "stale"
    QUARANTINED = "quarantined"


class KeyAction(StrEnum):
    """What happened to a signing key of the log."""

    BEGIN = "begin"
    ROTATE = "rotate"
    REVOKE = "revoke"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunEntry:
    """A run was recorded: its grammar, the root over its stages, and its label."""

    type: ClassVar[str] = "run"
    run: str
    shape: Shape
    preflight: bool
    attempts: tuple[AttemptReason, ...]
    n: int
    root: bytes
    label: tuple[tuple[str, str], ...]
    aside: bytes | None = None
    """Commitment to what is kept beside the stages; see ``ledger.aside``."""
    policy: bytes | None = None
    stream: Stream = Stream.BUFFERED

    def __post_init__(self) -> None:
        stages = _stages(self.shape, self.preflight, self.attempts)
        if self.n != stages:
            raise InputError(f"n is {self.n}, this shape and these attempts have {stages} stages")


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestEntry:
    """A document was taken in as evidence."""

    type: ClassVar[str] = "ingest"
    source: str
    root: bytes
    n: int
    """How many pieces the root covers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HookEntry:
    """The world was asked; what was asked and replied stands here as digests only."""

    type: ClassVar[str] = "hook"
    run: str | None
    hook: str
    outcome: HookOutcome
    version: str
    asked: bytes | None = None
    replied: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FalsifyEntry:
    """A cached answer was given another state."""

    type: ClassVar[str] = "falsify"
    of: int
    """``seq`` of the run that answers."""
    state: CacheState
    actor: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BurnEntry:
    """A cached answer was deleted, perhaps although others rest on it."""

    type: ClassVar[str] = "burn"
    of: int
    """``seq`` of the run that answered."""
    actor: str
    reason: str
    forced: bool
    children: int

    def __post_init__(self) -> None:
        if self.children and not self.forced:
            raise InputError("an answer that others rest on is burnt only by force")


@dataclass(frozen=True, slots=True, kw_only=True)
class EraseEntry:
    """Payloads of a run were erased: which commitments lost theirs, never what they said."""

    type: ClassVar[str] = "erase"
    run: str
    commits: tuple[bytes, ...]
    actor: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyEntry:
    """From here on answers are decided under this policy."""

    type: ClassVar[str] = "policy"
    name: str
    policy: bytes
    actor: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyEntry:
    """A signing key began, took over, or was revoked; see ``ledger.keyring``."""

    type: ClassVar[str] = "key"
    action: KeyAction
    key: str
    by: str
    made: str
    """When the statement was signed."""
    sigs: tuple[bytes, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ResealEntry:
    """The log was taken up again at this size and root, after a restore or a move."""

    type: ClassVar[str] = "reseal"
    size: int
    root: bytes
    actor: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LookupEntry:
    """A cached answer was asked for: which entry it came from, and whether it was served."""

    type: ClassVar[str] = "lookup"
    run: str
    of: int
    """``seq`` of the run's entry."""
    served: bool
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StampEntry:
    """A time-stamping authority vouched for an earlier checkpoint: what it saw, and its reply."""

    type: ClassVar[str] = "stamp"
    size: int
    """Entries under the checkpoint."""
    root: bytes
    kind: StampKind
    token: bytes
    """The authority's reply."""


Body: TypeAlias = (
    RunEntry
    | IngestEntry
    | HookEntry
    | FalsifyEntry
    | BurnEntry
    | EraseEntry
    | PolicyEntry
    | KeyEntry
    | ResealEntry
    | LookupEntry
    | StampEntry
)
_HEAD_SPELLINGS: dict[str, FieldType] = {
    "seq": kinds.COUNT,
    "prev": kinds.HASH,
    "ts": kinds.TIME,
    "durability": kinds.choice(Durability),
}
_HEAD = frozenset({"v", "type", *_HEAD_SPELLINGS})
# The fields of each type beside the head, and how each is spelled: the contract of the format.
_SPELLINGS: dict[type[Body], dict[str, FieldType]] = {
    RunEntry: {
        "run": kinds.RUN_ID,
        "shape": kinds.choice(Shape),
        "preflight": kinds.FLAG,
        "attempts": kinds.choices(AttemptReason),
        "n": kinds.COUNT,
        "root": kinds.HASH,
        "label": kinds.LABEL,
        "aside": kinds.MAYBE_HASH,
        "policy": kinds.MAYBE_HASH,
        "stream": kinds.choice(Stream),
    },
    IngestEntry: {
        "source": kinds.FILLED,
        "root": kinds.HASH,
        "n": kinds.COUNT,
    },
    HookEntry: {
        "run": kinds.MAYBE_RUN_ID,
        "hook": kinds.FILLED,
        "outcome": kinds.choice(HookOutcome),
        "version": kinds.TEXT,
        "asked": kinds.MAYBE_HASH,
        "replied": kinds.MAYBE_HASH,
    },
    FalsifyEntry: {
        "of": kinds.COUNT,
        "state": kinds.choice(CacheState),
        "actor": kinds.FILLED,
        "reason": kinds.TEXT,
    },
    BurnEntry: {
        "of": kinds.COUNT,
        "actor": kinds.FILLED,
        "reason": kinds.TEXT,
        "forced": kinds.FLAG,
        "children": kinds.COUNT,
    },
    EraseEntry: {
        "run": kinds.RUN_ID,
        "commits": kinds.HASHES,
        "actor": kinds.FILLED,
        "reason": kinds.TEXT,
    },
    PolicyEntry: {
        "name": kinds.FILLED,
        "policy": kinds.HASH,
        "actor": kinds.FILLED,
    },
    KeyEntry: {
        "action": kinds.choice(KeyAction),
        "key": kinds.VKEY,
        "by": kinds.VKEY,
        "made": kinds.TIME,
        "sigs": kinds.SIGNATURES,
    },
    ResealEntry: {
        "size": kinds.COUNT,
        "root": kinds.HASH,
        "actor": kinds.FILLED,
        "reason": kinds.TEXT,
    },
    LookupEntry: {
        "run": kinds.RUN_ID,
        "of": kinds.COUNT,
        "served": kinds.FLAG,
        "reason": kinds.TEXT,
    },
    StampEntry: {
        "size": kinds.COUNT,
        "root": kinds.HASH,
        "kind": kinds.choice(StampKind),
        "token": kinds.BLOB,
    },
}
_TYPES: dict[str, type[Body]] = {body.type: body for body in _SPELLINGS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One place in the log and what was recorded there."""

    seq: int
    prev: bytes
    ts: str
    durability: Durability
    body: Body

    def __post_init__(self) -> None:
        if (self.seq == 0) != (self.prev == NO_ENTRY):
            raise InputError("the first entry, and only it, has no entry before it")
        if isinstance(self.body, ResealEntry) and self.body.size != self.seq:
            raise InputError(f"a reseal at {self.seq} cannot speak about size {self.body.size}")


def entry_bytes(entry: Entry) -> bytes:
    """The exact bytes of an entry, or the field that makes it impossible."""
    return placed_bytes(entry, spelled_body(entry.body))


def spelled_body(body: Body) -> dict[str, Value]:
    """Spell the fields of a body, so that a wrong one is refused before it is queued."""
    return {
        name: _written(body, name, spelling) for name, spelling in _SPELLINGS[type(body)].items()
    }


def placed_bytes(entry: Entry, spelled: Mapping[str, Value]) -> bytes:
    """The exact bytes of an entry whose body was spelled before."""
    document: dict[str, Value] = {"v": VERSION, "type": entry.body.type, **spelled}
    for name, spelling in _HEAD_SPELLINGS.items():
        document[name] = _written(entry, name, spelling)
    return canonical(document)


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryTemplate:
    """An entry's bytes but for its place and time, so that the one who writes only fills in.

    Keys are sorted in the canonical form; the parts are what stands before, between and behind
    ``prev``, ``seq`` and ``ts``.
    """

    parts: tuple[bytes, bytes, bytes, bytes]
    body: Body

    def filled(self, *, seq: int, prev: bytes, ts: str) -> bytes:
        """The exact bytes of the entry at this place, at a time that ``time_text`` has written."""
        if (seq == 0) != (prev == NO_ENTRY) or len(prev) != merkle.SIZE:
            raise InputError("the first entry, and only it, has no entry before it")
        if isinstance(self.body, ResealEntry) and self.body.size != seq:
            raise InputError(f"a reseal at {seq} cannot speak about size {self.body.size}")
        before, between, behind, rest = self.parts
        return b'%b"prev":"%b",%b"seq":%d,%b"ts":"%b",%b' % (
            before, prev.hex().encode(), between, seq, behind, ts.encode(), rest,
        )  # fmt: skip


def template(body: Body, durability: Durability) -> EntryTemplate:
    """Spell an entry once; a wrong field is refused before the entry is queued."""
    document: dict[str, Value] = {
        "v": VERSION,
        "type": body.type,
        "durability": str(Durability(durability)),
        **spelled_body(body),
    }
    cuts: list[dict[str, Value]] = [{}, {}, {}, {}]
    for key, value in document.items():
        cuts[(key > "prev") + (key > "seq") + (key > "ts")][key] = value
    before, between, behind, rest = (canonical(cut)[1:-1] for cut in cuts)
    if len(before) + len(between) + len(behind) + len(rest) > MAX_BYTES - 256:
        raise InputError(f"the entry takes more than {MAX_BYTES} bytes")
    return EntryTemplate(
        parts=(b"{" + before + b",", _listed(between), _listed(behind), rest + b"}"), body=body
    )


def _listed(part: bytes) -> bytes:
    return part + b"," if part else b""


def _written(holder: Entry | Body, name: str, spelling: FieldType) -> Value:
    value = getattr(holder, name)
    written = spelling.write(value)
    if spelling.read(written, name) != value:
        raise InputError(f"{name} cannot be written and read back: {value!r}")
    return written


def parse_entry(data: bytes) -> Entry:
    """Read the bytes of one entry; every field must be there, spelled the one right way."""
    document = parse(data)
    if not isinstance(document, dict) or document.get("v") != VERSION:
        raise InputError(f"the entry is not of version {VERSION}")
    name = document.get("type")
    body_type = _TYPES.get(name) if isinstance(name, str) else None
    if body_type is None:
        raise InputError(f"the entry has the unknown type {str(name)[:40]!r}")
    spellings = _SPELLINGS[body_type]
    if document.keys() != _HEAD | spellings.keys():
        odd = sorted(document.keys() ^ (_HEAD | spellings.keys()))[:5]
        raise InputError(f"an entry of type {name} has exactly its fields; look at {odd}")
    values = {key: spelling.read(document[key], key) for key, spelling in spellings.items()}
    head = {key: spelling.read(document[key], key) for key, spelling in _HEAD_SPELLINGS.items()}
    return Entry(**head, body=body_type(**values))


def entry_hash(data: bytes) -> bytes:
    """The hash of an entry's bytes: its link in the chain and its leaf in the tree."""
    return merkle.leaf_hash(data)


@lru_cache(maxsize=256)
def _stages(shape: Shape, preflight: bool, attempts: tuple[AttemptReason, ...]) -> int:
    return len(stage_plan(shape=shape, preflight=preflight, attempts=attempts))


__all__ = [
    "NO_ENTRY",
    "Body",
    "BurnEntry",
    "CacheState",
    "Durability",
    "Entry",
    "EntryTemplate",
    "EraseEntry",
    "FalsifyEntry",
    "HookEntry",
    "HookOutcome",
    "IngestEntry",
    "KeyAction",
    "KeyEntry",
    "LookupEntry",
    "PolicyEntry",
    "ResealEntry",
    "RunEntry",
    "StampEntry",
    "StampKind",
    "Stream",
    "entry_bytes",
    "entry_hash",
    "parse_entry",
    "placed_bytes",
    "spelled_body",
    "template",
]
