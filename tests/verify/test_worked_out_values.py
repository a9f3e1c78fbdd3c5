"""A value that can be worked out from the evidence is not called absent."""

from __future__ import annotations

import pytest

from firmground.core.claim import Claim
from firmground.core.evidence import Evidence
from firmground.core.ports import Inquiry
from firmground.verify.judge import LexicalJudge


def _codes(statement: str, evidence: str) -> list[str]:
    claim = Claim(text=statement, start=0, end=len(statement))
    inquiry = Inquiry(
        question=None, answer=statement, claims=(claim,), evidence=(Evidence(text=evidence),)
    )
    (assessment,) = LexicalJudge().examine(inquiry).assessments
    return [note.code for note in assessment.notes]


@pytest.mark.parametrize(
    ("statement", "evidence"),
    [
        (
            "The three nights cost 270 euros in total.",
            "The stay of three nights costs 90 euros a night.",
        ),
        (
            "The restart took 38 minutes.",
            "The service stopped at 09:14 and was restarted at 09:52.",
        ),
    ],
)
def test_a_value_that_is_worked_out_is_not_absent(statement: str, evidence: str) -> None:
    codes = _codes(statement, evidence)
    assert "value_derived" in codes
    assert not {"number_absent", "time_absent", "date_absent", "number_differs"} & set(codes)


def test_a_value_that_cannot_be_worked_out_is_absent() -> None:
    codes = _codes(
        "The three nights cost 285 euros in total.",
        "The stay of three nights costs 90 euros a night.",
    )
    assert {"number_absent", "number_differs", "value_conflicts"} & set(codes)
