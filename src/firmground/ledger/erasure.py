"""What an erasure writes: an entry that names the commitments, and the rows that may go."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from firmground.core.run import Stage
from firmground.errors import InputError, LedgerError, RecordErased
from firmground.ledger.draft import EntryDraft
from firmground.ledger.entry import Body, EraseEntry, parse_entry
from firmground.ledger.log import Log, StoredRun, StoredStage
from firmground.ledger.sealing import NEEDS_KEYS
from firmground.ledger.store import ErasedRow, StoreChange, StoreReader


class MakeDraft(Protocol):
    """Prepares an entry."""

    def __call__(
        self, body: Body, *, also: Callable[[int], StoreChange] | None = None
    ) -> EntryDraft:
        """Return the entry as a draft, with what changes beside it."""
        ...


def decision(
    draft: MakeDraft, run_id: str, *, actor: str, reason: str, stages: Sequence[Stage] | None
) -> Callable[[StoreReader], EntryDraft]:
    """Decide, in an exclusive transaction, which payloads of a run are erased."""

    def decide(reader: StoreReader) -> EntryDraft:
        stored = Log(reader).run(run_id)
        going = _still_there(stored, stages)
        body = EraseEntry(
            run=run_id,
            commits=tuple(kept.commit for kept in going) + _beside(stored),
            actor=actor,
            reason=reason,
        )
        return draft(body, also=lambda seq: _removal(stored, going, seq))

    return decide


def ordered(body: bytes) -> tuple[str, frozenset[bytes]]:
    """The run that an erase entry names, and the commitments that lose their payload."""
    entry = parse_entry(body)
    if not isinstance(entry.body, EraseEntry):
        raise InputError(f"entry {entry.seq} erases nothing")
    return entry.body.run, frozenset(entry.body.commits)


def _still_there(stored: StoredRun, stages: Sequence[Stage] | None) -> tuple[StoredStage, ...]:
    going = tuple(
        kept
        for kept in stored.stages
        if kept.payload is not None and (stages is None or kept.planned.stage in stages)
    )
    if any(kept.sealed for kept in stored.stages):
        raise LedgerError(f"run {stored.body.run} is sealed: {NEEDS_KEYS}")
    if not going:
        raise RecordErased(f"nothing is left to erase in run {stored.body.run}")
    return going


def _beside(stored: StoredRun) -> tuple[bytes, ...]:
    """What is kept beside the stages covers all of them, so it goes with the first that goes."""
    aside = stored.aside
    return () if aside is None or aside.payload is None else (aside.commit,)


def _removal(stored: StoredRun, going: tuple[StoredStage, ...], by: int) -> StoreChange:
    seq = stored.row.seq
    places = [kept.ordinal for kept in going]
    places += [len(stored.stages) for _ in _beside(stored)]
    return StoreChange(
        erased=tuple(ErasedRow(seq, place, by) for place in places),
        forgotten=tuple((seq, key) for key in _cache_keys(stored)),
    )


def _cache_keys(stored: StoredRun) -> tuple[bytes | None, ...]:
    """The key to forget; None where the run may have one that can no longer be read."""
    try:
        key = stored.beside().cache_key
    except RecordErased:
        return ()
    except (LedgerError, InputError):
        return (None,)
    return () if key is None else (key,)
