"""What may stay in an answer because the answer itself says that it is not borne out?

A reader who meets such a mark beside a statement is not misled about it. That is enough where the
evidence is silent about words; it is not where somebody would act on the piece all the same (a
dose, an amount, a number, a date, a name), and not where the evidence says otherwise. Only marks
that firmground put there count, known by their place: an answer cannot excuse itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firmground.core.claim import Assessment, NotCheckable, Standing
from firmground.core.hard_fact import hard_facts

MARK = " (not supported by the sources)"
CODE = "marked_unsupported"


def markable(answer: str, assessment: Assessment) -> bool:
    """True when a mark beside the claim tells a reader all they need."""
    if assessment.standing is not Standing.UNGROUNDED:
        return False
    claim = assessment.claim
    spans = [(p.start, p.end) for p in assessment.problems] or [(claim.start, claim.end)]
    silent = all(p.standing is Standing.UNGROUNDED for p in assessment.problems)
    return silent and not any(hard_facts(_plain(answer[low:high])) for low, high in spans)


def _plain(piece: str) -> str:
    """The piece without our own mark, and without the capital that only begins a sentence."""
    piece = piece.replace(MARK.strip(), "").strip()
    first, _, rest = piece.partition(" ")
    return f"{first.lower()} {rest}" if first.istitle() and first.isalpha() else piece


def with_marks(
    answer: str, assessments: Sequence[Assessment], marks: Sequence[int]
) -> tuple[Assessment, ...]:
    """The same assessments; what carries a mark of ours, and may, asserts nothing any more."""
    return tuple(_told(answer, one, marks) for one in assessments) if marks else tuple(assessments)


def _told(answer: str, one: Assessment, marks: Sequence[int]) -> Assessment:
    claim = one.claim
    here = any(
        claim.start < at <= claim.end and answer.startswith(MARK, at) and at + len(MARK) >= end
        for at in marks
        for end in (_last_letter(claim.text) + claim.start,)
    )
    if not here or not markable(answer, one):
        return one
    return replace(
        one,
        claim=replace(claim, not_checkable=NotCheckable.MARKED),
        standing=Standing.NOT_CHECKABLE,
        support=1.0,
        reason="the answer itself says that the sources do not bear this out",
        code=CODE,
        problems=(),
        evidence=(),
    )


def _last_letter(text: str) -> int:
    """Just behind the last letter or digit: a mark speaks for what stands before it."""
    return max((at for at, sign in enumerate(text, 1) if sign.isalnum()), default=0)
