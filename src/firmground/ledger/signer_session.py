"""Who speaks for the log: signs it when due, has it cosigned, and hands over to another key."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime

from firmground.errors import (
    AppendOnlyViolation,
    FirmgroundError,
    InputError,
    LedgerUnavailable,
    RecordNotFound,
    SignerRefused,
)
from firmground.ledger import checkpoint as checkpoints
from firmground.ledger.checkpoint import CheckpointReport
from firmground.ledger.checkpointer import Checkpointer, CheckpointPolicy
from firmground.ledger.draft import EntryDraft, PositionedEntry, RewrittenLogError
from firmground.ledger.entry import Body, KeyAction, KeyEntry
from firmground.ledger.ids import time_text
from firmground.ledger.keyring import key_entry
from firmground.ledger.keys import VerifierKey
from firmground.ledger.log import Log, LogAt
from firmground.ledger.note import Signature
from firmground.ledger.signing import CheckpointSigner
from firmground.ledger.store import (
    CheckpointRow,
    LedgerStore,
    StoreChange,
    StoreReader,
    Transaction,
)
from firmground.ledger.witness import Cosigner
from firmground.ledger.writer import Writer

_LOOKED_AT = 64
"""How many of the newest stored notes may be about the same checkpoint."""


class SignerSession:
    """Holds the signer of one open ledger."""

    def __init__(
        self,
        *,
        store: LedgerStore,
        writer: Writer,
        signer: CheckpointSigner,
        policy: CheckpointPolicy,
        cosigners: Sequence[Cosigner],
        witnesses: Sequence[VerifierKey],
        draft: Callable[[Body], EntryDraft],
        clock: Callable[[], datetime],
    ) -> None:
        self.signer = signer
        self._store = store
        self._log = Log(store)
        self._writer = writer
        self._cosigners = tuple(cosigners)
        self.witnesses = (*witnesses, *(cosigner.key for cosigner in cosigners))
        self._draft = draft
        self._clock = clock
        self._signing = threading.RLock()
        self.witness_trouble: FirmgroundError | None = None
        """Why the newest checkpoint lacks a cosignature that was asked for."""
        self._take_office()
        self._checkpointer = Checkpointer(
            policy=policy,
            sign=lambda: checkpoints.parse(self.checkpoint())[0].size,
            refused=lambda error: writer.stop(f"the log may not go on: {error}"),
            signed=signer.last_signed().size,
        )
        self.grown(self._log.size())

    @property
    def trouble(self) -> FirmgroundError | None:
        """Why the newest entries are not under a checkpoint, when signing has failed."""
        return self._checkpointer.trouble

    def grown(self, size: int) -> None:
        """Hear that the log has grown."""
        self._checkpointer.told(size)

    def close(self) -> None:
        """Sign a last time, unless the log was found to contradict itself."""
        self._checkpointer.close()
        if not isinstance(self.trouble, SignerRefused):
            self.checkpoint()

    def checkpoint(self) -> str:
        """Sign the log as it is now and keep the note; or raise ``SignerRefused``.

        A witness that does not answer is noted in ``witness_trouble`` and holds nothing up.
        """
        with self._signing:
            self._store.flush()
            self._require_kept()
            text = self.signer.checkpoint(self._log)
            self._keep(text)
            self.witness_trouble = None
            for cosigner in self._cosigners:
                try:
                    text = self.attach(text, cosigner.cosign(self._log, text))
                except FirmgroundError as error:
                    self.witness_trouble = error
                except Exception as error:  # noqa: BLE001 - a cosigner is somebody else's code
                    self.witness_trouble = LedgerUnavailable(f"{cosigner.key.name}: {error!r}")
            return text

    def _require_kept(self) -> None:
        """Refuse to sign a log that is not the one whose records were acknowledged here."""
        try:
            self._writer.require_kept()
        except RewrittenLogError as error:
            raise SignerRefused(str(error)) from error

    def attach(self, text: str, lines: Sequence[Signature]) -> str:
        """Add the lines of known witnesses to a checkpoint and keep the result.

        Lines by other keys are left out; it is an error when none is left.
        """
        known = {(key.name, key.key_id) for key in self.witnesses}
        ours = [line for line in lines if (line.name, line.key_id) in known]
        if not ours:
            names = ", ".join(line.name for line in lines) or "nobody"
            raise InputError(f"the cosignature is refused: {names} is not a witness of this log")
        more = checkpoints.with_newer(text, ours)
        report = self._weighed(more)
        counted = {(each.witness.name, each.witness.key_id) for each in report.cosigned}
        if report.checkpoint is None or not report.valid:
            raise InputError(f"the cosignature is refused: {'; '.join(report.reasons)}")
        if not all((line.name, line.key_id) in counted for line in ours):
            raise InputError("the cosignature is refused: its time lies ahead of this clock")
        return self._keep(more)

    def attach_to_newest(self, lines: Sequence[Signature]) -> str:
        """Add known witnesses' lines to the newest checkpoint and keep the result."""
        newest = self._log.newest_checkpoint()
        if newest is None:
            raise RecordNotFound("the log has no checkpoint to cosign")
        return self.attach(newest.note.decode("utf-8"), lines)

    def is_witnessed(self, row: CheckpointRow) -> bool:
        """True when a known witness has cosigned."""
        if not self.witnesses:
            return False
        return self._weighed(row.note).valid

    def _weighed(self, text: str | bytes) -> CheckpointReport:
        return checkpoints.verify(
            text,
            keys=self.keys(),
            witnesses=self.witnesses,
            quorum=1,
            now=self._clock().timestamp(),
        )

    def rotate(self, successor: CheckpointSigner) -> PositionedEntry:
        """Hand the log over to another key; both sign the checkpoint at which it happens."""
        placed: list[PositionedEntry] = []

        def record() -> LogAt:
            signers = (self.signer, successor)
            body = self._statement(KeyAction.ROTATE, successor.verifier, signers)
            placed.append(self._writer.submit(self._draft(body)).result())
            self._store.flush()
            self._require_kept()
            return LogAt(self._store, placed[0].seq + 1)

        with self._signing:
            self._log.keyring(self.signer.name).require_new_id(successor.verifier)
            text = self.signer.hand_over(successor, record)
            self.signer = successor
            self._keep(text)
        return placed[0]

    def revoke(self, key: VerifierKey) -> PositionedEntry:
        """Declare an earlier key untrustworthy from here on."""
        body = self._statement(KeyAction.REVOKE, key, (self.signer,))
        terms = self._log.keyring(self.signer.name).terms
        if all(term.key != key or term.revoked is not None for term in terms):
            raise InputError(f"{key} is not a key of this log, or is revoked already")
        if key == self.signer.verifier:
            raise InputError(f"{key} is in office: rotate to another key first, then revoke it")
        return self._writer.submit(self._draft(body)).result()

    def keys(self) -> tuple[VerifierKey, ...]:
        """Every key that has held office."""
        return tuple(term.key for term in self._log.keyring(self.signer.name).terms)

    def _statement(
        self, action: KeyAction, key: VerifierKey, signers: tuple[CheckpointSigner, ...]
    ) -> KeyEntry:
        made = time_text(self._clock())
        return key_entry(
            origin=self.signer.name, action=action, key=key, made=made, signers=signers
        )

    def _take_office(self) -> None:
        self.signer.check(self._log)
        with suppress(AppendOnlyViolation):
            self._writer.submit(self._begin).result()
        current = self._log.keyring(self.signer.name).current()
        if current != self.signer.verifier:
            raise SignerRefused(
                f"the log is signed by {current} now, not by {self.signer.verifier}"
            )

    def _begin(self, reader: StoreReader) -> EntryDraft:
        if reader.acts("key"):
            raise AppendOnlyViolation("the log has a key already")
        return self._draft(self._statement(KeyAction.BEGIN, self.signer.verifier, (self.signer,)))

    def _keep(self, text: str) -> str:
        """Keep a checkpoint with all signatures that are kept for it already; return the whole."""
        head, _ = checkpoints.parse(text)

        def keep(transaction: Transaction) -> str:
            kept = transaction.checkpoints(newest=_LOOKED_AT)
            if any(row.size > head.size for row in kept):
                return text  # an older checkpoint than the newest, of which nothing new is kept
            whole = text
            for row in kept:
                if row.size == head.size:
                    whole = _united(whole, row.note)
            if not kept or kept[-1] != CheckpointRow(head.size, whole.encode("utf-8")):
                transaction.apply(_row(head.size, whole))
            return whole

        return self._store.transact(keep)


def _row(size: int, text: str) -> StoreChange:
    return StoreChange(checkpoints=(CheckpointRow(size, text.encode("utf-8")),))


def _united(text: str, kept: bytes) -> str:
    """The checkpoint with the signatures of both notes, if they are about the same thing."""
    try:
        (head, signed), (ours, mine) = checkpoints.parse(kept), checkpoints.parse(text)
        if head.body != ours.body:
            return text
        have = {(line.name, line.key_id) for line in mine.signatures}
        new = [line for line in signed.signatures if (line.name, line.key_id) not in have]
        return checkpoints.with_signatures(text, new)
    except InputError:  # a damaged row, which an audit names
        return text
