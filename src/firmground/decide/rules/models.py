"""Rules about the question and about what other models say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from firmground.core.decision import Objection, Step
from firmground.core.finding import Agreement, Fault, Findings, PreflightStatus
from firmground.decide.rule import objecting, share
from firmground.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class PreflightObjects:
    """The question should not have been asked as it was."""

    name: ClassVar[str] = "preflight"
    about: ClassVar[str] = (
        "a question that is blocked, or (strict) partial or likely invented, and an answer with "
        "more claims than its cap allows"
    )
    reads: ClassVar[tuple[str, ...]] = ("preflight", "assessments")
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
        claims = sum(one.claim.checkable for one in findings.assessments)
        if seen.claim_cap is not None and claims > seen.claim_cap:
            told = f"the answer makes {claims} claims, and may make at most {seen.claim_cap}"
            return (self._objection(Step.REGENERATE, told, ()),)
        return ()

    def _objection(self, step: Step, told: str, reasons: tuple[str, ...]) -> Objection:
        reason = told + (f": {reasons[0]}" if reasons else "")
        return Objection(rule=self.name, step=step, reason=reason)


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """Other model families contradict the answer."""

    name: ClassVar[str] = "disagreement"
    about: ClassVar[str] = (
        "other model families that contradict the answer, or claims no model could be asked about"
    )
    reads: ClassVar[tuple[str, ...]] = ("agreement",)
    tolerated: int | None = None
    """How many claims may be contradicted; None means no more than are supported."""
    step: Step = Step.REGENERATE

    def __post_init__(self) -> None:
        if self.tolerated is not None and self.tolerated < 0:
            raise InputError(f"disagreement.tolerated must not be negative, got {self.tolerated}")
        objecting(self.name, self.step)

    def object_to(self, findings: Findings) -> tuple[Objection, ...]:
        """Object when too many disagree, or when no model could be asked."""
        seen = findings.agreement
        if seen is None:
            return ()
        if isinstance(seen, Fault):
            return (could_not_ask(self.name, seen),)
        return (*self._unchecked(seen), *self._disputed(seen))

    def _unchecked(self, seen: Agreement) -> tuple[Objection, ...]:
        if not seen.unchecked:
            return ()
        reason = f"no model could be asked about {len(seen.unchecked)} claim(s)"
        return (
            Objection(
                rule=self.name,
                step=Step.ABSTAIN,
                reason=reason,
                claims=seen.unchecked,
                could_not_check=True,
            ),
        )

    def _disputed(self, seen: Agreement) -> tuple[Objection, ...]:
        allowed = seen.agreeing if self.tolerated is None else self.tolerated
        if seen.disagreeing <= allowed:
            return ()
        reason = f"others contradict {seen.disagreeing} claim(s) and support {seen.agreeing}"
        return (Objection(rule=self.name, step=self.step, reason=reason, claims=seen.disputed),)


@dataclass(frozen=True, slots=True, kw_only=True)
class DoubtfulJudges:
    """The judges contradict each other, or one of them wrote the answer."""

    name: ClassVar[str] = "doubtful_judges"
    about: ClassVar[str] = "judges that disagree with each other, or a judge that wrote the answer"
    reads: ClassVar[tuple[str, ...]] = ("judging", "models")
    agree_from: float = 0.6
    """Judges that agree on a smaller share of the claims settle nothing."""
    step: Step = Step.ABSTAIN

    def __post_init__(self) -> None:
        share("doubtful_judges.agree_from", self.agree_from)
        objecting(self.name, self.step)

    def object_to(self, findings: Findings) -> tuple[Objection, ...]:
        """Object to judges at odds, and once for each judge of its own answer."""
        told = [
            f"{used.model} judges its own answer"
            for used in findings.models
            if used.purpose == "judge" and used.kin == "generator"
        ]
        seen = findings.judging
        if seen and seen.agreement is not None and seen.agreement < self.agree_from:
            told.append(f"the judges agree on {seen.agreement:.2f} of the claims only")
        return tuple(
            Objection(rule=self.name, step=self.step, reason=reason, could_not_check=True)
            for reason in told
        )


def could_not_ask(rule: str, fault: Fault) -> Objection:
    """Object because an outside party could not be asked."""
    reason = f"{fault.source} could not be asked ({fault.kind.value}) {fault.message}".rstrip()
    return Objection(rule=rule, step=Step.ABSTAIN, reason=reason, could_not_check=True, fault=True)
