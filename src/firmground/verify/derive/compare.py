"""When a value of the evidence, or a computed one, is the value that a statement gives."""

from __future__ import annotations

from firmground.verify.derive.dimensions import DAYS_PER_MONTH, compatible
from firmground.verify.derive.model import Limit, Value

_EVEN = 1e-6
_ABOUT = 0.055
_NEAR = 0.12
_MONTH_SLACK = 0.025
_DAY = 86400.0


def same_value(said: Value, given: Value) -> bool:  # noqa: PLR0911 - one kind a line
    """True when a value of the evidence is what is said, after conversion or rounding."""
    if said.dimension in ("date", "decade") or given.dimension in ("date", "decade"):
        return same_date(said, given)
    if not compatible(said.dimension, given.dimension):
        return False
    if said.dimension == "label" or given.dimension == "label":
        return said.text == given.text or (
            said.amount == given.amount and said.dimension == given.dimension and said.amount > 0
        )
    if said.dimension == "clock":
        return _same_clock(said, given)
    if said.high is not None:
        return _same_range(said, given)
    if given.high is not None and not _one_sided(said):
        return False
    if {said.dimension, given.dimension} == {"time", "months"}:
        wanted = convert(given.amount, given.dimension, said.dimension)[0]
        slack = _ABOUT if said.limit is not Limit.EXACT else _MONTH_SLACK
        return abs(wanted - said.amount) <= slack * said.amount
    return any(
        within(said, amount, given_step=given.step, given_limit=given.limit)
        for amount in (*given.amounts, *(() if given.high is None else (given.high,)))
        for amount in convert(amount, given.dimension, said.dimension)
    )


def _one_sided(said: Value) -> bool:
    return said.limit in (Limit.AT_LEAST, Limit.AT_MOST, Limit.OVER, Limit.UNDER)


def _same_clock(said: Value, given: Value) -> bool:
    if said.noun and given.noun and said.noun != given.noun:
        shift = int(said.noun) - int(given.noun)
        return any((a - b - shift) % 1440 == 0 for a in said.amounts for b in given.amounts)
    return any(a == b for a in said.amounts for b in given.amounts)


def _same_range(said: Value, given: Value) -> bool:
    if given.high is None or said.high is None:
        return False
    lows = convert(given.amount, given.dimension, said.dimension)
    highs = convert(given.high, given.dimension, said.dimension)
    return any(_even(said.amount, low) for low in lows) and any(_even(said.high, h) for h in highs)


def same_date(said: Value, given: Value) -> bool:
    """True when every part the statement gives stands in one date of the evidence."""
    if "decade" in (said.dimension, given.dimension):
        years = said.parts[0], given.parts[0]
        return None not in years and (years[0] or 0) // 10 == (years[1] or 0) // 10
    if said.dimension != given.dimension:
        return False
    if all(a is None or a == b for a, b in zip(said.parts, given.parts, strict=True)):
        return True
    if said.swappable or given.swappable:
        year, month, day = given.parts
        return all(a is None or a == b for a, b in zip(said.parts, (year, day, month), strict=True))
    return False


def convert(  # noqa: PLR0911 - one pair of dimensions a line
    amount: float, given: str, wanted: str
) -> tuple[float, ...]:
    """Express an amount of one dimension in another that can hold it, at times in two ways."""
    if given == wanted:
        return (amount,)
    if wanted == "percent" and given in ("share", "ratio", ""):
        return (amount * 100,) if given != "" else (amount, amount * 100)
    if wanted in ("share", "ratio") and given == "percent":
        return (amount / 100,)
    if given == "fahrenheit" and wanted == "temperature":
        return ((amount - 32) / 1.8,)
    if given == "temperature" and wanted == "fahrenheit":
        return (amount * 1.8 + 32, amount)
    if given == "months" and wanted == "time":
        return (amount * DAYS_PER_MONTH * _DAY,)
    if given == "time" and wanted == "months":
        return (amount / DAYS_PER_MONTH / _DAY,)
    return (amount,)


def within(
    said: Value, amount: float, *, given_step: float = 0.0, given_limit: Limit = Limit.EXACT
) -> bool:
    """True when an amount, written the way the statement writes its number, gives that number."""
    return any(_within(said, one, amount, given_step, given_limit) for one in said.amounts)


def _within(  # noqa: PLR0911 - one limit a line
    said: Value, one: float, amount: float, given_step: float, given: Limit
) -> bool:
    if _even(one, amount):
        return True
    size, gap = abs(one), amount - one
    limit = said.limit
    if limit is Limit.ABOUT or given is Limit.ABOUT:
        return abs(gap) <= max(_half_step(said), _ABOUT * size)
    if limit is Limit.NEARLY:
        return -_NEAR * size <= gap <= _half_step(said)
    if limit is Limit.JUST_OVER:
        return -_half_step(said) <= gap <= _NEAR * size
    if limit in (Limit.OVER, Limit.UNDER, Limit.AT_LEAST, Limit.AT_MOST):
        return False
    slack = _half_step(said)
    if given_step >= 1.0 and said.step <= 1.0 and said.factor == 1.0:
        return False  # both are whole numbers: they are equal or they are not
    return slack > 0 and abs(gap) <= min(slack, 0.03 * size)


def _half_step(said: Value) -> float:
    return min(said.step / 2, _NEAR * abs(said.amount)) * (1 + _EVEN)


def _even(a: float, b: float) -> bool:
    return abs(a - b) <= _EVEN * max(abs(a), abs(b), 1e-9)


def satisfies(said: Value, amount: float) -> bool:
    """True when an amount obeys the limit that the statement puts: more than 5, at most 60 cm."""
    limit, bound = said.limit, said.amount
    if limit is Limit.EXACT:
        return False
    if limit is Limit.OVER or limit is Limit.AT_LEAST:
        return amount > bound or (amount == bound and limit is Limit.AT_LEAST)
    if limit is Limit.UNDER or limit is Limit.AT_MOST:
        return amount < bound or (amount == bound and limit is Limit.AT_MOST)
    return False
