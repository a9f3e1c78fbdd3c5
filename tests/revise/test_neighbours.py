"""Claims that go side by side, and values that are only a part of something."""

from __future__ import annotations

import pytest

from firmground import check
from firmground.core.claim import Assessment, CheckNote, Claim, Problem, Standing
from firmground.core.evidence import Evidence, EvidenceSpan
from firmground.pipeline.repairing import CORRECTABLE
from firmground.revise import Unsupported, repair_answer

SOURCE = "The fee is EUR 18,400 per month. Supplier shall indemnify Customer against claims."
GOOD = "The fee is EUR 18,400 per month."
BAD = ("Fees include 8% late interest.", "Customer shall indemnify Supplier against claims.")


def repaired(answer: str, source: str, how: Unsupported) -> str:
    found = check(answer, source, judge="lexical").findings.assessments
    revision = repair_answer(
        answer, found, [Evidence(text=source)], correctable=CORRECTABLE, unsupported=how
    )
    return revision.after


@pytest.mark.parametrize(
    "order", [(GOOD, *BAD), (*BAD, GOOD), (GOOD, *reversed(BAD)), (*reversed(BAD), GOOD), BAD]
)
@pytest.mark.parametrize("how", [Unsupported.DROP, Unsupported.NARROW])
def test_of_neighbours_that_go_none_is_left(order: tuple[str, ...], how: Unsupported) -> None:
    left = repaired(" ".join(order), SOURCE, how)
    assert left.strip() == (GOOD if GOOD in order else "")


def test_half_a_name_is_not_replaced_by_the_name_of_somebody_else() -> None:
    source = "Priya Nair was incident commander; Tom Okafor paged the database team."
    left = repaired("The incident commander was Priya Patel.", source, Unsupported.SPARE)
    assert "Okafor" not in left
    assert "Patel" not in left or "not supported" in left


@pytest.mark.parametrize(
    ("answer", "wrong", "corrected"),
    [
        ("It was led by Priya Patel.", "Patel", False),
        ("It was led by Patel Nair.", "Patel", False),
        ("It was led by Patel.", "Patel", True),
        ("In Rome it rained.", "Rome", True),
        ("The Rome office opened.", "Rome", True),
    ],
)
def test_only_a_whole_name_is_corrected(answer: str, wrong: str, corrected: bool) -> None:
    source = Evidence(text="Okafor", id="s")
    at, end = answer.index(wrong), answer.index(wrong) + len(wrong)
    fallen = Assessment(
        claim=Claim(text=answer, start=0, end=len(answer)),
        standing=Standing.CONTRADICTED,
        confidence=1,
        support=0,
        reason="",
        problems=(Problem(start=at, end=end, standing=Standing.CONTRADICTED),),
        notes=(
            CheckNote(
                check="names",
                code="name_differs",
                standing=Standing.CONTRADICTED,
                reason="",
                start=at,
                end=end,
                evidence=(EvidenceSpan(evidence_id="s", start=0, end=6),),
            ),
        ),
    )
    revision = repair_answer(answer, [fallen], [source], correctable=CORRECTABLE)
    assert ("Okafor" in revision.after) is corrected
