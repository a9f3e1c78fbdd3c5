"""How answers are cut into claims for training: as the claims room cuts them."""

from __future__ import annotations

from firmground.core.claim import Claim
from firmground.core.segment import sentences


def cut(answer: str, question: str) -> tuple[Claim, ...]:
    """Cut an answer into claims."""
    return tuple(
        Claim(text=answer[span.start : span.end], start=span.start, end=span.end)
        for span in sentences(answer)
    )
