"""Preflight of a goal and cross-check of an answer, one call each, with halguard's interface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from firmground.claims.prose import prose_claims
from firmground.consensus import (
    BY_RISK,
    Consensus,
    ConsensusLabel,
    ConsensusSettings,
    Peer,
    Tier,
    choose_tier,
    cross_check,
    facts_about,
    light_check,
)
from firmground.consensus.tier import TierProfile
from firmground.core.claim import Assessment, Claim
from firmground.core.evidence import Evidence
from firmground.core.finding import Fault, Findings, Preflight
from firmground.core.ports import Inquiry, Judge, Model
from firmground.core.question import Question
from firmground.preflight import PreflightSettings, check_role, inspect_question, with_role
from firmground.verify.judge import LexicalJudge


@dataclass(frozen=True, slots=True, kw_only=True)
class PreCheck:
    """What was seen in the goal, and what could not be found out about it."""

    preflight: Preflight
    fault: Fault | None = None
    """Why the role could not be checked, when it should have been."""

    @property
    def findings(self) -> Findings:
        """As a decision reads it."""
        return Findings(preflight=self.preflight, faults=(self.fault,) if self.fault else ())


@dataclass(frozen=True, slots=True, kw_only=True)
class PostCheck:
    """The result of the check after the answer."""

    tier: Tier
    answer: str
    corrected: str
    consensus: Consensus | None
    fault: Fault | None
    assessments: tuple[Assessment, ...]
    """What the deterministic checks say about the answer; empty without evidence."""
    after: tuple[Assessment, ...]
    """What they say about the corrected answer; empty when nothing was corrected."""

    @property
    def is_factual(self) -> bool | None:
        """True when every claim was checked and none is disputed; None when inconclusive."""
        if self.consensus is None:
            return None
        seen = self.consensus.agreement
        if seen.disagreeing:
            return False
        return True if seen.agreeing and not (seen.unchecked or seen.abstaining) else None

    @property
    def findings(self) -> Findings:
        """As a decision reads it."""
        faults = self.consensus.faults if self.consensus else ()
        return Findings(
            assessments=self.assessments,
            agreement=self.consensus.agreement if self.consensus else self.fault,
            faults=faults,
        )


async def precheck(
    question: Question,
    *,
    settings: PreflightSettings | None = None,
    evidence: Sequence[Evidence] = (),
    role_model: Model | None = None,
) -> PreCheck:
    """Look at a goal before anything is spent on it; the role is checked if a model is given."""
    chosen = settings or PreflightSettings()
    seen = inspect_question(question, settings=chosen, evidence=tuple(evidence))
    if role_model is None:
        return PreCheck(preflight=seen)
    role = await check_role(question, model=role_model)
    if isinstance(role, Fault):
        return PreCheck(preflight=seen, fault=role)
    return PreCheck(preflight=with_role(seen, role, settings=chosen))


async def postcheck(
    question: Question,
    answer: str,
    *,
    peers: Sequence[Peer],
    evidence: Sequence[Evidence] = (),
    generator: str | None = None,
    tool_calls: int = 0,
    preflight: Preflight | None = None,
    profile: TierProfile = BY_RISK,
    settings: ConsensusSettings | None = None,
    judge: Judge | None = None,
) -> PostCheck:
    """Check an answer as its risk requires, and repair what other families contradict."""
    claims = prose_claims(answer, question)
    checker = judge or LexicalJudge()
    before = await _assessed(checker, question, answer, claims, evidence)
    penalty = 1.0 - preflight.confidence if preflight else 0.0
    facts = facts_about(answer, claims, before, tool_calls=tool_calls, penalty=penalty)
    tier = choose_tier(facts, profile)
    if tier is Tier.NONE:
        return _result(tier, answer, None, before, ())
    check = cross_check if tier is Tier.FULL else light_check
    found = await check(
        question,
        answer,
        claims,
        peers=peers,
        evidence=evidence,
        generator=generator,
        settings=settings,
    )
    after: tuple[Assessment, ...] = ()
    if isinstance(found, Consensus) and found.corrected != answer:
        repaired = prose_claims(found.corrected, question)
        after = await _assessed(checker, question, found.corrected, repaired, evidence)
    return _result(tier, answer, found, before, after)


async def _assessed(
    judge: Judge,
    question: Question,
    answer: str,
    claims: tuple[Claim, ...],
    evidence: Sequence[Evidence],
) -> tuple[Assessment, ...]:
    if not evidence:
        return ()
    inquiry = Inquiry(question=question, answer=answer, claims=claims, evidence=tuple(evidence))
    return await judge.assess(inquiry)


def _result(
    tier: Tier,
    answer: str,
    found: Consensus | Fault | None,
    before: tuple[Assessment, ...],
    after: tuple[Assessment, ...],
) -> PostCheck:
    consensus = found if isinstance(found, Consensus) else None
    return PostCheck(
        tier=tier,
        answer=answer,
        corrected=consensus.corrected if consensus else answer,
        consensus=consensus,
        fault=found if isinstance(found, Fault) else None,
        assessments=before,
        after=after,
    )


__all__ = ["ConsensusLabel", "PostCheck", "PreCheck", "postcheck", "precheck"]
