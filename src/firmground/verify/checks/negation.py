"""Negation added: does the claim deny what the source asserts, or advise what it forbids?

The other direction, a claim that drops the source's negation, is one of the framings.
"""

from __future__ import annotations

import re

from firmground.core.claim import CheckNote, Standing
from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.checks.case import CheckCase, span_terms
from firmground.verify.checks.commanded import forbidden_deed
from firmground.verify.framing import passage_framings
from firmground.verify.polarity import clauses, denials
from firmground.verify.reading import Passage, terms_of, tokens
from firmground.verify.select import word_terms

_FEWEST_TERMS = 2
# Words that deny without a negation, and turns that assert nothing either way.
_IMPLIED = lazy_pattern(
    r"\b(?:yet to|preclud\w+|prevent\w*|prohibit\w*|ban(?:s|ned)?|den(?:y|ies|ied|ying)|avoid\w*|"
    r"stop(?:s|ped)?|few|little|empty|absent|missing|declin\w+|reject\w*|against|unlike\w*|un\w+ed|"
    r"promis\w+|pledg\w+|back(?:s|ed|ing)? out|cancel\w*|refus\w+|withdr\w+|fail\w*|low|"
    r"rarely|hardly|barely|free of|exempt\w*|instead|rather than|too \w+ to)\b",
    re.IGNORECASE,
)
_CONDITION = lazy_pattern(r"\b(?:if|unless|whether|until|wenn|falls|si)\b", re.IGNORECASE)


def check_negation(case: CheckCase) -> tuple[CheckNote, ...]:
    """Object when the claim denies what its source asserts, or commands what it forbids."""
    if case.about_source or len(case.terms) < _FEWEST_TERMS:
        return ()
    said = tuple(d for d in denials(case.claim.text) if not _supposed(case.claim.text, d))
    if not said:
        told = forbidden_deed(case)
        return () if told is None else (_forbidden(case, *told),)
    own = frozenset(term for span in said for term in span_terms(case, *span))
    aligned = [p for p in case.passages if p.path is None and case.mirrors(p, own)]
    if not aligned or any(_may_deny(case, passage, said[0]) for passage in aligned):
        return (case.note("negation", "denies", None, "the claim denies something", said[0]),)
    best = max(aligned, key=lambda passage: case.cover(passage, own))
    shown = case.claim.text[said[0][0] : said[0][1]]
    reason = f"says “{shown}”, source asserts it"
    return (
        case.note(
            "negation", "negation_added", Standing.CONTRADICTED, reason, said[0], (best.span(),)
        ),
    )


def _forbidden(case: CheckCase, passage: Passage, start: int, end: int) -> CheckNote:
    reason = f"tells to do what the source forbids (“{passage.text[start:end]}”)"
    at, span = (0, len(case.claim.text)), passage.span(start, end)
    return case.note("negation", "negation_dropped", Standing.CONTRADICTED, reason, at, (span,))


def _may_deny(case: CheckCase, passage: Passage, denial: tuple[int, int]) -> bool:
    """True unless the passage speaks of the very thing denied and denies or frames nothing."""
    denied = _next(case.claim.text, denial)
    implied = (m for m in _IMPLIED.finditer(passage.text))
    # "did not fail" denies the failing itself, which "failed" does not.
    other = any(not terms_of(m.group()) & denied for m in implied)
    framed = any(one.strong for one in passage_framings(passage, case.reading))
    return bool(denials(passage.text)) or framed or other or not denied & passage.terms


def _clause(text: str, denial: tuple[int, int]) -> tuple[int, int]:
    return next((c for c in clauses(text) if c[0] <= denial[0] < c[1]), (0, len(text)))


def _supposed(text: str, denial: tuple[int, int]) -> bool:
    """True when a condition holds the denial: `if no dice appear` says nothing of dice."""
    low, _ = _clause(text, denial)
    return _CONDITION.search(text, low, denial[0]) is not None


def _next(text: str, denial: tuple[int, int]) -> frozenset[str]:
    """The first telling word after a denial, in the same clause."""
    clause = _clause(text, denial)
    for word in tokens(text):
        if denial[1] <= word.start < clause[1] and (terms := word_terms(word.text)):
            return frozenset(terms)
    return frozenset()
