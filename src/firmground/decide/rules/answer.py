"""Rules about the answer as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from firmground.core.claim import Assessment, Standing
from firmground.core.decision import Objection, Step
from firmground.core.finding import Findings
from firmground.decide.rule import objecting, only_checker_failures, share
from firmground.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class ThinSupport:
    """Too little of the answer stands: the published thresholds of the typed support score.

    New evidence is not looked for where a checker failed, since the score is only a lower bound
    then, nor where every claim that falls only says more than the evidence does.
    """

    name: ClassVar[str] = "thin_support"
    about: ClassVar[str] = "a support score below the thresholds (proceed, regenerate, else replan)"
    reads: ClassVar[tuple[str, ...]] = ("support", "assessments")
    proceed: float = 0.80
    regenerate: float = 0.65
    regenerate_if_answered: bool = False
    """Never replan while the evidence contradicts every claim that falls: it has the answer."""

    def __post_init__(self) -> None:
        if not 0 <= self.regenerate < self.proceed <= 1:
            raise InputError(
                "need 0 <= regenerate < proceed <= 1, "
                f"got regenerate {self.regenerate} and proceed {self.proceed}"
            )

    def object_to(self, findings: Findings) -> tuple[Objection, ...]:
        """Object to a low score, and to claims without a score."""
        if findings.support is None:
            return self._unscored(findings)
        score = findings.support.score
        if score >= self.proceed or not _asserts(findings):
            return ()
        near = score >= self.regenerate or self._evidence_suffices(findings)
        near = near or any(one.checker_failed for one in findings.assessments)
        step = Step.REGENERATE if near else Step.REPLAN
        reason = f"support is {score:.3f}, and {self.proceed:.2f} is needed to proceed"
        checker_failed = only_checker_failures(findings.assessments)
        return (
            Objection(rule=self.name, step=step, reason=reason, could_not_check=checker_failed),
        )

    def _evidence_suffices(self, findings: Findings) -> bool:
        """True when every claim that falls can be corrected from the evidence at hand."""
        fallen = [one for one in findings.assessments if not one.standing.stands]
        return bool(fallen) and all(
            one.over_reaches or (self.regenerate_if_answered and _answered(one)) for one in fallen
        )

    def _unscored(self, findings: Findings) -> tuple[Objection, ...]:
        if not findings.assessments:
            return ()
        reason = "the claims were assessed, but their support was not measured"
        return (
            Objection(rule=self.name, step=Step.REGENERATE, reason=reason, could_not_check=True),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class HighRisk:
    """It is too likely that at least one claim does not stand."""

    name: ClassVar[str] = "high_risk"
    about: ClassVar[str] = "a high probability that at least one claim does not stand"
    reads: ClassVar[tuple[str, ...]] = ("support", "assessments")
    at: float = 0.6
    """Risk from which it objects; lower is stricter."""
    step: Step = Step.REGENERATE

    def __post_init__(self) -> None:
        share("high_risk.at", self.at)
        objecting(self.name, self.step)

    def object_to(self, findings: Findings) -> tuple[Objection, ...]:
        """Object when the risk reaches the limit."""
        if findings.support is None or findings.support.risk < self.at:
            return ()
        reason = (
            f"the risk that some claim does not stand is {findings.support.risk:.3f}, "
            f"and {self.at:.2f} is the limit"
        )
        checker_failed = only_checker_failures(findings.assessments)
        return (
            Objection(
                rule=self.name, step=self.step, reason=reason, could_not_check=checker_failed
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class UncoveredAnswer:
    """Part of the answer lies in no claim, so it was not checked."""

    name: ClassVar[str] = "uncovered_answer"
    about: ClassVar[str] = "letters and digits of the answer that lie in no claim"
    reads: ClassVar[tuple[str, ...]] = ("support",)
    at_least: float = 0.9
    """Share that claims must cover; higher is stricter."""
    step: Step = Step.REGENERATE

    def __post_init__(self) -> None:
        share("uncovered_answer.at_least", self.at_least)
        objecting(self.name, self.step)

    def object_to(self, findings: Findings) -> tuple[Objection, ...]:
        """Object when the claims cover too little."""
        if findings.support is None or findings.support.coverage >= self.at_least:
            return ()
        reason = f"claims cover only {findings.support.coverage:.0%} of the answer"
        return (Objection(rule=self.name, step=self.step, reason=reason, could_not_check=True),)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoClaims:
    """Nothing was found to check, and empty is not proof."""

    name: ClassVar[str] = "no_claims"
    about: ClassVar[str] = (
        "an answer in which no claim was found (strict: or none that asserts anything)"
    )
    reads: ClassVar[tuple[str, ...]] = ("assessments",)
    also_nothing_checkable: bool = False
    """Object as well when there are claims, but none of them asserts anything."""
    step: Step = Step.REGENERATE

    def __post_init__(self) -> None:
        objecting(self.name, self.step)

    def object_to(self, findings: Findings) -> tuple[Objection, ...]:
        """Object to an answer without claims."""
        if findings.assessments and (_asserts(findings) or not self.also_nothing_checkable):
            return ()
        what = "asserts nothing that could be checked" if findings.assessments else "has no claims"
        reason = f"the answer {what}"
        return (Objection(rule=self.name, step=self.step, reason=reason, could_not_check=True),)


def _answered(one: Assessment) -> bool:
    """True when the evidence says what is the case instead."""
    return one.standing is Standing.CONTRADICTED and bool(one.evidence)


def _asserts(findings: Findings) -> bool:
    return any(one.standing is not Standing.NOT_CHECKABLE for one in findings.assessments)
