"""Finds a quotation in a text and grades how faithful it is.

Every occurrence is found under a coarse folding and then graded by the finest folding under which
quotation and text still agree. Numerals never fold into anything else, and a match that requires
reading a negation or a number through a disguise is rejected.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from firmground.core import confusables as look
from firmground.core.fold import SPACE, Fold, Folded, fold
from firmground.core.lazy_pattern import lazy_pattern
from firmground.core.suspicious import Suspicious, suspicious_characters

__all__ = [
    "Fold",
    "Folded",
    "Grade",
    "QuoteIndex",
    "QuoteMatch",
    "Suspicious",
    "find_quote",
    "fold",
    "suspicious_characters",
]


class Grade(StrEnum):
    """How faithfully a quotation repeats the text."""

    EXACT = "exact"
    """The same characters, give or take canonical composition and the width of white space."""
    TYPOGRAPHIC = "typographic"
    """Exact but for the shape of quotation marks, apostrophes, hyphens, ellipses and ligatures."""
    CASE = "case"
    """The same words in other capitals."""
    CUT = "cut"
    """Begins or ends inside a word or a number, which may change what it says."""
    SUSPICIOUS = "suspicious"
    """Agrees only when hidden characters are dropped or look-alikes are read as what they imitate.
    """

    @property
    def exact(self) -> bool:
        """True for the grades that count as a verbatim quotation."""
        return self in (Grade.EXACT, Grade.TYPOGRAPHIC)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuoteMatch:
    """One place where a quotation stands: `text[start:end]`."""

    start: int
    end: int
    grade: Grade
    flags: tuple[tuple[int, int, str], ...] = ()
    """Suspicious places inside the matched stretch, as (start, end, code) of the text."""
    quote_flags: tuple[tuple[int, int, str], ...] = ()
    """Suspicious places inside the quotation, as (start, end, code) of the quotation."""
    after_negation: bool = False
    """True when the word right before the matched stretch denies what follows."""

    @property
    def exact(self) -> bool:
        """True when the quotation counts as verbatim."""
        return self.grade.exact


_MARGIN = 24
_GRADED_LIMIT = 256
_DENIALS = (
    "no not never none nobody nothing neither nor nowhere without cannot hardly scarcely barely "
    "kein keine keinen keiner nicht nie ohne ne pas jamais sans non nunca sin ningún não sem"
)
_NEGATIONS = frozenset(_DENIALS.split())
_FACT = lazy_pattern(r"\d+|[^\W\d_]+(?:'[^\W\d_]+)?")
_DENYING_IDEOGRAPHS = frozenset("不無无未非沒没別别勿")


def find_quote(quote: str, text: str) -> QuoteMatch | None:
    """Find the most faithful occurrence of a quotation in a text; None when it is not there."""
    return QuoteIndex(text).find(quote)


class QuoteIndex:
    """A text made ready for many quotations; building it costs time linear in the text."""

    __slots__ = ("_folds", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self._folds: dict[Fold, Folded] = {}

    def find(self, quote: str) -> QuoteMatch | None:
        """Find the most faithful occurrence, the first among equals."""
        return (
            self._verbatim(quote)
            or self._closest(quote, Fold.CASE)
            or self._closest(quote, Fold.SKELETON)
        )

    def find_exact(self, quote: str, *, any_case: bool = False) -> QuoteMatch | None:
        """Find an occurrence that counts as verbatim, or would in other capitals; None if none."""
        found = self._verbatim(quote) or self._closest(quote, Fold.CASE)
        if found is None or not (found.exact or (any_case and found.grade is Grade.CASE)):
            return None
        return found

    def _verbatim(self, quote: str) -> QuoteMatch | None:
        """Look for the very same characters, which needs no folding at all."""
        sought = SPACE.sub(" ", quote).strip(" ") if not quote.isprintable() else quote.strip(" ")
        if not _readable(sought):
            return None
        if unicodedata.category(sought[0])[0] == "M":
            return None  # it would compose with whatever stands before it
        for start in _occurrences(sought, self.text):
            end = start + len(sought)
            if not _cut(self.text, start, end):
                return self._match(sought, start, end, Grade.EXACT)
        return None

    def _closest(self, quote: str, level: Fold) -> QuoteMatch | None:
        needle = fold(quote, level).text.strip(" ")
        if not _readable(needle):
            return None
        if level not in self._folds:
            self._folds[level] = fold(self.text, level)
        best: QuoteMatch | None = None
        places = _whole_first(needle, self._folds[level], self.text)
        for graded, (start, end, cut) in enumerate(places):
            found = self._graded(quote, start, end, cut=cut)
            if found and (best is None or _RANK[found.grade] < _RANK[best.grade]):
                best = found
            if graded >= _GRADED_LIMIT or (best and best.grade is Grade.EXACT):
                break
        return best

    def _graded(self, quote: str, start: int, end: int, *, cut: bool) -> QuoteMatch | None:
        level = _finest(quote, self.text[start:end])
        if level is Fold.SKELETON and _facts(quote) != _facts(self.text[start:end]):
            return None
        grade = _GRADES[level]
        if cut and grade is not Grade.SUSPICIOUS:
            grade = Grade.CUT
        return self._match(quote, start, end, grade)

    def _match(self, quote: str, start: int, end: int, grade: Grade) -> QuoteMatch:
        return QuoteMatch(
            start=start,
            end=end,
            grade=grade,
            flags=tuple(
                (start + one.start, start + one.end, one.code)
                for one in suspicious_characters(self.text[start:end])
            ),
            quote_flags=tuple(suspicious_characters(quote)),
            after_negation=_denied_before(self.text, start),
        )


_GRADES = {
    Fold.EXACT: Grade.EXACT,
    Fold.TYPOGRAPHIC: Grade.TYPOGRAPHIC,
    Fold.CASE: Grade.CASE,
    Fold.SKELETON: Grade.SUSPICIOUS,
}
_RANK = {grade: rank for rank, grade in enumerate(Grade)}


def _occurrences(needle: str, text: str) -> Iterator[int]:
    """Yield places of a needle, so many at most that all comparisons together stay linear."""
    left = 64 + 4 * len(text) // len(needle)
    at = text.find(needle)
    while at >= 0 and left > 0:
        yield at
        left -= 1
        at = text.find(needle, at + 1)


def _whole_first(needle: str, folded: Folded, text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield raw stretches that stand whole, and after them the first one that cuts a word."""
    cut_at: tuple[int, int] | None = None
    starts, ends = folded.starts, folded.ends
    for at in _occurrences(needle, folded.text):
        stop = at + len(needle)
        if _splits_cluster(folded, at) or _splits_cluster(folded, stop):
            continue
        raw = (starts[at], ends[stop - 1])
        if not _cut(text, *raw):
            yield (*raw, False)
        elif cut_at is None:
            cut_at = raw
    if cut_at is not None:
        yield (*cut_at, True)


def _splits_cluster(folded: Folded, at: int) -> bool:
    """True when a boundary falls inside one written character."""
    if not 0 < at < len(folded.text):
        return False
    return folded.starts[at] == folded.starts[at - 1] or (
        unicodedata.category(folded.text[at])[0] == "M"
    )


def _cut(text: str, start: int, end: int) -> bool:
    """True when a stretch begins or ends inside a word, a number or a joined word."""
    before = _seen(text[max(0, start - _MARGIN) : start])
    after = _seen(text[end : end + _MARGIN])
    return _cut_before(before, text[start]) or _cut_after(text[end - 1], after)


def _seen(margin: str) -> str:
    """Leave out what cannot be seen; a margin of nothing else hides what it borders on."""
    if margin.isascii() and margin.isprintable():
        return margin
    seen = "".join(char for char in margin if not look.shows_nothing(char))
    return seen if seen or len(margin) < _MARGIN else "x"


def _cut_before(before: str, first: str) -> bool:
    if not before:
        return False
    near, further = before[-1], before[-2:-1] or " "
    if near in _DENYING_IDEOGRAPHS and first.isalnum():
        return True
    if near in "-\u2212" and first.isdigit() and not further.isalnum():
        return True
    return _joined(near, first) or _linked(further, near, first)


def _cut_after(last: str, after: str) -> bool:
    if not after:
        return False
    near, further = after[0], after[1:2] or " "
    marked = near >= "\u0300" and unicodedata.category(near)[0] == "M"
    return marked or _joined(last, near) or _linked(last, near, further)


def _joined(left: str, right: str) -> bool:
    """True when two neighbours are one word, in scripts that put spaces between words."""
    return left.isalnum() and right.isalnum() and not (_unspaced(left) or _unspaced(right))


def _linked(left: str, link: str, right: str) -> bool:
    """True when a mark between two characters makes them one number or one word."""
    if link in ".,:" and left.isdigit() and right.isdigit():
        return True
    if link in "-\u2010\u2011" and left.isalpha() and right.isalnum():
        return True
    return link in "'’" and left.isalpha() and right in "tT"


def _unspaced(char: str) -> bool:
    return char >= "\u0e00" and (
        char <= "\u0eff"
        or "\u1000" <= char <= "\u109f"
        or "\u1780" <= char <= "\u17ff"
        or "\u3040" <= char <= "\u9fff"
        or "\uac00" <= char <= "\ud7a3"
        or "\uf900" <= char <= "\ufaff"
        or char >= "\U00020000"
    )


def _readable(text: str) -> bool:
    """True when there is a letter or digit to see."""
    return any(char.isalnum() and char not in look.BLANK for char in text)


def _finest(quote: str, found: str) -> Fold:
    for level in (Fold.EXACT, Fold.TYPOGRAPHIC, Fold.CASE):
        if fold(quote, level).text.strip(" ") == fold(found, level).text:
            return level
    return Fold.SKELETON


def _facts(text: str) -> tuple[str, ...]:
    """List the numbers and negations that can be read without overlooking a disguise."""
    plain = fold(text, Fold.CASE).text
    return tuple(word for word in _FACT.findall(plain) if word[0].isdigit() or _denies(word))


def _denies(word: str) -> bool:
    return word in _NEGATIONS or word.endswith("n't")


def _denied_before(text: str, at: int) -> bool:
    lead = text[max(0, at - 32) : at].replace("\u2019", "'").lower()
    found = _FACT.findall(lead)
    return bool(found) and _denies(found[-1]) and lead.rstrip(" \t\n\"'“‘(«").endswith(found[-1])
