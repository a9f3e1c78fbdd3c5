"""Keep runs in the ledger, when there is one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from firmground.core.decision import Decision
from firmground.errors import InputError
from firmground.pipeline.outcome import CheckOutcome
from firmground.pipeline.request import Request

if TYPE_CHECKING:
    from firmground.ledger.ledger import Ledger, RunDetails


Kept: TypeAlias = "Ledger | Path | str | None"
"""Where runs are kept: an open log, the file of one, or nowhere."""
_Kept = TypeVar("_Kept", bound=CheckOutcome)


@contextmanager
def opened_ledger(
    path: Kept,
    signer: Path | str | None = None,
    *,
    store: str | None = None,
    witnesses: Sequence[tuple[str, str]] = (),
) -> Iterator[Ledger | None]:
    """Open the log in that file for writing, or give None when no file is named.

    A log that is open already is given as it is, and stays open.
    ``store`` is the name of an installed store that keeps it instead of SQLite.
    ``witnesses`` are asked to cosign every checkpoint: (address, public key).
    With the log's key file as ``signer`` what was recorded is under a signed checkpoint at the end.
    """
    if path is None:
        if signer is not None:
            raise InputError("a signing key was given, but no ledger to sign")
        yield None
        return
    if not isinstance(path, str | os.PathLike):
        yield _open_already(path)
        return
    if not str(path):
        raise InputError("the ledger has no name: name a file, or leave the ledger out")
    # The log brings signatures and a database along; a check that keeps nothing needs neither.
    from firmground.adapters.signers import open_signer
    from firmground.adapters.stores import open_ledger

    held = None if signer is None else open_signer(signer)
    with open_ledger(path, signer=held, store=store, cosigners=witnesses) as ledger:
        yield ledger


def _open_already(ledger: Ledger) -> Ledger:
    if not callable(getattr(ledger, "record", None)):
        kind = type(ledger).__name__
        raise InputError(f"ledger must be the path of a log or an open one, got {kind}")
    return ledger


def keep(outcome: _Kept, ledger: Ledger | None, *, subject: str | None = None) -> _Kept:
    """Record the run; the outcome then carries its receipt."""
    if ledger is None:
        return outcome
    words = about(outcome.decision, str(outcome.verdict))
    words["subject"] = subject
    receipt = ledger.record(outcome.run, **words)
    return replace(outcome, receipt=receipt)


async def akeep(
    outcome: _Kept,
    ledger: Ledger | None,
    *,
    run_id: str | None = None,
    subject: str | None = None,
) -> _Kept:
    """Record the run without holding up the event loop."""
    if ledger is None:
        return outcome
    words = about(outcome.decision, str(outcome.verdict))
    words["run_id"] = run_id
    words["subject"] = subject
    receipt = await ledger.arecord(outcome.run, **words)
    return replace(outcome, receipt=receipt)


def subject_of(request: Request) -> str | None:
    """Whose data a request holds: its metadata under ``subject``."""
    return next((str(value) for name, value in request.metadata if name == "subject"), None)


def about(decision: Decision, verdict: str, *, outcome: str = "") -> RunDetails:
    """The public label of a checked run in the log.

    It names what a policy waived, and an outcome that a person took part in.
    """
    label = {"decision": decision.step.label, "verdict": verdict}
    if decision.waived:
        label["waived"] = ",".join(sorted({o.rule for o in decision.waived}))
    if outcome in ("escalate", "skip", "replace", "abort"):
        label["outcome"] = outcome
    return {"label": label, "policy": bytes.fromhex(decision.policy_digest)}
