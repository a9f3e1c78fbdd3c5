"""Arithmetic with moments: time between two of them, and a moment so long before or after."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from itertools import combinations

from firmground.verify.derive.compare import same_value
from firmground.verify.derive.facts import Fact
from firmground.verify.derive.model import Value
from firmground.verify.derive.search import DerivationPath, OperandCandidate, Search

_MINUTES = 1440
_DAY = 86400.0
_MOST_MOMENTS = 24
# Characters between a date and the time of day that belongs to it.
_LARGEST_GAP = 6


def try_between(search: Search, items: Sequence[OperandCandidate]) -> None:
    """Try the time between any two dates, years or times of day."""
    wanted = search.target.dimension
    if wanted == "time":
        _clock_gaps(search, [i for i in items if i.dimension == "clock"][:_MOST_MOMENTS])
    if wanted in ("time", "months"):
        _date_gaps(search, [i for i in items if i.dimension == "date"][:_MOST_MOMENTS])


def _clock_gaps(search: Search, clocks: Sequence[OperandCandidate]) -> None:
    for a, b in combinations(clocks, 2):
        if a.fact is None and b.fact is None:
            continue
        first, second = (a, b) if _before(a, b) else (b, a)
        minutes = second.amount - first.amount
        apart = _days_apart(first, second)
        gaps = {minutes % _MINUTES} if apart is None else {minutes + apart * _MINUTES}
        if apart is None and minutes < 0:
            gaps.add(-minutes)
        for gap in gaps:
            if gap > 0:
                search.offer("duration", gap * 60.0, (second, first),
                             "{0} − {1}")  # fmt: skip


def _before(a: OperandCandidate, b: OperandCandidate) -> bool:
    """True when one moment is stated before the other, which settles what is over midnight."""
    if a.fact is None or b.fact is None:
        return a.amount <= b.amount
    if a.fact.passage == b.fact.passage or a.fact.evidence_id == b.fact.evidence_id:
        return (a.fact.start, a.amount) <= (b.fact.start, b.amount)
    return a.amount <= b.amount


def _days_apart(a: OperandCandidate, b: OperandCandidate) -> float | None:
    """Days between the dates that stand directly before two times, as in log lines."""
    days = [item.noun for item in (a, b)]
    if all(day.startswith("@") for day in days):
        return float(days[1][1:]) - float(days[0][1:])
    return None


def _date_gaps(search: Search, dates: Sequence[OperandCandidate]) -> None:
    wanted = search.target.dimension
    for a, b in combinations(dates, 2):
        if a.fact is None and b.fact is None:
            continue
        first, second = (a, b) if a.amount <= b.amount else (b, a)
        one, two = _parts(first), _parts(second)
        if one[2] is not None and two[2] is not None and (one[0] is None) == (two[0] is None):
            days = second.amount - first.amount
            if wanted == "time" and days:
                for counted in (days, days + 1):
                    plus = " + 1" if counted > days else ""
                    search.offer("duration", counted * _DAY, (second, first),
                                 f"{{0}} − {{1}}{plus}")  # fmt: skip
            if wanted == "months" and days:
                search.offer("duration", _months(one, two), (second, first),
                             "{0} − {1}")  # fmt: skip
        elif wanted == "months" and one[0] is not None and two[0] is not None:
            months = 12.0 * (two[0] - one[0]) + (
                (two[1] or 1) - (one[1] or 1) if one[1] and two[1] else 0
            )
            if months:
                search.offer("duration", months, (second, first),
                             "{0} − {1}")  # fmt: skip
        elif wanted == "months" and one[1] and two[1] and one[0] is None and two[0] is None:
            for counted in (two[1] - one[1], two[1] - one[1] + 1):
                if counted > 0:
                    search.offer("duration", float(counted), (second, first),
                                 "{0} − {1}")  # fmt: skip


def _parts(item: OperandCandidate) -> tuple[int | None, int | None, int | None]:
    value = item.fact.value if item.fact is not None else item.said
    return value.parts if value is not None else (None, None, None)


def _months(
    one: tuple[int | None, int | None, int | None], two: tuple[int | None, int | None, int | None]
) -> float:
    years = (two[0] or 0) - (one[0] or 0)
    whole = 12 * years + (two[1] or 1) - (one[1] or 1)
    return whole + ((two[2] or 1) - (one[2] or 1)) / 30.4375


def moment_hits(
    target: Value, items: Sequence[OperandCandidate]
) -> tuple[list[DerivationPath], int]:
    """Find a moment and a duration whose sum or difference is the target date or time of day."""
    hits: list[DerivationPath] = []
    tried = 0
    bases = [i for i in items if i.dimension == target.dimension and not _is(target, i)]
    spans = [i for i in items if i.dimension in ("time", "months") and _moves(target, i)]
    for base in bases[:_MOST_MOMENTS]:
        for span in spans[:_MOST_MOMENTS]:
            if base.fact is None and span.fact is None:
                continue
            for sign, mark in ((1, "+"), (-1, "−")):
                tried += 1
                if _lands(target, base, span, sign):
                    hits.append(
                        DerivationPath(
                            operation="moment",
                            working=f"{base.text} {mark} {span.text}",
                            items=(base, span),
                            amount=target.amount,
                        )
                    )
    return hits, tried


def _is(target: Value, item: OperandCandidate) -> bool:
    """True for a moment that is the target itself, which needs no arithmetic."""
    if item.said is target:
        return True
    value = item.fact.value if item.fact is not None else item.said
    return value is not None and same_value(target, value)


def _moves(target: Value, span: OperandCandidate) -> bool:
    """True for a span that can move the target: hours a time of day, days a date."""
    if target.dimension == "clock":
        return span.dimension == "time" and 0 < span.amount < _DAY
    return span.dimension == "months" or span.amount >= _DAY


def _lands(  # noqa: PLR0911 - one case a line
    target: Value, base: OperandCandidate, span: OperandCandidate, sign: int
) -> bool:
    if target.dimension == "clock":
        if span.dimension != "time":
            return False
        minute = (base.amount + sign * span.amount / 60) % _MINUTES
        return any(abs(minute - one) < 0.5 for one in target.amounts)
    parts = _parts(base)
    if parts[1] is None or parts[2] is None:
        return _lands_loosely(target, parts, span, sign)
    if target.parts[1] is None:
        return _lands_loosely(target, parts, span, sign)
    landed = _shifted(base.amount, span, sign)
    if landed is None:
        return False
    for slack in (0, 1, -1) if span.dimension == "months" else (0,):
        day = landed + timedelta(days=slack)
        if (day.month, day.day) == target.parts[1:] and (
            target.parts[0] is None or parts[0] is None or target.parts[0] == day.year
        ):
            return True
        if target.parts[2] is None and day.month == target.parts[1] and not slack:
            return target.parts[0] in (None, day.year)
    return False


def _lands_loosely(
    target: Value,
    parts: tuple[int | None, int | None, int | None],
    span: OperandCandidate,
    sign: int,
) -> bool:
    """Years and months without a day."""
    if span.dimension != "months" or parts[0] is None or target.parts[0] is None:
        return False
    moved = parts[0] * 12 + (parts[1] or 1) - 1 + sign * round(span.amount)
    same_year = moved // 12 == target.parts[0]
    return same_year and (
        target.parts[1] is None or (parts[1] is not None and moved % 12 + 1 == target.parts[1])
    )


def _shifted(amount: float, span: OperandCandidate, sign: int) -> date | None:
    try:
        start = date.fromordinal(int(amount))
        if span.dimension == "time":
            return start + timedelta(days=sign * round(span.amount / _DAY))
        moved = start.year * 12 + start.month - 1 + sign * round(span.amount)
        for back in range(4):
            try:
                return date(moved // 12, moved % 12 + 1, start.day - back)
            except ValueError:
                continue
    except (ValueError, OverflowError):
        return None
    return None


def dated_clocks(facts: Sequence[Fact]) -> dict[int, float]:
    """For each time of day that a date stands directly before, the number of that day."""
    dated: dict[int, float] = {}
    last: Fact | None = None
    for fact in facts:
        if fact.dimension == "date":
            last = fact
        elif (
            fact.dimension == "clock"
            and last is not None
            and last.passage == fact.passage
            and 0 <= fact.start - last.end <= _LARGEST_GAP
            and last.value.parts[2] is not None
        ):
            dated[id(fact)] = last.value.amount
    return dated
