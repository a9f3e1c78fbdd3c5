"""Serves recorded answers again while they are still valid.

A hit is served only if its record is live, the caller's present policy allows its label, its bytes
still verify (entry against the tree, stages against the entry, payloads against their commitments),
and they are vouched for: by a signature, or by a caller who does not require one. Serving,
refusing, falsifying and burning are entries of the log like everything else.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from firmground.core.merkle import leaf_hash
from firmground.core.run import Run
from firmground.errors import InputError, LedgerError, RecordErased, RecordNotFound, SignerRefused
from firmground.ledger import cache_acts
from firmground.ledger.cache_key import Dimensions, Tenant, state_after_run
from firmground.ledger.cache_proof import CacheProof, VerifiedHit
from firmground.ledger.draft import EntryDraft, PositionedEntry, RewrittenLogError
from firmground.ledger.entry import CacheState, LookupEntry
from firmground.ledger.keys import VerifierKey
from firmground.ledger.ledger import Ledger, RunDetails
from firmground.ledger.log import StoredRun
from firmground.ledger.store import CacheRow, EdgeRow, NameLock, StoreChange, StoreReader
from firmground.ledger.writer import Decide

Allows: TypeAlias = Callable[[Mapping[str, str]], bool]
"""The present policy: may an answer with this label be given?"""
Computed: TypeAlias = tuple[Run, Mapping[str, str]]
"""What an upstream computation yields: the run and its label."""

SELF = "firmground"
_SPOILED = "the record no longer verifies"
_MAX_REASON = 500
_NOT_ALLOWED = "the present policy does not allow its label"
_UNVOUCHED = "the record is not signed yet"
_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.002, 0.05


class AnswerSource(StrEnum):
    """Where an answer came from."""

    CACHE = "cache"
    COMPUTED = "computed"


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedAnswer:
    """A recorded run that may be given out, and the entry that says why."""

    run: StoredRun
    source: AnswerSource
    seq: int
    """The lookup entry of a hit; the run's own entry otherwise."""
    vouched: bool = True
    """False when the source of the answer is not signed: it is only as trustworthy as the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheMiss:
    """Nothing is served, and why."""

    reason: str
    seq: int | None = None
    """The entry that records the refusal, or the run that was computed and is not allowed."""


class AnswerCache:
    """The answers of one tenant.

    A hit must be vouched for: by the key with which the ledger is open, or by a checkpoint under
    one of ``keys``. Without either, any process that can write the file could have written the
    answer; ``unvouched=True`` accepts that.
    """

    def __init__(
        self,
        ledger: Ledger,
        tenant: Tenant,
        *,
        keys: Sequence[VerifierKey] = (),
        unvouched: bool = False,
    ) -> None:
        if ledger.signer is None and not keys and not unvouched:
            raise InputError(
                "nothing vouches for answers from this log: open it with its signing key, give "
                "its public keys, or say unvouched=True to serve whatever is in the file"
            )
        self._ledger = ledger
        self._tenant = tenant
        self._unvouched = unvouched
        self._proof = CacheProof(lambda: ledger.signer, keys)

    def key(self, dimensions: Dimensions) -> bytes:
        """The key of these eight things for this tenant."""
        return self._tenant.cache_key(dimensions)

    def get(self, key: bytes, *, allows: Allows) -> CachedAnswer | CacheMiss:
        """Serve the answer under a key, or say why not; both are recorded if there is one."""
        row = self._row(self._ledger.reader, key)
        if row is None:
            return CacheMiss(reason="nothing is cached under this key")
        permitted = allows(self._label(row))
        found: list[VerifiedHit] = []
        try:
            self._sign_up_to(row)
            placed = self._ledger.append(lambda reader: self._look(reader, row, permitted, found))
        except RecordNotFound as error:  # burnt a moment ago, or a row that points to nothing
            return CacheMiss(reason=str(error))
        except SignerRefused as error:
            return CacheMiss(reason=str(error))
        except RewrittenLogError as error:
            return CacheMiss(reason=f"{_SPOILED}: {error}")
        if found:
            (run, vouched), seq = found[0], placed.seq
            return CachedAnswer(run=run, source=AnswerSource.CACHE, seq=seq, vouched=vouched)
        return self._refused(key, placed)

    def put(
        self,
        key: bytes,
        run: Run,
        *,
        label: Mapping[str, str],
        made_from: Sequence[bytes] = (),
        policy: bytes | None = None,
        compat: bytes | None = None,
        run_id: str | None = None,
    ) -> PositionedEntry:
        """Record a run as the answer under a key; ``made_from`` names the answers it rests on."""
        about: RunDetails = {
            "label": label, "cache_key": key, "policy": policy, "compat": compat, "run_id": run_id,
        }  # fmt: skip
        return self._ledger.append(self._record(key, run, about, made_from))

    def get_or_compute(
        self, dimensions: Dimensions, compute: Callable[[], Computed], *, allows: Allows
    ) -> CachedAnswer | CacheMiss:
        """Serve from the cache, or compute once for everybody who asks meanwhile, anywhere.

        A waiting caller gets what its own lookup serves. A refused one computes for itself. What
        was computed is recorded, and given only to those whose policy allows its label.
        """
        key = self.key(dimensions)
        seen = self._row(self._ledger.reader, key)
        found = self.get(key, allows=allows)
        if isinstance(found, CachedAnswer):
            return found

        def compute_and_keep() -> CachedAnswer | CacheMiss:
            claim = self._ledger.store.claim(self._claim_name(key), wait=True)
            try:
                again = self._again(key, seen, allows)
                return again if again is not None else self._computed(key, compute(), allows)
            finally:
                _release(claim)

        answer: CachedAnswer | CacheMiss
        answer, mine = self._ledger.flights.run(self._flight(key), compute_and_keep)
        if mine:
            return answer
        found = self.get(key, allows=allows)
        return found if isinstance(found, CachedAnswer) else self._computed(key, compute(), allows)

    async def aget_or_compute(
        self,
        dimensions: Dimensions,
        compute: Callable[[], Awaitable[Computed]],
        *,
        allows: Allows,
        policy: bytes | None = None,
        run_id: str | None = None,
    ) -> CachedAnswer | CacheMiss:
        """The same for tasks, without blocking the event loop.

        What is computed is recorded under ``policy`` and ``run_id``.
        """
        key = self.key(dimensions)
        seen = await asyncio.to_thread(self._row, self._ledger.reader, key)
        found = await asyncio.to_thread(self.get, key, allows=allows)
        if isinstance(found, CachedAnswer):
            return found

        async def compute_alone() -> CachedAnswer | CacheMiss:
            made = await compute()
            return await asyncio.to_thread(
                self._computed, key, made, allows, policy=policy, run_id=run_id
            )

        async def compute_and_keep() -> CachedAnswer | CacheMiss:
            claim = await self._claimed(key)
            try:
                again = await asyncio.to_thread(self._again, key, seen, allows)
                return again if again is not None else await compute_alone()
            finally:
                claim.release()

        answer: CachedAnswer | CacheMiss
        answer, mine = await self._ledger.flights.arun(self._flight(key), compute_and_keep)
        if mine:
            return answer
        found = await asyncio.to_thread(self.get, key, allows=allows)
        return found if isinstance(found, CachedAnswer) else await compute_alone()

    def falsify(self, key: bytes, *, state: CacheState, actor: str, reason: str) -> PositionedEntry:
        """Give a cached answer another state; the log keeps who did it and why."""
        return cache_acts.falsify(
            self._ledger, self._tenant.name, key, state=state, actor=actor, reason=reason
        )

    def burn(self, key: bytes, *, actor: str, reason: str, force: bool = False) -> PositionedEntry:
        """Forget a cached answer; refused while others rest on it, unless forced."""
        return cache_acts.burn(
            self._ledger, self._tenant.name, key, actor=actor, reason=reason, force=force
        )

    def rows(self) -> tuple[CacheRow, ...]:
        """Everything cached for this tenant."""
        return self._ledger.reader.cache_rows(self._tenant.name)

    def _record(
        self, key: bytes, run: Run, about: RunDetails, made_from: Sequence[bytes]
    ) -> Decide:
        def decide(reader: StoreReader) -> EntryDraft:
            before = self._row(reader, key)
            for parent in made_from:
                self._need(reader, parent)
            state = state_after_run(None if before is None else CacheState(before.state))
            about["also"] = lambda seq: self._index(key, seq, state, before, made_from)
            return self._ledger.draft_run(run, **about)[0]

        return decide

    def _index(
        self,
        key: bytes,
        seq: int,
        state: CacheState,
        before: CacheRow | None,
        made_from: Sequence[bytes],
    ) -> StoreChange:
        name = self._tenant.name
        if before is not None and state is not CacheState.LIVE:
            return StoreChange()
        return StoreChange(
            cached=(CacheRow(name, key, seq, str(state), seq),),
            edges=tuple(EdgeRow(name, key, parent) for parent in made_from),
        )

    def _computed(
        self,
        key: bytes,
        computed: Computed,
        allows: Allows,
        *,
        policy: bytes | None = None,
        run_id: str | None = None,
    ) -> CachedAnswer | CacheMiss:
        run, label = computed
        placed = self.put(key, run, label=label, policy=policy, run_id=run_id)
        if not allows(label):
            return CacheMiss(reason=_NOT_ALLOWED, seq=placed.seq)
        stored = self._ledger.run_at(placed.seq)
        if leaf_hash(stored.row.body) != placed.hash:
            raise LedgerError(f"entry {placed.seq} is not the one that was written a moment ago")
        return CachedAnswer(run=stored, source=AnswerSource.COMPUTED, seq=placed.seq)

    def _sign_up_to(self, row: CacheRow) -> None:
        """Have the record signed now, if the log is open with its key and has not signed it yet."""
        signer = self._ledger.signer
        if signer is None:
            return
        last = signer.last_signed()
        if last is None or last.size <= max(row.seq, row.changed):
            self._ledger.checkpoint()

    async def _claimed(self, key: bytes) -> NameLock:
        """Wait for a name without holding up a thread that its holder might need."""
        pause = _SHORTEST_PAUSE
        while (claim := self._ledger.store.claim(self._claim_name(key), wait=False)) is None:
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311 - spreads waiters
            pause = min(2 * pause, _LONGEST_PAUSE)
        return claim

    def _claim_name(self, key: bytes) -> bytes:
        return self._tenant.name.encode("utf-8") + b"\0" + key

    def _again(self, key: bytes, seen: CacheRow | None, allows: Allows) -> CachedAnswer | None:
        """Look once more before computing, in case the key was answered meanwhile."""
        if self._row(self._ledger.reader, key) == seen:
            return None
        found = self.get(key, allows=allows)
        return found if isinstance(found, CachedAnswer) else None

    def _flight(self, key: bytes) -> tuple[str, bytes]:
        return self._tenant.name, key

    def _look(
        self, reader: StoreReader, row: CacheRow, permitted: bool, found: list[VerifiedHit]
    ) -> EntryDraft:
        """Decide in an exclusive transaction, so that no falsification falls in between."""
        found.clear()  # a batch that failed is decided upon again
        now = self._need(reader, row.key)
        hit, reason = self._open(reader, now)
        if not reason:
            reason = _refusal(CacheState(now.state), permitted, changed=now.seq != row.seq)
        if hit is not None and not reason and not (hit.vouched or self._unvouched):
            reason = _UNVOUCHED
        body = LookupEntry(
            run=hit.run.body.run if hit is not None else _run_id(reader, now.seq),
            of=now.seq,
            served=not reason,
            reason=reason,
        )
        if hit is not None and not reason:
            found.append(hit)
        return self._ledger.draft(body)

    def _open(self, reader: StoreReader, row: CacheRow) -> tuple[VerifiedHit | None, str]:
        try:
            return self._proof.verified(reader, row), ""
        except (RecordErased, RecordNotFound, SignerRefused) as error:
            return None, str(error)[:_MAX_REASON]
        except (LedgerError, InputError) as error:
            return None, f"{_SPOILED}: {error}"[:_MAX_REASON]

    def _refused(self, key: bytes, placed: PositionedEntry) -> CacheMiss:
        """Report a refusal; a record that no longer verifies is put away at once."""
        entry = self._ledger.entry(placed.seq)
        reason = entry.body.reason if isinstance(entry.body, LookupEntry) else ""
        row = self._row(self._ledger.reader, key)
        live = row is not None and row.state == CacheState.LIVE
        if live and reason.startswith(_SPOILED):
            self.falsify(key, state=CacheState.QUARANTINED, actor=SELF, reason=reason)
        return CacheMiss(reason=reason, seq=placed.seq)

    def _label(self, row: CacheRow) -> Mapping[str, str]:
        try:
            return dict(self._ledger.run_at(row.seq).body.label)
        except (LedgerError, InputError):
            return {}

    def _row(self, reader: StoreReader, key: bytes) -> CacheRow | None:
        return reader.cache_row(self._tenant.name, key)

    def _need(self, reader: StoreReader, key: bytes) -> CacheRow:
        return cache_acts.need_row(reader, self._tenant.name, key)


def _refusal(state: CacheState, permitted: bool, *, changed: bool) -> str:
    if state is not CacheState.LIVE:
        return f"the cached answer is {state}"
    if changed:
        return "the cached answer was replaced a moment ago"
    return "" if permitted else _NOT_ALLOWED


def _release(claim: NameLock | None) -> None:
    if claim is not None:
        claim.release()


def _run_id(reader: StoreReader, seq: int) -> str:
    for row in reader.entries(seq, seq + 1):
        if row.run is not None:
            return row.run
    raise RecordNotFound(f"entry {seq}, which the cache points to, is not a run in this log")
