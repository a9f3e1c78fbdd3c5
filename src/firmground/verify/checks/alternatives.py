"""One of several that exclude each other: how often, in which role, in which place of a row."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

from firmground.core.claim import CheckNote, Standing
from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.checks.case import CheckCase, span_terms
from firmground.verify.polarity import denials
from firmground.verify.reading import Passage, terms_of, tokens
from firmground.verify.select import stem, word_terms
from firmground.verify.values.frequency import counted_frequencies, frequencies
from firmground.verify.values.meanings import kinds_said
from firmground.verify.values.ordinals import NTH

# What is counted must follow: "a second" is a time, and "first, stir" numbers a step.
_ORDINAL = lazy_pattern(rf"\b({'|'.join(NTH)})\s+([^\W\d_]{{3,}})\b", re.IGNORECASE)
_NOT_COUNTED = lazy_pattern(
    r"(?:\b(?:an?|per|each|at|half|one|or|and|than)|\d)\s+\Z", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Choice:
    """One member of a set, where it is said."""

    start: int
    end: int
    group: str
    """What it is a choice of; only choices of one group exclude each other."""
    member: str


def check_alternatives(case: CheckCase) -> tuple[CheckNote, ...]:
    """Object when the source says the same of another frequency, role or place in a row."""
    if case.about_source or denials(case.claim.text):
        return ()
    for code, read in _SETS:
        for said in _single(read(case.claim.text)):
            note = _judge(case, said, code, read)
            if note is not None:
                return (note,)
    return ()


_Reader = Callable[[str], tuple[_Choice, ...]]


def _judge(case: CheckCase, said: _Choice, code: str, read: _Reader) -> CheckNote | None:
    own = span_terms(case, said.start, said.end)
    rival: tuple[Passage, _Choice] | None = None
    for passage in case.passages:
        given = [one for one in read(passage.text) if one.group == said.group]
        theirs = frozenset(t for one in given for t in terms_of(passage.text[one.start : one.end]))
        if not given or denials(passage.text) or not case.alike(passage, own, theirs):
            continue
        if any(one.member == said.member for one in given):
            return None
        if (
            rival is None
            and len({one.member for one in given}) == 1
            and (
                code != "kind_differs" or _same_place(case.claim.text, said, passage.text, given[0])
            )
        ):
            rival = passage, given[0]
    if rival is None:
        return None
    passage, other = rival
    at, span = (said.start, said.end), (passage.span(other.start, other.end),)
    shown, theirs_shown = case.claim.text[slice(*at)], passage.text[other.start : other.end]
    reason = f"says {shown}, source says {theirs_shown}"
    return case.note("alternatives", code, Standing.CONTRADICTED, reason, at, span)


def _same_place(text: str, said: _Choice, given_text: str, given: _Choice) -> bool:
    """True when the same content word is beside both: `customer review` has no actor."""
    mine, theirs = _beside(text, said), _beside(given_text, given)
    return any(one and one == other for one, other in zip(mine, theirs, strict=True))


def _beside(text: str, choice: _Choice) -> tuple[tuple[str, ...], tuple[str, ...]]:
    before = [t for w in tokens(text) if w.end <= choice.start and (t := word_terms(w.text))]
    after = [t for w in tokens(text) if w.start >= choice.end and (t := word_terms(w.text))]
    return (before[-1] if before else ()), (after[0] if after else ())


def _single(said: tuple[_Choice, ...]) -> tuple[_Choice, ...]:
    """Leave out groups of which a claim says several: it compares or lists them."""
    groups = [one.group for one in said]
    return tuple(one for one in said if groups.count(one.group) == 1)


def _frequencies(text: str) -> tuple[_Choice, ...]:
    return tuple(
        _Choice(start=one.start, end=one.end, group="frequency", member=one.period)
        for one in frequencies(text)
    )


def _counted(text: str) -> tuple[_Choice, ...]:
    return tuple(
        _Choice(start=one.start, end=one.end, group=f"times a {one.period}", member=str(one.times))
        for one in counted_frequencies(text)
    )


def _kinds(text: str) -> tuple[_Choice, ...]:
    return tuple(
        _Choice(start=start, end=end, group=str(group), member=member)
        for start, end, group, member in kinds_said(text)
    )


@lru_cache(maxsize=8192)
def _ordinals(text: str) -> tuple[_Choice, ...]:
    return tuple(
        _Choice(
            start=m.start(1), end=m.end(1), group=stem(m[2].lower()), member=str(NTH[m[1].lower()])
        )
        for m in _ORDINAL.finditer(text)
        if not _NOT_COUNTED.search(text, max(0, m.start() - 8), m.start())
    )


_SETS: tuple[tuple[str, _Reader], ...] = (
    ("frequency_differs", _counted),
    ("frequency_differs", _frequencies),
    ("kind_differs", _kinds),
    ("ordinal_differs", _ordinals),
)
