"""Conflicts: the same quantity of the same subject has another value in the evidence."""

from __future__ import annotations

from collections.abc import Sequence

from firmground.verify.derive.compare import same_value
from firmground.verify.derive.dimensions import compatible
from firmground.verify.derive.facts import Fact, Facts
from firmground.verify.derive.model import Limit, Value
from firmground.verify.derive.subject import Subject, near_terms, subject_terms
from firmground.verify.reading import tokens
from firmground.verify.select import word_terms

_ALIGNED = 0.62
_NEAR = 4
_LOOSE = frozenset({Limit.OVER, Limit.UNDER, Limit.AT_LEAST, Limit.AT_MOST})


def find_rival(
    statement: str, said: Value, facts: Facts, subject: Subject, others: Sequence[Value]
) -> tuple[Fact, float] | None:
    """Find the fact that gives the same quantity of the same subject another value.

    A fact that another value of the statement gives already is no rival of this one.
    """
    around = near_terms(statement, said)
    if not around:
        return None
    weight = facts.weight(around) or 1.0
    best: tuple[float, Fact] | None = None
    for fact in facts.facts:
        if not _comparable(said, fact.value):
            continue
        if any(same_value(other, fact.value) for other in others):
            continue
        passage = facts.passages[fact.passage]
        inside = facts.terms[fact.passage] | facts.groups[fact.group]
        aligned = facts.weight(around & inside) / weight
        if aligned < _ALIGNED or subject.scores[fact.passage] < 0.5:
            continue
        if fact.column == "":
            close = _around(passage.text, fact.value)
            aligned += 0.5 * facts.weight(around & close) / weight
        if best is None or aligned > best[0]:
            best = aligned, fact
    return None if best is None else (best[1], best[0])


def _comparable(said: Value, given: Value) -> bool:
    if said.dimension != given.dimension and not (
        given.dimension == "" and compatible(said.dimension, "")
    ):
        return said.dimension != "clock" and _same_kind(said, given)
    if said.dimension == "count":
        return bool(said.noun) and said.noun == given.noun
    if said.dimension == "date":
        return all((a is None) == (b is None) for a, b in zip(said.parts[1:], given.parts[1:], strict=True))
    if said.dimension == "label":
        return False
    return not (said.limit in _LOOSE and given.limit is Limit.EXACT)


def _same_kind(said: Value, given: Value) -> bool:
    return {said.dimension, given.dimension} == {"time", "months"}


def _around(text: str, value: Value) -> frozenset[str]:
    """The content words directly around a value of a passage."""
    words = tokens(text)
    inside = [at for at, w in enumerate(words) if w.start < value.end and w.end > value.start]
    if not inside:
        return subject_terms(text)
    near = words[max(0, inside[0] - _NEAR) : inside[-1] + _NEAR + 1]
    return frozenset(term for word in near for term in word_terms(word.text))
