"""Rules about single claims."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from firmground.core.claim import Assessment, Standing
from firmground.core.decision import Objection, Step
from firmground.core.finding import Findings
from firmground.decide.rule import objecting


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
    """A number, name or amount that no evidence gives."""

    name: ClassVar[str] = "critical_claim_unsupported"
    about: ClassVar[str] = (
        "an ungrounded claim that carries a number, date, amount, name or identifier"
    )
    reads: ClassVar[tuple[str, ...]] = ("assessments",)
    step: Step = Step.REGENERATE

    def __post_init__(self) -> None:
        objecting(self.name, self.step)

    def object_to(self, findings: Findings) -> tuple[Objection, ...]:
        """Object once, naming every critical claim that is ungrounded."""
        at = tuple(
            i for i in _with(findings, Standing.UNGROUNDED) if findings.assessments[i].critical
        )
        if not at:
            return ()
        reason = f"no evidence for {_count(at)} with hard facts: {_told(findings, at)}"
        return (Objection(rule=self.name, step=self.step, reason=reason, claims=at),)


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
    about: ClassVar[str] = "a claim that could not be checked, for want of evidence or otherwise"
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
