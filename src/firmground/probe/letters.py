"""Reads which option the model chose from a token or a sentence."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from math import exp, isnan

from firmground.errors import InputError

LETTERS = "ABCDEFGHIJ"
# Letters of other alphabets that a model writes for the Latin ones they look like.
_APES = str.maketrans("АаВвСсЕеΑαΒβ", "AaBbCcEeAaBb")
_LETTER = r"[\(\[\"'*]*\b([A-J])\b[\)\]\"'*.:,]*"
_STATED = re.compile(
    r"(?:answer|option|choice|choose|pick|select|is|be|think|say|actually|definitely|probably)"
    rf"\s*(?:is|:|=|-|would\s+be|option|choice)?\s*{_LETTER}(?!\w)",
    re.IGNORECASE,
)
_ALONE = re.compile(rf"^\W*{_LETTER}\s*(?:$|[\n).:\-–—])", re.IGNORECASE)
_UPPER = re.compile(r"(?<![\w'])([A-J])(?![\w'])")


def letter_of_token(token: str, count: int) -> int | None:
    """The option a single token stands for: a letter with nothing but punctuation around it."""
    plain = unicodedata.normalize("NFKC", token).translate(_APES).strip(" \t\n\r()[]\"'*.:,▁Ġ")
    if len(plain) != 1:
        return None
    place = LETTERS.find(plain.upper())
    return place if 0 <= place < count else None


def read_choice(text: str, options: Sequence[str]) -> int | None:
    """The one option a reply names; None when it names none or more than one."""
    plain = unicodedata.normalize("NFKC", text).translate(_APES).strip()
    for pattern in (_ALONE, _STATED):
        named = {m.group(1).upper() for m in pattern.finditer(plain)} & set(LETTERS[: len(options)])
        if len(named) == 1:
            return LETTERS.index(named.pop())
        if len(named) > 1:
            return None
    upper = [m for m in _UPPER.finditer(plain) if LETTERS.index(m.group(1)) < len(options)]
    letters = {m.group(1) for m in upper if not _is_article(plain, m)}
    if len(letters) == 1:
        return LETTERS.index(letters.pop())
    return None if letters else _named_in_words(plain, options)


def _is_article(text: str, found: re.Match[str]) -> bool:
    """True for the A of ``A city``: a letter that begins a phrase of lower-case words."""
    follows = re.match(r"\s+(?!and\b|or\b|nor\b)[a-z]", text[found.end() :])
    return found.group(1) in "AI" and follows is not None


def _named_in_words(text: str, options: Sequence[str]) -> int | None:
    said = text.casefold()
    hits = [
        i
        for i, option in enumerate(options)
        if re.search(rf"(?<!\w){re.escape(option.casefold())}(?!\w)", said)
    ]
    return hits[0] if len(hits) == 1 else None


def option_masses(alternatives: Sequence[tuple[str, float]], count: int) -> tuple[float, ...]:
    """The probability each option has at the first token; not yet normalised."""
    masses = [0.0] * count
    for token, logprob in alternatives:
        place = letter_of_token(token, count)
        if place is not None and not isnan(logprob):
            masses[place] += exp(min(logprob, 0.0))
    return tuple(masses)


def lettered(options: Sequence[str]) -> str:
    """The options as they stand in the prompt."""
    if not 2 <= len(options) <= len(LETTERS):
        raise InputError(f"between 2 and {len(LETTERS)} options are needed, got {len(options)}")
    return "\n".join(f"{LETTERS[i]}) {option}" for i, option in enumerate(options))
