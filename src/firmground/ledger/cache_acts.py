"""Falsify and burn: what people do to cached answers, recorded with who and why."""

from __future__ import annotations

from firmground.errors import InputError, RecordNotFound
from firmground.ledger.draft import EntryDraft, PositionedEntry
from firmground.ledger.entry import BurnEntry, CacheState, FalsifyEntry
from firmground.ledger.ledger import Ledger
from firmground.ledger.store import CacheRow, StoreChange, StoreReader


def falsify(
    ledger: Ledger, tenant: str, key: bytes, *, state: CacheState, actor: str, reason: str
) -> PositionedEntry:
    """Give a cached answer another state."""

    def decide(reader: StoreReader) -> EntryDraft:
        row = need_row(reader, tenant, key)
        body = FalsifyEntry(of=row.seq, state=state, actor=actor, reason=reason)
        return ledger.draft(
            body,
            also=lambda seq: StoreChange(cached=(row._replace(state=str(state), changed=seq),)),
        )

    return ledger.append(decide)


def burn(
    ledger: Ledger, tenant: str, key: bytes, *, actor: str, reason: str, force: bool = False
) -> PositionedEntry:
    """Forget a cached answer; refused while others rest on it, unless forced."""

    def decide(reader: StoreReader) -> EntryDraft:
        row = need_row(reader, tenant, key)
        children = len(reader.edges(tenant, key))
        if children and not force:
            raise InputError(f"{children} cached answers rest on this one; force to burn it")
        body = BurnEntry(of=row.seq, actor=actor, reason=reason, forced=force, children=children)
        return ledger.draft(body, also=lambda seq: StoreChange(burned=((tenant, key),)))

    return ledger.append(decide)


def need_row(reader: StoreReader, tenant: str, key: bytes) -> CacheRow:
    """Return the row of a key, or say that nothing is cached under it."""
    row = reader.cache_row(tenant, key)
    if row is None:
        raise RecordNotFound(f"nothing is cached under {key.hex()} for {tenant}")
    return row
