"""Record runs so that they can be proved later.

``record`` returns when the run is on the disk. A signed checkpoint follows within a second; from
then on nobody, the owner of the log included, can take the run back from whoever kept it.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from datetime import datetime
from types import TracebackType
from typing import Required, Self, TypedDict, Unpack

from firmground.core.run import SALT_BYTES, Run, Stage, seal
from firmground.errors import (
    AppendOnlyViolation,
    InputError,
    RecordNotFound,
    SignerRefused,
)
from firmground.ledger import checkpoint as checkpoints
from firmground.ledger import erasure
from firmground.ledger.bundle import Bundle, Disclosure, make_bundle
from firmground.ledger.checkpointer import Checkpointer, CheckpointPolicy
from firmground.ledger.draft import Draft, Place, Placed
from firmground.ledger.entry import (
    Body,
    Durability,
    Entry,
    KeyAction,
    KeyEntry,
    Stream,
    entry_bytes,
)
from firmground.ledger.ids import time_text, utc_now, uuid7
from firmground.ledger.keyring import key_entry
from firmground.ledger.keys import VerifierKey
from firmground.ledger.log import Log, StoredRun
from firmground.ledger.note import Signature
from firmground.ledger.receipt import Erasure, Kept, Receipt
from firmground.ledger.record import run_entry
from firmground.ledger.signing import CheckpointSigner
from firmground.ledger.store import Change, CheckpointRow, Reader, Store, Transaction
from firmground.ledger.witness import Cosigner
from firmground.ledger.writer import QUEUE, Decide, Writer


class About(TypedDict, total=False):
    """What is recorded about a run beside its stages."""

    label: Required[Mapping[str, str]]
    run_id: str | None
    """Chosen by the caller; by default a new UUID of version 7."""
    cache_key: bytes | None
    policy: bytes | None
    """Digest of the policy under which the run was decided."""
    stream: Stream
    compat: bytes | None
    """Root of the same run under the rules of profile fg0."""
    also: Callable[[int], Change] | None
    """What else changes in the same transaction, given the entry's place."""


class Ledger(Log):
    """A log that can be written. Use as a context manager, or close it: closing signs."""

    def __init__(
        self,
        store: Store,
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
        self.signer = signer
        self._cosigners = tuple(cosigners)
        self._witnesses = (*witnesses, *(cosigner.key for cosigner in cosigners))
        self._clock = clock
        self._checkpointer: Checkpointer | None = None
        self._writer = Writer(store, capacity=queue, told=self._grown)
        try:
            if signer is not None:
                self._take_office(signer, policy or CheckpointPolicy())
        except BaseException:
            self._writer.close()
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
        if self._checkpointer is not None:
            self._checkpointer.close()
        try:
            if self.signer is not None and not isinstance(self.trouble, SignerRefused):
                self.checkpoint()
        finally:
            self.store.close()

    @property
    def trouble(self) -> Exception | None:
        """Why the newest entries are not under a checkpoint, when signing has failed."""
        return None if self._checkpointer is None else self._checkpointer.trouble

    @property
    def waiting(self) -> int:
        """How many records are queued and not yet being written."""
        return self._writer.waiting

    # Recording

    def record(
        self, run: Run, *, timeout_seconds: float | None = None, **about: Unpack[About]
    ) -> Receipt:
        """Keep a run; returns once it is as durable as the log promises."""
        draft, run_id = self.draft_run(run, **about)
        return self._receipt(run_id, self._writer.submit(draft).result(timeout_seconds))

    async def arecord(self, run: Run, **about: Unpack[About]) -> Receipt:
        """Keep a run without holding up the event loop."""
        draft, run_id = self.draft_run(run, **about)
        return self._receipt(run_id, await asyncio.wrap_future(self._writer.submit(draft)))

    def draft_run(self, run: Run, **about: Unpack[About]) -> tuple[Draft, str]:
        """Seal a run under fresh salts; nothing is written yet."""
        name = about.get("run_id") or uuid7(self._clock())
        salts = [secrets.token_bytes(SALT_BYTES) for _ in run.nodes]
        sealed = seal(run, run_id=name, salts=salts)
        body = run_entry(
            sealed,
            label=tuple(about["label"].items()),
            cache_key=about.get("cache_key"),
            policy=about.get("policy"),
            stream=about.get("stream", Stream.BUFFERED),
            compat=about.get("compat"),
        )
        vault = tuple(zip(salts, (node.payload for node in run.nodes), strict=True))
        also = about.get("also")
        return self.draft(body, run=name, stages=sealed.stages, vault=vault, also=also), name

    def draft(
        self,
        body: Body,
        *,
        run: str | None = None,
        stages: tuple[bytes, ...] = (),
        vault: tuple[tuple[bytes, bytes], ...] = (),
        also: Callable[[int], Change] | None = None,
    ) -> Draft:
        """Prepare an entry; its time is taken when it gets its place."""

        def write(place: Place) -> bytes:
            return entry_bytes(
                Entry(
                    seq=place.seq,
                    prev=place.prev,
                    ts=time_text(self._clock()),
                    durability=self.store.durability,
                    body=body,
                )
            )

        return Draft(type=body.type, write=write, run=run, stages=stages, vault=vault, also=also)

    def append(self, work: Body | Draft | Decide) -> Placed:
        """Append any entry, or one that is decided upon while nobody else writes."""
        return self.submit(work).result()

    def submit(self, work: Body | Draft | Decide) -> Future[Placed]:
        """Hand in an entry; the future is done once the entry is kept."""
        if isinstance(work, Draft) or callable(work):
            return self._writer.submit(work)
        return self._writer.submit(self.draft(work))

    # Proving

    def receipt(self, run_id: str) -> Receipt:
        """How far a run is kept by now."""
        row = self.row(self.find(run_id))
        return self._receipt(run_id, Placed(row.seq, row.hash, row.body))

    def _receipt(self, run_id: str, placed: Placed) -> Receipt:
        newest = self.newest_checkpoint()
        covered = newest is not None and newest.size > placed.seq
        full = self.store.durability is Durability.FULL
        kept = Kept.DURABLE if full else Kept.ACCEPTED
        if newest is not None and covered:
            kept = Kept.WITNESSED if self._is_witnessed(newest) else Kept.CHECKPOINTED
        return Receipt(
            run_id=run_id,
            seq=placed.seq,
            entry_hash=placed.hash,
            kept=kept,
            durability=self.store.durability,
            checkpoint_size=newest.size if newest is not None and covered else None,
        )

    def _is_witnessed(self, row: CheckpointRow) -> bool:
        if self.signer is None or not self._witnesses:
            return False
        keys = [term.key for term in self.keyring(self.signer.name).terms]
        return checkpoints.verify(row.note, keys=keys, witnesses=self._witnesses, quorum=1).valid

    def export(self, run_id: str, *, disclose: Sequence[Stage] | None = ()) -> Bundle:
        """Put a run into one file; ``disclose`` names stages to open, None opens all of them."""
        stored = self.run(run_id)
        if self.signer is not None:
            newest = self.newest_checkpoint()
            if newest is None or newest.size <= stored.row.seq:
                self.checkpoint()
        return make_bundle(
            entry=stored.row.body,
            stages=stored.leaves,
            proof=self.proof(stored.row.seq).text,
            disclosed=disclosures(stored, disclose),
            signers=() if self.signer is None else (self.signer,),
        )

    # Checkpoints and keys

    def checkpoint(self) -> str:
        """Sign the log as it is now and keep the note; or raise ``SignerRefused``."""
        text = self._sign()
        self._keep_checkpoint(text)
        return self._cosigned(text)

    def _cosigned(self, text: str) -> str:
        for cosigner in self._cosigners:
            text = self.add_cosignature(cosigner.cosign(self, text))
        return text

    def add_cosignature(self, line: Signature) -> str:
        """Add a witness's line to the newest checkpoint and keep the result."""
        newest = self.newest_checkpoint()
        if newest is None:
            raise RecordNotFound("the log has no checkpoint to cosign")
        text = checkpoints.with_signatures(newest.note, [line])
        report = checkpoints.verify(
            text, keys=self._log_keys(), witnesses=self._witnesses, quorum=1
        )
        if not report.valid:
            raise InputError(f"the cosignature is refused: {'; '.join(report.reasons)}")
        self.store.transact(lambda t: t.apply(_kept(newest.size, text)))
        return text

    def rotate(self, successor: CheckpointSigner) -> None:
        """Hand the log over to another key; both sign the checkpoint at which it happens."""
        old = self._need_signer()
        body = self._key_statement(KeyAction.ROTATE, successor.verifier, (old, successor))
        self.append(body)
        text = old.hand_over(self, successor)
        self.signer = successor
        self._keep_checkpoint(text)

    def revoke(self, key: VerifierKey) -> None:
        """Declare an earlier key untrustworthy from here on."""
        self.append(self._key_statement(KeyAction.REVOKE, key, (self._need_signer(),)))

    def _key_statement(
        self, action: KeyAction, key: VerifierKey, signers: tuple[CheckpointSigner, ...]
    ) -> KeyEntry:
        made = time_text(self._clock())
        origin = self._need_signer().name
        return key_entry(origin=origin, action=action, key=key, made=made, signers=signers)

    def _need_signer(self) -> CheckpointSigner:
        if self.signer is None:
            raise InputError("this ledger was opened without a signing key")
        return self.signer

    def _log_keys(self) -> list[VerifierKey]:
        return [term.key for term in self.keyring(self._need_signer().name).terms]

    def _take_office(self, signer: CheckpointSigner, policy: CheckpointPolicy) -> None:
        signer.check(self)
        with suppress(AppendOnlyViolation):
            self.append(self._begin(signer))
        current = self.keyring(signer.name).current()
        if current != signer.verifier:
            raise SignerRefused(f"the log is signed by {current} now, not by {signer.verifier}")
        self._checkpointer = Checkpointer(
            policy=policy,
            sign=lambda: checkpoints.parse(self.checkpoint())[0].size,
            refused=lambda error: self._writer.stop(f"the log may not go on: {error}"),
            signed=signer.last_signed().size,
        )
        self._grown(self.size())

    def _begin(self, signer: CheckpointSigner) -> Decide:
        def decide(reader: Reader) -> Draft:
            if reader.acts("key"):
                raise AppendOnlyViolation("the log has a key already")
            return self.draft(self._key_statement(KeyAction.BEGIN, signer.verifier, (signer,)))

        return decide

    def _sign(self) -> str:
        self.store.flush()
        return self._need_signer().checkpoint(self)

    def _keep_checkpoint(self, text: str) -> int:
        size = checkpoints.parse(text)[0].size

        def keep(transaction: Transaction) -> None:
            if not any(row.size >= size for row in transaction.checkpoints(newest=1)):
                transaction.apply(_kept(size, text))

        self.store.transact(keep)
        if self._checkpointer is not None:
            self._checkpointer.signed(size)
        return size

    def _grown(self, size: int) -> None:
        if self._checkpointer is not None:
            self._checkpointer.told(size)

    # Erasing

    def erase(
        self,
        run_ids: Sequence[str],
        *,
        actor: str,
        reason: str,
        stages: Sequence[Stage] | None = None,
    ) -> Erasure:
        """Delete payloads and their salts for good; every other proof still holds."""
        for run_id in run_ids:
            self.find(run_id)
        futures = [
            self._writer.submit(
                erasure.decision(self.draft, run_id, actor=actor, reason=reason, stages=stages)
            )
            for run_id in run_ids
        ]
        placed = [future.result() for future in futures]
        return Erasure(
            run_ids=tuple(run_ids),
            payloads=sum(erasure.commits_in(one.body) for one in placed),
            seqs=tuple(one.seq for one in placed),
            scrubbed=self.store.scrub(),
        )


def disclosures(stored: StoredRun, wanted: Sequence[Stage] | None) -> tuple[Disclosure, ...]:
    """The payloads of these stages, in every attempt; naming an erased one is an error."""
    chosen = [
        kept
        for kept in stored.stages
        if (kept.payload is not None if wanted is None else kept.planned.stage in wanted)
    ]
    for stage in wanted or ():
        stored.stage(stage)
    return tuple(
        Disclosure(ordinal=kept.ordinal, salt=kept.salt, payload=kept.payload)
        for kept in chosen
        if kept.salt is not None and kept.payload is not None
    )


def _kept(size: int, text: str) -> Change:
    return Change(checkpoints=(CheckpointRow(size, text.encode("utf-8")),))
