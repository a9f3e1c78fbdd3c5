"""Negation: does the claim deny what the source asserts, or assert what it denies?"""

from __future__ import annotations

from firmground.core.claim import CheckNote, Standing
from firmground.verify.checks.case import Case, span_terms
from firmground.verify.checks.polarity import clauses, denials
from firmground.verify.reading import Passage, terms_of

_ALIGNED = 0.75
_FEWEST_TERMS = 2
_CLAUSE_SHARE = 0.5


def check_negation(case: Case) -> tuple[CheckNote, ...]:
    """Object when claim and source say the same thing with opposite sign."""
    if case.about_source or len(case.terms) < _FEWEST_TERMS:
        return ()
    said = denials(case.claim.text)
    own = frozenset(term for span in said for term in span_terms(case, *span))
    aligned = [p for p in case.passages if p.path is None and case.cover(p, own) >= _ALIGNED]
    if not aligned:
        return _remark(case, said)
    best = max(aligned, key=lambda passage: case.cover(passage, own))
    if any(bool(_denied(case, p)) == bool(said) for p in aligned):
        return _remark(case, said)
    return (_objection(case, said, best),)


def _objection(case: Case, said: tuple[tuple[int, int], ...], passage: Passage) -> CheckNote:
    if said:
        shown = case.claim.text[said[0][0] : said[0][1]]
        reason = f"says “{shown}”, source asserts it"
        return case.note(
            "negation", "negation_added", Standing.CONTRADICTED, reason, said[0], (passage.span(),)
        )
    start, end = _denied(case, passage)[0]
    reason = f"asserts what the source denies (“{passage.text[start:end]}”)"
    at = (0, len(case.claim.text))
    return case.note(
        "negation", "negation_dropped", Standing.CONTRADICTED, reason, at, (passage.span(),)
    )


def _remark(case: Case, said: tuple[tuple[int, int], ...]) -> tuple[CheckNote, ...]:
    if not said:
        return ()
    return (case.note("negation", "denies", None, "the claim denies something", said[0]),)


def _denied(case: Case, passage: Passage) -> tuple[tuple[int, int], ...]:
    """Give the denials of a passage that rule the clauses the claim takes up."""
    found = denials(passage.text)
    if not found:
        return ()
    pieces = clauses(passage.text)
    shared = {piece: _weight(case, passage.text[piece[0] : piece[1]]) for piece in pieces}
    most = max(shared.values(), default=0.0)
    ruling = [p for p in pieces if shared[p] > 0 and shared[p] >= _CLAUSE_SHARE * most]
    return tuple(
        span for span in found if any(low <= span[0] < high for low, high in ruling)
    )


def _weight(case: Case, text: str) -> float:
    return sum(case.reading.weight(term) for term in case.terms & terms_of(text))
