"""What stands behind a number: scale words, units, compound durations, nouns and rates."""

# ruff: noqa: E501 - word lists and patterns read better in long lines
from __future__ import annotations

from dataclasses import dataclass

from firmground.verify.derive.dimensions import (
    ONLY_BEHIND_DIGITS,
    find_unit,
    unit_table,
)
from firmground.verify.derive.limits import limit_of
from firmground.verify.derive.model import Value
from firmground.verify.derive.numerals import (
    GLUED_SCALES,
    readings,
    scale_words,
    words_at,
)
from firmground.verify.derive.tokens import TokenList
from firmground.verify.select import stem

_MODIFIERS = frozenset(
    "more fewer less extra additional further full whole working business calendar consecutive "
    "straight other entire trading banking successive solid clear net gross further".split()
)
_NOT_NOUNS = frozenset(
    "the and for with from that this was were are has had have his her their its will would can "
    "could than but not who which when while after before since until into over under about "
    "percent of to in on at by or as is be it an a per each every if so out only per times "
    "more less most other new old und von mit der die das les des dans pour los las del por "
    "between above below plus minus both all then there here now again ago later earlier did "
    "does do may must should might shall also too very during within without against".split()
)
_PER = frozenset({"per", "/", "each", "every", "pro", "par", "por"})
_ARTICLES = frozenset({"a", "an"})
# "for a week" is a quantity, "€5 a week" a rate.
_BEFORE_ARTICLE = frozenset(
    "for in within after about than least most under over nearly almost roughly around lasts last "
    "lasted takes took take until of exactly only another full whole by up to just once approximately "
    "one single mere entire below above was is half spans gets get given has have quite".split()
)
_COMPOUNDS = frozenset({"time", "length", "mass", "months"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Suffix:
    """A number with what was read behind it."""

    behind: int
    amounts: tuple[float, ...]
    step: float
    dimension: str = "count"
    factor: float = 1.0
    unit: str = ""
    noun: str = ""
    per: str = ""
    scale: float = 1.0


def read_suffix(
    tokens: TokenList, at: int, amounts: tuple[float, ...], step: float, *, currency: str
) -> Suffix:
    """Read on behind a number: scale, unit, further parts of a compound, noun and rate."""
    scale, at = _scale(tokens, at, money=bool(currency))
    part, at = _and_part(tokens, at)
    amounts = tuple(one + part for one in amounts)
    if scale != 1.0:
        amounts, step = tuple(one * scale for one in amounts), (step or 1.0) * scale
    if currency:
        per = _rate(tokens, at)
        return Suffix(behind=at, amounts=amounts, step=step, dimension=f"money:{currency}",
                      unit=currency, per=per, scale=scale)  # fmt: skip
    dimension, factor, unit, at, noun = _unit(tokens, at, digits=step > 0)
    if dimension == "count":
        return Suffix(behind=at, amounts=amounts, step=step, noun=_noun(tokens, at),
                      per=_rate(tokens, at + 1), scale=scale)  # fmt: skip
    amounts, step = tuple(one * factor for one in amounts), step * factor
    part, at = _and_part(tokens, at)
    amounts = tuple(one + part * factor for one in amounts)
    if dimension in _COMPOUNDS and not part:
        more, at, finer = _compound(tokens, at, dimension, factor)
        if more:
            amounts, step = tuple(one + more for one in amounts), finer
    return Suffix(behind=at, amounts=amounts, step=step, dimension=dimension, factor=factor,
                  unit=unit, per=_rate(tokens, at), noun=noun, scale=scale)  # fmt: skip


_PARTS = {
    ("a", "half"): 0.5, ("one", "half"): 0.5, ("a", "quarter"): 0.25, ("one", "quarter"): 0.25,
    ("a", "third"): 1 / 3, ("three", "quarter"): 0.75, ("three", "quarters"): 0.75,
}  # fmt: skip


def _and_part(tokens: TokenList, at: int) -> tuple[float, int]:
    """Read "and a half", "and three-quarter": the part, 0 if there is none, and what follows."""
    if tokens.word(at) != "and":
        return 0.0, at
    hyphen = 1 if tokens.word(at + 2) == "-" else 0
    part = _PARTS.get((tokens.word(at + 1), tokens.word(at + 2 + hyphen)))
    return (0.0, at) if part is None else (part, at + 3 + hyphen)


def _scale(tokens: TokenList, at: int, *, money: bool) -> tuple[float, int]:
    scale = 1.0
    glued = GLUED_SCALES.get(tokens.word(at))
    if glued is not None and tokens.glued(at) and not tokens.glued(at + 1):
        written = tokens.raw(at)
        if money or written in ("k", "K", "bn", "mn", "tn") or (written == "M"):
            return glued, at + 1
    if money and tokens.word(at) in ("m", "bn", "k", "b", "mn"):
        return GLUED_SCALES[tokens.word(at)], at + 1
    scales = scale_words()
    while True:
        skip = at + 1 if tokens.word(at) == "-" and tokens.word(at + 1) in scales else at
        size = scales.get(tokens.word(skip))
        if size is None or (size == 12.0 and scale != 1.0):
            return scale, at
        scale, at = scale * size, skip + 1


def _unit(tokens: TokenList, at: int, *, digits: bool) -> tuple[str, float, str, int, str]:
    """Find the unit at a position; modifiers such as "working" or "more" may stand before it."""
    noun = ""
    for skipped in range(3):
        here = at + skipped
        if here >= len(tokens):
            break
        hyphen = tokens.words[here] == "-" and tokens.glued(here)
        first = here + 1 if hyphen else here
        for length in (3, 2, 1):
            found = _unit_of(tokens, first, length, digits=digits and not skipped)
            if found is not None:
                return (*found, tokens.text[tokens.starts[first] : tokens.ends[first + length - 1]],
                        first + length, noun)  # fmt: skip
        if tokens.words[here] not in _MODIFIERS:
            break
        noun = tokens.words[here]
    return "count", 1.0, "", at, ""


def _unit_of(tokens: TokenList, at: int, length: int, *, digits: bool) -> tuple[str, float] | None:  # noqa: PLR0911 - one rule a line
    if at + length > len(tokens):
        return None
    written = tokens.text[tokens.starts[at] : tokens.ends[at + length - 1]]
    if len(written) > 24:
        return None
    if length == 2 and written[0] == "°":
        written = "°" + written[1:].strip()
    if length == 1 and written in ("°",) and tokens.word(at + 1) in ("c", "f"):
        return None
    lowered = written.lower()
    if (
        length == 1
        and lowered in ONLY_BEHIND_DIGITS
        and not digits
        and lowered not in ("min", "quarters")
    ):
        return None
    if lowered in ("in", "an", "a") and (tokens.starts[at] != tokens.ends[at - 1]):
        return None
    if len(lowered) == 1 and tokens.glued(at + 1) and tokens.word(at + 1) in ("'", "’", "-", "_"):
        return None
    return find_unit(" ".join(written.split()))


def _compound(
    tokens: TokenList, at: int, dimension: str, factor: float
) -> tuple[float, int, float]:
    """Read the smaller parts of "1 h 45 min" and "two hours and ten minutes"."""
    skip = at + 1 if tokens.word(at) in ("and", ",") else at
    word = tokens.word(skip)
    if word[:1].isdecimal():
        amounts, behind = readings(tokens.raw(skip)), skip + 1
    else:
        number, behind = words_at(tokens.words, skip) if word else (None, skip)
        amounts = () if number is None else (number,)
    if not amounts:
        return 0.0, at, 0.0
    for length in (2, 1):
        found = _unit_of(tokens, behind, length, digits=True)
        if found is not None and found[0] == dimension and found[1] < factor:
            return amounts[0] * found[1], behind + length, found[1]
    return 0.0, at, 0.0


def _noun(tokens: TokenList, at: int) -> str:
    """The word that is counted: the first content word behind the number, adjectives skipped."""
    for word in tokens.words[at : at + 3]:
        if word == "-":
            continue
        if not word.isalpha():
            return ""
        if word in _MODIFIERS:
            continue
        if word in _NOT_NOUNS:
            return ""
        return stem(word)
    return ""


def _rate(tokens: TokenList, at: int) -> str:
    word, behind = tokens.word(at), tokens.word(at + 1)
    if word in _PER and behind.isalpha():
        return stem(behind)
    if word in _ARTICLES and behind in unit_table():
        return stem(behind)
    return "item" if word == "each" else ""


def article_unit(tokens: TokenList, at: int) -> tuple[Value | None, int]:
    """Read "a week", "an hour and a half", "a fortnight" as one of that unit, and "a full week"."""
    word = tokens.word(at)
    if word not in _ARTICLES and word != "fortnight":
        return None, at + 1
    first = at if word == "fortnight" else at + 1
    if tokens.word(first) in _MODIFIERS | {"single"}:
        first += 1
    found = find_unit(tokens.raw(first)) if first < len(tokens) else None
    if found is None or found[0] not in ("time", "months") or tokens.word(first) in (
        "second", "quarter", "weekend", "d", "h", "s", "y", "min"):  # fmt: skip
        return None, at + 1
    before = tokens.word(at - 1)
    halved = _and_part(tokens, first + 1)[0]
    if before not in _BEFORE_ARTICLE and first == at + 1 and at > 0 and not halved:
        return None, at + 1
    dimension, factor = found
    amount, behind = factor, first + 1
    if halved:
        amount, behind = factor * (1 + halved), _and_part(tokens, behind)[1]
    else:
        more, behind, _ = _compound(tokens, behind, dimension, factor)
        amount += more
    start, end = tokens.starts[at], tokens.ends[behind - 1]
    return Value(
        start=start, end=end, text=tokens.text[start:end], dimension=dimension, amounts=(amount,),
        factor=factor, unit=tokens.raw(first), limit=limit_of(tokens, at, behind),
    ), behind  # fmt: skip
