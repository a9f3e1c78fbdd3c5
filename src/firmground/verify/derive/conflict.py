"""Conflicting values: other values that the evidence gives for what a quantity is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from firmground.verify.derive.compare import same_value
from firmground.verify.derive.dimensions import compatible
from firmground.verify.derive.facts import Fact
from firmground.verify.derive.model import Value
from firmground.verify.derive.subject import Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class Aligned:
    """The best aligned fact with the value said, and the best one with another value."""

    match: Fact | None
    match_score: float
    rival: Fact | None
    rival_score: float


def align(said: Value, subject: Subject, others: Sequence[Value]) -> Aligned:
    """Find the facts that fit a quantity best, by the words around it.

    A fact that another quantity of the statement gives already does not conflict.
    """
    near, total = subject.near(said)
    match: tuple[float, Fact] | None = None
    rival: tuple[float, Fact] | None = None
    for fact in subject.facts.facts:
        same = same_value(said, fact.value)
        if not same and not comparable(said, fact.value):
            continue
        score = subject.alignment(near, total, fact)
        if same:
            score += 0.1 if said.noun and said.noun == fact.value.noun else 0.0
            if match is None or score > match[0]:
                match = score, fact
        elif (rival is None or score > rival[0]) and not any(
            same_value(other, fact.value) for other in others
        ):
            rival = score, fact
    return Aligned(
        match=match[1] if match else None,
        match_score=match[0] if match else 0.0,
        rival=rival[1] if rival else None,
        rival_score=rival[0] if rival else 0.0,
    )


def comparable(said: Value, given: Value) -> bool:  # noqa: PLR0911 - one kind a line
    """True when two values could describe the same thing: same dimension, same counted noun."""
    if said.dimension == "label" or given.dimension == "label":
        return False
    if said.dimension != given.dimension:
        if {said.dimension, given.dimension} == {"time", "months"}:
            return True
        return given.dimension == "" and compatible(said.dimension, "")
    if (said.per == "") != (given.per == "") and said.dimension.startswith("money"):
        return False
    if said.dimension == "count":
        return bool(said.noun) and said.noun == given.noun
    if said.dimension == "date":
        pairs = zip(said.parts[1:], given.parts[1:], strict=True)
        return all((a is None) == (b is None) for a, b in pairs)
    return True
