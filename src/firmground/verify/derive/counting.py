"""Counting: how many rows a table has, and how many of its values obey a bound."""

from __future__ import annotations

from collections.abc import Sequence

from firmground.verify.derive.compare import satisfies
from firmground.verify.derive.dimensions import compatible
from firmground.verify.derive.facts import Fact, Facts
from firmground.verify.derive.model import Limit, Value
from firmground.verify.derive.search import DerivationPath, OperandCandidate

_ONE_SIDED = frozenset({Limit.OVER, Limit.UNDER, Limit.AT_LEAST, Limit.AT_MOST})
_MOST_ROWS = 200


def count_hits(target: Value, said: Sequence[Value], facts: Facts) -> list[DerivationPath]:
    """Find a column of which as many values as the target says obey a bound of the statement.

    Without a bound the target may be the number of rows: "all five hosts", "of the five hosts".
    """
    if target.dimension != "count" or target.amount != int(target.amount):
        return []
    columns = _columns(facts)
    bounds = [one for one in said if one.limit in _ONE_SIDED and one is not target]
    hits = [
        hit
        for bound in bounds
        for members in columns
        if (hit := _counted(target, bound, members)) is not None
    ]
    if not hits:
        hits = [_rows(target, members) for members in columns if len(members) == target.amount]
    return hits


def _columns(facts: Facts) -> list[list[Fact]]:
    gathered: dict[str, list[Fact]] = {}
    rows: dict[str, set[str]] = {}
    for fact in facts.facts:
        if fact.column and fact.row not in rows.setdefault(fact.column, set()):
            rows[fact.column].add(fact.row)
            gathered.setdefault(fact.column, []).append(fact)
    return [found[:_MOST_ROWS] for found in gathered.values() if len(found) > 1]


def _counted(target: Value, bound: Value, members: Sequence[Fact]) -> DerivationPath | None:
    if not compatible(members[0].dimension, bound.dimension):
        return None
    if members[0].dimension == "" and bound.dimension not in ("count", "percent"):
        return None
    obeying = [fact for fact in members if satisfies(bound, fact.value.amount)]
    if len(obeying) != target.amount:
        return None
    working = f"{len(obeying)} of {len(members)} are {bound.limit.value} {bound.text}"
    return _hit("count_bound", working, obeying, target)


def _rows(target: Value, members: Sequence[Fact]) -> DerivationPath:
    return _hit("count", f"{len(members)} rows", members, target)


def _hit(operation: str, working: str, members: Sequence[Fact], target: Value) -> DerivationPath:
    items = tuple(
        OperandCandidate(amount=f.value.amount, dimension=f.dimension, text=f.value.text, fact=f)
        for f in members
    )
    return DerivationPath(operation=operation, working=working, items=items, amount=target.amount)
