"""Measure how far an answer depends on its documents, and decide whether it may go out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from firmground.core.decision import Decision, Step
from firmground.core.evidence import Evidence
from firmground.core.finding import Dependence, Fault, Findings
from firmground.core.ports import Model
from firmground.core.question import Question
from firmground.decide import decide
from firmground.decide.rule import Rule
from firmground.decide.rules.dependence import BlindDependence, DropSensitivity
from firmground.probe import PROFILES, ProbeProfile, measure_choice, measure_free


async def measure_dependence(
    model: Model,
    question: Question,
    evidence: Sequence[Evidence],
    options: Sequence[str],
    answer: str | None,
    *,
    profile: ProbeProfile,
) -> Dependence | Fault:
    """Measure a choice when there are options, free text otherwise."""
    if options:
        return await measure_choice(
            model, question, evidence, options, answer=answer, profile=profile
        )
    return await measure_free(model, question, evidence, answer=answer, profile=profile)


async def gate(
    model: Model,
    question: Question,
    evidence: Sequence[Evidence],
    options: Sequence[str],
    answer: str | None,
    *,
    profile: ProbeProfile | None,
) -> dict[str, Any]:
    """Measure, decide by the profile's rule, and return both as JSON."""
    how = profile or PROFILES["default"]
    seen = await measure_dependence(model, question, evidence, options, answer, profile=how)
    decision = decide(Findings(dependence=seen), (dependence_rule(how, None),))
    return dependence_document(seen, decision, evidence)


def dependence_rule(profile: ProbeProfile, threshold: float | None) -> Rule:
    """The rule of a profile; an explicit threshold is used in every mode, whatever its value."""
    if profile.abstain_choice is None or profile.abstain_free is None:
        return BlindDependence() if threshold is None else BlindDependence(sensitive_from=threshold)
    return DropSensitivity(
        choice_from=profile.abstain_choice if threshold is None else threshold,
        free_from=profile.abstain_free if threshold is None else threshold,
    )


def dependence_document(
    seen: Dependence | Fault, decision: Decision, evidence: Sequence[Evidence]
) -> dict[str, Any]:
    """What was measured and decided, as JSON; a fault is told as such."""
    if isinstance(seen, Fault):
        return {"decision": "ERROR", "fault": seen.kind, "reason": seen.message}
    return {
        "decision": "ANSWER" if decision.step is Step.PROCEED else "ABSTAIN",
        "answer": seen.answer,
        "answer_without_documents": seen.without,
        "confidence": round(seen.believed_with, 6),
        "sensitivity": round(seen.sensitivity, 6),
        "shift_interval": [round(edge, 6) for edge in seen.interval],
        "prior": seen.prior,
        "documents": seen.lean,
        "margin": round(seen.margin, 6),
        "noise": round(seen.noise, 6),
        "per_document": {name: round(weight, 6) for name, weight in seen.per_evidence},
        "per_document_named": [
            {"document": named_document(name, evidence), "weight": round(weight, 6)}
            for name, weight in seen.per_evidence
        ],
        "corroborating": seen.corroborating,
        "opposing": seen.opposing,
        "trust": seen.trust.label if seen.trust is not None else None,
        "objections": [{"rule": o.rule, "reason": o.reason} for o in decision.objections],
        "remarks": list(seen.remarks),
        "calls": seen.calls,
        "prompts": dict(seen.prompts),
    }


def named_document(name: str, evidence: Sequence[Evidence]) -> str:
    """A document by its number, its file and how it begins."""
    for number, piece in enumerate(evidence, 1):
        if piece.id == name:
            place = f", {piece.origin}" if piece.origin else ""
            return f'document {number}{place}: "{beginning(piece.text, 40)}"'
    return name[:16]


def beginning(text: str, most: int) -> str:
    """The first words of a text in one line."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"
