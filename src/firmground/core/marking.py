"""Claims that may stay in an answer because the answer itself marks them as unsupported.

A reader who meets such a mark beside a statement is not misled about it. That is enough where the
evidence is silent about words or a name. It is not enough for a fact to act on (a dose, an amount,
a number, a date), nor where the evidence says otherwise. Only marks that firmground put there
count, identified by position: an answer cannot mark itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firmground.core.claim import Assessment, NotCheckable, Standing
from firmground.core.hard_fact import HardFact, hard_facts

MARK = " (not supported by the sources)"
CODE = "marked_unsupported"


def markable(answer: str, assessment: Assessment) -> bool:
    """True when a mark beside the claim is enough for a reader."""
    if assessment.standing is not Standing.UNGROUNDED:
        return False
    claim = assessment.claim
    spans = [(p.start, p.end) for p in assessment.problems] or [(claim.start, claim.end)]
    silent = all(p.standing is Standing.UNGROUNDED for p in assessment.problems)
    acted_on = {fact for low, high in spans for fact in hard_facts(answer[low:high])}
    return silent and acted_on <= {HardFact.NAME}


def with_marks(
    answer: str, assessments: Sequence[Assessment], marks: Sequence[int]
) -> tuple[Assessment, ...]:
    """The same assessments; a claim with a mark of ours, where a mark is enough, asserts nothing.

    When more of the answer is marked than stands, no mark counts.
    """
    marked = [_carries(one, answer, marks) and markable(answer, one) for one in assessments]
    stand = [one.standing in (Standing.GROUNDED, Standing.COMPLEMENTARY) for one in assessments]
    if not any(marked) or sum(marked) > sum(stand):
        return tuple(assessments)
    return tuple(_told(one) if here else one for one, here in zip(assessments, marked, strict=True))


def _carries(one: Assessment, answer: str, marks: Sequence[int]) -> bool:
    claim = one.claim
    return any(
        claim.start < at <= claim.end and answer.startswith(MARK, at) and at + len(MARK) >= end
        for at in marks
        for end in (_last_letter(claim.text) + claim.start,)
    )


def _told(one: Assessment) -> Assessment:
    return replace(
        one,
        claim=replace(one.claim, not_checkable=NotCheckable.MARKED),
        standing=Standing.NOT_CHECKABLE,
        support=1.0,
        reason="the answer itself says that the sources do not support this",
        code=CODE,
        problems=(),
        evidence=(),
    )


def _last_letter(text: str) -> int:
    """Just behind the last letter or digit: a mark speaks for what stands before it."""
    return max((at for at, sign in enumerate(text, 1) if sign.isalnum()), default=0)
