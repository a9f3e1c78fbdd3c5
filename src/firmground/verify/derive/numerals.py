"""Numbers in digits and in words: their readings and how precise they are."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from firmground.verify.values.number_words import SCALES, word_numbers

_LANGUAGES = ("en", "de", "fr", "es")
_SPACES = str.maketrans("", "", "'’\u00a0\u202f\u2009")
# Short words that mean other things in English text.
_NOT_NUMBERS = frozenset("un once null cent cents elf six-pack mil fast uno dix dos tres".split())
FRACTIONS = {
    "half": 2, "halves": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "seventh": 7,
    "eighth": 8, "ninth": 9, "tenth": 10, "twelfth": 12, "twentieth": 20, "hundredth": 100,
}  # fmt: skip
FRACTIONS |= {f"{word}s": size for word, size in FRACTIONS.items() if word[-1] != "s"}
FRACTIONS.pop("halfs")
GLYPHS = {"½": 0.5, "¼": 0.25, "¾": 0.75, "⅓": 1 / 3, "⅔": 2 / 3, "⅛": 0.125}
MULTIPLES = {
    "twice": 2.0, "double": 2.0, "doubled": 2.0, "doubles": 2.0, "doubling": 2.0, "thrice": 3.0,
    "triple": 3.0, "tripled": 3.0, "triples": 3.0, "threefold": 3.0, "twofold": 2.0,
    "quadruple": 4.0, "quadrupled": 4.0, "fourfold": 4.0, "fivefold": 5.0, "tenfold": 10.0,
    "halved": 0.5, "halves": 0.5, "halving": 0.5,
}  # fmt: skip
ORDINALS = {
    "third": 3, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7, "eighth": 8, "ninth": 9,
    "tenth": 10, "eleventh": 11, "twelfth": 12, "thirteenth": 13, "fourteenth": 14,
    "fifteenth": 15, "sixteenth": 16, "eighteenth": 18, "twentieth": 20, "thirtieth": 30,
}  # fmt: skip


@cache
def number_words() -> dict[str, int]:
    """Give the number words of all languages; English ones win over foreign ones."""
    table: dict[str, int] = {}
    for language in reversed(_LANGUAGES):
        table |= word_numbers(language)
    return {word: size for word, size in table.items() if word not in _NOT_NUMBERS}


@cache
def scale_words() -> dict[str, float]:
    """Give the scale words of all languages; English ones win over foreign ones."""
    table: dict[str, float] = {}
    for language in reversed(_LANGUAGES):
        table |= SCALES[language]
    table |= {"thousands": 1e3, "hundreds": 1e2, "tn": 1e12, "mio": 1e6, "mrd": 1e9}
    for word in ("cent", "cents", "mil", "m", "b", "k"):
        table.pop(word, None)
    return table


GLUED_SCALES = {"k": 1e3, "m": 1e6, "mn": 1e6, "bn": 1e9, "b": 1e9, "tn": 1e12}


def readings(raw: str) -> tuple[float, ...]:
    """Read digits with their separators: none for a version number, two where both are possible."""
    raw = raw.translate(_SPACES)
    dots, commas = raw.count("."), raw.count(",")
    if dots and commas:
        decimal, other = (".", ",") if raw.rfind(".") > raw.rfind(",") else (",", ".")
        if raw.count(decimal) > 1:
            return ()
        return (float(raw.replace(other, "").replace(decimal, ".")),)
    pieces = raw.split("." if dots else ",")
    if len(pieces) == 1:
        return (float(raw),)
    grouped = len(pieces[0]) <= 3 and pieces[0] != "0" and all(len(p) == 3 for p in pieces[1:])
    if len(pieces) > 2:
        return (float("".join(pieces)),) if grouped else ()
    fraction = float(".".join(pieces))
    if not grouped:
        return (fraction,)
    whole = float("".join(pieces))
    # "2.970" may be either; a comma before three digits is a group far more often than not.
    return (whole,) if commas else (fraction, whole)


def step_of(raw: str, value: float) -> float:
    """Give the size of the last digit that is meant: 0.01 for 3.70, 1000 for 125,000."""
    mark = max(raw.rfind("."), raw.rfind(","))
    places = len(raw) - mark - 1 if mark >= 0 else 0
    if mark >= 0 and (places != 3 or not value.is_integer()):
        return float(10.0**-places)
    digits = raw.translate(_SPACES).replace(",", "").replace(".", "")
    zeros = len(digits) - len(digits.rstrip("0"))
    return float(10.0**zeros) if 3 <= zeros < len(digits) else 1.0


def words_at(words: Sequence[str], at: int) -> tuple[float | None, int]:
    """Read a number in words that begins at a position; give it and the position behind it.

    `words` are lower-case tokens in which a hyphen is a token of its own.
    """
    table, scales = number_words(), scale_words()
    total = current = 0.0
    seen = False
    size = len(words)
    while at < size:
        word = words[at]
        if (word in table and word not in ("zero", "null")) or (word in table and not seen):
            if seen and not _joins(current, table[word]):
                break
            current += table[word]
        elif (
            word in ("a", "an") and not seen and at + 1 < size and scales.get(words[at + 1], 0) > 11
        ):
            current = 1.0
        elif seen and word in scales and word not in ("dozen", "dutzend"):
            scale = scales[word]
            if scale == 100:
                current = (current or 1.0) * 100
            else:
                total, current = total + (current or 1.0) * scale, 0.0
        elif seen and word in ("dozen", "dutzend"):
            current *= 12
        elif (
            seen and word == "-" and at + 1 < size and _joins(current, table.get(words[at + 1], 0))
        ) or (
            seen
            and word == "and"
            and (current % 100 == 0)
            and at + 1 < size
            and 0 < table.get(words[at + 1], 0) < 100
            and (current or total)
        ):
            pass
        else:
            break
        seen = True
        at += 1
    return (total + current, at) if seen else (None, at)


def _joins(current: float, word: float) -> bool:
    """True when a number word continues the one before: five after twenty, forty after hundred."""
    if not 0 < word < 100:
        return False
    if current % 100 == 0:
        return True
    return word < 10 and current % 10 == 0 and current % 100 >= 20
