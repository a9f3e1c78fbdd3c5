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
from firmground.ledger.draft import Draft, Placed
from firmground.ledger.entry import Body, KeyAction, KeyEntry
from firmground.ledger.ids import time_text
from firmground.ledger.keyring import key_entry
from firmground.ledger.keys import VerifierKey
from firmground.ledger.log import Log, LogAt
from firmground.ledger.note import Signature
from firmground.ledger.signing import CheckpointSigner
from firmground.ledger.store import Change, CheckpointRow, LedgerStore, Reader, Transaction
from firmground.ledger.witness import Cosigner
from firmground.ledger.writer import Writer


class Notary:
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
        draft: Callable[[Body], Draft],
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

    def attach(self, text: str, line: Signature) -> str:
        """Add a known witness's line to a checkpoint and keep the result."""
        more = checkpoints.with_signatures(text, [line])
        report = self._weighed(more)
        if report.checkpoint is None or not report.valid:
            raise InputError(f"the cosignature is refused: {'; '.join(report.reasons)}")
        if (line.name, line.key_id) not in {
            (each.witness.name, each.witness.key_id) for each in report.cosigned
        }:
            raise InputError(f"the cosignature is refused: {line.name} is no witness of this log")
        row = _row(report.checkpoint.size, more)
        self._store.transact(lambda transaction: transaction.apply(row))
        return more

    def attach_to_newest(self, line: Signature) -> str:
        """Add a known witness's line to the newest checkpoint and keep the result."""
        newest = self._log.newest_checkpoint()
        if newest is None:
            raise RecordNotFound("the log has no checkpoint to cosign")
        return self.attach(newest.note.decode("utf-8"), line)

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

    def rotate(self, successor: CheckpointSigner) -> Placed:
        """Hand the log over to another key; both sign the checkpoint at which it happens."""
        placed: list[Placed] = []

        def record() -> LogAt:
            signers = (self.signer, successor)
            body = self._statement(KeyAction.ROTATE, successor.verifier, signers)
            placed.append(self._writer.submit(self._draft(body)).result())
            self._store.flush()
            return LogAt(self._store, placed[0].seq + 1)

        with self._signing:
            text = self.signer.hand_over(successor, record)
            self.signer = successor
            self._keep(text)
        return placed[0]

    def revoke(self, key: VerifierKey) -> Placed:
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

    def _begin(self, reader: Reader) -> Draft:
        if reader.acts("key"):
            raise AppendOnlyViolation("the log has a key already")
        return self._draft(self._statement(KeyAction.BEGIN, self.signer.verifier, (self.signer,)))

    def _keep(self, text: str) -> None:
        size = checkpoints.parse(text)[0].size

        def keep(transaction: Transaction) -> None:
            if not any(row.size >= size for row in transaction.checkpoints(newest=1)):
                transaction.apply(_row(size, text))

        self._store.transact(keep)


def _row(size: int, text: str) -> Change:
    return Change(checkpoints=(CheckpointRow(size, text.encode("utf-8")),))
