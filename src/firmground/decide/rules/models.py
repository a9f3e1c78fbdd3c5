"""Rules about the question, the model's dependence on evidence, and what other models say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from firmground.core.decision import Objection, Step
from firmground.core.finding import Fault, Findings, PreflightStatus
from firmground.decide.rule import objecting, share


@dataclass(frozen=True, slots=True, kw_only=True)
class PreflightObjects:
    """The question should not have been asked as it was."""

    name: ClassVar[str] = "preflight"
    about: ClassVar[str] = "a question that is blocked, or (strict) partial or likely invented"
    reads: ClassVar[tuple[str, ...]] = ("preflight",)
    confidence_below: float = 0.0
    """Object as well below this confidence that the question is genuine; higher is stricter."""
    also_partial: bool = False
    step: Step = Step.ABSTAIN

    def __post_init__(self) -> None:
        share("preflight.confidence_below", self.confidence_below)
        objecting(self.name, self.step)

    def object_to(self, findings: Findings) -> tuple[Objection, ...]:
        """Object to a blocked question, and to a doubtful one if asked to."""
        seen = findings.preflight
        if seen is None:
            return ()
        if seen.status is PreflightStatus.BLOCKED:
            return (self._objection(self.step, "the question is blocked", seen.reasons),)
        if seen.confidence < self.confidence_below:
            told = f"confidence that the question is genuine is {seen.confidence:.2f}"
            return (self._objection(self.step, told, seen.reasons),)
        if self.also_partial and seen.status is PreflightStatus.PARTIAL:
            return (self._objection(Step.REPLAN, "the question is open in part", seen.reasons),)
        return ()

    def _objection(self, step: Step, told: str, reasons: tuple[str, ...]) -> Objection:
        reason = told + (f": {reasons[0]}" if reasons else "")
        return Objection(rule=self.name, step=step, reason=reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependent:
    """One lonely source turned the answer against the model's belief, or no source mattered."""

    name: ClassVar[str] = "dependence"
    about: ClassVar[str] = (
        "an answer that one uncorroborated source turned against the model's own belief, "
        "(strict) or that ignores its evidence"
    )
    reads: ClassVar[tuple[str, ...]] = ("dependence",)
    sensitive_from: float = 0.5
    corroborated_from: int = 2
    ignores_below: float = 0.0
    """Object as well when the answer moves less than this without its evidence."""
    step: Step = Step.ABSTAIN

    def __post_init__(self) -> None:
        share("dependence.sensitive_from", self.sensitive_from)
        share("dependence.ignores_below", self.ignores_below)
        objecting(self.name, self.step)

    def object_to(self, findings: Findings) -> tuple[Objection, ...]:
        """Object to a lonely source that overturned the model, and to evidence without effect."""
        seen = findings.dependence
        if seen is None:
            return ()
        if isinstance(seen, Fault):
            return (could_not_ask(self.name, seen),)
        overturned = seen.prior == "opposed" and seen.sensitivity >= self.sensitive_from
        if overturned and seen.corroborating < self.corroborated_from:
            reason = (
                f"evidence turned the model's own belief (sensitivity {seen.sensitivity:.2f}) "
                f"with {seen.corroborating} corroborating source(s)"
            )
            return (Objection(rule=self.name, step=self.step, reason=reason),)
        if seen.sensitivity < self.ignores_below:
            reason = f"the answer does not depend on its evidence ({seen.sensitivity:.2f})"
            return (Objection(rule=self.name, step=Step.REGENERATE, reason=reason),)
        return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """Other model families contradict the answer."""

    name: ClassVar[str] = "disagreement"
    about: ClassVar[str] = "other model families that contradict the answer"
    reads: ClassVar[tuple[str, ...]] = ("agreement",)
    tolerated: int | None = None
    """How many may disagree; None means no more than agree."""
    step: Step = Step.REGENERATE

    def __post_init__(self) -> None:
        objecting(self.name, self.step)

    def object_to(self, findings: Findings) -> tuple[Objection, ...]:
        """Object when too many disagree, or when nobody could be asked."""
        seen = findings.agreement
        if seen is None:
            return ()
        if isinstance(seen, Fault):
            return (could_not_ask(self.name, seen),)
        allowed = seen.agreeing if self.tolerated is None else self.tolerated
        if seen.disagreeing <= allowed:
            return ()
        reason = f"{seen.disagreeing} model(s) disagree and {seen.agreeing} agree"
        return (Objection(rule=self.name, step=self.step, reason=reason, claims=seen.disputed),)


def could_not_ask(rule: str, fault: Fault) -> Objection:
    """Object to a question that somebody could not be asked."""
    reason = f"{fault.source} could not be asked ({fault.kind.value}) {fault.message}".rstrip()
    return Objection(rule=rule, step=Step.ABSTAIN, reason=reason, could_not_check=True)
