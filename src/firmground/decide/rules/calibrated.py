"""A threshold that was calibrated on labelled answers, with what it is bound to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from firmground.core.claim import Standing
from firmground.core.decision import Objection, Step
from firmground.core.finding import Findings, Support
from firmground.decide.rule import objecting, only_checker_failures, share
from firmground.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """The score lies beyond the threshold up to which the error among accepted answers is bounded.

    It replaces ``high_risk`` (score ``risk``) or ``thin_support`` (score ``support``), and is made
    from a calibration file. It belongs to one judge, one policy and one prompt.
    """

    name: ClassVar[str] = "calibrated"
    about: ClassVar[str] = "a score beyond the threshold that was calibrated on labelled answers"
    reads: ClassVar[tuple[str, ...]] = ("support", "assessments")
    score: str = "risk"
    threshold: float = 0.0
    """Risk up to which, or support from which, an answer is accepted."""
    regenerate: float = 0.0
    """Support below which a new search is asked for; only with ``support``."""
    accepted_error: float = 0.05
    confidence: float = 0.95
    judge: str = ""
    prompt: str = ""
    artefact: str = ""
    """SHA-256 of the calibration file."""
    step: Step = Step.REGENERATE

    def __post_init__(self) -> None:
        if self.score not in ("risk", "support"):
            raise InputError(f"calibrated.score must be risk or support, got {self.score!r}")
        for name in ("threshold", "regenerate", "accepted_error", "confidence"):
            share(f"calibrated.{name}", getattr(self, name))
        objecting(self.name, self.step)

    def object_to(self, findings: Findings) -> tuple[Objection, ...]:
        """Object beyond the threshold, and where there is no score at all."""
        seen = findings.support
        if seen is None:
            return (self._objection(self.step, "there is no score to compare with it", True),)
        checker_failed = only_checker_failures(findings.assessments)
        if self.score == "risk":
            return self._risky(seen, checker_failed)
        asserts = any(a.standing is not Standing.NOT_CHECKABLE for a in findings.assessments)
        failed = any(one.checker_failed for one in findings.assessments)
        return self._thin(seen, checker_failed, failed) if asserts else ()

    def _risky(self, seen: Support, checker_failed: bool) -> tuple[Objection, ...]:
        if seen.risk <= self.threshold:
            return ()
        told = f"risk {seen.risk:.3f} is above the calibrated {self.threshold:.3f}{self._bound()}"
        return (self._objection(self.step, told, checker_failed),)

    def _thin(self, seen: Support, checker_failed: bool, failed: bool) -> tuple[Objection, ...]:
        """After a checker failure a low score is not a reason to search for new evidence."""
        if seen.score >= self.threshold:
            return ()
        step = Step.REGENERATE if failed or seen.score >= self.regenerate else Step.REPLAN
        told = f"support {seen.score:.3f} is below the calibrated {self.threshold:.3f}"
        return (self._objection(step, told + self._bound(), checker_failed),)

    def _bound(self) -> str:
        return f" (error at most {self.accepted_error:.0%} with confidence {self.confidence:.0%})"

    def _objection(self, step: Step, reason: str, unknown: bool) -> Objection:
        return Objection(rule=self.name, step=step, reason=reason, could_not_check=unknown)
