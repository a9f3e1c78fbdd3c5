"""The number of a citation is no fact of the answer."""

from __future__ import annotations

import pytest

from firmground.claims.prose import prose_claims
from firmground.core.claim import Assessment
from firmground.core.evidence import Evidence
from firmground.core.ports import Inquiry
from firmground.verify.judge import LexicalJudge


@pytest.mark.parametrize(
    "answer",
    ["Cats [7] sleep a lot.", "As passage 8 says, cats sleep a lot.", "Cats [1, 9] sleep a lot."],
)
def test_the_number_of_a_citation_is_never_missing_from_the_evidence(answer: str) -> None:
    evidence = (Evidence(text="Cats sleep a lot. Dogs bark at night."),)
    claims = prose_claims(answer)
    inquiry = Inquiry(question=None, answer=answer, claims=claims, evidence=evidence)
    found: tuple[Assessment, ...] = LexicalJudge().examine(inquiry).assessments
    assert [one.claim for one in found] == list(claims)
    assert not any(note.code.startswith("number") for one in found for note in one.notes)
