"""Stitched statements: a subject from one sentence, a predicate from another about others."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from firmground.core.claim import CheckNote, Standing
from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.checks.case import CheckCase
from firmground.verify.polarity import denials
from firmground.verify.reading import Passage, terms_of
from firmground.verify.select import word_terms
from firmground.verify.values.meanings import same_words
from firmground.verify.values.places import aliases

_SAYS = lazy_pattern(
    r"(?P<subject>[^,;:()]{2,60}?)\s+(?:is|are|was|were|has been|have been|will be|must be|"
    r"ist|sind|wurden?|werden|est|sont|es|son|fueron|fue)\s+(?P<said>[^,;:()]{3,80})",
    re.IGNORECASE,
)
_DEFINITE = lazy_pattern(
    r"(?:the|this|that|these|those|it|they|he|she|we|you|such|both|all|its|their|his|her|there|"
    r"der|die|das|diese\w*|es|sie|er|le|la|les|ce|ces|il|ils|elles?|el|los|las|esto)\b",
    re.IGNORECASE,
)
_POINTS_BACK = lazy_pattern(
    r"(?:it|they|he|she|we|you|i|this|that|these|those|there|which|who|what|such|both|all|each|"
    r"one|some|most|many|others?|everything|es|sie|er|dies\w*|il|ils|elles?|on|ce|eso|esto)\b",
    re.IGNORECASE,
)
_LONGEST = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class _SplitClause:
    """Who, and what is said of them: content words on both sides of the verb."""

    subject: frozenset[str]
    said: frozenset[str]
    opens: str
    """The subject as it is written."""


def check_stitched(case: CheckCase) -> tuple[CheckNote, ...]:
    """Object when the source says it, but of something else than the claim does."""
    claim = _statement(case.claim.text)
    if case.about_source or claim is None or not _plain(case, claim):
        return ()
    if any(_joins(case, claim, passage) for passage in case.passages):
        return ()
    for passage in case.passages:
        given = _statement(passage.text) if passage.path is None else None
        if given is not None and _of_another(case, claim, passage, given):
            reason = f"source says it of “{given.opens}”, not of “{claim.opens}”"
            at = (0, len(case.claim.text.rstrip(" .")))
            return (
                case.note(
                    "stitched", "stitched", Standing.UNGROUNDED, reason, at, (passage.span(),)
                ),
            )
    return ()


@lru_cache(maxsize=8192)
def _statement(text: str) -> _SplitClause | None:
    m = _SAYS.match(text)
    if m is None:
        return None
    end = m.end() if m.end() < len(text) else len(text)
    return _SplitClause(
        subject=terms_of(m["subject"]),
        said=terms_of(text[m.start("said") : end]),
        opens=m["subject"],
    )


def _plain(case: CheckCase, claim: _SplitClause) -> bool:
    """True for a short statement with a subject of its own that the evidence knows."""
    return (
        0 < len(claim.subject) <= _LONGEST
        and bool(claim.said)
        and claim.subject | claim.said == case.terms
        and not claim.subject & claim.said
        and not case.claim.context
        and not denials(case.claim.text)
        and _POINTS_BACK.match(claim.opens) is None
        and all(case.reading.knows(term) for term in case.terms)
    )


def _joins(case: CheckCase, claim: _SplitClause, passage: Passage) -> bool:
    """True when a passage, or one that may carry on from it, speaks of both sides."""
    held = passage.terms
    if not claim.said & held:
        return False
    if _names_any(claim.subject, held):
        return True
    before = case.reading.passages[passage.order - 1] if passage.order else None
    near = before is not None and before.evidence_id == passage.evidence_id
    if not near or before is None or not _names_any(claim.subject, before.terms):
        return False
    return _may_carry_on(claim, passage.text)


def _names_any(subject: frozenset[str], held: frozenset[str]) -> bool:
    return any(term in held or same_words(term) & held or aliases(term) & held for term in subject)


def _may_carry_on(claim: _SplitClause, text: str) -> bool:
    """True unless the next sentence has a bare subject, or a plain one of its own kind."""
    given = _statement(text)
    if given is None or _POINTS_BACK.match(given.opens):
        return True
    if _DEFINITE.match(given.opens):
        # "Acme … the company": a name may be taken up by a noun, a noun seldom by another one.
        named = any(w[0].isupper() and not w.isupper() for w in claim.opens.split()[1:])
        return named or not _DEFINITE.match(claim.opens)
    return False


def _of_another(
    case: CheckCase, claim: _SplitClause, passage: Passage, given: _SplitClause
) -> bool:
    return (
        claim.said <= given.said
        and bool(given.subject)
        and len(given.subject) <= _LONGEST
        and not given.subject & claim.subject
        and _POINTS_BACK.match(given.opens) is None
        and not denials(passage.text)
        and not any(word_terms(word) == () for word in claim.opens.split()[-1:])
    )
