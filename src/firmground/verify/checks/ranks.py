"""Ranks: the largest, the second largest and one of the largest are three different things."""

from __future__ import annotations

import re
from dataclasses import dataclass

from firmground.core.claim import CheckNote, Standing
from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.checks.case import CheckCase, span_terms
from firmground.verify.polarity import denials
from firmground.verify.reading import Passage, terms_of
from firmground.verify.values.ordinals import NTH

_LATER = {word: at for word, at in NTH.items() if at > 1}
_RANK = lazy_pattern(
    r"(?P<among>\b(?:one of|among|some of)\s+(?:the\s+|its\s+|\w+['’]s\s+)?(?:\w+\s+)?)?"
    rf"(?:\b(?P<nth>{'|'.join(_LATER)})[\s-]+)?"
    r"\b(?P<word>largest|biggest|smallest|highest|lowest|oldest|youngest|longest|shortest|fastest|"
    r"slowest|greatest|richest|poorest|strongest|tallest|deepest|widest|busiest|cheapest|heaviest|"
    r"(?:most|least)[\s-](?:populous|populated|expensive|popular|common|successful|important|"
    r"powerful|valuable|visited|famous))\b",
    re.IGNORECASE,
)
_END = lazy_pattern(
    r"[,;:.()—–]|\s(?:and|but|after|behind|which|who|while|with|by)\s", re.IGNORECASE
)
_SAME = {"biggest": "largest", "greatest": "largest", "populated": "populous"}
_AMONG = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rank:
    """A place in an order; ``place`` 0 stands for one of the first few."""

    start: int
    end: int
    word: str
    place: int
    scope: frozenset[str]
    """Content words of what it is ranked among."""


def check_ranks(case: CheckCase) -> tuple[CheckNote, ...]:
    """Object when the source gives the same thing another place in the same order."""
    if case.about_source or denials(case.claim.text):
        return ()
    notes = (_judge(case, said) for said in _ranks(case.claim.text) if said.place != _AMONG)
    return tuple(note for note in notes if note is not None)


def _ranks(text: str) -> tuple[_Rank, ...]:
    return tuple(_rank(text, m) for m in _RANK.finditer(text))


def _rank(text: str, m: re.Match[str]) -> _Rank:
    end = _END.search(text, m.end())
    nth = m["nth"]
    place = _AMONG if m["among"] else _LATER[nth.lower()] if nth else 1
    word = m["word"].lower().replace("-", " ")
    for one, other in _SAME.items():
        word = word.replace(one, other)
    after = terms_of(text[m.end() : end.start() if end else len(text)])
    scope = frozenset(term.removesuffix("e") for term in after)  # "lake" and "lakes" alike
    return _Rank(start=m.start(), end=m.end(), word=word, place=place, scope=scope)


def _judge(case: CheckCase, said: _Rank) -> CheckNote | None:
    own = span_terms(case, said.start, said.end)
    about = [p for p in case.passages if not denials(p.text) and _mirrors(case, p, own)]
    given = [(p, r) for p in about for r in _ranks(p.text) if _same_order(said, r)]
    if not given or any(rank.place == said.place for _, rank in given):
        return None
    passage, rank = given[0]
    shown, other = case.claim.text[said.start : said.end], passage.text[rank.start : rank.end]
    at, span = (said.start, said.end), (passage.span(rank.start, rank.end),)
    reason = f"says {shown}, source says {other}"
    if rank.place == _AMONG:
        return case.note("ranks", "rank_raised", Standing.UNGROUNDED, reason, at, span)
    return case.note("ranks", "rank_differs", Standing.CONTRADICTED, reason, at, span)


def _mirrors(case: CheckCase, passage: Passage, own: frozenset[str]) -> bool:
    ranked = frozenset(
        t for r in _ranks(passage.text) for t in terms_of(passage.text[r.start : r.end])
    )
    return case.mirrors(passage, own | ranked)


def _same_order(said: _Rank, given: _Rank) -> bool:
    return said.word == given.word and bool(said.scope) and said.scope <= given.scope
