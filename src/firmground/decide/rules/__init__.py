"""Every rule there is, each a small frozen value with its own parameters."""

from __future__ import annotations

from firmground.decide.rule import Rule
from firmground.decide.rules.answer import HighRisk, NoClaims, ThinSupport, UncoveredAnswer
from firmground.decide.rules.calibrated import Calibrated
from firmground.decide.rules.claims import (
    Contradiction,
    CouldNotCheck,
    CriticalClaimUnsupported,
    UngroundedClaim,
)
from firmground.decide.rules.dependence import BlindDependence, DropSensitivity
from firmground.decide.rules.evidence import (
    CitationViolations,
    Corroboration,
    StaleEvidence,
    SuspiciousTexts,
    UnreadEvidence,
)
from firmground.decide.rules.models import Disagreement, PreflightObjects
from firmground.decide.rules.run import BudgetSpent, FailedHooks, Faulted, Overruled

RULES: tuple[type[Rule], ...] = (
    Contradiction,
    ThinSupport,
    HighRisk,
    UncoveredAnswer,
    CriticalClaimUnsupported,
    UngroundedClaim,
    Corroboration,
    CitationViolations,
    SuspiciousTexts,
    CouldNotCheck,
    Faulted,
    UnreadEvidence,
    NoClaims,
    PreflightObjects,
    BlindDependence,
    Disagreement,
    FailedHooks,
    StaleEvidence,
    BudgetSpent,
    Overruled,
)

__all__ = [
    "RULES",
    "BlindDependence",
    "BudgetSpent",
    "Calibrated",
    "CitationViolations",
    "Contradiction",
    "Corroboration",
    "CouldNotCheck",
    "CriticalClaimUnsupported",
    "Disagreement",
    "DropSensitivity",
    "FailedHooks",
    "Faulted",
    "HighRisk",
    "NoClaims",
    "Overruled",
    "PreflightObjects",
    "StaleEvidence",
    "SuspiciousTexts",
    "ThinSupport",
    "UncoveredAnswer",
    "UngroundedClaim",
    "UnreadEvidence",
]
