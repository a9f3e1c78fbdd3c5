"""Chooses how thoroughly an answer is cross-checked, from what is known about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from firmground.core.claim import Assessment, Claim, Standing
from firmground.errors import InputError


class Tier(StrEnum):
    """How hard."""

    NONE = "none"
    LIGHT = "light"
    """One model looks over all claims."""
    FULL = "full"
    """Several samples from other families, votes on every claim, repair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TierFacts:
    """What is known about an answer before any model is asked."""

    length_bytes: int
    tool_calls: int = 0
    penalty: float = 0.0
    """What the preflight takes off the question's confidence."""
    checkable: int = 1
    """Claims that assert something."""
    open: int = 1
    """Of these, those no deterministic check has grounded."""
    open_critical: int = 0
    """Of these, those with a number, date, amount, name or identifier."""
    contradicted: int = 0
    evidence: bool = False
    """True when there was evidence to ground the claims on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TierProfile:
    """A way to choose, with its limits."""

    name: str
    light_from_bytes: int = 200
    full_from_bytes: int | None = None
    """An answer without tool calls of this length is checked in full; None: of any length."""
    penalty_from: float = 0.3

    def __post_init__(self) -> None:
        for name in ("light_from_bytes", "full_from_bytes"):
            if (getattr(self, name) or 0) < 0:
                raise InputError(f"{name} must not be negative, got {getattr(self, name)}")
        if not 0 <= self.penalty_from <= 1:
            raise InputError(f"penalty_from must lie in [0, 1], got {self.penalty_from}")


BY_RISK = TierProfile(name="risk")
BY_LENGTH = TierProfile(name="length")
"""The rule of halguard as its code has it: by length, tool use and the goal's penalty."""


def facts_about(
    answer: str,
    claims: Sequence[Claim],
    assessments: Sequence[Assessment],
    *,
    tool_calls: int = 0,
    penalty: float = 0.0,
) -> TierFacts:
    """What the deterministic checks left open; without assessments everything is open."""
    checkable = [claim for claim in claims if claim.checkable]
    open_ones = [a for a in assessments if a.claim.checkable and not a.standing.stands]
    return TierFacts(
        length_bytes=len(answer.encode("utf-8", "surrogatepass")),
        tool_calls=tool_calls,
        penalty=penalty,
        checkable=len(checkable),
        open=len(open_ones) if assessments else len(checkable),
        open_critical=sum(a.critical for a in open_ones)
        if assessments
        else sum(any(mark.isdigit() for mark in claim.text) for claim in checkable),
        evidence=bool(assessments),
        contradicted=sum(a.standing is Standing.CONTRADICTED for a in assessments),
    )


def choose_tier(facts: TierFacts, profile: TierProfile = BY_RISK) -> Tier:
    """Choose the tier; a tool call is not proof under the profile ``risk``."""
    return _by_length(facts, profile) if profile.name == "length" else _by_risk(facts, profile)


def _by_length(facts: TierFacts, profile: TierProfile) -> Tier:
    long = facts.length_bytes >= profile.light_from_bytes
    if facts.tool_calls:
        return Tier.LIGHT if long else Tier.NONE
    stated = profile.full_from_bytes
    full_from = profile.light_from_bytes if stated is None else stated
    if facts.penalty > profile.penalty_from or facts.length_bytes >= full_from:
        return Tier.FULL
    return Tier.LIGHT if long else Tier.NONE


def _by_risk(facts: TierFacts, profile: TierProfile) -> Tier:
    if not facts.checkable:
        return Tier.NONE
    if facts.contradicted or facts.open_critical or facts.penalty > profile.penalty_from:
        return Tier.FULL
    if facts.evidence and facts.open * 2 >= facts.checkable:
        return Tier.FULL  # half the answer passes its evidence by
    return Tier.LIGHT if facts.open else Tier.NONE
