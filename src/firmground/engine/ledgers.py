"""Keep runs in the ledger, when there is one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from firmground.core.decision import Decision
from firmground.errors import InputError
from firmground.pipeline.outcome import Outcome

if TYPE_CHECKING:
    from firmground.ledger.ledger import About, Ledger


Kept: TypeAlias = "Ledger | Path | str | None"
"""Where runs are kept: an open log, the file of one, or nowhere."""
_Kept = TypeVar("_Kept", bound=Outcome)


@contextmanager
def opened_ledger(
    path: Kept, signer: Path | str | None = None, *, store: str | None = None
) -> Iterator[Ledger | None]:
    """Open the log in that file for writing, or give None when no file is named.

    A log that is open already is given as it is, and stays open.
    ``store`` is the name of an installed store that keeps it instead of SQLite.
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
    from firmground.adapters.stores import open_ledger
    from firmground.ledger.signing import CheckpointSigner

    held = None if signer is None else CheckpointSigner.open(Path(signer))
    with open_ledger(path, signer=held, store=store) as ledger:
        yield ledger


def _open_already(ledger: Ledger) -> Ledger:
    if not callable(getattr(ledger, "record", None)):
        kind = type(ledger).__name__
        raise InputError(f"ledger must be the path of a log or an open one, got {kind}")
    return ledger


def keep(outcome: _Kept, ledger: Ledger | None) -> _Kept:
    """Record the run; the outcome then carries its receipt."""
    if ledger is None:
        return outcome
    receipt = ledger.record(outcome.run, **about(outcome.decision, str(outcome.verdict)))
    return replace(outcome, receipt=receipt)


async def akeep(outcome: _Kept, ledger: Ledger | None, *, run_id: str | None = None) -> _Kept:
    """Record the run without holding up the event loop."""
    if ledger is None:
        return outcome
    words = about(outcome.decision, str(outcome.verdict))
    words["run_id"] = run_id
    receipt = await ledger.arecord(outcome.run, **words)
    return replace(outcome, receipt=receipt)


def about(decision: Decision, verdict: str, *, outcome: str = "") -> About:
    """What the log says in the open about a checked run.

    What a policy let pass is named, and so is an outcome that a person had a part in.
    """
    label = {"decision": decision.step.label, "verdict": verdict}
    if decision.waived:
        label["waived"] = ",".join(sorted({o.rule for o in decision.waived}))
    if outcome in ("escalate", "skip", "abort"):
        label["outcome"] = outcome
    return {"label": label, "policy": bytes.fromhex(decision.policy_digest)}
