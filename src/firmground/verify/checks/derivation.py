"""Quantities of a claim that can be worked out from the evidence, or that conflict with it."""

from __future__ import annotations

from dataclasses import replace

from firmground.core.claim import CheckNote, Standing
from firmground.core.evidence import EvidenceSpan
from firmground.verify.checks.case import Case
from firmground.verify.checks.denied_value import denies_value
from firmground.verify.derive import Derivation, Operand, Outcome, derive, read_facts

# Evidence with more passages than this is not searched as a whole for operands.
_MOST_PASSAGES = 300
_CHOSEN = 40


def derivations(case: Case) -> tuple[Derivation, ...]:
    """What the evidence makes of each quantity of the claim, worked out once for a case."""
    if "derivations" not in case.memo:
        case.memo["derivations"] = tuple(_asserted(case, one) for one in _worked_out(case))
    found: tuple[Derivation, ...] = case.memo["derivations"]
    return found


def _asserted(case: Case, one: Derivation) -> Derivation:
    """Leave open what becomes of a value that the claim denies."""
    spans = _spans(one)
    if one.outcome is Outcome.UNKNOWN or not denies_value(case, one.start, one.end, spans):
        return one
    return replace(one, outcome=Outcome.UNKNOWN, code="denied", working="", operands=())


def _worked_out(case: Case) -> tuple[Derivation, ...]:
    reading = case.reading
    if len(reading.passages) <= _MOST_PASSAGES:
        if "facts" not in reading.kept:
            reading.kept["facts"] = read_facts(reading.passages)
        return derive(case.claim.text, reading.kept["facts"])
    return derive(case.claim.text, reading.select(case.claim.text, limit=_CHOSEN))


def check_derivation(case: Case) -> tuple[CheckNote, ...]:
    """Note each quantity that is worked out from the evidence, with the working, or conflicts."""
    found = []
    for one in derivations(case):
        at = (one.start, one.end)
        spans = _spans(one)
        if one.outcome is Outcome.DERIVED:
            found.append(case.note("derivation", "value_derived", None, one.working, at, spans))
        elif one.outcome is Outcome.CONFLICTS:
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
