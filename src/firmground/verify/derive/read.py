"""Every quantity of a text: numbers with dimension, limit and noun, dates and times of day."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from firmground.verify.derive.dimensions import CODES, SIGNS, find_unit
from firmground.verify.derive.limits import limit_of
from firmground.verify.derive.model import Value
from firmground.verify.derive.moments import moment_values
from firmground.verify.derive.numerals import (
    FRACTIONS,
    GLUED_SCALES,
    GLYPHS,
    MULTIPLES,
    ORDINALS,
    number_words,
    readings,
    scale_words,
    step_of,
    words_at,
)
from firmground.verify.derive.ranges import join_ranges
from firmground.verify.derive.suffix import Suffix, article_unit, read_suffix
from firmground.verify.derive.tokens import TokenList, tokenise

_ORDINAL_ENDINGS = frozenset({"st", "nd", "rd", "th"})
_IDENTIFIER_MARKS = frozenset("-_./:#@\\")
# A number behind one of these names something instead of counting it.
_LABEL_WORDS = frozenset(
    "version versions terminal section sections step steps phase level tier table figure chapter "
    "article clause paragraph appendix annex part platform gate room building floor block line "
    "route bus tram group grade class type model release schedule form port item point rule "
    "no number nr ticket case order invoice unit zone stage round lot batch site ward bay hall "
    "fridge host node server error code category option question page note row column".split()
)
_MINUS = frozenset({"-", "−"})


@lru_cache(maxsize=8192)
def values(text: str) -> tuple[Value, ...]:
    """Read the quantities of a text in order of appearance."""
    tokens = tokenise(text)
    moments = moment_values(text)
    found: list[Value] = list(moments)
    at = upcoming = 0
    while at < len(tokens):
        while upcoming < len(moments) and moments[upcoming].end <= tokens.starts[at]:
            upcoming += 1
        if upcoming < len(moments) and moments[upcoming].start < tokens.ends[at]:
            at += 1
            continue
        value, behind = _value_at(tokens, at)
        if value is not None:
            found.append(value)
        at = max(behind, at + 1)
    found.sort(key=lambda value: (value.start, value.end))
    return join_ranges(text, found)


def _value_at(tokens: TokenList, at: int) -> tuple[Value | None, int]:  # noqa: PLR0911 - one form a line
    word = tokens.words[at]
    if word[0].isdecimal():
        return _digits_at(tokens, at)
    if word in GLYPHS:
        return _measured(tokens, at, at + 1, (GLYPHS[word],), 0.0)
    if word in MULTIPLES and not (word == "halves" and tokens.word(at - 1) in ("two", "both")):
        return _plain(tokens, at, at + 1, "ratio", MULTIPLES[word]), at + 1
    fraction, behind = _fraction_at(tokens, at)
    if fraction is not None:
        return fraction, behind
    if word in number_words() or word in ("a", "an"):
        return _words_at(tokens, at)
    if word in ORDINALS and tokens.word(at - 1) not in ("a", "one"):
        return _plain(tokens, at, at + 1, "ordinal", float(ORDINALS[word])), at + 1
    return article_unit(tokens, at)


def _digits_at(tokens: TokenList, at: int) -> tuple[Value | None, int]:
    raw = tokens.raw(at)
    if _is_identifier(tokens, at):
        return None, at + 1
    amounts = readings(raw)
    behind = tokens.word(at + 1)
    if not amounts:
        return _plain(tokens, at, at + 1, "label", 0.0), at + 1
    glued = tokens.glued(at + 1)
    if glued and behind in _ORDINAL_ENDINGS:
        return _plain(tokens, at, at + 2, "ordinal", amounts[0]), at + 2
    if glued and behind in ("x", "×") and not tokens.word(at + 2)[:1].isdecimal():
        return _plain(tokens, at, at + 2, "ratio", amounts[0]), at + 2
    if glued and behind == "/" and tokens.word(at + 2).isdecimal() and tokens.glued(at + 2):
        return _slashed(tokens, at, amounts[0])
    step = step_of(raw, amounts[0])
    after = at + 1
    if glued and behind in GLYPHS:
        amounts, after, step = (amounts[0] + GLYPHS[behind],), at + 2, 0.0
    negative = tokens.word(at - 1) in _MINUS and tokens.glued(at) and not tokens.glued(at - 1)
    if negative:
        amounts = tuple(-one for one in amounts)
    return _measured(tokens, at, after, amounts, step, begin=at - 1 if negative else at)


def _slashed(tokens: TokenList, at: int, top: float) -> tuple[Value | None, int]:
    """Read 3/4 as a share; other things with a slash are identifiers."""
    bottom = float(tokens.word(at + 2))
    if tokens.glued(at + 3) and tokens.word(at + 3) in ("/", "-", "."):
        return None, at + 4
    if not 0 < top < bottom <= 100:
        return None, at + 3
    return _plain(tokens, at, at + 3, "share", top / bottom), at + 3


def _is_identifier(tokens: TokenList, at: int) -> bool:  # noqa: PLR0911 - one form a line
    """True for digits inside a name, a path or a code: fp-live-2, Q4, 720p, INC-0417."""
    if tokens.glued(at):
        before = tokens.word(at - 1)
        if before.isalpha() and before not in CODES:
            return True
        if before in _IDENTIFIER_MARKS and tokens.glued(at - 1):
            earlier = tokens.word(at - 2)
            if before == "/" and earlier[:1].isdecimal():
                return True  # 2025/26
            if earlier.isalpha() or earlier[-1:] in _IDENTIFIER_MARKS:
                return before != "-" or find_unit(tokens.raw(at - 2)) is None
    if tokens.glued(at + 1):
        behind = tokens.raw(at + 1)
        if behind.isalpha() and (behind.lower() not in GLUED_SCALES or behind == "B"):
            if behind == "B" and tokens.word(at - 1) in SIGNS:
                return False
            return (
                find_unit(behind) is None
                and behind.lower() not in _ORDINAL_ENDINGS
                and behind.lower() not in scale_words()
                and behind != "x"
            )
        if behind == "_":
            return True
    return False


def _words_at(tokens: TokenList, at: int) -> tuple[Value | None, int]:
    number, behind = words_at(tokens.words, at)
    if number is None:
        return article_unit(tokens, at)
    word = tokens.words[at]
    value, after = _measured(tokens, at, behind, (number,), 0.0)
    if value is not None and word == "one" and behind == at + 1 and value.dimension == "count":
        return None, behind  # "one" alone is a pronoun as often as a number
    return value, after


def _fraction_at(tokens: TokenList, at: int) -> tuple[Value | None, int]:  # noqa: PLR0911 - one form a line
    """Read "half", "a third", "two thirds", "three quarters of an hour", "half a million"."""
    word = tokens.words[at]
    top, behind = 1.0, at
    if word in ("a", "an", "one"):
        behind = at + 1
    elif word != "half":
        number, behind = words_at(tokens.words, at)
        if number is None or not 1 < number < 20:
            return None, at
        top = number
    if tokens.word(behind) == "-":
        behind += 1
    part = FRACTIONS.get(tokens.word(behind))
    if part is None or (behind == at and word != "half"):
        return None, at
    if part == 4 and tokens.word(behind + 1) not in ("of", "the", "as", ",", ".", ")", ""):
        return None, at  # a quarter of a year is named without "of"
    if (
        part > 2
        and top == 1
        and tokens.word(behind + 1)
        not in (
            "of",
            "as",
            ",",
            ".",
            ";",
            "the",
            "more",
            "less",
            "fewer",
            "longer",
            "larger",
            "were",
            "are",
            "is",
            "was",
            "cheaper",
            "higher",
            "lower",
            "",
        )
    ):
        return None, at
    behind += 1
    share = top / part
    skip = behind + 1 if tokens.word(behind) in ("of", "-") else behind
    article = skip + 1 if tokens.word(skip) in ("a", "an") else skip
    if article < len(tokens) and (article > skip or tokens.word(behind) == "-" or part == 2):
        scale = scale_words().get(tokens.word(article))
        unit = find_unit(tokens.raw(article)) if article > skip or skip > behind else None
        if scale is not None:
            return _measured(tokens, at, article + 1, (share * scale,), 0.0)
        if unit is None and part == 2 and tokens.word(article) in ("percent", "per"):
            unit = ("percent", 1.0)
        if unit is not None and unit[0] != "count":
            value = _plain(tokens, at, article + 1, unit[0], share * unit[1])
            return replace(value, factor=unit[1], unit=tokens.raw(article)), article + 1
    return _plain(tokens, at, behind, "share", share), behind


def _measured(
    tokens: TokenList,
    at: int,
    behind: int,
    amounts: tuple[float, ...],
    step: float,
    *,
    begin: int | None = None,
) -> tuple[Value | None, int]:
    """Put currency, scale, unit, noun, rate and limit onto a number."""
    begin = at if begin is None else begin
    sign, begin = _currency_before(tokens, begin)
    suffix: Suffix = read_suffix(tokens, behind, amounts, step, currency=sign)
    dimension, noun = suffix.dimension, suffix.noun
    if dimension in ("", "count") and _is_label(tokens, at, suffix):
        dimension, noun = "label", tokens.words[at - 1]
    limit = limit_of(tokens, begin, suffix.behind)
    start, end = tokens.starts[begin], tokens.ends[suffix.behind - 1]
    return Value(
        start=start, end=end, text=tokens.text[start:end], dimension=dimension,
        amounts=suffix.amounts, step=suffix.step, factor=suffix.factor, unit=suffix.unit,
        noun=noun, limit=limit, per=suffix.per, scale=suffix.scale,
    ), suffix.behind  # fmt: skip


def _currency_before(tokens: TokenList, begin: int) -> tuple[str, int]:
    before = tokens.word(begin - 1)
    if before in SIGNS:
        if tokens.glued(begin - 1) and (tokens.word(begin - 2) + before) in SIGNS:
            return SIGNS[tokens.word(begin - 2) + before], begin - 2
        return SIGNS[before], begin - 1
    if before in CODES and (before != "kr" or tokens.word(begin - 2) != "."):
        return ("nok" if before == "kr" else before), begin - 1
    return "", begin


def _is_label(tokens: TokenList, at: int, suffix: Suffix) -> bool:
    """True for "Terminal 2" and "version 8": digits that name the word before them."""
    if at == 0 or not tokens.words[at][0].isdecimal() or suffix.scale != 1.0:
        return False
    before = tokens.words[at - 1]
    if not before.isalpha() or tokens.ends[at] - tokens.starts[at] > 5:
        return False
    return before in _LABEL_WORDS


def _plain(tokens: TokenList, at: int, behind: int, dimension: str, amount: float) -> Value:
    start, end = tokens.starts[at], tokens.ends[behind - 1]
    return Value(
        start=start, end=end, text=tokens.text[start:end], dimension=dimension,
        amounts=(amount,), limit=limit_of(tokens, at, behind),
        step=0.04 * amount if dimension in ("share", "ratio") else 0.0,
        noun=tokens.word(behind) if dimension == "ordinal" else "",
    )  # fmt: skip
