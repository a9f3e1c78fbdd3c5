"""Compares quantities by value, with rounding, and only within a dimension."""

from __future__ import annotations

from enum import StrEnum

from firmground.verify.values.quantities import NumberBound, Quantity

_SHARE_ABOUT = 0.06
# Without "about", a rounded number may be off by no more than this share.
_SHARE_ROUND = 0.03
_EVEN = 1e-9
_DEGREES = frozenset({"degree", "celsius", "fahrenheit"})


class Match(StrEnum):
    """How two quantities compare."""

    SAME = "same"
    ROUNDED = "rounded"
    WITHIN = "within"
    DIFFERENT = "different"
    INCOMPARABLE = "incomparable"


def compare(said: Quantity, given: Quantity) -> Match:
    """Compare a claim's number with a source's number, allowing for honest rounding."""
    if said.unit and given.unit and not _like(said.unit, given.unit):
        return Match.INCOMPARABLE
    if any(_even(a, b) for a in said.readings for b in given.readings) and _same_top(said, given):
        return Match.SAME
    if any(_rounds(said, b) for b in given.readings):
        return Match.ROUNDED
    if _within(said, given):
        return Match.WITHIN
    return Match.DIFFERENT if _comparable(said, given) else Match.INCOMPARABLE


def _like(one: str, other: str) -> bool:
    """True for one unit, and for bare degrees beside those of a scale."""
    return one == other or ("degree" in (one, other) and {one, other} <= _DEGREES)


def _comparable(said: Quantity, given: Quantity) -> bool:
    if said.ordinal != given.ordinal:
        return False
    if said.unit or given.unit:
        return _like(said.unit, given.unit)
    return said.noun == given.noun


def _same_top(said: Quantity, given: Quantity) -> bool:
    return said.high is None or given.high is None or _even(said.high, given.high)


def _even(a: float, b: float) -> bool:
    return abs(a - b) <= _EVEN * max(1.0, abs(a), abs(b))


def _rounds(said: Quantity, value: float) -> bool:
    """True when the source's value, written as precisely as the claim's, gives the claim's."""
    for reading in said.readings:
        slack = said.step / 2
        if said.bound is NumberBound.ABOUT:
            slack = max(slack if said.step < abs(reading) else 0.0, _SHARE_ABOUT * abs(reading))
        elif said.step <= 1 and float(value).is_integer():
            continue
        else:
            slack = min(slack, _SHARE_ROUND * abs(reading))
        if abs(value - reading) <= slack * (1 + _EVEN):
            return True
    return False


def _within(said: Quantity, given: Quantity) -> bool:
    low, high = min(given.readings), given.high
    value = max(said.readings)
    if high is not None and said.high is None and low <= value <= high:
        return True
    if said.high is not None and given.high is None:
        return min(said.readings) <= low <= said.high
    if not _comparable(said, given):
        return False
    if said.bound is NumberBound.OVER:
        return value <= max(given.readings) <= value * 2
    if said.bound is NumberBound.UNDER:
        return value / 2 <= min(given.readings) <= value
    return False
