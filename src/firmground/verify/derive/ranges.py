"""Ranges: two numbers that are one value, as in "2 to 8 °C" and "between 5 and 10 kg"."""

from __future__ import annotations

from dataclasses import replace

from firmground.verify.derive.model import Limit, Value

_UNLIKE = frozenset({"date", "clock", "label", "ordinal", "share", "ratio"})
_TO = frozenset({"to", "-", "–", "—", "bis", "through"})


def join_ranges(text: str, found: list[Value]) -> tuple[Value, ...]:
    """Join "2 to 8 °C" and "between 5 and 10 kg" to one value; "from 10 to 12" stays two."""
    joined: list[Value] = []
    for value in found:
        if joined:
            low = joined[-1]
            if value.start < low.end:
                continue
            if low.high is None and _is_change(text, low, value):
                joined[-1] = _as_measured(low, value)
            elif low.high is None and _is_range(text, low, value):
                joined[-1] = _range(text, low, value)
                continue
        joined.append(value)
    return tuple(joined)


def _is_range(text: str, low: Value, high: Value) -> bool:
    if high.start - low.end > 6 or low.dimension in ("date", "clock", "label", "ordinal"):
        return False
    if high.dimension in ("date", "clock", "label", "ordinal"):
        return False
    bare = low.dimension in ("", "count") and not low.noun
    if not bare and low.dimension != high.dimension:
        return False
    between = text[low.end : high.start].strip().lower().rstrip("€$£ ")
    before = text[max(0, low.start - 9) : low.start].lower().split()
    last = before[-1] if before else ""
    if between in _TO:
        return last != "from" and low.amount < high.amount * (high.factor if bare else 1.0)
    return between in ("and", "und", "et", "y") and last in ("between", "zwischen", "entre")


def _is_change(text: str, low: Value, high: Value) -> bool:
    """True for "from 10 to 12 million", where scale and unit stand once and belong to both."""
    if low.dimension != "count" or low.noun or low.scale != 1.0 or high.amount <= 0:
        return False
    if high.dimension in _UNLIKE or (high.dimension == "count" and high.scale == 1.0):
        return False
    between = text[low.end : high.start].strip().lower().rstrip("€$£ ")
    return between == "to" and text[max(0, low.start - 6) : low.start].lower().split()[-1:] == [
        "from"
    ]


def _as_measured(low: Value, high: Value) -> Value:
    size = high.scale * high.factor
    return replace(
        low,
        amounts=tuple(one * size for one in low.amounts),
        dimension=high.dimension,
        factor=high.factor,
        scale=high.scale,
        step=low.step * size,
        unit=high.unit,
    )


def _range(text: str, low: Value, high: Value) -> Value:
    scale = high.factor if low.factor == 1.0 and low.dimension in ("", "count") else 1.0
    if scale * low.amount > high.amount >= low.amount:
        scale = 1.0
    return replace(
        high,
        start=low.start,
        text=text[low.start : high.end],
        amounts=tuple(one * scale for one in low.amounts),
        high=high.amount,
        limit=low.limit if low.limit is not Limit.EXACT else Limit.EXACT,
    )
