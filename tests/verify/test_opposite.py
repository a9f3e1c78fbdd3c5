"""A yes or no and its opposite are judged together; at most one of the two stands."""

from __future__ import annotations

from dataclasses import replace

import pytest

from firmground.claims import prose_claims
from firmground.core.claim import Assessment, CheckNote, Claim, Standing
from firmground.core.evidence import EvidenceSpan
from firmground.core.question import Question
from firmground.verify.opposite import weighed


def _judged(text: str, standing: Standing, support: float, code: str = "x") -> Assessment:
    claim = Claim(text=text, start=0, end=len(text))
    return Assessment(
        claim=claim,
        standing=standing,
        confidence=support,
        support=support,
        reason="r",
        code=code,
        evidence=(EvidenceSpan(evidence_id="e", start=0, end=1),),
    )


_NO = "The shop is not open."
_YES = "The shop is open."


def test_a_reply_knows_what_the_other_reply_would_have_stated() -> None:
    (claim,) = prose_claims("No.", Question(text="Is the shop open?"))
    assert (claim.statement, claim.opposite) == (_NO, _YES)


def test_a_sentence_has_no_opposite() -> None:
    (claim,) = prose_claims("The shop is not open.", Question(text="Is the shop open?"))
    assert claim.opposite == ""


def test_a_denial_stands_when_a_check_finds_another_value() -> None:
    own = _judged(_NO, Standing.UNGROUNDED, 0.1)
    other = _judged(_YES, Standing.CONTRADICTED, 0.1, "number_differs")
    found = weighed(own, other)
    assert (found.standing, found.code) == (Standing.GROUNDED, "opposite_contradicted")


def test_a_low_score_of_the_opposite_proves_no_denial() -> None:
    own = _judged(_NO, Standing.UNGROUNDED, 0.1)
    other = _judged(_YES, Standing.CONTRADICTED, 0.1, "scored_contradicted")
    assert weighed(own, other) is own


def test_an_affirmation_needs_support_of_its_own() -> None:
    own = _judged(_YES, Standing.UNGROUNDED, 0.1)
    other = _judged(_NO, Standing.CONTRADICTED, 0.1, "number_differs")
    assert weighed(own, other) is own


def test_a_veto_against_a_denial_is_not_overruled() -> None:
    note = CheckNote(check="c", code="c", standing=Standing.CONTRADICTED, reason="r")
    own = replace(_judged(_NO, Standing.CONTRADICTED, 0.1), notes=(note,))
    other = _judged(_YES, Standing.CONTRADICTED, 0.1, "number_differs")
    assert weighed(own, other) is own


@pytest.mark.parametrize(("own", "other", "stands"), [(0.6, 0.9, False), (0.9, 0.6, True)])
def test_of_two_that_are_supported_the_better_one_stands(
    own: float, other: float, stands: bool
) -> None:
    found = weighed(_judged(_YES, Standing.GROUNDED, own), _judged(_NO, Standing.GROUNDED, other))
    assert found.standing.stands is stands
