"""Do the sums in the answer add up? Recomputed exactly, with a parser that knows only numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from firmground.adapters.hooks._common import VERSION, check_source, pick, skipped
from firmground.core.finding import Fault, Verdict
from firmground.core.ports import HookCase

_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d{1,18})(?:\.\d{1,18})?"
_TERM = rf"\(*\s*[-−]?\s*{_NUMBER}\s*%?\s*\)*"
_EQUATION = re.compile(
    rf"(?<![\w.,])({_TERM}(?:\s*(?:[-+*/×·÷−–]|of)\s*{_TERM}){{1,20}})"
    rf"\s*(=|≈|~=|is\s+about|equals)\s*([-−]?\s*(?:[$€£]\s*)?{_NUMBER})\s*(%)?(?![\w]|[.,]\d)"
)
_TOKEN = re.compile(rf"\s*({_NUMBER}|of\b|[-+*/×·÷−–()%])")
_CURRENCY = re.compile(r"[$€£]")
_OPERATORS = {"×": "*", "·": "*", "of": "*", "÷": "/", "−": "-", "–": "-"}
_MOST_DEPTH = 20
_MOST_TEXT = 200_000


class NotASum(ValueError):  # noqa: N818 - reads as what is the case
    """The text is no calculation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArithmeticHook:
    """Recomputes every calculation the answer writes out."""

    name: str = "arithmetic"
    source: str = "answer"
    version: str = VERSION

    def __post_init__(self) -> None:
        check_source(self.source, key=f"hook {self.name!r}: source")

    async def ask(self, case: HookCase) -> Verdict | Fault:
        """Say which calculations are wrong; an answer without any was not checked."""
        text = pick(case, self.source)
        if text is None:
            return skipped(self.name, f"there is no {self.source} to recompute")
        right, wrong = recompute(text[:_MOST_TEXT])
        if not right and not wrong:
            return skipped(self.name, "no calculation is written out")
        return Verdict(
            source=self.name,
            passed=not wrong,
            message=f"{len(wrong)} of {len(right) + len(wrong)} calculations are wrong",
            details=tuple(wrong) if wrong else tuple((sum_, "right") for sum_ in right),
            guidance="; ".join(f"{sum_} should come to {value}" for sum_, value in wrong),
            version=self.version,
        )


def recompute(text: str) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the calculations that hold, and those that do not with what they come to."""
    right: list[str] = []
    wrong: list[tuple[str, str]] = []
    plain = _CURRENCY.sub(" ", text)
    for match in _EQUATION.finditer(plain):
        expression, relation, result, percent = match.groups()
        try:
            value = evaluate(expression)
        except (NotASum, ZeroDivisionError):
            continue
        stated = _number(result)
        whole = " ".join(match.group().split())
        scale = 100 if percent and "%" not in expression else 1
        if _agrees(value * scale, stated, result, loose=relation not in ("=", "equals")):
            right.append(whole)
        else:
            wrong.append((whole, _written(value * scale)))
    return right, wrong


def _agrees(value: Fraction, stated: Fraction, written: str, *, loose: bool) -> bool:
    """Equal, or equal after rounding to the digits that are written."""
    digits = len(written.partition(".")[2])
    unit = Fraction(1, 10**digits)
    if value == stated:
        return True
    terminates = (value / unit).denominator == 1
    if loose:
        return abs(value - stated) <= max(unit, abs(value) / 50)
    off = abs(value - stated)
    # A half that was rounded away to a whole number is a wrong sum, not a rounded one.
    return not terminates and (off < unit / 2 or (digits > 0 and off == unit / 2))


def _number(text: str) -> Fraction:
    clean = re.sub(r"[,\s]", "", text).replace("−", "-")
    return Fraction(clean)


def _written(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else f"{float(value):.10g}"


def evaluate(expression: str) -> Fraction:
    """The exact value of a calculation of numbers, the four operations, ``of`` and per cent."""
    tokens = _tokens(expression)
    value, rest = _sum(tokens, 0)
    if rest:
        raise NotASum(expression)
    return value


def _tokens(expression: str) -> list[str]:
    tokens, position = [], 0
    text = expression.strip()
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise NotASum(expression)
        tokens.append(_OPERATORS.get(match.group(1), match.group(1)))
        position = match.end()
    return tokens


def _sum(tokens: list[str], depth: int) -> tuple[Fraction, list[str]]:
    if depth > _MOST_DEPTH:
        raise NotASum("too deep")
    value, rest = _product(tokens, depth)
    while rest and rest[0] in "+-":
        other, after = _product(rest[1:], depth)
        value = value + other if rest[0] == "+" else value - other
        rest = after
    return value, rest


def _product(tokens: list[str], depth: int) -> tuple[Fraction, list[str]]:
    value, rest = _factor(tokens, depth)
    while rest and rest[0] in "*/":
        other, after = _factor(rest[1:], depth)
        value = value * other if rest[0] == "*" else value / other
        rest = after
    return value, rest


def _factor(tokens: list[str], depth: int) -> tuple[Fraction, list[str]]:
    if not tokens:
        raise NotASum("ends early")
    head, rest = tokens[0], tokens[1:]
    if head == "-":
        value, rest = _factor(rest, depth + 1)
        return -value, rest
    if head == "(":
        value, rest = _sum(rest, depth + 1)
        if not rest or rest[0] != ")":
            raise NotASum("no closing bracket")
        rest = rest[1:]
    elif head[0].isdigit():
        value = _number(head)
    else:
        raise NotASum(head)
    if rest and rest[0] == "%":
        return value / 100, rest[1:]
    return value, rest
