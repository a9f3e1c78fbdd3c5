"""Whether a log keeps what it promised to others: receipts, and the quorum of its witnesses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from firmground.errors import InputError
from firmground.ledger import checkpoint as checkpoints
from firmground.ledger.keyring import KeyTerm
from firmground.ledger.keys import VerifierKey
from firmground.ledger.receipt import read_receipt
from firmground.ledger.replay import LogPart, LogProblem, LogProblemKind
from firmground.ledger.store import StoreReader


def receipt_problems(
    reader: StoreReader,
    receipts: Iterable[str | bytes],
    keys: Sequence[VerifierKey],
    terms: Sequence[KeyTerm],
) -> Iterator[LogProblem]:
    """Compare the entries that signed receipts name with those that the log holds."""
    bounded = {term.key for term in terms}
    bare = [key for key in keys if key not in bounded]
    for text in receipts:
        try:
            told = read_receipt(text, keys=bare, terms=terms)
        except InputError as error:
            yield _receipt_problem(LogProblemKind.UNREADABLE, None, str(error))
            continue
        stored = [row.hash for row in reader.entries(told.seq, told.seq + 1)]
        if not stored:
            detail = f"a signed receipt names entry {told.seq}, which is not in the log"
            yield _receipt_problem(LogProblemKind.TRUNCATED, told.seq, detail)
        elif stored != [told.entry_hash]:
            detail = "a signed receipt names another entry at this place"
            yield _receipt_problem(LogProblemKind.CHANGED, told.seq, detail)


def quorum_problems(
    notes: Iterable[str | bytes],
    *,
    size: int,
    keys: Sequence[VerifierKey],
    witnesses: Sequence[VerifierKey],
    quorum: int,
    max_age_seconds: float | None,
) -> Iterator[LogProblem]:
    """Require the quorum of cosignatures on the checkpoint of this size, in one of the notes."""
    reasons: tuple[str, ...] = ("there is no checkpoint that witnesses could have cosigned",)
    for note in notes:
        report = checkpoints.verify(
            note,
            keys=keys,
            witnesses=witnesses,
            quorum=quorum,
            max_age_seconds=max_age_seconds,
        )
        if report.checkpoint is not None and report.checkpoint.size == size:
            if report.valid:
                return
            reasons = report.reasons
    for reason in reasons:
        yield LogProblem(
            part=LogPart.CHECKPOINT, wrong=LogProblemKind.MISSING, seq=size, detail=reason
        )


def _receipt_problem(wrong: LogProblemKind, seq: int | None, detail: str) -> LogProblem:
    return LogProblem(part=LogPart.KEPT, wrong=wrong, seq=seq, detail=detail)
