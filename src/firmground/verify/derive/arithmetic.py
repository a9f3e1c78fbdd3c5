"""Sums, differences, products, quotients, percentages and rates over pairs of operands."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations

from firmground.verify.derive.compare import convert, within
from firmground.verify.derive.dimensions import MONTH_NOUNS, TIME_NOUNS, compatible
from firmground.verify.derive.model import Value
from firmground.verify.derive.search import OperandCandidate, Search

_MOMENTS = frozenset({"date", "clock", "ordinal", "label", "decade"})
_PARTS = frozenset({"percent", "share", "ratio"})
_PER_YEAR = {"month": 12.0, "week": 52.0, "quarter": 4.0, "day": 365.0}
_PER_MONTH = {"week": 4.0, "day": 30.0}
_PER_WEEK = {"day": 7.0, "night": 7.0}
_PER_DAY = {"hour": 24.0}
# Multipliers larger than this are measures, not counts of something.
_LARGEST_COUNT = 1000.0


def try_pairs(search: Search, items: Sequence[OperandCandidate]) -> None:
    """Try every operation of one step on the operands."""
    wanted = search.target.dimension
    same = [item for item in items if _same(item, wanted)]
    _sums(search, same)
    parts = [item for item in items if item.dimension in _PARTS]
    counts = [item for item in items if is_count(item)]
    if wanted in _PARTS:
        _ratios(search, items)
        _complements(search, parts)
    elif wanted == "count":
        _ratios(search, items)
    if wanted not in _PARTS and wanted not in _MOMENTS:
        durations = [i for i in items if i.dimension in ("time", "months")]
        _products(search, same, counts, [] if wanted == "count" else durations)
        _percentages(search, same, parts)
        _rates(search, items)
    if wanted == "ordinal":
        _sums(search, [i for i in items if i.dimension in ("ordinal", "count")])


def _same(item: OperandCandidate, wanted: str) -> bool:
    if item.dimension in _MOMENTS or wanted in _MOMENTS:
        return False
    if wanted == "count" and item.dimension in _PARTS:
        return False
    return compatible(item.dimension, wanted)


def in_target(search: Search, item: OperandCandidate) -> float:
    """The amount of an operand in the dimension of the target."""
    return convert(item.amount, item.dimension, search.target.dimension)[0]


def is_count(item: OperandCandidate) -> bool:
    """True for what can multiply: a bare count that is not huge."""
    return item.dimension in ("count", "") and 1 < item.amount <= _LARGEST_COUNT


def _distinct(a: OperandCandidate, b: OperandCandidate) -> bool:
    if a.fact is not None and a.fact is b.fact:
        return False
    return a.fact is not None or b.fact is not None


def _sums(search: Search, same: Sequence[OperandCandidate]) -> None:
    for a, b in combinations(same, 2):
        if not _distinct(a, b) and not (a.fact is b.fact and a.amount != b.amount and a.fact):
            continue
        if not _addable(a, b):
            continue
        x, y = in_target(search, a), in_target(search, b)
        if within(search.target, x) or within(search.target, y):
            continue
        if a.fact is not b.fact:
            search.offer("sum", x + y, (a, b), "{0} + {1}")
        high, low = (a, b) if x >= y else (b, a)
        search.offer("difference", abs(x - y), (high, low), "{0} − {1}")


def _addable(a: OperandCandidate, b: OperandCandidate) -> bool:
    """True for two values of one dimension; a bare number joins only those of its own column."""
    if (a.dimension == "") == (b.dimension == ""):
        return True
    return a.fact is not None and b.fact is not None and a.fact.column == b.fact.column


def _products(
    search: Search,
    same: Sequence[OperandCandidate],
    counts: Sequence[OperandCandidate],
    durations: Sequence[OperandCandidate],
) -> None:
    for a in same:
        x = in_target(search, a)
        for n in counts:
            if n is a or not _distinct(a, n):
                continue
            search.offer("product", x * n.amount, (a, n), "{0} × {1}")
            search.offer("ratio", x / n.amount, (a, n), "{0} / {1}")
        for d in durations:
            if a.dimension in ("time", "months") or not _distinct(a, d):
                continue
            sizes = {d.amount / d.factor, d.amount if d.dimension == "months" else 0.0}
            for size in sizes:
                if size > 1:
                    search.offer("product", x * size, (a, d), "{0} × {1}")


def _percentages(
    search: Search, same: Sequence[OperandCandidate], parts: Sequence[OperandCandidate]
) -> None:
    for a in same:
        x = in_target(search, a)
        for p in parts:
            if not _distinct(a, p):
                continue
            share = p.amount / 100 if p.dimension == "percent" else p.amount
            search.offer("percent", x * share, (a, p), "{1} of {0}")
            if p.dimension != "ratio" and share < 1:
                search.offer("percent", x * (1 - share), (a, p), "{0} − {1}")
                search.offer("percent", x * (1 + share), (a, p), "{0} + {1}")
                search.offer(
                    "percent",
                    x / (1 + share),
                    (a, p),
                    "{0} / (1 + {1})",
                )
                search.offer(
                    "percent",
                    x / (1 - share),
                    (a, p),
                    "{0} / (1 − {1})",
                )


def _ratios(search: Search, items: Sequence[OperandCandidate]) -> None:
    """Quotients and changes of two values of one dimension."""
    wanted = search.target.dimension
    scale = 100.0 if wanted == "percent" else 1.0
    measured = [i for i in items if i.dimension not in _MOMENTS and i.amount > 0]
    for a, b in permutations(measured, 2):
        if not _distinct(a, b):
            continue
        if not _same_measure(a, b):
            continue
        y = convert(b.amount, b.dimension, a.dimension)[0]
        quotient = a.amount / y
        if wanted == "count" and a.dimension in ("count", ""):
            continue
        search.offer("ratio", quotient * scale, (a, b), "{0} / {1}")
        if wanted in ("percent", "share"):
            change = abs(quotient - 1)
            search.offer("percent_change", change * scale, (a, b), "{0} / {1} − 1")


def _same_measure(a: OperandCandidate, b: OperandCandidate) -> bool:
    """True when a quotient of two values has no dimension."""
    if a.dimension == b.dimension:
        return True
    kinds = {a.dimension, b.dimension}
    if kinds <= {"count", ""} or kinds == {"time", "months"}:
        return True
    return "" in kinds and bool(a.fact and b.fact and a.fact.column == b.fact.column)


def _complements(search: Search, parts: Sequence[OperandCandidate]) -> None:
    wanted = search.target.dimension
    whole = 100.0 if wanted == "percent" else 1.0
    for p in parts:
        amount = convert(p.amount, p.dimension, wanted)[0]
        if 0 < amount < whole and p.fact is not None:
            search.offer("difference", whole - amount, (p,), "100 % − {0}")


def _rates(search: Search, items: Sequence[OperandCandidate]) -> None:
    """A rate times how long, and a rate turned into another period."""
    wanted = search.target.dimension
    for a in items:
        if not a.per:
            continue
        if compatible(a.dimension, wanted):
            _periods(search, a)
            for d in items:
                factor = period_factor(a.per, d)
                if factor and d is not a and _distinct(a, d):
                    search.offer(
                        "product",
                        a.amount * factor,
                        (a, d),
                        "{0} × {1}",
                    )
        _quotas(search, a, items)


def _quotas(search: Search, rate: OperandCandidate, items: Sequence[OperandCandidate]) -> None:
    """How long an amount lasts at a rate: €54 at €6 per day are nine days."""
    wanted = search.target.dimension
    unit = TIME_NOUNS.get(rate.per) if wanted == "time" else MONTH_NOUNS.get(rate.per)
    if wanted == "count":
        unit = 1.0
    if unit is None or wanted not in ("time", "months", "count") or not rate.amount:
        return
    for total in items:
        if total is not rate and total.dimension == rate.dimension and _distinct(total, rate):
            search.offer(
                "ratio",
                total.amount / rate.amount * unit,
                (total, rate),
                "{0} / {1}",
            )


def _periods(search: Search, rate: OperandCandidate) -> None:
    if rate.fact is None:
        return
    for table in (_PER_YEAR, _PER_WEEK, _PER_DAY, _PER_MONTH):
        size = table.get(rate.per)
        if size:
            search.offer("product", rate.amount * size, (rate,), f"{{0}} × {size:g}")


def period_factor(per: str, duration: OperandCandidate) -> float:
    """How many periods of a rate a duration or a count of things holds; 0 if it does not say."""
    if duration.dimension == "time" and per in TIME_NOUNS:
        return duration.amount / TIME_NOUNS[per]
    if duration.dimension == "months" and per in MONTH_NOUNS:
        return duration.amount / MONTH_NOUNS[per]
    if duration.dimension in ("count", "") and 1 < duration.amount <= _LARGEST_COUNT:
        return duration.amount
    if per not in TIME_NOUNS and per not in MONTH_NOUNS and duration.dimension not in _PARTS:
        return duration.amount / duration.factor if duration.dimension not in _MOMENTS else 0.0
    return 0.0


def is_useful(item: OperandCandidate, value: Value) -> bool:
    """True for what can take part in working out a value of this dimension."""
    if value.dimension == "count":
        return item.dimension not in ("label", "decade")
    if value.dimension in ("percent", "share", "ratio"):
        return item.dimension not in ("date", "clock", "label", "ordinal", "decade")
    if item.dimension in ("label", "ordinal", "decade"):
        return False
    if value.dimension in ("time", "months"):
        return True
    if value.dimension in ("date", "clock"):
        return item.dimension in (value.dimension, "time", "months")
    return item.dimension not in ("date", "clock") and (
        compatible(item.dimension, value.dimension)
        or item.dimension in ("count", "percent", "share", "ratio", "time", "months")
        or bool(item.per)
    )
