"""Records runs so that they can be proved later.

``record`` returns when the run is on the disk. A signed checkpoint follows within a second; from
then on the run cannot be removed unnoticed by anyone who kept that checkpoint, not even by the
owner of the log.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from types import TracebackType
from typing import Any, Required, Self, TypedDict, Unpack

from firmground.core.run import SALT_BYTES, Run, Stage, seal
from firmground.errors import FirmgroundError, InputError, LedgerError, RecordErased
from firmground.ledger import checkpoint as checkpoints
from firmground.ledger import erasure
from firmground.ledger.bundle import Bundle, Disclosure, make_bundle
from firmground.ledger.checkpointer import CheckpointPolicy
from firmground.ledger.draft import EntryDraft, EntryPosition, PositionedEntry
from firmground.ledger.entry import (
    Body,
    Durability,
    RunEntry,
    Stream,
    parse_entry,
    template,
)
from firmground.ledger.extras import ErasableExtras, commit_extras
from firmground.ledger.ids import time_text, utc_now, uuid7
from firmground.ledger.key_history import key_records
from firmground.ledger.keys import VerifierKey
from firmground.ledger.log import Log, StoredRun
from firmground.ledger.note import Signature
from firmground.ledger.receipt import Erasure, Receipt, RecordPersistence, receipt_note
from firmground.ledger.record import run_entry
from firmground.ledger.signer_session import SignerSession
from firmground.ledger.signing import CheckpointSigner
from firmground.ledger.single_flight import SingleFlight
from firmground.ledger.store import LedgerStore, StoreChange
from firmground.ledger.witness import Cosigner
from firmground.ledger.writer import QUEUE, Decide, Writer

_AT_ONCE = 256


class RunDetails(TypedDict, total=False):
    """What is recorded about a run beside its stages."""

    label: Required[Mapping[str, str]]
    run_id: str | None
    """Chosen by the caller; by default a new UUID of version 7."""
    cache_key: bytes | None
    """Under which the run may be found again; kept erasable, see ``ledger.aside``."""
    policy: bytes | None
    """Digest of the policy under which the run was decided."""
    stream: Stream
    compat: bytes | None
    """Root of the same run under the rules of profile fg0; kept erasable, too."""
    also: Callable[[int], StoreChange] | None
    """What else changes in the same transaction, given the entry's place."""
    subject: str | None
    """Whose data the run holds, such as a customer's number; never written into the log."""


class Ledger(Log):
    """A log that can be written. Use as a context manager, or close it: closing signs.

    >>> import tempfile, firmground
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with firmground.Engine(judge="lexical", ledger=f"{folder}/runs.sqlite") as engine:
    ...         result = engine.check("It rained.", "It rained.")
    >>> result.receipt.seq
    0
    """

    def __init__(
        self,
        store: LedgerStore,
        *,
        signer: CheckpointSigner | None = None,
        policy: CheckpointPolicy | None = None,
        witnesses: Sequence[VerifierKey] = (),
        cosigners: Sequence[Cosigner] = (),
        queue: int = QUEUE,
        clock: Callable[[], datetime] = utc_now,
    ) -> None:
        super().__init__(store)
        self.store = store
        self._clock = clock
        self.flights: SingleFlight[Any] = SingleFlight()
        """Computations under way, shared by all who answer from this log in this process."""
        if store.scrub_pending():
            # An erasure was interrupted, or a reader was in its way. Where it cannot be finished
            # now either, ``scrub_pending`` goes on saying so.
            with suppress(LedgerError):
                store.scrub()
        self._notary: SignerSession | None = None
        self._writer = Writer(store, capacity=queue, told=self._grown)
        if signer is None:
            return
        try:
            self._notary = SignerSession(
                store=store,
                writer=self._writer,
                signer=signer,
                policy=policy or CheckpointPolicy(),
                cosigners=cosigners,
                witnesses=witnesses,
                draft=self.draft,
                clock=clock,
            )
        except BaseException:
            self._writer.close()
            store.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, _: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Write what is queued, sign a last checkpoint, give everything back."""
        self._writer.close()
        try:
            if self._notary is not None:
                self._notary.close()
        finally:
            self.store.close()

    @property
    def signer(self) -> CheckpointSigner | None:
        """The key that signs for this log now; None when it was opened without one."""
        return None if self._notary is None else self._notary.signer

    @property
    def notary(self) -> SignerSession:
        """Who signs for this log; an error when it was opened without a key."""
        if self._notary is None:
            raise InputError("this ledger was opened without a signing key")
        return self._notary

    @property
    def trouble(self) -> FirmgroundError | None:
        """Why the newest entries are not under a checkpoint, when signing has failed."""
        return None if self._notary is None else self._notary.trouble

    @property
    def waiting(self) -> int:
        """How many records are queued and not yet being written."""
        return self._writer.waiting

    def record(
        self, run: Run, *, timeout_seconds: float | None = None, **about: Unpack[RunDetails]
    ) -> Receipt:
        """Keep a run; returns once it is as durable as the log promises."""
        draft, run_id = self.draft_run(run, **about)
        return self._fresh(run_id, self._writer.submit(draft).result(timeout_seconds))

    def record_all(self, runs: Sequence[tuple[Run, RunDetails]]) -> list[Receipt]:
        """Keep many runs in few transactions; a run whose id is in the log already is not repeated.

        Every run was answered for when this returns; the first that could not be kept is raised.
        """
        receipts: list[Receipt] = []
        for start in range(0, len(runs), _AT_ONCE):
            waiting: list[tuple[str, Future[PositionedEntry] | None]] = []
            for run, about in runs[start : start + _AT_ONCE]:
                name = about.get("run_id")
                if name is not None and self.reader.find_run(name) is not None:
                    waiting.append((name, None))
                    continue
                draft, run_id = self.draft_run(run, **about)
                waiting.append((run_id, self._writer.submit(draft)))
            wait([future for _, future in waiting if future is not None])
            receipts += [
                self.receipt(name) if future is None else self._fresh(name, future.result())
                for name, future in waiting
            ]
        return receipts

    async def arecord(self, run: Run, **about: Unpack[RunDetails]) -> Receipt:
        """Keep a run without holding up the event loop."""
        draft, run_id = self.draft_run(run, **about)
        return self._fresh(run_id, await self.append_task(draft))

    def draft_run(self, run: Run, **about: Unpack[RunDetails]) -> tuple[EntryDraft, str]:
        """Seal a run under fresh salts; nothing is written yet."""
        name = about.get("run_id") or uuid7(self._clock())
        salts = [secrets.token_bytes(SALT_BYTES) for _ in run.nodes]
        sealed = seal(run, run_id=name, salts=salts)
        vault = tuple(zip(salts, (node.payload for node in run.nodes), strict=True))
        commit = None
        aside = ErasableExtras(cache_key=about.get("cache_key"), compat=about.get("compat"))
        if aside:
            vault += ((secrets.token_bytes(SALT_BYTES), aside.payload),)
            commit = commit_extras(salt=vault[-1][0], payload=vault[-1][1])
        body = run_entry(
            sealed,
            label=tuple(about["label"].items()),
            aside=commit,
            policy=about.get("policy"),
            stream=about.get("stream", Stream.BUFFERED),
        )
        also = about.get("also")
        made = self.draft(body, run=name, stages=sealed.stages, vault=vault, also=also)
        return replace(made, subject=about.get("subject")), name

    def draft(
        self,
        body: Body,
        *,
        run: str | None = None,
        stages: tuple[bytes, ...] = (),
        vault: tuple[tuple[bytes, bytes], ...] = (),
        also: Callable[[int], StoreChange] | None = None,
    ) -> EntryDraft:
        """Prepare an entry; its time is taken when it gets its place."""
        made, clock = template(body, self.store.durability), self._clock

        def write(place: EntryPosition) -> bytes:
            now = max(time_text(clock()), place.after)
            return made.filled(seq=place.seq, prev=place.prev, ts=now)

        return EntryDraft(
            type=body.type, write=write, run=run, stages=stages, vault=vault, also=also
        )

    def append(self, work: Body | EntryDraft | Decide) -> PositionedEntry:
        """Append any entry, or one that is decided in an exclusive transaction."""
        return self.submit(work).result()

    async def append_task(self, work: EntryDraft | Decide) -> PositionedEntry:
        """Append without holding up the event loop."""
        return await self._writer.submit_task(work)

    def submit(self, work: Body | EntryDraft | Decide) -> Future[PositionedEntry]:
        """Hand in an entry; the future is done once the entry is kept."""
        if isinstance(work, EntryDraft) or callable(work):
            return self._writer.submit(work)
        return self._writer.submit(self.draft(work))

    def receipt(self, run_id: str) -> Receipt:
        """How far a run is kept by now."""
        row = self.row(self.find(run_id))
        placed = PositionedEntry(row.seq, row.hash, row.body)
        durability = parse_entry(placed.body).durability
        receipt = _receipt(run_id, placed, durability)
        newest = None if self._notary is None else self.newest_checkpoint()
        if newest is None or newest.size <= placed.seq:
            return receipt
        kept = (
            RecordPersistence.WITNESSED
            if self.notary.is_witnessed(newest)
            else RecordPersistence.CHECKPOINTED
        )
        return replace(receipt, kept=kept, checkpoint_size=newest.size)

    def sign_receipt(self, receipt: Receipt) -> Receipt:
        """The same receipt, signed by the log's key.

        ``record`` does it by itself, unless the key is kept elsewhere: then each costs a request.
        """
        return replace(receipt, note=receipt_note(receipt, self.notary.signer))

    def _fresh(self, run_id: str, placed: PositionedEntry) -> Receipt:
        receipt = _receipt(run_id, placed, self.store.durability)
        signer = self.signer
        return self.sign_receipt(receipt) if signer is not None and signer.at_hand else receipt

    def export(
        self, run_id: str, *, disclose: Sequence[Stage] | None = (), aside: bool = False
    ) -> Bundle:
        """Put a run into one file; ``disclose`` names stages to open, None opens all of them.

        ``aside`` opens what is kept beside the stages, too: the cache key and the fg0 root.
        """
        stored = self.run(run_id)
        newest = self.newest_checkpoint()
        if self._notary is not None and (newest is None or newest.size <= stored.row.seq):
            self.checkpoint()
        proof = self.proof(stored.row.seq)
        return make_bundle(
            entry=stored.row.body,
            stages=stored.leaves,
            proof=proof.text,
            history=key_records(self, checkpoints.parse(proof.checkpoint)[0].size),
            disclosed=disclosures(stored, disclose) + (disclosed_extras(stored) if aside else ()),
            signers=() if self._notary is None else (self._notary.signer,),
        )

    def checkpoint(self) -> str:
        """Sign the log as it is now and keep the note; or raise ``SignerRefused``."""
        return self.notary.checkpoint()

    def add_cosignature(self, *lines: Signature) -> str:
        """Add known witnesses' lines to the newest checkpoint and keep the result."""
        return self.notary.attach_to_newest(lines)

    def rotate(self, successor: CheckpointSigner) -> PositionedEntry:
        """Hand the log over to another key; the old one signs no checkpoint any more."""
        return self.notary.rotate(successor)

    def revoke(self, key: VerifierKey) -> PositionedEntry:
        """Declare an earlier key untrustworthy from here on."""
        return self.notary.revoke(key)

    def erase(
        self,
        run_ids: Sequence[str],
        *,
        actor: str,
        reason: str,
        stages: Sequence[Stage] | None = None,
    ) -> Erasure:
        """Delete payloads and their salts for good; every other proof still holds.

        What is erased already stays so: the files are scrubbed again, and nothing is recorded.
        """
        names = tuple(dict.fromkeys(run_ids))
        for run_id in names:
            self.find(run_id)
        decisions = [
            erasure.decision(self.draft, run_id, actor=actor, reason=reason, stages=stages)
            for run_id in names
        ]
        try:
            placed = [one for part in _parts(decisions) for one in self._append_all(part)]
        finally:
            scrubbed = self.store.scrub()
        return Erasure(
            run_ids=names,
            payloads=sum(self._payloads_in(one.body) for one in placed),
            seqs=tuple(one.seq for one in placed),
            scrubbed=scrubbed,
        )

    def _payloads_in(self, body: bytes) -> int:
        """How many stages lost their payload by an erase entry, without what lay beside them."""
        run, commits = erasure.ordered(body)
        entry = self.entry(self.find(run)).body
        return len(commits - {entry.aside if isinstance(entry, RunEntry) else None})

    def _append_all(self, decisions: Sequence[Decide]) -> list[PositionedEntry]:
        """Append what there is to append; everybody has been answered when this returns."""
        futures = [self._writer.submit(decision) for decision in decisions]
        wait(futures)
        return [
            future.result()
            for future in futures
            if not isinstance(future.exception(), RecordErased)
        ]

    def _grown(self, size: int) -> None:
        if self._notary is not None:
            self._notary.grown(size)


def _receipt(run_id: str, placed: PositionedEntry, durability: Durability) -> Receipt:
    return Receipt(
        run_id=run_id,
        seq=placed.seq,
        entry_hash=placed.hash,
        kept=RecordPersistence.DURABLE
        if durability is Durability.FULL
        else RecordPersistence.ACCEPTED,
        durability=durability,
    )


def _parts(decisions: Sequence[Decide], size: int = 256) -> Iterator[Sequence[Decide]]:
    return (decisions[start : start + size] for start in range(0, len(decisions), size))


def disclosures(stored: StoredRun, wanted: Sequence[Stage] | None) -> tuple[Disclosure, ...]:
    """The payloads of these stages, in every attempt; naming an erased one is an error."""
    for stage in wanted or ():
        stored.stage(stage)
    return tuple(
        Disclosure(ordinal=kept.ordinal, salt=kept.salt, payload=kept.payload)
        for kept in stored.stages
        if kept.salt is not None
        and kept.payload is not None
        and (wanted is None or kept.planned.stage in wanted)
    )


def disclosed_extras(stored: StoredRun) -> tuple[Disclosure, ...]:
    """What is kept beside the stages, if there is any; an error once it was erased."""
    if stored.aside is None:
        return ()
    stored.beside()
    kept = stored.aside
    assert kept.salt is not None
    assert kept.payload is not None
    return (Disclosure(ordinal=len(stored.stages), salt=kept.salt, payload=kept.payload),)
