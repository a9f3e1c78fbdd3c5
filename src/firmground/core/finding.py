"""What was found out. Facts only: nothing here says what should be done."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from firmground.core.claim import Assessment
from firmground.errors import InputError


class FaultKind(StrEnum):
    """Why somebody could not be asked."""

    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    REFUSED = "refused"
    BAD_REPLY = "bad_reply"
    CRASHED = "crashed"
    BREAKER_OPEN = "breaker_open"
    LIMIT = "limit"
    SKIPPED = "skipped"
    MISCONFIGURED = "misconfigured"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """An outside party was asked and answered yes or no."""

    source: str
    passed: bool
    message: str
    confidence: float = 1.0
    """How sure the source is of its own reply; 0 not at all, 1 entirely."""
    details: tuple[tuple[str, str], ...] = ()
    guidance: str = ""
    """What would mend a refusal, in words a rewrite can use."""
    version: str = ""
    asked: str = ""
    """SHA-256 of what the source was asked."""
    replied: str = ""
    """SHA-256 of what it replied."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.confidence <= 1.0:
            raise InputError(f"verdict.confidence must lie in [0, 1], got {self.confidence}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """An outside party could not be asked. Never a pass."""

    source: str
    kind: FaultKind
    message: str = ""
    version: str = ""


class PreflightStatus(StrEnum):
    """May this question be asked?"""

    OK = "PREFLIGHT_OK"
    PARTIAL = "PREFLIGHT_PARTIAL"
    BLOCKED = "PREFLIGHT_BLOCKED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """One thing about the question that invites an invented answer."""

    name: str
    penalty: float
    """How much this takes off the confidence; 0 nothing, 1 all of it."""
    spans: tuple[tuple[int, int], ...] = ()
    """Exact pieces of the question that fired."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Preflight:
    """What was seen in the question before anything was spent on it."""

    status: PreflightStatus
    confidence: float
    """That the question is genuine: 0 surely invented, 1 nothing suspicious."""
    signals: tuple[Signal, ...] = ()
    quantifier: tuple[tuple[str, str], ...] = ()
    question_state: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    profile: str = "default"

    def __post_init__(self) -> None:
        if not 0.0 <= self.confidence <= 1.0:
            raise InputError(f"preflight.confidence must lie in [0, 1], got {self.confidence}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependence:
    """How far the answer moves when evidence is taken away. A fact, neither good nor bad."""

    sensitivity: float
    interval: tuple[float, float] = (0.0, 1.0)
    prior: str = "unknown"
    """What the model believed without evidence: ``known``, ``unknown`` or ``opposed``."""
    per_evidence: tuple[tuple[str, float], ...] = ()
    """Causal weight of each evidence id."""
    corroborating: int = 0
    """Independent sources that say the same."""
    calls: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """What other model families said about the answer."""

    agreeing: int
    disagreeing: int
    abstaining: int = 0
    families: tuple[str, ...] = ()
    disputed: tuple[int, ...] = ()
    """Positions in the assessments that others contradicted."""


class CitationStatus(StrEnum):
    """What became of one citation or quotation in the answer."""

    SUPPORTED = "supported"
    REPAIRED = "repaired"
    MISATTRIBUTED = "misattributed"
    STITCHED = "stitched"
    FABRICATED = "fabricated"
    UNRESOLVED = "unresolved"


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationFinding:
    """One citation or quotation, where it stands in the answer, and what it came to."""

    start: int
    end: int
    status: CitationStatus
    reason: str
    evidence_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SuspiciousText:
    """Characters that make text look like something it is not, or instructions to the reader."""

    where: str
    """``answer``, ``question`` or an evidence id."""
    start: int
    end: int
    code: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Support:
    """The typed support score over the partition of claims."""

    score: float
    """0 nothing stands, 1 everything stands."""
    profile: str
    risk: float
    """Probability that at least one checkable claim does not stand."""
    coverage: float
    """Share of the answer's letters and digits that lies inside claims."""
    weights: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        for name in ("score", "risk", "coverage"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise InputError(f"support.{name} must lie in [0, 1], got {getattr(self, name)}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What a run has used of its budget so far."""

    regenerations: int = 0
    replans: int = 0
    model_calls: int = 0
    tokens: int = 0
    seconds: float = 0.0
    exhausted: tuple[str, ...] = ()
    """Names of the budgets that ran out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """Everything that was found out about one answer. No field says what to do about it."""

    preflight: Preflight | None = None
    assessments: tuple[Assessment, ...] = ()
    support: Support | None = None
    dependence: Dependence | Fault | None = None
    agreement: Agreement | Fault | None = None
    hooks: tuple[Verdict | Fault, ...] = ()
    citations: tuple[CitationFinding, ...] = ()
    suspicious: tuple[SuspiciousText, ...] = ()
    stale: tuple[str, ...] = ()
    """Ids of evidence older than it may be."""
    unread: tuple[str, ...] = ()
    """Ids of evidence that was handed in and not looked at."""
    faults: tuple[Fault, ...] = ()
    """Checks that could not be made."""
    spent: Spent = field(default_factory=Spent)
