"""Numbers with their units, bounds and precision, in the number formats of four languages."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache

from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.values.calendar import days
from firmground.verify.values.clock import hours, times
from firmground.verify.values.language import language_of
from firmground.verify.values.number_words import TOO_COMMON, scale_of, word_numbers
from firmground.verify.values.units_of_measure import CODES, SIGNS, UNITS


class NumberBound(StrEnum):
    """How firmly a number is meant."""

    EXACT = "exact"
    ABOUT = "about"
    OVER = "over"
    UNDER = "under"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number as it was meant: every way it can be read, its unit and how precise it is."""

    start: int
    end: int
    text: str
    readings: tuple[float, ...]
    high: float | None = None
    """Upper end when a range is named."""
    unit: str = ""
    """Dimension such as ``percent``, ``usd`` or ``metre``; empty when none is written."""
    noun: str = ""
    """The word counted, lower case, when no unit is written."""
    bound: NumberBound = NumberBound.EXACT
    step: float = 1.0
    """Size of the last digit that was written."""
    worded: bool = False
    """Written as a small word, as in ``two women``."""
    ordinal: bool = False
    factor: float = 1.0
    """What scale words and unit multiplied the written digits by."""


# Scripts that put no space between words: a letter before a number is not part of it.
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff"
_NUMERAL = lazy_pattern(
    rf"(?<![^\W{_UNSPACED}])(?<![^\W\d][-.:/])(?<!\d[.:/])\d+(?:[.,'’\u00a0\u202f\u2009]\d+)*(?![\d:])"
)
_GLUED = lazy_pattern(rf"[^\W\d_{_UNSPACED}]")
_GROUPED_SPACE = lazy_pattern(r"\d{1,3}(?: \d{3})+(?!\d)")
_WORDS = lazy_pattern(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_ORDINAL = lazy_pattern(r"(?:st|nd|rd|th|ste|ème|er|º|ª)\b", re.IGNORECASE)
_SCALE = lazy_pattern(r"[\s-]?([^\W\d_]+)\.?")
_UNIT = lazy_pattern(
    r"[\s-]?(%|°\s?[CF]?|US\$|[$€£¥₹]|[^\W\d_]+(?:/h)?(?:[\s-][^\W\d_]+){0,2})", re.IGNORECASE
)
_SIGN_BEFORE = lazy_pattern(r"(US\$|[$€£¥₹]|\b(?:USD|EUR|GBP|CHF|JPY|INR))\s?\Z", re.IGNORECASE)
_ABOUT = lazy_pattern(
    r"(?:\b(?:about|around|approximately|approx\.?|roughly|nearly|almost|circa|ca\.?|some|close to|"
    r"etwa|rund|ungefähr|knapp|fast|environ|près de|presque|à peu près|unos|unas|alrededor de|"
    r"aproximadamente|casi|cerca de|in the region of)|~|≈)\s*(?:a |an |the )?\Z",
    re.IGNORECASE,
)
_OVER = lazy_pattern(
    r"(?:\b(?:over|more than|at least|above|exceed(?:s|ed|ing)?|greater than|upwards of|mehr als|"
    r"über|mindestens|plus de|au moins|más de|al menos|no less than)|>|≥)\s*(?:a |an )?\Z",
    re.IGNORECASE,
)
_UNDER = lazy_pattern(
    r"(?:\b(?:under|less than|fewer than|at most|below|up to|no more than|weniger als|unter|"
    r"höchstens|bis zu|moins de|au plus|menos de|hasta|como máximo)|<|≤)\s*(?:a |an )?\Z",
    re.IGNORECASE,
)
_BETWEEN = lazy_pattern(r"\b(?:between|zwischen|entre)\s*(?:US\$|[$€£¥₹])?\s*\Z", re.IGNORECASE)
_FROM = lazy_pattern(r"\b(?:from|von|de|desde)\s*(?:US\$|[$€£¥₹])?\s*\Z", re.IGNORECASE)
_TO = lazy_pattern(r"\s*(?:to|-|–|—|bis|à|through)\s*(?:US\$|[$€£¥₹])?\s*", re.IGNORECASE)
_AND = lazy_pattern(r"\s*(?:and|und|et|y)\s*(?:US\$|[$€£¥₹])?\s*", re.IGNORECASE)
_NOUN = lazy_pattern(r"[\s-]+((?:[^\W\d_]+[\s-]){0,2}?)([^\W\d_]{3,})")
_NOT_NOUNS = frozenset(
    "the and for with from that this was were are has had have his her their its will would can "
    "could than but not who which when while after before since until into over under about "
    "percent more less most other new old der die das und von mit les des dans pour par los las "
    "del por con para que".split()
)
_HUNDRED = lazy_pattern(r"\s+(?:hundred|cent|cientos)\s+(?:and\s+)?", re.IGNORECASE)
_HALF = lazy_pattern(r"\b(?:half|halbe|demi)[\s-]\Z", re.IGNORECASE)
# "3. Stir well" numbers the step, and "4 out of 5" has one figure that is said.
_MARKER = lazy_pattern(r"\d{1,3}[.)](?=\s)")
_OUT_OF = lazy_pattern(
    r"(?:\bout of (?:a possible )?|/|\b(?:passages?|documents?|sources?|reviews?|texts?|steps?|"
    r"evidence|contexts?|articles?)[ #]{1,2}|\[)\Z",
    re.IGNORECASE,
)
_HALVES = lazy_pattern(
    r"\b([a-z]+|\d+) ([a-z]+) and a half\b|\b([a-z]+|\d+) and a half ([a-z]+)\b", re.IGNORECASE
)
_YEARS_OLD = lazy_pattern(r"[\s-]?(years?[\s-]old)\b", re.IGNORECASE)
_LOOK_BACK = 24
_DOZEN = 12


@lru_cache(maxsize=4096)
def quantities(text: str) -> tuple[Quantity, ...]:
    """Read the numbers of a text; dates, times of day and identifiers are left to others."""
    language = language_of(text)
    halves = _and_a_half(text, language)
    taken = bytearray(len(text))
    spans = [(day.start, day.end) for day in days(text)]
    spans += [(time.start, time.end) for time in times(text)]
    spans += [(stretch.start, stretch.end) for stretch in hours(text)]
    spans += [(half.start, half.end) for half in halves]
    for start, end in spans:
        taken[start:end] = b"\1" * (end - start)
    found = [*halves, *_numerals(text, language, taken), *_worded(text, language, taken)]
    return _joined_ranges(text, sorted(found, key=lambda quantity: quantity.start))


def _and_a_half(text: str, language: str) -> list[Quantity]:
    """Read ``an hour and a half`` and ``two and a half years``."""
    found = []
    for m in _HALVES.finditer(text):
        written, unit = (m[1] or m[3]).lower(), (m[2] or m[4]).lower()
        whole = float(written) if written.isdigit() else word_numbers(language).get(written)
        whole = 1.0 if written in ("a", "an") else whole
        if whole is None or unit not in UNITS:
            continue
        dimension, factor = UNITS[unit]
        one = _dressed(
            text,
            m.start(),
            m.end(),
            ((whole + 0.5) * factor,),
            1.0,
            language,
            worded=True,
            ordinal=False,
        )
        found.append(
            replace(
                one,
                end=m.end(),
                text=m.group(),
                unit=dimension,
                step=factor / 2,
                noun="",
                worded=False,
                readings=((whole + 0.5) * factor,),
                factor=factor,
            )
        )
    return found


def _numerals(text: str, language: str, taken: bytearray) -> list[Quantity]:
    found: list[Quantity] = []
    at = 0
    while (m := _NUMERAL.search(text, at)) is not None:
        spaced = _GROUPED_SPACE.match(text, m.start())
        end = spaced.end() if spaced and spaced.end() > m.end() and language != "en" else m.end()
        at = end
        if any(taken[m.start() : end]):
            continue
        if _MARKER.match(text, m.start()) and _numbers_a_step(text, m.start()):
            continue
        if _OUT_OF.search(text, max(0, m.start() - 20), m.start()):
            continue
        quantity = _numeral(text, m.start(), end, language)
        if quantity is not None:
            found.append(quantity)
            at = max(at, quantity.end)
    return found


def _numbers_a_step(text: str, start: int) -> bool:
    before = text[max(0, start - _LOOK_BACK) : start].rstrip(" -*(")
    return not before or before[-1] in ":;"


def _numeral(text: str, start: int, end: int, language: str) -> Quantity | None:
    raw = text[start:end]
    readings = _readings(re.sub(r"[\s'’\u00a0\u202f\u2009]", "", raw), language)
    if not readings:
        return None
    step = _step(raw, readings[0])
    ordinal = _ORDINAL.match(text, end)
    if ordinal:
        end = ordinal.end()
    elif _GLUED.match(text, end) and not _suffixed(text, end, language):
        return None
    return _dressed(text, start, end, readings, step, language, worded=False, ordinal=bool(ordinal))


def _suffixed(text: str, end: int, language: str) -> bool:
    m = re.compile(r"[^\W\d_]+").match(text, end)
    return m is not None and (
        m.group().lower() in UNITS or scale_of(m.group().lower(), language) is not None
    )


def _readings(raw: str, language: str) -> tuple[float, ...]:
    dots, commas = raw.count("."), raw.count(",")
    if dots and commas:
        decimal = max(".", ",", key=raw.rfind)
        other = "," if decimal == "." else "."
        if raw.count(decimal) > 1:
            return ()
        return (float(raw.replace(other, "").replace(decimal, ".")),)
    mark = "." if dots else ","
    pieces = raw.split(mark)
    grouped = len(pieces) > 1 and all(len(piece) == 3 for piece in pieces[1:])
    grouped = grouped and len(pieces[0]) <= 3 and pieces[0] != "0"
    if len(pieces) > 2:
        return (float("".join(pieces)),) if grouped else ()
    if len(pieces) == 1:
        return (float(raw),)
    whole, fraction = float("".join(pieces)), float(".".join(pieces))
    if not grouped:
        return (fraction,)
    natural = (mark == ",") == (language == "en")
    # "2.970" alone does not say whether it is a thousand or a fraction: both readings are kept.
    return (whole, fraction) if natural else (fraction, whole)


def _step(raw: str, value: float) -> float:
    digits = re.sub(r"\D", "", raw)
    if not float(value).is_integer():
        fraction = re.split(r"[.,]", raw)[-1]
        return float(10.0 ** -len(fraction))
    if re.search(r"[.,]\d{1,2}\Z", raw):
        return float(10.0 ** -len(re.split(r"[.,]", raw)[-1]))
    zeros = len(digits) - len(digits.rstrip("0"))
    return float(10.0**zeros) if zeros >= 2 else 1.0


def _worded(text: str, language: str, taken: bytearray) -> list[Quantity]:
    table = word_numbers(language)
    found: list[Quantity] = []
    at = 0
    while (m := _WORDS.search(text, at)) is not None:
        at = m.end()
        number: float | None
        number, end = _word_number(text, m, table)
        if number is None and m.group().lower() in ("a", "an", "ein", "eine", "un", "une"):
            following = _SCALE.match(text, m.end())
            if following and (scale_of(following[1].lower(), language) or 0) >= _DOZEN:
                number, end = 1, m.end()
        if number is None or any(taken[m.start() : end]):
            continue
        number, end = _compound(text, number, end, table)
        quantity = _dressed(
            text, m.start(), end, (float(number),), 1.0, language, worded=True, ordinal=False
        )
        if m.group().lower() in TOO_COMMON[language] and quantity.end == m.end():
            continue
        found.append(quantity)
        at = max(at, quantity.end)
    return found


def _word_number(text: str, m: re.Match[str], table: dict[str, int]) -> tuple[int | None, int]:
    word = m.group().lower()
    if word in table:
        following = _WORDS.match(text, m.end() + 1)
        ones = table.get(following.group().lower(), 0) if following else 0
        if table[word] >= 20 and table[word] % 10 == 0 and 0 < ones < 10 and following:
            return table[word] + ones, following.end()
        return table[word], m.end()
    head = word.split("-")[0]
    if "-" in word and head in table:
        return table[head], m.start() + len(head)
    return None, m.end()


def _compound(text: str, number: float, end: int, table: dict[str, int]) -> tuple[float, int]:
    """Read on through ``one hundred and five``; whole scales are left to the dressing."""
    m = _HUNDRED.match(text, end)
    rest = _WORDS.match(text, m.end()) if m else None
    if m is None or rest is None:
        return number, end
    ones, stop = _word_number(text, rest, table)
    return (number * 100 + ones, stop) if ones else (number, end)


def _dressed(  # noqa: PLR0917 - one number with everything that was read of it
    text: str,
    start: int,
    end: int,
    readings: tuple[float, ...],
    step: float,
    language: str,
    *,
    worded: bool,
    ordinal: bool,
) -> Quantity:
    """Put scale, sign, unit, bound and counted noun onto a bare number."""
    sign = _SIGN_BEFORE.search(text, max(0, start - 4), start)
    scale, end = _scale(text, end, language, money=sign is not None)
    scale = scale / 2 if worded and _HALF.search(text, max(0, start - 7), start) else scale
    readings = tuple(reading * scale for reading in readings)
    unit, factor, end = _unit(text, end, sign)
    readings, step = tuple(reading * factor for reading in readings), step * scale * factor
    begin = sign.start() if sign else start
    return Quantity(
        start=begin,
        end=end,
        text=text[begin:end],
        readings=readings,
        unit=unit,
        noun="" if unit else _noun(text, end),
        bound=_bound(text, begin),
        step=step,
        worded=worded and scale == 1.0,
        ordinal=ordinal,
        factor=scale * factor,
    )


def _scale(text: str, end: int, language: str, *, money: bool) -> tuple[float, int]:
    scale = 1.0
    while (m := _SCALE.match(text, end)) is not None:
        factor = scale_of(m[1].lower(), language)
        single = len(m[1]) == 1
        if (
            factor is None
            or (single and m.start(1) != end)
            or (single and m[1] in "mb" and not money)
        ):
            break
        scale, end = scale * factor, m.end(1)
    return scale, end


def _another_word(name: str, text: str, at: int) -> bool:
    """True for what is rather a word when a space stands before it: ``10 an``, ``5 l'eau``."""
    return name in ("an", "in") or (name == "l" and text[at + 1 : at + 2] in ("'", "’"))


def _unit(text: str, end: int, sign: re.Match[str] | None) -> tuple[str, float, int]:
    if sign is not None:
        mark = sign[1].lower()
        return SIGNS.get(mark) or CODES[mark], 1.0, end
    m = _UNIT.match(text, end)
    if m is None:
        return "", 1.0, end
    three = m[1].lower().replace("° ", "°")
    parts = re.match(r"([^\s-]+)(?:[\s-][^\s-]+)?", three)
    two, one = (parts.group(), parts[1]) if parts else (three, three)
    joined = _YEARS_OLD.match(text, end)
    if joined:
        return "year-old", 1.0, joined.end()
    for name in (three, two, one):
        if name in UNITS and not (m.start(1) != end and _another_word(name, text, m.start(1))):
            dimension, factor = UNITS[name]
            return dimension, factor, m.start(1) + len(name)
    return "", 1.0, end


def _noun(text: str, end: int) -> str:
    m = _NOUN.match(text, end)
    if m is None:
        return ""
    first = (m[1] + m[2]).replace("-", " ").split()
    for word in first:
        if len(word) > 2 and word.lower() not in _NOT_NOUNS:
            return _singular(word.lower())
    return ""


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-1] if word.endswith("s") and not word.endswith("ss") and len(word) > 3 else word


def _bound(text: str, start: int) -> NumberBound:
    before = text[max(0, start - _LOOK_BACK) : start]
    for bound, pattern in (
        (NumberBound.ABOUT, _ABOUT),
        (NumberBound.OVER, _OVER),
        (NumberBound.UNDER, _UNDER),
    ):
        if pattern.search(before):
            return bound
    return NumberBound.EXACT


def _joined_ranges(text: str, found: list[Quantity]) -> tuple[Quantity, ...]:
    joined: list[Quantity] = []
    for quantity in found:
        if joined and joined[-1].high is None and _is_range(text, joined[-1], quantity):
            joined[-1] = _range(text, joined[-1], quantity)
        elif not joined or quantity.start >= joined[-1].end:
            joined.append(quantity)
    return tuple(joined)


def _is_range(text: str, low: Quantity, high: Quantity) -> bool:
    between = text[low.end : high.start]
    if low.unit and high.unit and low.unit != high.unit:
        return False
    before = text[max(0, low.start - 14) : low.start]
    if _TO.fullmatch(between):
        # "rose from 2% to 24%" is a change with two ends, not a range.
        return not (_FROM.search(before) and low.factor == high.factor and low.unit == high.unit)
    return bool(_AND.fullmatch(between) and _BETWEEN.search(before))


def _range(text: str, low: Quantity, high: Quantity) -> Quantity:
    # "3 to 5 million dollars": scale and unit stand once and belong to both ends.
    shared = high.factor if low.factor == 1.0 else 1.0
    readings = tuple(reading * shared for reading in low.readings)
    return replace(
        high,
        start=low.start,
        text=text[low.start : high.end],
        readings=readings,
        high=max(high.readings),
        bound=low.bound,
        unit=high.unit or low.unit,
    )
