"""Many answers: one after another, or side by side in several processes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

from firmground.adapters.document import read_request, request_from_value
from firmground.assemble.checks import check_request
from firmground.assemble.hooking import engine_from
from firmground.assemble.keeping import Kept, keep, opened_ledger
from firmground.assemble.parts import DEFAULT_JUDGE, DEFAULT_POLICY, parts_for
from firmground.batch import side_by_side
from firmground.decide import Policy
from firmground.errors import FirmgroundError
from firmground.pipeline import Outcome, Parts, Request
from firmground.pipeline.outcome import receipt_dict

if TYPE_CHECKING:
    from firmground.ledger.ledger import Ledger


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A row that could not be checked, and why. Never the same as one that stands."""

    position: int
    id: str | int
    message: str


def check_many(
    rows: Iterable[Request | Mapping[str, Any]],
    *,
    policy: str | Policy = DEFAULT_POLICY,
    judge: str = DEFAULT_JUDGE,
    workers: int = 1,
    ledger: Kept = None,
) -> Iterator[Outcome | Failure]:
    """Yield one outcome or failure for each row, in order, reading no further ahead than needed.

    A row of any other kind is a failure in its place. ``ledger``, an open one or a path, keeps
    every run.

    With several ``workers`` the calling program must be importable (the usual
    ``if __name__ == "__main__":``), since each is a process of its own.
    """
    parts_for(
        policy=policy, judge=judge
    )  # an unknown name is the caller's mistake, not the first row's
    results = side_by_side(
        iter(enumerate(rows)),
        partial(_check_row, policy, judge),
        workers=workers,
        weigh=_weight,
        died=_died,
    )
    with opened_ledger(ledger) as log:
        for _, outcome in results:
            yield keep(outcome, log) if isinstance(outcome, Outcome) else outcome


_Row = tuple[int, "Request | Mapping[str, Any]"]


def _check_row(policy: str | Policy, judge: str, row: _Row) -> Outcome | Failure:
    position, value = row
    try:
        request = (
            value if isinstance(value, Request) else request_from_value(value, f"row {position}")
        )
        return check_request(request, _parts(policy, judge))
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
def _parts(policy: str | Policy, judge: str, config: str | None = None, version: str = "") -> Parts:
    return parts_for(policy=policy, judge=judge, hooks=engine_from(config))


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchWork:
    """What a batch does with each line; travels to the workers, which build their own parts."""

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
        outcome = check_request(request, _parts(self.policy, self.judge, self.config, self.version))
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
