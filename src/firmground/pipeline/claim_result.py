"""One claim of an answer with everything found out about it, on one flat object."""

from __future__ import annotations

from dataclasses import dataclass

from firmground.core.claim import Assessment, Standing


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """The exact words of one piece of evidence: ``evidence.text[start:end] == text``."""

    evidence_id: str
    start: int
    end: int
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimResult:
    """One claim of the answer and where it stands; ``answer[start:end] == text``.

    >>> import firmground
    >>> result = firmground.check("It opened in 1932.", "It opened in 1932.", judge="lexical")
    >>> (claim,) = result.claims
    >>> claim.text, str(claim.standing), claim.evidence[0].text
    ('It opened in 1932.', 'grounded', 'It opened in 1932.')
    """

    text: str
    start: int
    end: int
    statement: str
    """The claim with what it refers to spelled out, as it was compared with the evidence."""
    standing: Standing
    reason: str
    """One sentence for a person."""
    code: str
    """Stable code of the reason."""
    evidence: tuple[Quote, ...]
    """The words of the evidence that the claim rests on, or conflicts with."""
    confidence: float
    """Confidence of the judge in ``standing``: 0 none, 1 certain."""

    @property
    def stands(self) -> bool:
        """True when nothing is held against the claim."""
        return self.standing.stands

    def __str__(self) -> str:
        return f"{self.standing}: {self.text} ({self.reason})"


def claim_result(assessment: Assessment, texts: dict[str, str]) -> ClaimResult:
    """Join a claim with its assessment; ``texts`` are those of the evidence, by id."""
    claim = assessment.claim
    return ClaimResult(
        text=claim.text,
        start=claim.start,
        end=claim.end,
        statement=claim.statement,
        standing=assessment.standing,
        reason=assessment.reason,
        code=assessment.code,
        evidence=tuple(
            Quote(
                evidence_id=span.evidence_id,
                start=span.start,
                end=span.end,
                text=texts[span.evidence_id][span.start : span.end],
            )
            for span in assessment.evidence
        ),
        confidence=assessment.confidence,
    )
