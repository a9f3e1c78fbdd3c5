"""Rules about evidence, citations and disguised text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from firmground.core.claim import Standing
from firmground.core.decision import Objection, Step
from firmground.core.evidence import Trust
from firmground.core.finding import CitationStatus, Findings
from firmground.decide.rule import objecting
from firmground.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationViolations:
    """A citation that does not hold."""

    name: ClassVar[str] = "citation_violations"
    about: ClassVar[str] = (
        "a citation or quotation that is fabricated, misattributed, stitched or unresolved"
    )
    reads: ClassVar[tuple[str, ...]] = ("citations",)
    statuses: tuple[CitationStatus, ...] = (
        CitationStatus.FABRICATED,
        CitationStatus.MISATTRIBUTED,
        CitationStatus.STITCHED,
        CitationStatus.UNRESOLVED,
    )
    step: Step = Step.REGENERATE

    def __post_init__(self) -> None:
        objecting(self.name, self.step)

    def object_to(self, findings: Findings) -> tuple[Objection, ...]:
        """Object once for each kind of violation."""
        found = []
        for status in self.statuses:
            bad = [one for one in findings.citations if one.status is status]
            if bad:
                reason = f"{len(bad)} citation(s) {status.value}: {bad[0].reason}"
                found.append(Objection(rule=self.name, step=self.step, reason=reason))
        return tuple(found)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuspiciousTexts:
    """Disguised characters or instructions in what was read."""

    name: ClassVar[str] = "suspicious_text"
    about: ClassVar[str] = "disguised characters, or instructions hidden in evidence or answer"
    reads: ClassVar[tuple[str, ...]] = ("suspicious",)
    codes: tuple[str, ...] = ()
    """Which codes to object to; none named means all of them."""
    in_evidence: Step = Step.REPLAN
    elsewhere: Step = Step.REGENERATE

    def __post_init__(self) -> None:
        objecting(self.name, self.in_evidence)
        objecting(self.name, self.elsewhere)

    def object_to(self, findings: Findings) -> tuple[Objection, ...]:
        """Object once for each text that has any."""
        places: dict[str, list[str]] = {}
        for one in findings.suspicious:
            if not self.codes or one.code in self.codes:
                places.setdefault(one.where, []).append(one.code)
        return tuple(
            Objection(
                rule=self.name,
                step=self.elsewhere if where in ("answer", "question") else self.in_evidence,
                reason=f"{where}: {', '.join(sorted(set(codes)))}",
            )
            for where, codes in places.items()
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadEvidence:
    """Evidence was given that was not read."""

    name: ClassVar[str] = "unread_evidence"
    about: ClassVar[str] = "evidence that was handed in and could not be read"
    reads: ClassVar[tuple[str, ...]] = ("unread",)
    step: Step = Step.REPLAN

    def __post_init__(self) -> None:
        objecting(self.name, self.step)

    def object_to(self, findings: Findings) -> tuple[Objection, ...]:
        """Object once, naming the first of them."""
        if not findings.unread:
            return ()
        reason = f"{len(findings.unread)} piece(s) of evidence not looked at: {findings.unread[0]}"
        return (Objection(rule=self.name, step=self.step, reason=reason, could_not_check=True),)


@dataclass(frozen=True, slots=True, kw_only=True)
class StaleEvidence:
    """Evidence is older than it may be."""

    name: ClassVar[str] = "stale_evidence"
    about: ClassVar[str] = "evidence older than it may be"
    reads: ClassVar[tuple[str, ...]] = ("stale",)
    step: Step = Step.REPLAN

    def __post_init__(self) -> None:
        objecting(self.name, self.step)

    def object_to(self, findings: Findings) -> tuple[Objection, ...]:
        """Object once, naming the first of them."""
        if not findings.stale:
            return ()
        reason = f"{len(findings.stale)} piece(s) of evidence are stale: {findings.stale[0]}"
        return (Objection(rule=self.name, step=self.step, reason=reason),)


@dataclass(frozen=True, slots=True, kw_only=True)
class Corroboration:
    """A claim rests on too few sources that are independent of each other.

    Vouched and measured evidence needs no second source.
    """

    name: ClassVar[str] = "corroboration"
    about: ClassVar[str] = (
        "a claim that rests on fewer independent sources, none of them vouched for, than asked for"
    )
    reads: ClassVar[tuple[str, ...]] = ("resting", "assessments")
    untrusted: int = 2
    """How many independent sources it takes when none deserves more trust than that."""
    retrieved: int = 1
    step: Step = Step.REPLAN

    def __post_init__(self) -> None:
        for name in ("untrusted", "retrieved"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise InputError(f"corroboration.{name} must be a whole number from 1, got {value}")
        objecting(self.name, self.step)

    def needs(self, trust: Trust) -> int:
        """How many independent sources a claim takes whose best source has this trust."""
        return {Trust.UNTRUSTED: self.untrusted, Trust.RETRIEVED: self.retrieved}.get(trust, 1)

    def object_to(self, findings: Findings) -> tuple[Objection, ...]:
        """Object to claims with too few sources, and to those whose sources were not counted."""
        return (*self._too_few(findings), *self._uncounted(findings))

    def _too_few(self, findings: Findings) -> tuple[Objection, ...]:
        thin = [r for r in findings.resting if len(r.sources) < self.needs(r.trust)]
        if not thin:
            return ()
        first = thin[0]
        reason = (
            f"{len(thin)} claim(s) rest on too few independent sources: {len(first.sources)} of "
            f"trust {first.trust.label}, and {self.needs(first.trust)} are asked for"
        )
        at = tuple(r.claim for r in thin)
        return (Objection(rule=self.name, step=self.step, reason=reason, claims=at),)

    def _uncounted(self, findings: Findings) -> tuple[Objection, ...]:
        if max(self.untrusted, self.retrieved) == 1:
            return ()
        counted = {r.claim for r in findings.resting}
        at = tuple(
            i
            for i, one in enumerate(findings.assessments)
            if one.standing is Standing.GROUNDED and i not in counted
        )
        if not at:
            return ()
        reason = f"the independent sources were not counted for {len(at)} claim(s)"
        return (
            Objection(
                rule=self.name, step=self.step, reason=reason, claims=at, could_not_check=True
            ),
        )
