"""Sources that disagree: one supports the claim, another gives a different value for it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from firmground.core.claim import CheckNote, Standing
from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.checks.case import CheckCase, span_terms
from firmground.verify.checks.naming import names
from firmground.verify.polarity import denials
from firmground.verify.reading import Passage, terms_of, tokens
from firmground.verify.select import word_terms
from firmground.verify.values.calendar import Day, agrees, conflicts, days
from firmground.verify.values.comparing import Match, compare
from firmground.verify.values.quantities import Quantity, quantities

_GOOD = (Match.SAME, Match.ROUNDED, Match.WITHIN)
# Behind such a word stands what limits a statement: to whom, when or where it applies.
_LIMIT = lazy_pattern(
    r"\b(?:for|in|on|at|during|if|when|under|with|without|since|until|before|after|among|by|from|"
    r"to|of|per|than|unless|while|only|initial(?:ly)?|first|last|previous(?:ly)?|former(?:ly)?|"
    r"may|might|could|originally|now|then|metro(?:politan)?|greater|urban|rural|total|average|mean|"
    r"median|net|gross|maximum|minimum|estimated|annual|monthly|weekly|daily|new|old|male|female|"
    r"domestic|foreign|other|another|second|third|more|less|extra|additional|half)\b",
    re.IGNORECASE,
)
_LABELLED = lazy_pattern(r"(?:\b(\w+) )?\b([A-Z][A-Za-z]+) \Z")
_LONGEST_LABEL = 4
# "In Berlin 40 people": the number counts, and what stands before it is a place or a time.
_WHERE = frozenset("in at on from of near by for with since until during after before".split())
_ROUGHLY = frozenset("around some every another plus minus than least".split())
_ENOUGH = 0.85
_MOST_EXTRA = 1
_CANDIDATES = 24
_LONGEST_ID = 40
_SHORT_ID = 12
_MOST_TOLD = 3
_Value = Quantity | Day


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rival:
    """Another source's value for the same thing."""

    passage: Passage
    start: int
    end: int

    @property
    def text(self) -> str:
        return self.passage.text[self.start : self.end]


def check_sources(case: CheckCase) -> tuple[CheckNote, ...]:
    """Object when another source gives a different value for the very thing the claim gives one."""
    several = len(case.reading.texts) > 1
    if not several or case.about_source or denials(case.claim.text):
        return ()
    text = case.claim.text
    counted = (one for one in quantities(text) if not _is_label(text, one))
    values: tuple[_Value, ...] = (*counted, *days(text))
    notes = (_judge(case, value) for value in values)
    return tuple(note for note in notes if note is not None)


def _judge(case: CheckCase, said: _Value) -> CheckNote | None:
    own = span_terms(case, said.start, said.end)
    near = [p for p in _candidates(case) if _same_thing(case, p, own)]
    bearing = [p for p in near if _bears(p, said)]
    held = {p.evidence_id for p in bearing}
    against = [r for p in near if p.evidence_id not in held for r in _rivals(case, p, said)]
    if not bearing or not against:
        return None
    return _weigh(case, said, bearing, against)


def _candidates(case: CheckCase) -> tuple[Passage, ...]:
    """The chosen passages and further ones, since a choice may have stopped at one source."""
    more = case.reading.select(case.claim.text, limit=_CANDIDATES)
    return tuple(dict.fromkeys((*case.passages, *more)))


def _same_thing(case: CheckCase, passage: Passage, own: frozenset[str]) -> bool:
    """True when a sentence, its neighbour naming the subject, speaks of all that the claim does."""
    if passage.path is not None or denials(passage.text):
        return False
    wanted = case.terms - own
    named = _named(case)
    held = passage.terms | (_before(case, passage) & named)
    whole = sum(case.reading.weight(term) for term in wanted)
    shared = sum(case.reading.weight(term) for term in wanted & held)
    return bool(wanted & passage.terms) and named - own <= held and shared >= _ENOUGH * whole


def _named(case: CheckCase) -> frozenset[str]:
    """What the claim names things by, the numbers in names among them."""
    text = case.claim.text
    spoken = frozenset(t for n in names(text) for w in n.words for t in word_terms(w[2]))
    labels = (one for one in quantities(text) if _is_label(text, one))
    return spoken.union(*(span_terms(case, one.start, one.end) for one in labels))


def _is_label(text: str, value: Quantity) -> bool:
    """True for the number in ``Bridge 7 opened`` or ``Section 12``: it names and counts nothing."""
    plain = not value.unit and value.text.isdecimal() and len(value.text) <= _LONGEST_LABEL
    before = _LABELLED.search(text, 0, value.start) if plain else None
    if before is None or not word_terms(before[2]) or before[2].endswith("ly"):
        return False
    return (before[1] or "").lower() not in _WHERE and before[2].lower() not in _ROUGHLY


def _before(case: CheckCase, passage: Passage) -> frozenset[str]:
    """The words of the sentence before it in the same source."""
    before = case.reading.passages[passage.order - 1] if passage.order else None
    same = before is not None and before.evidence_id == passage.evidence_id
    return before.terms if before is not None and same else frozenset()


def _bears(passage: Passage, said: _Value) -> bool:
    if isinstance(said, Day):
        return any(agrees(said, given) for given in days(passage.text))
    return any(compare(said, given) in _GOOD for given in quantities(passage.text))


def _rivals(case: CheckCase, passage: Passage, said: _Value) -> tuple[_Rival, ...]:
    """The one other value of a passage, if it has one and says nothing that limits it."""
    found: Sequence[_Value]
    if isinstance(said, Day):
        found = [given for given in days(passage.text) if conflicts(said, given)]
    else:
        found = [g for g in quantities(passage.text) if compare(said, g) is Match.DIFFERENT]
    if len(found) != 1 or _limited(case, passage, found[0]):
        return ()
    return (_Rival(passage=passage, start=found[0].start, end=found[0].end),)


def _limited(case: CheckCase, passage: Passage, given: _Value) -> bool:
    """True when the passage says more than the claim: then its value may be of something else."""
    value = terms_of(passage.text[given.start : given.end])
    known = case.terms | case.asked | value
    extra = [w for w in tokens(passage.text) if (t := word_terms(w.text)) and not known & set(t)]
    if len(extra) > _MOST_EXTRA or any(any(c.isdigit() for c in w.text) for w in extra):
        return True
    for word in extra:
        before = passage.text[: word.start].rsplit(maxsplit=2)[-2:]
        if any(_LIMIT.fullmatch(one.strip(".,;:")) for one in (*before, word.text)):
            return True
    return False


def _weigh(
    case: CheckCase, said: _Value, bearing: Sequence[Passage], against: Sequence[_Rival]
) -> CheckNote:
    ours = {p.evidence_id for p in bearing}
    theirs = {r.passage.evidence_id for r in against}
    best = max(p.trust for p in bearing)
    rival = max(r.passage.trust for r in against)
    shown = case.claim.text[said.start : said.end]
    reason = f"{_told(ours)} {shown}, but {_against(against)}"
    spans = tuple(r.passage.span(r.start, r.end) for r in against)
    at = (said.start, said.end)
    if rival > best or len(theirs) > len(ours):
        veto: Standing | None = Standing.CONTRADICTED
    else:
        # Several sources of equal trust outweigh fewer: the claim stands, with a note.
        veto = None if len(ours) > len(theirs) else Standing.UNGROUNDED
    code = "sources_against" if veto is Standing.CONTRADICTED else "sources_disagree"
    return case.note("sources", code, veto, reason, at, spans)


def _against(rivals: Sequence[_Rival]) -> str:
    """Say which source gives which other value."""
    given: dict[str, set[str]] = {}
    for rival in rivals:
        given.setdefault(rival.text, set()).add(rival.passage.evidence_id)
    told = [f"{_told(ids)} {text}" for text, ids in given.items()]
    more = f", and {len(told) - _MOST_TOLD} more differ" if len(told) > _MOST_TOLD else ""
    return ", ".join(told[:_MOST_TOLD]) + more


def _told(ids: set[str]) -> str:
    """Name sources as those who say something; names made of a digest are cut short."""
    shown = [one if len(one) <= _LONGEST_ID else one[:_SHORT_ID] for one in sorted(ids)]
    return f"{' and '.join(shown)} {'says' if len(shown) == 1 else 'say'}"
