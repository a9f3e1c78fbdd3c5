"""Where a text points to its sources: `[1]`, `[E1, E3]`, footnotes, `(Source: …)`, "passage 2"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from firmground.core.lazy_pattern import lazy_pattern

_MOST_OF_A_RANGE = 20


class MarkerStyle(StrEnum):
    """How a text points to a source."""

    BRACKET = "bracket"
    """`[1]`, `[E1,E2]`, `[^3]`, `【4†source】`."""
    PARENTHESIS = "parenthesis"
    """`(Passage 2)`, `(Source: 3)`."""
    NAMED = "named"
    """`(Source: annual report)`: a name, which may say more than a number can."""
    SUPERSCRIPT = "superscript"
    """`¹` right after a punctuation mark."""
    MENTION = "mention"
    """`passage 2` as words of the sentence."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """One pointer to sources, exactly where it stands: `text[start:end]`."""

    start: int
    end: int
    labels: tuple[str, ...]
    """What is pointed to, as written: `1`, `E3`, or the words after `Source:`."""
    style: MarkerStyle


_NOUN = r"(?:passages?|sources?|documents?|docs?|excerpts?|contexts?|evidence|refs?|references?)"
_LABEL = rf"(?:(?:{_NOUN})\s?)?(?:[A-Z]\s?)?#?\d{{1,3}}(?:\s?[-–]\s?[A-Z]?\d{{1,3}})?"
_GAP = r"\s{0,3}"
_MANY = rf"{_LABEL}(?:{_GAP}(?:[,;&]|and){_GAP}{_LABEL}){{0,30}}"
# An address without figures or words of its own, so that no statement hides in it.
_ADDRESS = r"\((?:https?://)?[\w.-]{1,80}(?:/[a-z]{0,20}){0,2}/?(?:#[a-z]{0,20})?\)"
_BRACKET = lazy_pattern(
    rf"\[{_GAP}\^?({_MANY}){_GAP}\](?:{_ADDRESS})?"
    rf"|【{_GAP}({_MANY}(?:[:†]\d{{1,4}})?(?:†(?:source|L\d{{1,5}}(?:-L?\d{{1,5}})?)?)?){_GAP}】",
    re.IGNORECASE,
)
_PAGE = (
    r"(?:,?\s(?:pp?|pages?|sections?|sec|§|para|paragraphs?|lines?|chapters?)\.?\s?\d{1,4}"
    r"(?:\s?[-–]\s?\d{1,4})?){0,2}"
)
_PARENTHESIS = lazy_pattern(
    rf"\((?:see\s|from\s|cf\.?\s|according to\s)?((?={_NOUN}){_MANY}{_PAGE})\)"
    r"|\((?:sources?|refs?|references?|citations?|citing)\s?:\s?([^()\n]{1,200})\)",
    re.IGNORECASE,
)
_NUMBERED = lazy_pattern(_MANY, re.IGNORECASE)
_SUPERSCRIPT = lazy_pattern(r"(?<=[.,;:!?\"”’)\]])[¹²³⁰⁴-⁹]{1,3}(?!\w)")
_MENTION = lazy_pattern(
    rf"\b(?:passages?|sources?|excerpts?|contexts?)\s(#?\d{{1,3}}"
    rf"(?:{_GAP}(?:[,&]|and){_GAP}#?\d{{1,3}}){{0,9}})\b(?![.,]\d)",
    re.IGNORECASE,
)
_ONE = lazy_pattern(
    r"((?<![A-Za-z])[A-Za-z]|)\s?#?(\d{1,3})(?:\s?[-–]\s?[A-Za-z]?(\d{1,3}))?(?!\d)"
)
_BEFORE_NUMBER = lazy_pattern(r"[#\d].*", re.DOTALL)
_SUPERSCRIPT_DIGITS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")


def markers(text: str) -> tuple[Marker, ...]:
    """List the pointers to sources in order of place; none overlaps another."""
    found = sorted(_all(text), key=lambda one: (one.start, -one.end))
    kept: list[Marker] = []
    for one in found:
        if not kept or one.start >= kept[-1].end:
            kept.append(one)
    return tuple(kept)


def blank_markers(text: str) -> str:
    """Replace every pointer by as many spaces, so that its digits are not read as facts.

    Of a mention in words (`passage 2`) only the number goes; the words are part of the sentence.
    The name of a source stays: it is text like any other.
    """
    parts, at = [], 0
    for one in markers(text):
        if one.style is MarkerStyle.NAMED:
            continue
        start = one.start
        if one.style is MarkerStyle.MENTION:
            start += len(_BEFORE_NUMBER.sub("", text[one.start : one.end]))
        parts += [text[at:start], " " * (one.end - start)]
        at = one.end
    return "".join([*parts, text[at:]])


def _all(text: str) -> Iterator[Marker]:
    for match in _BRACKET.finditer(text):
        inside = match.group(1) or match.group(2)
        yield _marker(match, _labels(inside), MarkerStyle.BRACKET)
    for match in _PARENTHESIS.finditer(text):
        numbered, named = match.groups()
        if numbered or _NUMBERED.fullmatch(named.strip()):
            yield _marker(match, _labels(numbered or named), MarkerStyle.PARENTHESIS)
        else:
            yield _marker(match, _named(named), MarkerStyle.NAMED)
    for match in _SUPERSCRIPT.finditer(text):
        label = match.group().translate(_SUPERSCRIPT_DIGITS)
        yield _marker(match, (label,), MarkerStyle.SUPERSCRIPT)
    for match in _MENTION.finditer(text):
        yield _marker(match, _labels(match.group(1)), MarkerStyle.MENTION)


def _marker(match: re.Match[str], labels: tuple[str, ...], style: MarkerStyle) -> Marker:
    return Marker(start=match.start(), end=match.end(), labels=labels, style=style)


def _labels(inside: str) -> tuple[str, ...]:
    """Read `E1, E3-E5` as E1, E3, E4, E5."""
    bare = re.sub(_NOUN, " ", inside, flags=re.IGNORECASE)
    found: list[str] = []
    for letter, first, last in _ONE.findall(bare):
        stop = int(last) if last else int(first)
        span = range(int(first), min(stop, int(first) + _MOST_OF_A_RANGE) + 1) or (int(first),)
        found += [f"{letter.upper()}{number}" for number in span]
    return tuple(dict.fromkeys(found)) or (inside.strip(),)


def _named(inside: str) -> tuple[str, ...]:
    parts = (part.strip() for part in inside.split(";"))
    return tuple(dict.fromkeys(part for part in parts if part)) or (inside,)
