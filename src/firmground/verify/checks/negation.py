"""Negation: does the claim deny what the source asserts, or assert what it denies?"""

from __future__ import annotations

import re

from firmground.core.claim import CheckNote, Standing
from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.checks.case import Case, span_terms
from firmground.verify.checks.commanded import forbidden_deed
from firmground.verify.framing import passage_framings
from firmground.verify.polarity import clauses, denials
from firmground.verify.reading import Passage, terms_of, tokens
from firmground.verify.select import word_terms

_FEWEST_TERMS = 2
_MOST = 0.5
_NEARLY_ALL = 0.8
# Words that deny without a negation, and turns that assert nothing either way.
_IMPLIED = lazy_pattern(
    r"\b(?:yet to|preclud\w+|prevent\w*|prohibit\w*|ban(?:s|ned)?|den(?:y|ies|ied|ying)|avoid\w*|"
    r"stop(?:s|ped)?|few|little|empty|absent|missing|declin\w+|reject\w*|against|unlike\w*|un\w+ed|"
    r"promis\w+|pledg\w+|back(?:s|ed|ing)? out|cancel\w*|refus\w+|withdr\w+|fail\w*|low|"
    r"rarely|hardly|barely|free of|exempt\w*|instead|rather than|too \w+ to)\b",
    re.IGNORECASE,
)
_CONDITION = lazy_pattern(r"\b(?:if|unless|whether|until|wenn|falls|si)\b", re.IGNORECASE)
_WHERE = lazy_pattern(
    r"\b(?:on|in|at|during|within|until|inside|outside|near|under|between)\s+"
    r"(?:the\s+|an?\s+|any\s+|its\s+|their\s+)?[^\W_]+(?:\s+(?!and\b|or\b)[^\W_]+)?",
    re.IGNORECASE,
)


def check_negation(case: Case) -> tuple[CheckNote, ...]:
    """Object when claim and source say the same thing with opposite sign."""
    if case.about_source or len(case.terms) < _FEWEST_TERMS:
        return ()
    said = tuple(d for d in denials(case.claim.text) if not _supposed(case.claim.text, d))
    if not said and (told := forbidden_deed(case)) is not None:
        return (_forbidden(case, *told),)
    if not said and (denied := _denied_whole(case)) is not None:
        return (_asserted(case, *denied),)
    own = frozenset(term for span in said for term in span_terms(case, *span))
    aligned = [p for p in case.passages if p.path is None and case.mirrors(p, own)]
    if not aligned:
        return _remark(case, said)
    best = max(aligned, key=lambda passage: case.cover(passage, own))
    if said:
        agreed = any(_may_deny(case, passage, said[0]) for passage in aligned)
    else:
        agreed = any(not _denied(case, passage) for passage in aligned)
    if agreed:
        return _remark(case, said)
    return (_objection(case, said, best),)


def _objection(case: Case, said: tuple[tuple[int, int], ...], passage: Passage) -> CheckNote:
    if said:
        shown = case.claim.text[said[0][0] : said[0][1]]
        reason = f"says “{shown}”, source asserts it"
        return case.note(
            "negation", "negation_added", Standing.CONTRADICTED, reason, said[0], (passage.span(),)
        )
    return _asserted(case, passage, *_denied(case, passage)[0])


def _asserted(case: Case, passage: Passage, start: int, end: int) -> CheckNote:
    reason = f"asserts what the source denies (“{passage.text[start:end]}”)"
    at = (0, len(case.claim.text))
    return case.note(
        "negation", "negation_dropped", Standing.CONTRADICTED, reason, at, (passage.span(),)
    )


def _denied_whole(case: Case) -> tuple[Passage, int, int] | None:
    """Find a short denial, all of whose words one clause of the claim has, whatever it adds.

    Nothing is said against the claim when another passage has these words and denies nothing.
    """
    for passage in case.passages:
        denial = _whole_denial(passage)
        if denial is None:
            continue
        words = passage.terms - terms_of(passage.text[denial[0] : denial[1]])
        text = case.claim.text
        taken_up = any(words <= terms_of(text[low:high]) for low, high in clauses(text))
        if taken_up and not any(words <= p.terms and not denials(p.text) for p in case.passages):
            return passage, *denial
    return None


def _whole_denial(passage: Passage) -> tuple[int, int] | None:
    """Where a sentence of one clause denies what it says."""
    found, text = denials(passage.text), passage.text
    if passage.path is not None or len(found) != 1 or len(clauses(text)) > 1:
        return None
    start, end = found[0]
    said = terms_of(text[:start]) and terms_of(text[end:]) and not _CONDITION.search(text)
    return found[0] if said else None


def _forbidden(case: Case, passage: Passage, start: int, end: int) -> CheckNote:
    reason = f"tells to do what the source forbids (“{passage.text[start:end]}”)"
    at, span = (0, len(case.claim.text)), passage.span(start, end)
    return case.note("negation", "negation_dropped", Standing.CONTRADICTED, reason, at, (span,))


def _remark(case: Case, said: tuple[tuple[int, int], ...]) -> tuple[CheckNote, ...]:
    if not said:
        return ()
    return (case.note("negation", "denies", None, "the claim denies something", said[0]),)


def _may_deny(case: Case, passage: Passage, denial: tuple[int, int]) -> bool:
    """True unless the passage speaks of the very thing denied and denies nothing itself."""
    denied = _next(case.claim.text, denial)
    implied = (m for m in _IMPLIED.finditer(passage.text))
    # "did not fail" denies the failing itself, which "failed" does not.
    other = any(not terms_of(m.group()) & denied for m in implied)
    framed = any(one.strong for one in passage_framings(passage, case.reading))
    return bool(denials(passage.text)) or framed or other or not denied & passage.terms


def _denied(case: Case, passage: Passage) -> tuple[tuple[int, int], ...]:
    """Give the denials of a passage whose next telling word the claim takes up."""
    if _CONDITION.search(passage.text):
        return ()
    return tuple(
        span
        for span in denials(passage.text)
        if _next(passage.text, span) & case.terms
        and _rules_it(case, passage, span)
        and not _only_there(case, passage, span)
    )


def _only_there(case: Case, passage: Passage, denial: tuple[int, int]) -> bool:
    """True for ``no points are recorded on the paper``: the claim does not speak of that place."""
    _, high = _clause(passage.text, denial)
    return any(
        terms_of(m.group()) and not terms_of(m.group()) & case.terms
        for m in _WHERE.finditer(passage.text, denial[1], high)
    )


def _rules_it(case: Case, passage: Passage, denial: tuple[int, int]) -> bool:
    """True when the denial's own clause says what the claim says, and the rest does not too."""
    shared, after = case.terms & passage.terms, _next(passage.text, denial)
    low, high = _clause(passage.text, denial)
    inside = shared & terms_of(passage.text[low:high])
    outside = shared & (terms_of(passage.text[:low]) | terms_of(passage.text[high:]))
    other = outside - inside
    if inside & outside and (_named(case) & other or (other and after & outside)):
        return False  # “Norway needs none, whereas Chile needs one” denies nothing of Chile
    return len(inside) >= _MOST * len(shared) and len(outside) < _NEARLY_ALL * len(shared)


def _named(case: Case) -> frozenset[str]:
    words = (word.text for word in case.words[1:] if word.text[0].isupper())
    return frozenset(term for word in words for term in word_terms(word))


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
