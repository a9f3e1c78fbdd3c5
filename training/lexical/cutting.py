"""How answers are cut into claims for training: exactly as they are at run time."""

from __future__ import annotations

from firmground.claims.prose import prose_claims
from firmground.core.claim import Claim
from firmground.core.question import Question


def cut(answer: str, question: str) -> tuple[Claim, ...]:
    """Cut an answer into claims."""
    return prose_claims(answer, Question(text=question) if question.strip() else None)
