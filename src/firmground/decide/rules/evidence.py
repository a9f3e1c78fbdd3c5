"""Rules about evidence, citations and disguised text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from firmground.core.decision import Objection, Step
from firmground.core.finding import CitationStatus, Findings
from firmground.decide.rule import objecting


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
    """Evidence was handed in that nobody looked at."""

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
