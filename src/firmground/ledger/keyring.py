"""Which key spoke for the log, and when: begun, rotated, revoked, all in the log itself.

A key entry carries a statement signed over ``"fg1/key\\0" || canonical(statement)``. ``begin`` is
signed by the first key itself, ``rotate`` by the old key and the new one, ``revoke`` by a key that
is still trusted. A key takes office once: a statement replayed later is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from firmground.core.canon import canonical
from firmground.errors import InputError
from firmground.ledger.entry import Entry, KeyAction, KeyEntry
from firmground.ledger.keys import KeyedSigner, KeyKind, VerifierKey, parse_verifier

_TAG = b"fg1/key\0"
_TERM_FORMS = (
    ["since"],
    ["since", "until"],
    ["since", "revoked"],
    ["since", "until", "revoked"],
)


class KeyAuthority(StrEnum):
    """What a key's signature on a checkpoint of a given size is worth."""

    HELD = "held"
    """The key spoke for the log at that size."""
    NOT_YET = "not_yet"
    ENDED = "ended"
    REVOKED = "revoked"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyTerm:
    """One key's time in office, in entries: from ``since`` up to, not including, ``until``."""

    key: VerifierKey
    since: int
    until: int | None = None
    revoked: int | None = None
    """``seq`` of the entry that revoked it."""

    def authority(self, size: int) -> KeyAuthority:
        """What this key's signature on a checkpoint of ``size`` entries is worth."""
        return _office(self, size)

    def __str__(self) -> str:
        """The key and its term on one line, as a file of trusted keys has it."""
        until = "" if self.until is None else f" until {self.until}"
        revoked = "" if self.revoked is None else f" revoked {self.revoked}"
        return f"{self.key} since {self.since}{until}{revoked}"


def parse_trusted(line: str) -> VerifierKey | KeyTerm:
    """Read a line of a file of trusted keys: a key, or a key with its term."""
    text, *rest = line.split()
    key = parse_verifier(text)
    if not rest:
        return key
    names, numbers = rest[::2], rest[1::2]
    if names not in _TERM_FORMS or not all(n.isascii() and n.isdigit() for n in numbers):
        raise InputError(
            f"{text}: a term reads  since N [until M] [revoked R],  counted in entries"
        )
    said = {name: int(number) for name, number in zip(names, numbers, strict=True)}
    return KeyTerm(
        key=key, since=said["since"], until=said.get("until"), revoked=said.get("revoked")
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Keyring:
    """The keys of one log in the order in which they held office."""

    origin: str
    terms: tuple[KeyTerm, ...] = ()

    def current(self) -> VerifierKey:
        """The key that speaks for the log now."""
        live = [term for term in self.terms if term.until is None and term.revoked is None]
        if not live:
            raise InputError(f"no key speaks for the log {self.origin}")
        return live[-1].key

    def office(self, key: VerifierKey, *, size: int) -> KeyAuthority:
        """What this key's signature on a checkpoint of ``size`` entries is worth."""
        for term in self.terms:
            if term.key == key:
                return term.authority(size)
        return KeyAuthority.UNKNOWN

    def contradiction(self, terms: Iterable[KeyTerm], size: int) -> KeyTerm | None:
        """The first of these terms that is not true of this log's first ``size`` entries."""
        told = {term.key: term for term in self.terms}
        for known in terms:
            shown = told.get(known.key)
            if shown is None and known.since >= size:
                continue
            if shown is None or shown.since != known.since:
                return known
            ends = (known.until, shown.until), (known.revoked, shown.revoked)
            if not all(_agree(one, other, size) for one, other in ends):
                return known
        return None

    def after(self, entry: Entry) -> Keyring:
        """The keyring once this entry is in the log; refuses a key entry that does not hold."""
        body = entry.body
        if not isinstance(body, KeyEntry):
            return self
        key, by = check_statement(body, origin=self.origin)
        match body.action:
            case KeyAction.BEGIN:
                return self._begin(key, entry.seq)
            case KeyAction.ROTATE:
                return self._rotate(key, by, entry.seq)
            case KeyAction.REVOKE:
                return self._revoke(key, by, entry.seq)

    def _begin(self, key: VerifierKey, seq: int) -> Keyring:
        if self.terms:
            raise InputError(f"entry {seq}: the log {self.origin} has a key already")
        return replace(self, terms=(KeyTerm(key=key, since=seq),))

    def _rotate(self, key: VerifierKey, by: VerifierKey, seq: int) -> Keyring:
        if not self.terms or by != self.current():
            raise InputError(f"entry {seq}: {by} does not hold office and cannot hand it over")
        if any(term.key.public == key.public for term in self.terms):
            raise InputError(f"entry {seq}: {key} has held office before")
        self.require_new_id(key)
        old = replace(self.terms[-1], until=seq + 1)
        return replace(self, terms=(*self.terms[:-1], old, KeyTerm(key=key, since=seq)))

    def require_new_id(self, key: VerifierKey) -> None:
        """Refuse a key that signature lines could not tell from an earlier one of this log."""
        if any(term.key.key_id == key.key_id for term in self.terms):
            raise InputError(f"{key} has the same id as an earlier key of this log: make another")

    def _revoke(self, key: VerifierKey, by: VerifierKey, seq: int) -> Keyring:
        if not self.terms or by != self.current() or by == key:
            raise InputError(f"entry {seq}: only the key in office revokes another one")
        if not any(term.key == key and term.revoked is None for term in self.terms):
            raise InputError(f"entry {seq}: {key} is not a key of this log, or revoked already")
        terms = (replace(t, revoked=seq) if t.key == key else t for t in self.terms)
        return replace(self, terms=tuple(terms))


def keyring(origin: str, entries: Iterable[Entry]) -> Keyring:
    """Read the key history out of a log's entries, in order."""
    ring = Keyring(origin=origin)
    for entry in entries:
        ring = ring.after(entry)
    return ring


def key_entry(
    *, origin: str, action: KeyAction, key: VerifierKey, made: str, signers: Sequence[KeyedSigner]
) -> KeyEntry:
    """Make a key entry; ``signers`` are, in order, the granting key and (to rotate) the new key.

    ``begin``: the key itself. ``rotate``: old key, new key. ``revoke``: the current key.
    """
    by = signers[0].verifier if signers else key
    body = KeyEntry(action=action, key=str(key), by=str(by), made=made, sigs=())
    message = statement(body, origin=origin)
    body = replace(body, sigs=tuple(signer.sign(message) for signer in signers))
    check_statement(body, origin=origin)
    return body


def statement(body: KeyEntry, *, origin: str) -> bytes:
    """The exact bytes that are signed for a key entry."""
    return _TAG + canonical(
        {
            "v": "fg1",
            "origin": origin,
            "action": str(body.action),
            "key": body.key,
            "by": body.by,
            "made": body.made,
        }
    )


def check_statement(body: KeyEntry, *, origin: str) -> tuple[VerifierKey, VerifierKey]:
    """Verify a key entry's signatures; return the key it is about and the key that granted it."""
    key, by = parse_verifier(body.key), parse_verifier(body.by)
    for each in (key, by):
        if each.name != origin or each.kind is not KeyKind.NOTE:
            raise InputError(f"{each} is not a key of the log {origin}")
    if body.action is KeyAction.BEGIN and key != by:
        raise InputError("the first key begins by its own signature")
    signing = (by, key) if body.action is KeyAction.ROTATE else (by,)
    if len(body.sigs) != len(signing):
        raise InputError(f"{body.action} needs {len(signing)} signatures, got {len(body.sigs)}")
    message = statement(body, origin=origin)
    for each, signature in zip(signing, body.sigs, strict=True):
        if not each.verify(message, signature):
            raise InputError(f"the signature of {each} on the key entry is not valid")
    return key, by


def _agree(known: int | None, shown: int | None, size: int) -> bool:
    """True when both say the same of the first ``size`` entries; either may know less."""
    if known is None:
        return True
    return shown == known or (shown is None and known >= size)


def _office(term: KeyTerm, size: int) -> KeyAuthority:
    if size <= term.since:
        return KeyAuthority.NOT_YET
    if term.revoked is not None and size > term.revoked:
        return KeyAuthority.REVOKED
    if term.until is not None and size > term.until:
        return KeyAuthority.ENDED
    return KeyAuthority.HELD
