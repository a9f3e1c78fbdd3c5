"""Check many answers, one after another or in several processes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from firmground.adapters.document import read_request, request_from_value
from firmground.batch import side_by_side
from firmground.config.settings import DEFAULT_JUDGE, DEFAULT_POLICY, load_settings
from firmground.core.ports import Judge
from firmground.decide import Policy
from firmground.engine.hook_settings import hooks_from
from firmground.engine.ledgers import keep
from firmground.engine.plans import plan_for
from firmground.engine.running import outside_loop, run_to_end
from firmground.errors import FirmgroundError, InputError
from firmground.pipeline.check import CheckPlan, check, check_now, computes_only
from firmground.pipeline.outcome import Outcome, receipt_dict
from firmground.pipeline.request import Request

if TYPE_CHECKING:
    from firmground.ledger.ledger import Ledger


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
) -> Iterator[Outcome | Failure]:
    """Yield one outcome or failure for each row, in order, reading no further ahead than needed.

    Several workers build a plan of their own, which has a judge by name and nobody to wait for.
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


def _check_by_name(policy: Policy, judge: Any, row: _Row) -> Outcome | Failure:
    return _check_row(_plan(policy, judge), row)


def _check_row(plan: CheckPlan, row: _Row) -> Outcome | Failure:
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


def _died(row: _Row) -> Outcome | Failure:
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


def check_request(request: Request, plan: CheckPlan) -> Outcome:
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


def recorded(row: dict[str, Any], ledger: Ledger) -> dict[str, Any]:
    """Keep the run that came along with a row, and put its receipt in its place."""
    outcome = row.pop(_OUTCOME, None)
    if outcome is None:
        return row
    kept = keep(outcome, ledger).receipt
    return {**row, "receipt": receipt_dict(kept) if kept else None}
