"""Rules about single claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from firmground.core.claim import Assessment, Standing
from firmground.core.decision import Objection, Step
from firmground.core.finding import Findings
from firmground.core.hard_fact import (
    CRITICALITY,
    checked_criticality,
    criticality,
    hard_facts,
)
from firmground.decide.rule import objecting, share


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradiction:
    """The evidence says otherwise."""

    name: ClassVar[str] = "contradiction"
    about: ClassVar[str] = "a claim that the evidence contradicts"
    reads: ClassVar[tuple[str, ...]] = ("assessments",)
    step: Step = Step.REGENERATE

    def __post_init__(self) -> None:
        objecting(self.name, self.step)

    def object_to(self, findings: Findings) -> tuple[Objection, ...]:
        """Object once, naming every contradicted claim."""
        at = _with(findings, Standing.CONTRADICTED)
        if not at:
            return ()
        reason = f"the evidence contradicts {_count(at)}: {_told(findings, at)}"
        return (Objection(rule=self.name, step=self.step, reason=reason, claims=at),)


@dataclass(frozen=True, slots=True, kw_only=True)
class CriticalClaimUnsupported:
    """A dose, amount, number, date, name or identifier that no evidence gives."""

    name: ClassVar[str] = "critical_claim_unsupported"
    about: ClassVar[str] = (
        "a claim without evidence that carries a dose, money, number, date, name or identifier, "
        "each kind by its weight"
    )
    reads: ClassVar[tuple[str, ...]] = ("assessments",)
    at: float = 0.5
    """Weight from which it objects; lower is stricter."""
    weights: tuple[tuple[str, float], ...] = CRITICALITY
    """How much each kind of hard fact weighs: 0 like any other claim, 1 most."""
    step: Step = Step.REGENERATE

    def __post_init__(self) -> None:
        share("critical_claim_unsupported.at", self.at)
        object.__setattr__(self, "weights", checked_criticality(self.weights))
        objecting(self.name, self.step)

    def object_to(self, findings: Findings) -> tuple[Objection, ...]:
        """Object once, naming every claim whose gravest hard fact weighs enough."""
        weights = dict(self.weights)
        heavy = {
            at: criticality(findings.assessments[at].claim.text, weights)
            for at in _with(findings, Standing.UNGROUNDED)
        }
        at = tuple(i for i, weight in heavy.items() if weight and weight >= self.at)
        if not at:
            return ()
        gravest = max(at, key=lambda i: heavy[i])
        kinds = ", ".join(hard_facts(findings.assessments[gravest].claim.text))
        told = _told(findings, (gravest, *at[1:]))
        reason = f"no evidence for {_count(at)} with hard facts ({kinds}): {told}"
        loose = all(findings.assessments[i].over_reaches for i in at)
        step = min(self.step, Step.REGENERATE) if loose else self.step
        return (Objection(rule=self.name, step=step, reason=reason, claims=at),)


@dataclass(frozen=True, slots=True, kw_only=True)
class UngroundedClaim:
    """Anything the evidence is silent on."""

    name: ClassVar[str] = "ungrounded_claim"
    about: ClassVar[str] = "any claim on which the evidence is silent"
    reads: ClassVar[tuple[str, ...]] = ("assessments",)
    step: Step = Step.REGENERATE

    def __post_init__(self) -> None:
        objecting(self.name, self.step)

    def object_to(self, findings: Findings) -> tuple[Objection, ...]:
        """Object once, naming every ungrounded claim."""
        at = _with(findings, Standing.UNGROUNDED)
        if not at:
            return ()
        reason = f"the evidence is silent on {_count(at)}: {_told(findings, at)}"
        return (Objection(rule=self.name, step=self.step, reason=reason, claims=at),)


@dataclass(frozen=True, slots=True, kw_only=True)
class CouldNotCheck:
    """A claim that could not be checked, which is never the same as fine."""

    name: ClassVar[str] = "could_not_check"
    about: ClassVar[str] = (
        "a claim that could not be checked, because evidence is missing or a check failed"
    )
    reads: ClassVar[tuple[str, ...]] = ("assessments",)
    step: Step = Step.REPLAN

    def __post_init__(self) -> None:
        objecting(self.name, self.step)

    def object_to(self, findings: Findings) -> tuple[Objection, ...]:
        """Object once, naming every unverifiable claim."""
        at = _with(findings, Standing.UNVERIFIABLE)
        if not at:
            return ()
        reason = f"{_count(at)} could not be checked: {_told(findings, at)}"
        return (
            Objection(
                rule=self.name, step=self.step, reason=reason, claims=at, could_not_check=True
            ),
        )


def _with(findings: Findings, standing: Standing) -> tuple[int, ...]:
    return tuple(i for i, one in enumerate(findings.assessments) if one.standing is standing)


def _count(at: tuple[int, ...]) -> str:
    return "one claim" if len(at) == 1 else f"{len(at)} claims"


def _told(findings: Findings, at: tuple[int, ...]) -> str:
    first: Assessment = findings.assessments[at[0]]
    return first.reason + (" (and others)" if len(at) > 1 else "")
