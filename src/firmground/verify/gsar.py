"""The typed support score over a partition of claims: GSAR as published, and a hardened profile.

Reference: ``S = (W(G) + W(K)) / (W(G) + W(U) + rho * W(X) + W(K))``, an empty partition scores 0.5.
Hardened: see ``hardened_score``; a contradiction never scores better than a missing claim, and
neither duplicates nor complementary claims can buy a decision.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isfinite

from firmground.core.claim import Assessment, EvidenceType, Standing
from firmground.core.decision import Step
from firmground.core.evidence import Evidence
from firmground.core.hard_fact import CRITICALITY, criticality
from firmground.core.lazy_pattern import lazy_pattern
from firmground.core.scoring import RHO, WEIGHTS, Scoring
from firmground.errors import InputError

UNKNOWN_WEIGHT = 0.60
EMPTY_SCORE = 0.5
_WORD = lazy_pattern(r"\w+")


def _checked_weights(weights: Mapping[str, float]) -> Mapping[str, float]:
    for name, weight in weights.items():
        if not isfinite(weight) or not 0 < weight <= 1:
            raise InputError(f"the weight of {name!r} must lie in (0, 1], got {weight}")
    return weights


@dataclass(frozen=True, slots=True, kw_only=True)
class TypedClaim:
    """A claim as the score sees it: words, type of support, and what it refers to."""

    text: str
    type: str = EvidenceType.INFERENCE.value
    evidence_refs: tuple[str, ...] = ()
    criticality: float = 0.0
    """Weight of its gravest hard fact: 0 none, 1 counts twice when it does not stand (hardened)."""

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise InputError("typed claim: text is empty")
        if not 0 <= self.criticality <= 1:  # also refuses NaN
            raise InputError(f"typed claim: criticality must lie in [0, 1], got {self.criticality}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition:
    """Every claim of an answer, in exactly one of four buckets."""

    grounded: tuple[TypedClaim, ...] = ()
    ungrounded: tuple[TypedClaim, ...] = ()
    contradicted: tuple[TypedClaim, ...] = ()
    complementary: tuple[TypedClaim, ...] = ()

    @property
    def all_claims(self) -> tuple[TypedClaim, ...]:
        """All claims, bucket by bucket."""
        return (*self.grounded, *self.ungrounded, *self.contradicted, *self.complementary)

    @property
    def total_claims(self) -> int:
        """How many claims there are."""
        return len(self.all_claims)

    @property
    def is_empty(self) -> bool:
        """True when there is no claim at all."""
        return self.total_claims == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class GSARThresholds:
    """From which score an answer proceeds, and from which it is worth rewriting."""

    proceed: float = 0.80
    regenerate: float = 0.65

    def __post_init__(self) -> None:
        if not 0 <= self.regenerate < self.proceed <= 1:  # also refuses NaN
            raise InputError(
                "need 0 <= regenerate < proceed <= 1, "
                f"got regenerate {self.regenerate} and proceed {self.proceed}"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class GSARProfile:
    """Everything that decides a score, validated together."""

    name: str
    weights: tuple[tuple[str, float], ...] = WEIGHTS
    rho: float = 0.5
    """How much a contradicted claim weighs against the answer."""
    empty: float = EMPTY_SCORE
    """Score of a partition without claims."""
    thresholds: GSARThresholds = field(default_factory=GSARThresholds)
    hardened: bool = False

    def __post_init__(self) -> None:
        low, high = (1.0, 10.0) if self.hardened else (0.0, 1.0)
        if not low <= self.rho <= high:
            raise InputError(
                f"profile {self.name}: rho must lie in [{low}, {high}], got {self.rho}"
            )
        if not 0 <= self.empty <= (0 if self.hardened else 1):
            raise InputError(f"profile {self.name}: empty score out of range, got {self.empty}")
        _checked_weights(dict(self.weights))

    def score(
        self, partition: Partition, *, coverage: float = 1.0, known: Collection[str] | None = None
    ) -> float:
        """Score a partition; coverage and known ids matter to the hardened profile only."""
        weights = dict(self.weights)
        if not self.hardened:
            return gsar_score(partition, rho=self.rho, weights=weights, empty=self.empty)
        return hardened_score(
            partition, rho=self.rho, weights=weights, coverage=coverage, known=known
        )

    def decide(self, score: float) -> Step:
        """Read a score against this profile's thresholds."""
        return gsar_decide(score, self.thresholds)


REFERENCE = GSARProfile(name="reference", rho=RHO["reference"])
HARDENED = GSARProfile(name="hardened", rho=RHO["hardened"], empty=0.0, hardened=True)
PROFILES: Mapping[str, GSARProfile] = {one.name: one for one in (REFERENCE, HARDENED)}


def profile_for(scoring: Scoring) -> GSARProfile:
    """The profile with the rho and the weights of a policy; a changed rho is part of its name."""
    base = PROFILES[scoring.profile]
    if scoring.effective_rho == base.rho and not scoring.weights:
        return base
    changed = "" if scoring.effective_rho == base.rho else f" rho={scoring.effective_rho:g}"
    return replace(
        base,
        name=base.name + changed,
        rho=scoring.effective_rho,
        weights=tuple(scoring.table.items()),
    )


def partition_weight(
    claims: Sequence[TypedClaim], weights: Mapping[str, float] | None = None
) -> float:
    """Sum the weights of some claims; an unknown type weighs 0.60."""
    table = _checked_weights(dict(WEIGHTS) if weights is None else weights)
    return sum(table.get(str(claim.type), UNKNOWN_WEIGHT) for claim in claims)


def gsar_score(
    partition: Partition,
    *,
    rho: float = 0.5,
    weights: Mapping[str, float] | None = None,
    empty: float = EMPTY_SCORE,
) -> float:
    """The published score, 0 to 1."""
    if not 0 <= rho <= 1:
        raise InputError(f"rho must lie in [0, 1], got {rho}")
    good = partition_weight(partition.grounded, weights)
    beside = partition_weight(partition.complementary, weights)
    missing = partition_weight(partition.ungrounded, weights)
    against = partition_weight(partition.contradicted, weights)
    whole = good + missing + rho * against + beside
    return (good + beside) / whole if whole > 0 else empty


def gsar_decide(score: float, thresholds: GSARThresholds | None = None) -> Step:
    """Proceed, regenerate or replan by the published thresholds."""
    limits = thresholds or GSARThresholds()
    if not 0 <= score <= 1:  # also refuses NaN
        raise InputError(f"score must lie in [0, 1], got {score}")
    if score >= limits.proceed:
        return Step.PROCEED
    return Step.REGENERATE if score >= limits.regenerate else Step.REPLAN


def hardened_score(
    partition: Partition,
    *,
    rho: float = 1.5,
    weights: Mapping[str, float] | None = None,
    coverage: float = 1.0,
    known: Collection[str] | None = None,
) -> float:
    """The hardened score, 0 to 1.

    A claim counts once, in its gravest bucket. A grounded claim whose references do not all resolve
    counts as missing. Missing and contradicted claims weigh fully whatever type they declare,
    contradicted ones ``rho >= 1`` times, and with a hard fact in them up to twice as much.
    Complementary claims count neither way. What the claims
    leave uncovered of the answer lowers the score in proportion. Nothing grounded scores 0.
    """
    if not 1 <= rho <= 10:
        raise InputError(f"the hardened profile needs rho in [1, 10], got {rho}")
    if not 0 <= coverage <= 1:
        raise InputError(f"coverage must lie in [0, 1], got {coverage}")
    one = _once_each(partition, known)
    good = partition_weight(one.grounded, weights)
    missing = sum(1 + claim.criticality for claim in one.ungrounded)
    against = sum(1 + claim.criticality for claim in one.contradicted)
    whole = good + missing + rho * against
    return coverage * good / whole if good > 0 else 0.0


def partition_of(
    assessments: Sequence[Assessment], weights: Sequence[tuple[str, float]] = CRITICALITY
) -> Partition:
    """Sort assessed claims into buckets; what could not be checked counts as ungrounded.

    ``weights`` say how much each kind of hard fact weighs when it does not stand.
    """
    table = dict(weights)
    buckets: dict[Standing, list[TypedClaim]] = {standing: [] for standing in Standing}
    for one in assessments:
        kind = one.evidence_type or EvidenceType.INFERENCE
        refs = tuple(dict.fromkeys(span.evidence_id for span in one.evidence))
        claim = TypedClaim(
            text=one.claim.text,
            type=str(kind),
            evidence_refs=refs,
            criticality=criticality(one.claim.text, table),
        )
        buckets[one.standing].append(claim)
    return Partition(
        grounded=tuple(buckets[Standing.GROUNDED]),
        ungrounded=(*buckets[Standing.UNGROUNDED], *buckets[Standing.UNVERIFIABLE]),
        contradicted=tuple(buckets[Standing.CONTRADICTED]),
        complementary=tuple(buckets[Standing.COMPLEMENTARY]),
    )


def typed_by_role(
    assessments: Sequence[Assessment], evidence: Sequence[Evidence], scoring: Scoring
) -> tuple[Assessment, ...]:
    """Type grounded claims by the role of the evidence they rest on, where a role decides it.

    A claim whose evidence plays several roles, or that says something is absent, keeps its type.
    """
    roles = {piece.id: piece.role for piece in evidence}
    decided = scoring.type_of
    return tuple(
        replace(one, evidence_type=_as_type(decided[role]))
        if (role := _only_role(one, roles)) in decided
        else one
        for one in assessments
    )


def _only_role(one: Assessment, roles: Mapping[str, str]) -> str:
    if one.standing is not Standing.GROUNDED or one.evidence_type is EvidenceType.NEG_EVIDENCE:
        return ""
    found = {roles.get(span.evidence_id, "") for span in one.evidence}
    return found.pop() if len(found) == 1 else ""


def _as_type(name: str) -> EvidenceType | str:
    return EvidenceType(name) if name in set(EvidenceType) else name


def _once_each(partition: Partition, known: Collection[str] | None) -> Partition:
    """Keep each claim once, in its gravest bucket, and only those references that resolve."""
    seen: set[tuple[str, ...]] = set()

    def fresh(claims: Sequence[TypedClaim]) -> Iterator[TypedClaim]:
        for claim in claims:
            key = _key(claim.text)
            if key not in seen:
                seen.add(key)
                yield claim

    unresolved = tuple(c for c in partition.grounded if not _resolves(c, known))
    contradicted = tuple(fresh(partition.contradicted))
    ungrounded = tuple(fresh((*partition.ungrounded, *unresolved)))
    grounded = tuple(fresh([c for c in partition.grounded if _resolves(c, known)]))
    return Partition(grounded=grounded, ungrounded=ungrounded, contradicted=contradicted)


def _resolves(claim: TypedClaim, known: Collection[str] | None) -> bool:
    if known is None:
        return True
    return bool(claim.evidence_refs) and all(ref in known for ref in claim.evidence_refs)


def _key(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text.casefold())) or (text.strip(),)
