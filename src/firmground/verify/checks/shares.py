"""Shares in words: a third is not 25 %, half is not 30 %."""

from __future__ import annotations

import re
from dataclasses import dataclass

from firmground.core.claim import CheckNote, Standing
from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.checks.case import CheckCase
from firmground.verify.polarity import denials
from firmground.verify.reading import Passage, terms_of

_PARTS = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "sixth": 6, "eighth": 8, "tenth": 10}
_COUNTS = {"a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4}
_WORDED = lazy_pattern(
    r"\b(?:(?P<half>half)|(?P<count>a|an|one|two|three|four)[\s-](?P<part>thirds?|quarters?|fifths?|"
    r"sixths?|eighths?|tenths?)) of\b",
    re.IGNORECASE,
)
_PERCENT = lazy_pattern(
    r"(?<![\d.,–-])(?P<value>\d{1,2}(?:\.\d+)?)\s?(?:%|percent|per cent)\s+of\b", re.IGNORECASE
)
# Beside such a word a share is a bound, and a bound allows for more than one value.
_BOUND = lazy_pattern(
    r"\b(?:than|over|under|above|below|least|most|up to|nearly|almost|between|to|and|or|another|"
    r"further|every|remaining|other)\s+\Z",
    re.IGNORECASE,
)
_LOOK_BACK = 24
_SLACK_POINTS = 3.0
_SLACK_SHARE = 0.15


@dataclass(frozen=True, slots=True, kw_only=True)
class _Share:
    start: int
    end: int
    percent: float
    worded: bool


def check_shares(case: CheckCase) -> tuple[CheckNote, ...]:
    """Object to a share of the same thing that the source gives otherwise, in words or figures."""
    said = _shares(case.claim.text)
    if len(said) != 1 or case.about_source or denials(case.claim.text):
        return ()
    about = [(p, _shares(p.text)) for p in case.passages if p.path is None]
    about = [(p, given) for p, given in about if given and _mirrors(case, p, said[0], given)]
    if any(_agree(said[0], one) for _, given in about for one in given):
        return ()
    for passage, given in about:
        if len(given) == 1 and not denials(passage.text) and (said[0].worded or given[0].worded):
            return (_differs(case, said[0], passage, given[0]),)
    return ()


def _shares(text: str) -> tuple[_Share, ...]:
    found = [_worded(m) for m in _WORDED.finditer(text) if not _is_bound(text, m.start())]
    found += [
        _Share(start=m.start(), end=m.end() - 3, percent=float(m["value"]), worded=False)
        for m in _PERCENT.finditer(text)
        if not _is_bound(text, m.start())
    ]
    return tuple(found)


def _is_bound(text: str, start: int) -> bool:
    return _BOUND.search(text, max(0, start - _LOOK_BACK), start) is not None


def _worded(m: re.Match[str]) -> _Share:
    parts = _PARTS[(m["half"] or m["part"]).lower().removesuffix("s")]
    count = 1 if m["half"] else _COUNTS[m["count"].lower()]
    return _Share(start=m.start(), end=m.end() - 3, percent=100 * count / parts, worded=True)


def _mirrors(case: CheckCase, passage: Passage, said: _Share, given: tuple[_Share, ...]) -> bool:
    own = terms_of(case.claim.text[said.start : said.end])
    return case.mirrors(
        passage, own.union(*(terms_of(passage.text[g.start : g.end]) for g in given))
    )


def _agree(said: _Share, given: _Share) -> bool:
    """A share in words is a round figure, and so may stand for what lies near it."""
    slack = max(_SLACK_POINTS, _SLACK_SHARE * max(said.percent, given.percent))
    return abs(said.percent - given.percent) <= slack


def _differs(case: CheckCase, said: _Share, passage: Passage, given: _Share) -> CheckNote:
    shown, other = case.claim.text[said.start : said.end], passage.text[given.start : given.end]
    at, span = (said.start, said.end), (passage.span(given.start, given.end),)
    reason = f"says {shown}, source says {other}"
    return case.note("shares", "share_differs", Standing.CONTRADICTED, reason, at, span)
