"""Changes: what went from one value to another, and in which direction."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

from firmground.core.claim import CheckNote, Standing
from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.checks.case import CheckCase
from firmground.verify.reading import stems_of
from firmground.verify.select import stem
from firmground.verify.values.comparing import Match, compare
from firmground.verify.values.meanings import same_side
from firmground.verify.values.quantities import Quantity, quantities

_GOOD = (Match.SAME, Match.ROUNDED)
_FROM = lazy_pattern(r"\b(?:from|von|de|desde)\s+(?:\w+\s+){0,2}?(?:US\$|[$€£¥₹])?\s*\Z", re.I)
_TO = lazy_pattern(
    r"(?:[^\d.;]{0,30}?\s)?(?:in (?:\w+ )?\d{4},? )?(?:to|auf|à|a)\s+(?:about\s+|US\$|[$€£¥₹])?",
    re.I,
)
_BACK = lazy_pattern(r"(?:[^\d.;]{0,30}?\s)?(?:from|von|de|desde)\s+(?:US\$|[$€£¥₹])?", re.I)
_LOOK_BACK = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueChange:
    """From one value to another: ``text[start:end]``."""

    start: int
    end: int
    before: Quantity
    after: Quantity


def check_changes(case: CheckCase) -> tuple[CheckNote, ...]:
    """Object when a change runs the other way than in the source, or against its own verb."""
    if case.about_source:
        return ()
    notes = (_judge(case, said) for said in changes_in(case.claim.text))
    return tuple(note for note in notes if note is not None)


@lru_cache(maxsize=4096)
def changes_in(text: str) -> tuple[ValueChange, ...]:
    """Read the changes of a text: from one value to another, stated in either order."""
    found = []
    numbers = [q for one in quantities(text) for q in _ends(text, one)]
    for one, other in pairwise(numbers):
        between = text[one.end : other.start]
        start, end = one.start, other.end
        if _TO.fullmatch(between) and _FROM.search(text, max(0, start - _LOOK_BACK), start):
            found.append(ValueChange(start=start, end=end, before=one, after=other))
        elif _BACK.fullmatch(between) and re.search(r"\bto\s*\Z", text[max(0, start - 6) : start]):
            found.append(ValueChange(start=start, end=end, before=other, after=one))
    return tuple(found)


def _ends(text: str, one: Quantity) -> tuple[Quantity, ...]:
    """A range that `from` stands before is two values: where a change began and where it ended."""
    if one.high is None or not _FROM.search(text, max(0, one.start - _LOOK_BACK), one.start):
        return (one,)
    parts = re.match(r"(.*?)\s*(?:to|-|–|—|bis|à)\s*(?=[\d$€£])", one.text, re.DOTALL)
    if parts is None:
        return (one,)
    cut = one.start + parts.end(1)
    low = replace(one, end=cut, text=text[one.start : cut], high=None)
    high = replace(
        one,
        start=one.start + parts.end(),
        text=text[one.start + parts.end() : one.end],
        readings=(one.high,),
        high=None,
    )
    return low, high


def _judge(case: CheckCase, said: ValueChange) -> CheckNote | None:
    given = [(p, c) for p in case.passages if p.path is None for c in changes_in(p.text)]
    if any(_same(said.before, c.before) and _same(said.after, c.after) for _, c in given):
        return None
    at = (said.start, said.end)
    shown = case.claim.text[slice(*at)]
    for passage, change in given:
        if _same(said.before, change.after) and _same(said.after, change.before):
            other = passage.text[change.start : change.end]
            reason = f"says from {shown}, source says from {other}"
            span = (passage.span(change.start, change.end),)
            return case.note("changes", "change_reversed", Standing.CONTRADICTED, reason, at, span)
    if _against_its_verb(case, said):
        reason = f"says that it {_verb(case)} from {shown}, which is the other way"
        return case.note("changes", "change_odd", Standing.UNGROUNDED, reason, at)
    return None


def _same(one: Quantity, other: Quantity) -> bool:
    return compare(one, other) in _GOOD


def _verb(case: CheckCase) -> str:
    sides = same_side(stem("rose")) | same_side(stem("fell"))
    return next((w.text for w in case.words if stem(w.text.lower()) in sides), "")


@lru_cache(maxsize=512)
def _directions(text: str) -> tuple[bool, bool]:
    """True for each of up and down that a word of the text names."""
    keys = frozenset(stems_of(text))
    return bool(keys & same_side(stem("rose"))), bool(keys & same_side(stem("fell")))


def _against_its_verb(case: CheckCase, said: ValueChange) -> bool:
    up, down = _directions(case.claim.text)
    before, after = max(said.before.readings), max(said.after.readings)
    alike = said.before.unit == said.after.unit and up != down
    return alike and ((up and after < before) or (down and after > before))
