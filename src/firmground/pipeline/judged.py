"""One claim with what was found about it, side by side, for callers who want three lines."""

from __future__ import annotations

from dataclasses import dataclass

from firmground.core.claim import Assessment, Standing


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedClaim:
    """What the answer says, where it stands and why; ``answer[start:end] == text``."""

    text: str
    start: int
    end: int
    standing: Standing
    reason: str
    confidence: float
    """How sure the judge is of ``standing``: 0 not at all, 1 entirely."""
    quotes: tuple[str, ...]
    """The exact words of the evidence that it rests on, or conflicts with."""
    statement: str = ""
    """What was judged: the text made self-contained."""

    @property
    def stands(self) -> bool:
        """True when nothing is held against it."""
        return self.standing.stands

    def __str__(self) -> str:
        return f"{self.standing}: {self.text} ({self.reason})"


def judged_claim(assessment: Assessment, texts: dict[str, str]) -> JudgedClaim:
    """Join a claim with its assessment; ``texts`` are those of the evidence, by id."""
    claim = assessment.claim
    return JudgedClaim(
        text=claim.text,
        start=claim.start,
        end=claim.end,
        standing=assessment.standing,
        reason=assessment.reason,
        confidence=assessment.confidence,
        quotes=tuple(
            texts[span.evidence_id][span.start : span.end] for span in assessment.evidence
        ),
        statement=claim.statement,
    )
