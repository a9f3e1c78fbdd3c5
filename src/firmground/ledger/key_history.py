"""Whom to trust with an export: the caller's keys, and those that the log's key history adds."""

from __future__ import annotations

from collections.abc import Sequence

from firmground.core.merkle import verify_inclusion
from firmground.errors import InputError
from firmground.ledger.bundlefile import KeyHistoryRecord
from firmground.ledger.checkpoint import Checkpoint
from firmground.ledger.entry import KeyEntry, entry_hash, parse_entry
from firmground.ledger.keyring import Keyring, KeyTerm, keyring
from firmground.ledger.keys import VerifierKey
from firmground.ledger.log import Log

Trust = tuple[Sequence[VerifierKey], Sequence[KeyTerm]]


def key_records(log: Log, size: int) -> tuple[KeyHistoryRecord, ...]:
    """The key history of a log for an export under the checkpoint of ``size`` entries.

    Nothing while only one key ever spoke for the log: there is no term to exceed.
    """
    found = [seq for seq in log.reader.acts("key") if seq < size]
    if len(found) < 2:
        return ()
    return tuple(
        KeyHistoryRecord(entry=log.row(seq).body, path=log.inclusion(seq, size)) for seq in found
    )


def trusted_keys(
    history: Sequence[KeyHistoryRecord],
    head: Checkpoint,
    keys: Sequence[VerifierKey],
    terms: Sequence[KeyTerm],
) -> Trust:
    """The keys and terms that count for a checkpoint, given the history beside it.

    The history adds keys only for a caller all of whose keys it names: one who knows later keys
    than the file does is asked about those alone. A key that the caller knows to be revoked counts
    for nothing, since a thief can sign for any size.
    """
    revoked = {term.key for term in terms if term.revoked is not None}
    if not history:
        return (
            [key for key in keys if key not in revoked],
            [term for term in terms if term.key not in revoked],
        )
    ring = _ring(history, head)
    given = {*keys, *(term.key for term in terms)}
    named = {term.key for term in ring.terms}
    if not given & named:
        raise InputError("the key history in the file names no key that you gave")
    if differs := ring.contradiction(terms, head.size):
        raise InputError(f"the key history in the file differs from the one you gave: {differs}")
    added = named if given <= named else given
    return (), [term for term in ring.terms if term.key in added - revoked]


def _ring(history: Sequence[KeyHistoryRecord], head: Checkpoint) -> Keyring:
    entries = []
    for record in history:
        entry = parse_entry(record.entry)
        if not isinstance(entry.body, KeyEntry):
            raise InputError(f"entry {entry.seq} in the key history is no key entry")
        if not verify_inclusion(
            leaf=entry_hash(record.entry),
            index=entry.seq,
            size=head.size,
            path=record.path,
            root=head.root,
        ):
            raise InputError(f"key entry {entry.seq} is not in the log of the checkpoint")
        entries.append(entry)
    places = [entry.seq for entry in entries]
    if places != sorted(set(places)):
        raise InputError("the key history is not in the order of the log")
    return keyring(head.origin, entries)
