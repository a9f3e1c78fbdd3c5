"""Check many answers, one after another or in several processes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from firmground.adapters.document import read_request, request_from_value
from firmground.batch import side_by_side
from firmground.batch.rows import encode_row
from firmground.config.settings import DEFAULT_JUDGE, DEFAULT_POLICY, load_settings
from firmground.core.ports import Judge
from firmground.decide import Policy
from firmground.engine.hook_settings import hooks_from
from firmground.engine.ledgers import about, keep
from firmground.engine.plans import plan_for
from firmground.engine.running import outside_loop, run_to_end
from firmground.errors import FirmgroundError, InputError
from firmground.pipeline.check import CheckPlan, check, check_now, computes_only
from firmground.pipeline.outcome import CheckOutcome, receipt_dict
from firmground.pipeline.request import Request

if TYPE_CHECKING:
    from firmground.core.run import Run
    from firmground.ledger.ledger import Ledger, RunDetails


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A row that could not be checked, and why. Never the same as one that stands.

    >>> import firmground
    >>> (failed,) = firmground.check_many([{"answer": ""}])
    >>> failed.message
    "row 0: 'evidence' is missing"
    """

    position: int
    id: str | int
    message: str


def check_rows(
    rows: Iterable[Request | Mapping[str, Any]],
    *,
    plan: CheckPlan,
    judge: str | Judge,
    workers: int = 1,
) -> Iterator[CheckOutcome | Failure]:
    """Yield one outcome or failure for each row, in order, reading no further ahead than needed.

    Several workers build a plan of their own, with a judge by name and no callbacks.
    """
    if workers > 1 and not (isinstance(judge, str) and computes_only(plan)):
        raise InputError(
            "with several workers the judge must be a name, and neither hooks nor models can be "
            "asked: use workers=1"
        )
    results = side_by_side(
        iter(enumerate(rows)),
        partial(_check_row, plan) if workers == 1 else partial(_check_by_name, plan.policy, judge),
        workers=workers,
        weigh=_weight,
        died=_died,
    )
    for _, outcome in results:
        yield outcome


_Row = tuple[int, "Request | Mapping[str, Any]"]


def _check_by_name(policy: Policy, judge: Any, row: _Row) -> CheckOutcome | Failure:
    return _check_row(_plan(policy, judge), row)


def _check_row(plan: CheckPlan, row: _Row) -> CheckOutcome | Failure:
    position, value = row
    try:
        request = (
            value if isinstance(value, Request) else request_from_value(value, f"row {position}")
        )
        return check_request(request, plan)
    except (FirmgroundError, RecursionError) as error:
        return Failure(position=position, id=_id_of(value), message=str(error))


def _weight(row: _Row) -> int:
    value = row[1]
    if isinstance(value, Request):
        return len(value.answer) + sum(len(piece.text) for piece in value.evidence)
    return len(repr(value))


def _died(row: _Row) -> CheckOutcome | Failure:
    return Failure(position=row[0], id=_id_of(row[1]), message="the worker process died of it")


def _id_of(value: object) -> str | int:
    name = value.id if isinstance(value, Request) else ""
    if isinstance(value, Mapping):
        name = value.get("id", "")
    return name if isinstance(name, str | int) else ""


@lru_cache(maxsize=8)
def _plan(
    policy: str | Policy, judge: Any, config: str | None = None, version: str = ""
) -> CheckPlan:
    hooks = None if config is None else hooks_from(load_settings(config))
    return plan_for(policy=policy, judge=judge, hooks=hooks)


def check_request(request: Request, plan: CheckPlan) -> CheckOutcome:
    """Check one request from plain code."""
    if computes_only(plan):
        return outside_loop(partial(check_now, request, plan))
    return run_to_end(check(request, plan))


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchWork:
    """What a batch does with each line; travels to the workers, which build their own plan."""

    policy: str | Policy = DEFAULT_POLICY
    judge: str = DEFAULT_JUDGE
    config: str | None = None
    """Settings file whose hooks are asked about every row."""
    version: str = ""
    """What the settings file held when the batch began, as a digest."""
    keep: bool = False
    """True when the outcome must come along, so that ``recorded`` can keep its run."""

    def __call__(self, line: str, number: int) -> dict[str, Any]:
        """Check one row and return it in the documented shape."""
        request = read_request(line, f"line {number}", first_line=number, need_id=True)
        outcome = check_request(request, _plan(self.policy, self.judge, self.config, self.version))
        row = outcome.to_dict()
        return {**row, _OUTCOME: outcome} if self.keep else row


_OUTCOME = "outcome"


def recorded_lines(
    rows: Sequence[tuple[bytes, CheckOutcome | None]], ledger: Ledger, target: str
) -> list[bytes]:
    """Keep the runs of many rows together, and put their receipts into the rows' lines.

    The id of a run follows from the row and the output: a batch that goes on after it was
    interrupted between record and output does not record the row again.
    """
    lines = [json.loads(line) for line, _ in rows]
    runs: list[tuple[Run, RunDetails]] = []
    for row, (_, outcome) in zip(lines, rows, strict=True):
        if outcome is not None:
            words = about(outcome.decision, str(outcome.verdict))
            words["run_id"] = _run_id(f"{target}\0{row['input']}")
            runs.append((outcome.run, words))
    receipts = iter(ledger.record_all(runs))
    for row, (_, outcome) in zip(lines, rows, strict=True):
        if outcome is not None:
            row["receipt"] = receipt_dict(next(receipts))
    return [encode_row(row) for row in lines]


def _run_id(text: str) -> str:
    """A UUID of version 8 that follows from a text."""
    from uuid import UUID

    number = int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big")
    number = number & ~(0xF << 76) & ~(0x3 << 62) | 8 << 76 | 2 << 62
    return str(UUID(int=number))


def recorded(row: dict[str, Any], ledger: Ledger) -> dict[str, Any]:
    """Keep the run that came along with a row, and put its receipt in its place."""
    outcome = row.pop(_OUTCOME, None)
    if outcome is None:
        return row
    kept = keep(outcome, ledger).receipt
    return {**row, "receipt": receipt_dict(kept) if kept else None}
