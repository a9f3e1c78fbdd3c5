"""Quantities of a claim that can be worked out from the evidence, or that conflict with it."""

from __future__ import annotations

from dataclasses import replace

from firmground.core.claim import CheckNote, Standing
from firmground.core.evidence import EvidenceSpan
from firmground.verify.checks.case import CheckCase
from firmground.verify.checks.denied_value import denies_value
from firmground.verify.derive import Derivation, DerivationOutcome, Operand, derive, read_facts

# Evidence with more passages than this is not searched as a whole for operands.
_MOST_PASSAGES = 300
_CHOSEN = 40


def derivations(case: CheckCase) -> tuple[Derivation, ...]:
    """What the evidence makes of each quantity of the claim, worked out once for a case."""
    if "derivations" not in case.memo:
        case.memo["derivations"] = tuple(_asserted(case, one) for one in _worked_out(case))
    found: tuple[Derivation, ...] = case.memo["derivations"]
    return found


def _asserted(case: CheckCase, one: Derivation) -> Derivation:
    """Treat a value that the claim denies as unknown."""
    spans = _spans(one)
    if one.outcome is DerivationOutcome.UNKNOWN or not denies_value(
        case, one.start, one.end, spans
    ):
        return one
    return replace(one, outcome=DerivationOutcome.UNKNOWN, code="denied", working="", operands=())


def _worked_out(case: CheckCase) -> tuple[Derivation, ...]:
    reading = case.reading
    if len(reading.passages) <= _MOST_PASSAGES:
        if "facts" not in reading.kept:
            reading.kept["facts"] = read_facts(reading.passages)
        return derive(case.claim.text, reading.kept["facts"])
    return derive(case.claim.text, reading.select(case.claim.text, limit=_CHOSEN))


_ABSENT = frozenset("number_absent date_absent time_absent".split())
_DIFFERS = frozenset("number_differs date_differs time_differs".split())


def is_worked_out(case: CheckCase, note: CheckNote) -> bool:
    """Return whether a note objects to a value that follows from the evidence by calculation.

    A value that the source does not write is not absent if it can be worked out. One that differs
    from what the source writes must also be announced by the claim's words ("in total", "less").
    """
    if note.code not in _ABSENT | _DIFFERS or note.start is None or note.end is None:
        return False
    start, end = note.start - case.claim.start, note.end - case.claim.start
    return any(
        one.outcome is DerivationOutcome.DERIVED
        and (one.cued or note.code in _ABSENT)
        and one.start < end
        and start < one.end
        for one in derivations(case)
    )


def check_derivation(case: CheckCase) -> tuple[CheckNote, ...]:
    """Note each quantity that is worked out from the evidence, with the working, or conflicts."""
    found = []
    for one in derivations(case):
        at = (one.start, one.end)
        spans = _spans(one)
        if one.outcome is DerivationOutcome.DERIVED:
            found.append(case.note("derivation", "value_derived", None, one.working, at, spans))
        elif one.outcome is DerivationOutcome.CONFLICTS:
            reason = (
                one.working
                or f"the source gives another value than {case.claim.text[at[0] : at[1]]}"
            )
            found.append(
                case.note("derivation", "value_conflicts", Standing.CONTRADICTED, reason, at, spans)
            )
    return tuple(found)


def _spans(one: Derivation) -> tuple[EvidenceSpan, ...]:
    return tuple(_span(operand) for operand in one.operands if operand.passage >= 0)


def _span(operand: Operand) -> EvidenceSpan:
    return EvidenceSpan(evidence_id=operand.evidence_id, start=operand.start, end=operand.end)
