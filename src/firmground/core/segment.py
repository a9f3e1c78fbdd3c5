"""Where sentences and words begin and end, with exact offsets and in linear time."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from firmground.core.lazy_pattern import lazy_pattern


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A half-open stretch of a text: `text[start:end]`."""

    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One word of a text, exactly as written there: `text[start:end]`."""

    start: int
    end: int
    text: str


# Before a capital these stops belong to the word, whatever follows.
_NEVER_END = frozenset(
    "mr mrs ms mx dr prof rev fr sr hon gen col lt capt sgt cpl maj adm cmdr gov sen rep pres "
    "supt st ste mt ft messrs mme mlle vs v e.g i.e eg ie cf viz al approx ca fig figs eq eqs "
    "secs ch chap vol vols pp p no nos nr ref refs ed eds trans dept univ esp incl jan feb "
    "mar apr jun jul aug sep sept oct nov dec ave blvd rd hwy ph.d.s m.sc b.sc".split()
)
# These end a sentence only if a usual sentence opener follows.
_MAY_END = frozenset(
    "inc ltd co corp llc plc jr bros etc a.m p.m am pm u.s u.k u.n e.u u.s.a d.c ph.d m.d b.a "
    "m.a b.c a.d bc ad tues thur thurs lb lbs oz sq est hrs hr mins".split()
)
_OPENERS = frozenset(
    "the a an this that these those it its he she they we you i his her their our in on at by "
    "for from with to as after before when while although though if since because however but "
    "and or so then there here what who how why where which both each some many most all no "
    "not one two first additionally also moreover furthermore overall finally meanwhile "
    "according despite during under over customers users passage passages based".split()
)
# Shortened words that look like ordinary ones.
_SHORTENED = frozenset(
    "approx chap figs incl esp dept univ trans refs supt capt prof secs vols eqs assoc misc temp "
    "elev diam resp avail equiv orig tech admin appt attn contd coord corp cont desc dist exec "
    "freq govt hist illus inst intl intro mins natl perf phys pref prelim pres proc prod publ "
    "repr sched sect sept spec stat supp treas usw bspw evtl inkl exkl bzgl ggfs env".split()
)
_VOWEL = lazy_pattern(r"[aeiouyäöüéèêáíóú]")
_SHORTEST_PLAIN = 4
_CLOSERS = "\"')]}»”’›」』）】〕》〉*_~`"
_STOP = lazy_pattern(
    r"[.!?…‼⁇⁈⁉؟۔।॥։።]+[" + re.escape(_CLOSERS) + r"]*(?=\s|\Z)"
    r"|[。！？｡．]+[" + re.escape(_CLOSERS) + r"]*"
    r"|(?<=[a-z0-9)][a-z0-9)])[.!?]+(?=[A-Z][a-z]*\s)"
)
# A line that ends in a word which needs another one, or is nothing but a number.
_OPEN_END = lazy_pattern(
    r"(?:^|[\s(])(?:by|of|the|in|at|to|an?|and|or|for|with|from|is|are|was|were|has|have|than|The|A|An)$|(?:^|\n)\d{1,6}$"
)
_LINE = lazy_pattern(r"[^\n\r\v\f\x1c-\x1e\x85\u2028\u2029]+")
_BULLET = lazy_pattern(r"\s*(?:[-*+•‣◦▪–—·●○■□]|\(?(?:\d{1,3}|[A-Za-z]|[ivxlc]{1,5})[.)])(?=\s)")
_NEXT_WORD = lazy_pattern(r"[\s\"'(\[{«“‘*_]*([^\W_]+)")
_LAST_TOKEN = lazy_pattern(r"[^\s(\[{\"“‘«]*\Z")
# "am 3. März", "im 19. Jahrhundert": the stop makes the number an ordinal.
_NTH = lazy_pattern(
    r"\b(?:am|im|d(?:er|ie|as|en|em|es)|vom|zum|zur|beim|bis|seit|ab)\s+\d{1,2}\Z", re.IGNORECASE
)
_LOOK_BACK = 40
_JOINT = r"(?:(?<=\d)[.,:](?=\d)|['’](?=[^\W\d_])|(?<!\d)[-‐‑]|[-‐‑](?=[^\W\d_]))"
# What the full pattern finds in plain ASCII, without the table of all combining marks.
_ASCII_WORD = lazy_pattern(rf"[A-Za-z0-9]+(?:{_JOINT}[A-Za-z0-9]+)*")


def sentences(text: str) -> tuple[Span, ...]:
    """Cut a text into trimmed sentences so that every non-space character lies in exactly one."""
    found: list[Span] = []
    for start, end in _blocks(text):
        at = start
        for stop in _stops(text, start, end):
            _add_trimmed(found, text, at, stop)
            at = stop
        _add_trimmed(found, text, at, end)
    return tuple(found)


def words(text: str) -> tuple[Word, ...]:
    """List the words of a text: numbers and joined words stay whole, ideographs stand alone."""
    return tuple(
        Word(start=match.start(), end=match.end(), text=match.group())
        for match in (_ASCII_WORD if text.isascii() else _word_pattern()).finditer(text)
    )


def word_texts(text: str) -> list[str]:
    """List what ``words`` lists, without the places: several times faster over long texts."""
    return (_ASCII_WORD if text.isascii() else _word_pattern()).findall(text)


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Yield lines, with a wrapped prose line glued to the line that continues it."""
    start = end = -1
    for line in _LINE.finditer(text):
        if start >= 0 and not _continues(text, end, line.start(), line.end()):
            yield start, end
            start = line.start()
        elif start < 0:
            start = line.start()
        end = line.end()
    if start >= 0:
        yield start, end


def _continues(text: str, end: int, start: int, stop: int) -> bool:
    """A line goes on if it starts in lower case right below one that ended in mid-sentence."""
    if start - end > 2 or text[end:start].count("\n") > 1:
        return False
    last, first = text[end - 1], text[start : min(start + _LOOK_BACK, stop)].lstrip()[:1]
    if _BULLET.match(text, start, stop):
        return False
    if first.isalnum() and _OPEN_END.search(text, max(0, end - _LOOK_BACK), end):
        return True
    if not first.islower():
        return False
    return last in ",;-–—" or (last.isalpha() and not last.isupper()) or last.isspace()


def _stops(text: str, start: int, end: int) -> Iterator[int]:
    bullet = _BULLET.match(text, start, end)
    at = bullet.end() if bullet else start
    for match in _STOP.finditer(text, at, end):
        # "[…]" stands for words of the sentence it is in.
        omission = match[0][0] in ".…" and text[match.start() - 1 : match.start()] in ("[", "(")
        if match.end() < end and not omission and _ends_sentence(text, at, match, end):
            yield match.end()


def _ends_sentence(text: str, start: int, match: re.Match[str], end: int) -> bool:
    mark = match.group()
    following = _NEXT_WORD.match(text, match.end(), min(end, match.end() + _LOOK_BACK))
    follower = following.group(1) if following else ""
    if mark[0] not in ".…?!" or (mark[0] == "…" and not follower[:1].islower()):
        return True
    if follower[:1].islower():
        # "Yahoo! said", "(why?) and": only a fresh capital, digit or symbol opens a sentence.
        return mark == "." and _plain_end(text, start, match.start())
    if mark[0] != "." or mark.startswith(".."):
        return True
    if follower.lower() not in _OPENERS and _NTH.search(
        text, max(start, match.start() - _LOOK_BACK), match.start()
    ):
        return False
    token = _LAST_TOKEN.search(text[max(start, match.start() - _LOOK_BACK) : match.start()])
    before = token.group().lower() if token else ""
    if token and before in _NEVER_END and len(before) > 1 and token.group().isupper():
        # "Goleta, CA. It": a code in capitals, not the abbreviation that is spelled alike.
        return follower.lower() in _OPENERS
    return _stop_after(before, follower, text[match.start() - 1 : match.start()])


def _plain_end(text: str, start: int, stop: int) -> bool:
    """True when a full stop stands behind an ordinary word, which no abbreviation looks like."""
    token = _LAST_TOKEN.search(text[max(start, stop - _LOOK_BACK) : stop])
    word = token.group() if token else ""
    plain = len(word) >= _SHORTEST_PLAIN and word.isalpha() and word.islower()
    return plain and _VOWEL.search(word) is not None and word not in _SHORTENED


def _stop_after(before: str, follower: str, last: str) -> bool:
    """Decide about a full stop from the token before it and the word after it."""
    if before in _NEVER_END:
        return before == "no" and follower.lower() in _OPENERS
    if before in _MAY_END or _looks_abbreviated(before):
        return follower.lower() in _OPENERS
    return not (len(before) == 1 and last.isupper() and before != "i") or not follower


def _looks_abbreviated(before: str) -> bool:
    """True for dotted initials such as `j.r` and for a single letter."""
    return all(len(part) == 1 and part.isalpha() for part in before.split(".")) and before != "i"


def _add_trimmed(found: list[Span], text: str, start: int, end: int) -> None:
    piece = text[start:end]
    left = len(piece) - len(piece.lstrip())
    right = len(piece.rstrip())
    if left < right:
        found.append(Span(start=start + left, end=start + right))


@cache
def _word_pattern() -> re.Pattern[str]:
    alone = r"\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
    letter = rf"[^\W_{alone}]"
    run = rf"{letter}+(?:[{_marks()}]+{letter}*)*"
    return re.compile(rf"[{alone}][{_marks()}]*|{run}(?:{_JOINT}{run})*")


@cache
def _marks() -> str:
    """Name every combining mark of the basic plane, which `\\w` leaves out, as one class body."""
    ranges: list[str] = []
    first = -1
    for code in range(0x300, 0x10000):
        is_mark = unicodedata.category(chr(code))[0] == "M"
        if is_mark and first < 0:
            first = code
        elif not is_mark and first >= 0:
            ranges.append(f"\\u{first:04x}-\\u{code - 1:04x}")
            first = -1
    return "".join(ranges)
