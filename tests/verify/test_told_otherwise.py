"""Shares in words, numerals in names, and what was denied: false twins fall, honest ones stand."""

from __future__ import annotations

import pytest

from firmground.core.claim import Assessment, Claim
from firmground.core.evidence import Evidence
from firmground.core.ports import Inquiry
from firmground.verify.judge import LexicalJudge

TRIAL = "Bexilor lowered blood pressure, while Axilor did not."


def judged(claim: str, *evidence: str) -> Assessment:
    inquiry = Inquiry(
        question=None,
        answer=claim,
        claims=(Claim(start=0, end=len(claim), text=claim),),
        evidence=tuple(Evidence(text=text) for text in evidence),
    )
    return LexicalJudge().examine(inquiry).assessments[0]


def codes(claim: str, *evidence: str) -> set[str]:
    """The objections of these checks to a claim."""
    mine = ("shares", "numerals", "denied", "framing")
    notes = judged(claim, *evidence).notes
    return {note.code for note in notes if note.check in mine and note.standing is not None}


@pytest.mark.parametrize(
    ("claim", "source", "code"),
    [
        ("A third of patients improved.", "25% of patients improved.", "share_differs"),
        ("About a third of the staff left.", "25 % of the staff left in May.", "share_differs"),
        ("Half of the users left.", "About 30 percent of the users left.", "share_differs"),
        ("20% of patients improved.", "A third of patients improved.", "share_differs"),
        ("A quarter of patients improved.", "A third of patients improved.", "share_differs"),
        ("Elizabeth I opened it in 1962.", "Elizabeth II opened it in 1962.", "numeral_differs"),
        ("Henry VII married six times.", "Henry VIII married six times.", "numeral_differs"),
        ("World War I ended in 1945.", "World War II ended in 1945.", "numeral_differs"),
        ("The Phase I trial failed.", "The Phase III trial failed.", "numeral_differs"),
        ("Elizabeth I liked dogs.", "Elizabeth II opened the bridge.", "numeral_absent"),
        ("The witness saw the car.", "The witness denied seeing the car.", "denial_as_fact"),
        ("The minister took bribes.", "The minister denied taking bribes.", "denial_as_fact"),
        ("The minister denied taking bribes.", "The minister took bribes.", "fact_as_denial"),
        ("The company admitted the breach.", "The company denied the breach.", "denial_reversed"),
        ("The company denied the breach.", "The company admitted the breach.", "denial_reversed"),
        ("Axilor lowered blood pressure.", TRIAL, "said_not_so"),
    ],
)
def test_what_the_source_tells_otherwise_does_not_stand(claim: str, source: str, code: str) -> None:
    found = judged(claim, source)
    assert code in codes(claim, source)
    assert not found.standing.stands
    assert found.evidence


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        ("A quarter of patients improved.", ["25% of patients improved."]),
        ("Two thirds of voters agreed.", ["66% of voters agreed."]),
        ("About a third of patients improved.", ["33% of patients improved."]),
        ("Nearly half of patients improved.", ["41% of patients improved."]),
        ("More than a third of patients improved.", ["48% of patients improved."]),
        ("A third of patients improved.", ["25% of patients in the control arm died."]),
        (
            "A third of patients improved.",
            ["20% of men improved.", "A third of patients improved."],
        ),
        ("Elizabeth II opened it.", ["Elizabeth I ruled before.", "Elizabeth II opened it."]),
        ("Elizabeth I was tall.", ["Elizabeth II opened it.", "Elizabeth was tall, like Anne."]),
        ("Queen Elizabeth opened the bridge.", ["Queen Elizabeth II opened the bridge."]),
        ("World War 2 ended in 1945.", ["World War II ended in 1945."]),
        ("World War I shaped the city.", ["World Wars I and II shaped the city."]),
        ("Elizabeth I was not involved.", ["Elizabeth II opened it."]),
        ("The Phase I trial failed.", ["The trial failed in Phase I."]),
        ("The minister denied taking bribes.", ["The minister denied taking bribes."]),
        ("The minister was accused of bribes.", ["The minister denied taking bribes."]),
        ("The minister rejected the claim.", ["The minister denied the claim."]),
        ("The court denied the appeal.", ["The court rejected the appeal."]),
        ("The witness saw the car.", ["The witness saw the car. He denied driving it."]),
        ("The witness saw the car.", ["He first denied seeing it, but the witness saw the car."]),
        ("Bexilor lowered blood pressure.", [TRIAL]),
        ("Axilor did not lower blood pressure.", [TRIAL]),
    ],
)
def test_honest_retellings_meet_no_objection(claim: str, evidence: list[str]) -> None:
    assert codes(claim, *evidence) == set()
