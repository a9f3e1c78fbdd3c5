"""Hook that recomputes the calculations in an answer exactly, with a parser for numbers only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from firmground.adapters.hooks._common import (
    VERSION,
    Stop,
    check_source,
    in_thread,
    listed,
    not_applicable,
    pick,
    skipped,
)
from firmground.core.finding import Fault, FaultKind, HookReply
from firmground.core.ports import HookCase

_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d{1,18})(?:\.\d{1,18})?"
# Every piece begins where the one before ended, so the text is read once, whatever stands in it.
_PIECE = re.compile(
    rf"(?P<number>(?<![\w.,]){_NUMBER}(?!\w|[.,]\d))"
    r"|(?P<relation>=|≈|~=|is\s+about\b|equals\b)"
    r"|(?P<operator>of\b|[-+*/×·÷−–()%])"
    r"|(?P<gap>\s+|[$€£])"
    r"|(?P<word>\w+|.)",
    re.DOTALL,
)
_CURRENCY = re.compile(r"[$€£]")
_OPERATORS = {"×": "*", "·": "*", "of": "*", "÷": "/", "−": "-", "–": "-"}
_SIGNS = frozenset({"=", "≈", "~="})
_CERTAIN_OPERATORS = frozenset("+*/×·÷−^√")
_OPERATOR_MARKS = _CERTAIN_OPERATORS | {"-", "–", "%", "of", "plus", "minus", "times"}
_BOUNDARIES = frozenset(".;:,!?")
_MOST_DEPTH = 20
_MOST_PIECES = 200
_MOST_SUMS = 2000
_MOST_TEXT = 200_000


class TooManyCalculations(ValueError):  # noqa: N818 - reads as what is the case
    """More calculations than one answer may make us do."""


class NotACalculation(ValueError):  # noqa: N818 - reads as what is the case
    """The text is not a calculation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ArithmeticHook:
    """Recomputes every calculation the answer writes out."""

    name: str = "arithmetic"
    source: str = "answer"
    version: str = VERSION

    def __post_init__(self) -> None:
        check_source(self.source, key=f"hook {self.name!r}: source")

    async def ask(self, case: HookCase) -> HookReply | Fault:
        """Say which calculations are wrong; an answer without any was not checked."""
        text = pick(case, self.source)
        if text is None:
            return skipped(self.name, f"there is no {self.source} to recompute")
        if len(text) > _MOST_TEXT:
            return self._limit(f"the {self.source} is longer than {_MOST_TEXT} letters")
        return await in_thread(lambda stop: self._check(text, stop))

    def _limit(self, message: str) -> Fault:
        return Fault(source=self.name, kind=FaultKind.LIMIT, message=message, version=self.version)

    def _check(self, text: str, stop: Stop) -> HookReply | Fault:
        unread: list[str] = []
        try:
            right, wrong = recompute(text, stop=stop, unread=unread)
        except TooManyCalculations:
            return self._limit(f"more than {_MOST_SUMS} calculations are written out")
        if unread and not wrong:
            return skipped(self.name, f"cannot be computed: {listed(unread, '; ')}"[:400])
        if not right and not wrong:
            # Without an equals sign there is certainly no calculation that the parser failed to
            # read.
            told = skipped if any(sign in text for sign in "=≈＝") else not_applicable
            return told(self.name, "no calculation is written out")
        return HookReply(
            source=self.name,
            passed=not wrong,
            message=f"{len(wrong)} of {len(right) + len(wrong)} calculations are wrong",
            details=tuple(wrong) if wrong else tuple((sum_, "right") for sum_ in right),
            guidance=listed([f"{sum_} should come to {value}" for sum_, value in wrong], "; "),
            version=self.version,
        )


def recompute(
    text: str, *, stop: Stop = lambda: False, unread: list[str] | None = None
) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the calculations that hold, and those that do not with what they come to.

    Those that are written out but have no value we know are added to ``unread``.
    """
    right: list[str] = []
    wrong: list[tuple[str, str]] = []
    for number, sum_ in enumerate(_sums(text)):
        if number >= _MOST_SUMS or stop():
            raise TooManyCalculations
        if isinstance(sum_, _Unread):
            if unread is not None:
                unread.append(sum_.written)
            continue
        try:
            value = _value(sum_.expression) * sum_.scale
        except (NotACalculation, ZeroDivisionError):
            if unread is not None and not sum_.doubtful:
                unread.append(sum_.written)
            continue
        if _agrees(value, sum_.stated, sum_.digits, loose=sum_.loose):
            right.append(sum_.written)
        elif not sum_.doubtful:
            wrong.append((sum_.written, _written(value)))
    return right, wrong


@dataclass(frozen=True, slots=True, kw_only=True)
class _Operand:
    kind: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class _Calculation:
    """A calculation and what the text says it comes to."""

    expression: list[str]
    stated: Fraction
    digits: int
    scale: int
    loose: bool
    doubtful: bool
    """Words before it may belong to it, so only agreement says anything."""
    written: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Unread:
    """An equation in a form that is not read."""

    written: str


def _sums(text: str) -> Iterator[_Calculation | _Unread]:
    pieces = [
        _Operand(
            kind=match.lastgroup or "", text=match.group(), start=match.start(), end=match.end()
        )
        for match in _PIECE.finditer(text)
        if match.lastgroup != "gap"
    ]
    run: list[_Operand] = []
    before: _Operand | None = None
    for position, piece in enumerate(pieces):
        if piece.kind in ("number", "operator"):
            run.append(piece)
            continue
        if piece.kind == "relation":
            yield from _equation(pieces, position, run, before, text)
        run, before = [], piece


def _equation(
    pieces: list[_Operand],
    position: int,
    run: list[_Operand],
    before: _Operand | None,
    text: str,
) -> Iterator[_Calculation | _Unread]:
    """The calculation on the left of one relation, read or as one that cannot be read."""
    result = _result(pieces, position + 1)
    found = _expression(run, before, text) if 3 <= len(run) <= _MOST_PIECES else None
    if result is not None and found is not None:
        yield _sum_of(*found, pieces[position], result, text)
        return
    side = _left_side(pieces, position, text)
    if result is not None and _computes(side, pieces[position]):
        yield _Unread(written=" ".join(text[side[0].start : result[2]].split()))


def _left_side(pieces: list[_Operand], position: int, text: str) -> list[_Operand]:
    """What stands before a relation, back to the sentence, line or relation before it."""
    first = position
    while first > 0 and position - first < _MOST_PIECES:
        piece, after = pieces[first - 1], pieces[first]
        gap = text[piece.end : after.start]
        ends = piece.text in _BOUNDARIES and gap and first < position
        if ends or piece.kind == "relation" or "\n" in gap:
            break
        first -= 1
    return pieces[first:position]


def _computes(side: list[_Operand], relation: _Operand) -> bool:
    """True when the left side says how to work something out, in whatever form."""
    marks = {piece.text for piece in side}
    numbers = any(piece.kind == "number" or piece.text[0].isdigit() for piece in side)
    if marks & _CERTAIN_OPERATORS:
        return True
    return numbers and (bool(marks & _OPERATOR_MARKS) or relation.text in _SIGNS)


def _result(pieces: list[_Operand], position: int) -> tuple[str, bool, int] | None:
    """What stands after the equals sign: the number, whether it is per cent, and where it ends."""
    sign = ""
    if position < len(pieces) and pieces[position].text in ("-", "−"):
        sign, position = "-", position + 1
    if position >= len(pieces) or pieces[position].kind != "number":
        return None
    number = pieces[position]
    after = pieces[position + 1] if position + 1 < len(pieces) else None
    percent = after is not None and after.text == "%"
    end = after.end if after is not None and percent else number.end
    return sign + number.text, percent, end


def _expression(
    run: list[_Operand], before: _Operand | None, text: str
) -> tuple[list[_Operand], bool] | None:
    """The last whole calculation of a run, and whether something before it may belong to it."""
    start, cut, open_at = 0, False, list[int]()
    for position, piece in enumerate(run):
        follows = position > start and (
            run[position - 1].kind == "number" or _closes(run[position - 1])
        )
        if follows and (piece.kind == "number" or piece.text == "("):
            start, cut, open_at = position, True, []
        if piece.text == "(":
            open_at.append(position)
        elif piece.text == ")":
            if open_at:
                open_at.pop()
            else:
                start, cut = position + 1, False
    if open_at:
        start, cut = open_at[-1] + 1, False
    part = run[start:]
    if not part:
        return None
    head = part[0]
    if head.text == "of":
        return part[1:], True
    if head.kind == "number" or head.text == "(":
        called = head.text == "(" and before is not None and before.end == head.start
        return part, cut or called
    alone = start > 0 or before is None or before.kind != "word" or not before.text[-1].isalnum()
    unary = head.text in ("-", "−") and len(part) > 1 and head.end == part[1].start
    spaced = before is None or before.end < head.start
    return (part, False) if unary and (alone or spaced) else None


def _closes(piece: _Operand) -> bool:
    return piece.text in (")", "%")


def _sum_of(
    part: list[_Operand],
    doubtful: bool,
    relation: _Operand,
    result: tuple[str, bool, int],
    text: str,
) -> _Calculation:
    number, percent, end = result
    expression = [_OPERATORS.get(piece.text, piece.text) for piece in part]
    shown = _CURRENCY.sub(" ", text[part[0].start : end]) if part else ""
    return _Calculation(
        expression=expression,
        stated=_number(number),
        digits=len(number.partition(".")[2]),
        scale=100 if percent and "%" not in expression else 1,
        loose=relation.text not in ("=", "equals"),
        doubtful=doubtful,
        written=" ".join(shown.split()),
    )


def _agrees(value: Fraction, stated: Fraction, digits: int, *, loose: bool) -> bool:
    """Equal, or equal after rounding to the digits that are written."""
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
    if value.denominator == 1:
        return str(value.numerator)
    try:
        return f"{float(value):.10g}"
    except OverflowError:
        return f"about {value.numerator // value.denominator}"


def evaluate(expression: str) -> Fraction:
    """The exact value of a calculation of numbers, the four operations, ``of`` and per cent."""
    tokens = []
    for match in _PIECE.finditer(expression):
        if match.lastgroup not in ("number", "operator", "gap"):
            raise NotACalculation(expression)
        if match.lastgroup != "gap":
            tokens.append(_OPERATORS.get(match.group(), match.group()))
    return _value(tokens)


def _value(tokens: list[str]) -> Fraction:
    if "*" not in tokens and not {"+", "-", "/"} & set(tokens[1:]) and len(tokens) > 2:
        raise NotACalculation("no operation")
    value, rest = _sum(tokens, 0)
    if rest:
        raise NotACalculation("more than a calculation")
    return value


def _sum(tokens: list[str], depth: int) -> tuple[Fraction, list[str]]:
    if depth > _MOST_DEPTH:
        raise NotACalculation("too deep")
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
    if not tokens or depth > _MOST_DEPTH:
        raise NotACalculation("ends early or goes too deep")
    head, rest = tokens[0], tokens[1:]
    if head == "-":
        value, rest = _factor(rest, depth + 1)
        return -value, rest
    if head == "(":
        value, rest = _sum(rest, depth + 1)
        if not rest or rest[0] != ")":
            raise NotACalculation("no closing bracket")
        rest = rest[1:]
    elif head[0].isdigit():
        value = _number(head)
    else:
        raise NotACalculation(head)
    if rest and rest[0] == "%":
        return value / 100, rest[1:]
    return value, rest
