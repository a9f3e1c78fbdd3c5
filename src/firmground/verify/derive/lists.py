"""Totals, averages, spreads and counts over a full column, row or enumeration."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from firmground.verify.derive.arithmetic import in_target
from firmground.verify.derive.dimensions import compatible
from firmground.verify.derive.search import OperandCandidate, Search

_MOST_ITEMS = 60
_MOST_LISTS = 40
_MOMENTS = frozenset({"date", "clock", "ordinal", "label", "decade"})


def lists_of(items: Sequence[OperandCandidate]) -> list[tuple[OperandCandidate, ...]]:
    """Gather the operands that stand together: one column, one row, one sentence, one section."""
    gathered: dict[str, list[OperandCandidate]] = {}
    for item in items:
        fact = item.fact
        if fact is None or item.dimension in _MOMENTS:
            continue
        for key in _keys(item):
            gathered.setdefault(key, []).append(item)
    return [tuple(found[:_MOST_ITEMS]) for found in gathered.values() if len(found) >= 2][
        :_MOST_LISTS
    ]


def _keys(item: OperandCandidate) -> Iterator[str]:
    fact = item.fact
    if fact is None:
        return
    kind = item.dimension
    if fact.column:
        yield f"c{fact.column}/{kind}"
        yield f"r{fact.row}/{kind}"
    else:
        yield f"p{fact.passage}/{kind}"
        yield f"g{fact.evidence_id}/{kind}/{item.noun if kind == 'count' else ''}"


def try_lists(search: Search, items: Sequence[OperandCandidate]) -> None:
    """Try total, average, spread and total without one member of every list."""
    wanted = search.target.dimension
    for members in lists_of(items):
        if not compatible(members[0].dimension, wanted) or wanted in _MOMENTS:
            continue
        amounts = [in_target(search, item) for item in members]
        total, size = sum(amounts), len(members)
        search.offer("average", total / size, members,
                     f"({{all +}}) / {size}")  # fmt: skip
        if size > 2:
            search.offer("total", total, members, "{all +}")
            search.offer("spread", max(amounts) - min(amounts), members,
                         "largest − smallest of {all +}")  # fmt: skip
            for at in range(size):
                rest = members[:at] + members[at + 1 :]
                search.offer("total", total - amounts[at], rest, "{all +}")
        if size > 3:
            _runs(search, members, amounts)


def _runs(search: Search, members: Sequence[OperandCandidate], amounts: Sequence[float]) -> None:
    """Sums of three neighbours; longer runs would reach almost any value."""
    for at in range(len(members) - 2):
        run = tuple(members[at : at + 3])
        search.offer("total", sum(amounts[at : at + 3]), run, "{all +}")
