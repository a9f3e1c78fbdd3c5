"""Findings: facts about an answer, without any judgement."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from firmground.core.claim import Assessment
from firmground.core.escalation import Ruling
from firmground.core.evidence import Trust
from firmground.errors import InputError


class FaultKind(StrEnum):
    """Why an outside party could not be asked."""

    TIMEOUT = "timeout"
    UNREACHABLE = "unreachable"
    REFUSED = "refused"
    BAD_REPLY = "bad_reply"
    CRASHED = "crashed"
    BREAKER_OPEN = "breaker_open"
    LIMIT = "limit"
    SKIPPED = "skipped"
    NOT_APPLICABLE = "not_applicable"
    """There was nothing of the kind it checks: neither pass nor fail, and no error."""
    MISCONFIGURED = "misconfigured"


@dataclass(frozen=True, slots=True, kw_only=True)
class HookReply:
    """An outside party was asked and answered yes or no.

    >>> HookReply(source="books", passed=False, message="not booked yet").passed
    False
    """

    source: str
    passed: bool
    message: str
    confidence: float = 1.0
    """Confidence of the source in its own reply: 0 none, 1 certain."""
    details: tuple[tuple[str, str], ...] = ()
    guidance: str = ""
    """How to repair a refusal, in words a rewrite can use."""
    version: str = ""
    asked: str = ""
    """SHA-256 of what the source was asked."""
    replied: str = ""
    """SHA-256 of what it replied."""
    escalate: bool | None = None
    """Whether a refusal must be decided by a person; None leaves it to the policy."""
    at: str = field(default="", compare=False)
    """When it replied, RFC 3339; not recorded, so that equal runs have equal roots."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.confidence <= 1.0:
            raise InputError(f"verdict.confidence must lie in [0, 1], got {self.confidence}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """An outside party could not be asked. Never a pass.

    >>> Fault(source="books", kind=FaultKind.TIMEOUT).kind.value
    'timeout'
    """

    source: str
    kind: FaultKind
    message: str = ""
    version: str = ""
    escalate: bool | None = None
    """Whether a person must decide about it; None leaves it to the policy."""
    at: str = field(default="", compare=False)
    """When it happened, RFC 3339, for hooks; not recorded."""


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
    claim_cap: int | None = None
    """The most claims an answer may make; None without a cap, or where caps are not applied."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.confidence <= 1.0:
            raise InputError(f"preflight.confidence must lie in [0, 1], got {self.confidence}")


class Prior(StrEnum):
    """What the model believed before it saw any evidence."""

    KNOWN = "known"
    """It gives the same answer unaided."""
    UNKNOWN = "unknown"
    """Unaided it gives no answer it would repeat."""
    OPPOSED = "opposed"
    """Unaided it gives another answer."""


class EvidenceEffect(StrEnum):
    """Which way a body of evidence moves the answer."""

    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    SILENT = "silent"
    """It does not move the answer by more than chance would."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimDependence:
    """How far one claim of the answer moves when evidence is taken away."""

    claim: int
    """Position among the claims that were looked at."""
    believed_with: float
    believed_without: float
    interval: tuple[float, float]
    prior: Prior
    lean: EvidenceEffect
    per_evidence: tuple[tuple[str, float], ...] = ()
    corroborating: int = 0
    opposing: int = 0
    trust: Trust | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependence:
    """How far the answer moves when evidence is taken away. A fact, neither good nor bad."""

    sensitivity: float
    """Size of the shift in the answer's probability, 0 none, 1 all of it."""
    interval: tuple[float, float] = (0.0, 1.0)
    """Of the signed shift ``believed_with - believed_without``, 95 %, within [-1, 1]."""
    prior: Prior = Prior.UNKNOWN
    per_evidence: tuple[tuple[str, float], ...] = ()
    """Causal weight of each evidence id: positive pushes towards the answer, negative away."""
    corroborating: int = 0
    """Independent sources that, alone, give the same answer."""
    calls: int = 0
    lean: EvidenceEffect = EvidenceEffect.SILENT
    """Which way all evidence together moves the answer."""
    opposing: int = 0
    """Independent sources that, alone, give another answer."""
    trust: Trust | None = None
    """The highest trust among the sources that carry the answer; None when none does."""
    mode: str = ""
    """``choice`` or ``free``."""
    answer: str = ""
    """The answer whose probability was watched."""
    without: str = ""
    """What the model says most without evidence; empty when it has no one answer."""
    believed_with: float = 0.0
    believed_without: float = 0.0
    margin: float = 0.0
    """Signed margin of the answer over the runner-up, with all evidence: the one-call baseline."""
    noise: float = 0.0
    """Chance that two answers from the same evidence differ."""
    claims: tuple[ClaimDependence, ...] = ()
    remarks: tuple[str, ...] = ()
    """What was left out, and what this measurement cannot see."""
    prompts: tuple[tuple[str, str], ...] = ()
    """Name and SHA-256 of every prompt file that was used."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.sensitivity <= 1.0:
            raise InputError(f"dependence.sensitivity must lie in [0, 1], got {self.sensitivity}")


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockVote:
    """What one reference says about one claim, as one model read it."""

    reference: str
    """The model that wrote the reference; empty when the reader spoke for itself."""
    judge: str
    """The model that read it."""
    label: str
    """``ACCURATE``, ``CONTRADICTION`` or ``NEUTRAL``."""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockScore:
    """One claim with the votes of other models on it."""

    claim: int
    """Position in the assessments."""
    label: str
    """What more votes say: ``ACCURATE``, ``CONTRADICTION`` or ``NEUTRAL``."""
    score: float
    """Share of the decided votes that support the claim, smoothed; 0.5 is neutral."""
    votes: tuple[BlockVote, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """One attempt to repair one claim, by offsets into the answer as it was."""

    claim: int
    start: int
    end: int
    before: str
    after: str
    by: str
    accepted: bool
    reason: str
    """Why it was accepted or not: what the votes on the new wording say."""

    def __str__(self) -> str:
        return f"{self.start}:{self.end} {self.before!r} -> {self.after!r} (by {self.by})"


def with_corrections(answer: str, corrections: Sequence[Correction]) -> str:
    """Replace exactly the stretches whose correction was accepted."""
    for one in sorted(corrections, key=lambda c: -c.start):
        if one.accepted and answer[one.start : one.end] == one.before:
            answer = answer[: one.start] + one.after + answer[one.end :]
    return answer


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """What other model families said about the answer."""

    agreeing: int
    """Claims that the others support."""
    disagreeing: int
    """Claims the others contradict."""
    abstaining: int = 0
    """Claims on which the others have nothing to say."""
    families: tuple[str, ...] = ()
    disputed: tuple[int, ...] = ()
    """Positions in the assessments that others contradicted."""
    unchecked: tuple[int, ...] = ()
    """Positions of claims that no model could be asked about."""
    same_family: bool = False
    """True when only the family that wrote the answer could be asked."""
    samples: int = 0
    calls: int = 0
    prompts: tuple[tuple[str, str], ...] = ()
    """Name and SHA-256 of every prompt file that was used."""
    tier: str = ""
    """How hard it was checked: ``light`` or ``full``."""
    blocks: tuple[BlockScore, ...] = ()
    """Every claim that was voted on, with its votes."""
    corrections: tuple[Correction, ...] = ()
    """What was proposed in the place of contradicted claims, accepted or not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAgreement:
    """How far several judges agree, and the interval of their combined score."""

    judges: tuple[str, ...]
    agreement: float | None
    """Share of (claim, pair of judges) with the same standing; None when no pair has spoken."""
    score: float
    """The support score of what they hold together, over the claims they were asked about."""
    scores: tuple[float, ...]
    """The support score of each judge alone."""
    interval: tuple[float, float]
    """95 % interval of the score when judges and claims are resampled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimUse:
    """What one claim took of a model: its part of the calls it shared with others."""

    claim: int
    calls: float
    tokens: float
    cost: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelUse:
    """What one model was asked for one purpose, and with which prompts."""

    purpose: str
    """``judge``, ``probe`` or ``consensus``."""
    model: str
    calls: int = 0
    tokens: int = 0
    cost: float | None = None
    """None when no price is known. Not recorded: a reply from a cache costs nothing."""
    prompts: tuple[tuple[str, str], ...] = ()
    """Name and SHA-256 of every prompt file that was used."""
    kin: str = ""
    """``generator`` when it wrote the answer itself, ``family`` when it is of the same family."""
    remarks: tuple[str, ...] = ()
    claims: tuple[ClaimUse, ...] = ()


class CitationStatus(StrEnum):
    """The status of one citation or quotation in the answer."""

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
class ClaimSources:
    """Which independent sources, each by itself, support one grounded claim."""

    claim: int
    """Position in the assessments."""
    sources: tuple[str, ...]
    """One evidence id for each independent source: another origin and not a copy of the text."""
    trust: Trust
    """The highest trust among them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """Everything that was found out about one answer. No field says what to do about it."""

    preflight: Preflight | None = None
    assessments: tuple[Assessment, ...] = ()
    support: Support | None = None
    resting: tuple[ClaimSources, ...] = ()
    """What each grounded claim rests on, one entry for each of them."""
    dependence: Dependence | Fault | None = None
    agreement: Agreement | Fault | None = None
    hooks: tuple[HookReply | Fault, ...] = ()
    citations: tuple[CitationFinding, ...] = ()
    suspicious: tuple[SuspiciousText, ...] = ()
    stale: tuple[str, ...] = ()
    """Ids of evidence older than it may be."""
    unread: tuple[str, ...] = ()
    """Ids of evidence that was handed in and not looked at."""
    faults: tuple[Fault, ...] = ()
    """Checks that could not be made."""
    judging: JudgeAgreement | None = None
    models: tuple[ModelUse, ...] = ()
    """Which models were asked about the answer."""
    spent: Spent = field(default_factory=Spent)
    rulings: tuple[Ruling, ...] = ()
    """What people decided on the way."""
