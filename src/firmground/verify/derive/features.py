"""Derivations of one statement as a fixed row of numbers for a learned fusion."""

from __future__ import annotations

from collections.abc import Sequence

from firmground.verify.derive.model import Derivation, DerivationOutcome

_DATES = frozenset({"date", "clock", "decade"})
_DURATIONS = frozenset({"time", "months"})
_KINDS = ("number", "date", "duration")

FEATURE_NAMES: tuple[str, ...] = (
    *(f"{kind}_{outcome.value}" for kind in _KINDS for outcome in DerivationOutcome),
    "quantities",
    "premises",
    "share_explained",
    "share_explained_here",
    "any_conflict",
    "any_unknown",
    "any_other_subject",
    "all_other_subject",
    "max_coincidence_risk",
    "mean_coincidence_risk",
    "uncued_derived",
    "two_step_derived",
    "converted",
    "chance",
    "instance",
    "minor",
    "min_relation",
    "max_margin",
    "closeness",
    "comparison_holds",
    "comparison_fails",
)
"""The names of the features, in the order of `summary_features`."""


def kind_of(derivation: Derivation) -> str:
    """Sort a quantity into dates (with times of day), durations and other numbers."""
    if derivation.dimension in _DATES:
        return "date"
    return "duration" if derivation.dimension in _DURATIONS else "number"


def is_explained(derivation: Derivation) -> bool:
    """True for a quantity that is stated, derived, a premise or an instance, or counted by hand."""
    return derivation.outcome in (
        DerivationOutcome.STATED,
        DerivationOutcome.DERIVED,
    ) or derivation.code in (
        "premise",
        "minor",
        "instance",
    )


def summary_features(derivations: Sequence[Derivation]) -> tuple[float, ...]:
    """Summarise the derivations of a statement; all zero where it has no quantities."""
    size = len(derivations)
    if not size:
        return (0.0,) * len(FEATURE_NAMES)
    counts = [
        float(sum(kind_of(d) == kind and d.outcome is outcome for d in derivations))
        for kind in _KINDS
        for outcome in DerivationOutcome
    ]
    explained = [d for d in derivations if is_explained(d)]
    here = [d for d in explained if not d.other_subject]
    derived = [d for d in derivations if d.outcome is DerivationOutcome.DERIVED]
    risks = [d.coincidence_risk for d in derived]
    away = [d.other_subject for d in derivations]
    vouched = [
        d.relation
        for d in derivations
        if d.outcome in (DerivationOutcome.STATED, DerivationOutcome.DERIVED)
    ]
    return (
        *counts,
        float(size),
        float(sum(d.code == "premise" for d in derivations)),
        len(explained) / size,
        len(here) / size,
        float(any(d.outcome is DerivationOutcome.CONFLICTS for d in derivations)),
        float(
            any(not is_explained(d) and d.outcome is DerivationOutcome.UNKNOWN for d in derivations)
        ),
        float(any(away)),
        float(all(away)),
        max(risks, default=0.0),
        sum(risks) / len(risks) if risks else 0.0,
        float(sum(not d.cued for d in derived)),
        float(sum(d.code == "two_step" for d in derived)),
        float(sum(d.code == "converted" for d in derivations)),
        *(
            float(sum(d.code == code for d in derivations))
            for code in ("chance", "instance", "minor")
        ),
        min(vouched, default=0.0),
        max(d.margin for d in derivations),
        max(d.closeness for d in derivations),
        *(
            float(sum(d.code == code for d in derivations))
            for code in ("comparison_holds", "comparison_fails")
        ),
    )
