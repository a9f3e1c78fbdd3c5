"""What makes dependence on evidence a reason to hold an answer back, and what does not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from firmground.core.claim import Assessment
from firmground.core.decision import Step
from firmground.core.evidence import Trust
from firmground.core.finding import (
    CitationFinding,
    CitationStatus,
    ClaimDependence,
    Dependence,
    EvidenceEffect,
    Fault,
    FaultKind,
    Findings,
    Prior,
)
from firmground.decide.rules import BlindDependence, CitationViolations, DropSensitivity

TURNED = Dependence(
    sensitivity=0.8,
    prior=Prior.OPPOSED,
    lean=EvidenceEffect.SUPPORTS,
    trust=Trust.RETRIEVED,
    without="Oslo",
)
MOVED = replace(TURNED, prior=Prior.UNKNOWN, without="")
CLAIM = ClaimDependence(
    claim=3,
    believed_with=0.9,
    believed_without=0.1,
    interval=(0.5, 1.0),
    prior=Prior.OPPOSED,
    lean=EvidenceEffect.SUPPORTS,
)
NONE: tuple[Assessment, ...] = ()


def said(seen: Dependence | Fault | None, **more: float) -> list[str]:
    rule = BlindDependence(**more)  # type: ignore[arg-type]
    return [one.reason for one in rule.object_to(Findings(dependence=seen, assessments=NONE))]


@pytest.mark.parametrize(
    ("seen", "told"),
    [
        (TURNED, "turned the model's own belief from 'Oslo'"),
        (replace(MOVED, opposing=1), "follows one side of sources that disagree"),
        (replace(MOVED, opposing=2, corroborating=2), "follows one side"),
        (
            replace(MOVED, lean=EvidenceEffect.CONTRADICTS, sensitivity=0.2),
            "takes 0.20 off the answer's probability",
        ),
        (
            replace(MOVED, sensitivity=0.1, believed_with=0.2, noise=0.7),
            "no source says so, and with all of them in view the model does 20% of the time only",
        ),
        (replace(MOVED, claims=(CLAIM,)), "changed the model's belief on single claims"),
        (
            replace(
                MOVED,
                claims=(
                    replace(
                        CLAIM,
                        lean=EvidenceEffect.CONTRADICTS,
                        believed_with=0.1,
                        believed_without=0.4,
                        prior=Prior.UNKNOWN,
                    ),
                ),
            ),
            "doubt single claims",
        ),
    ],
)
def test_evidence_that_was_followed_blindly_or_speaks_against_is_told(
    seen: Dependence, told: str
) -> None:
    (reason,) = said(seen)
    assert told in reason


@pytest.mark.parametrize(
    "seen",
    [
        None,
        MOVED,
        replace(TURNED, sensitivity=0.49),
        replace(TURNED, trust=Trust.VOUCHED),
        replace(TURNED, corroborating=2),
        replace(MOVED, lean=EvidenceEffect.CONTRADICTS, sensitivity=0.19),
        replace(MOVED, opposing=1, corroborating=2),
        replace(MOVED, believed_with=0.2, noise=0.7, corroborating=1),
        replace(MOVED, claims=(replace(CLAIM, trust=Trust.VOUCHED),)),
        replace(MOVED, claims=(replace(CLAIM, prior=Prior.UNKNOWN),)),
    ],
)
def test_evidence_that_deserves_it_or_moves_little_is_not_held_against_the_answer(
    seen: Dependence | None,
) -> None:
    assert said(seen) == []


def test_an_answer_that_ignores_its_evidence_is_told_only_where_a_policy_says_so() -> None:
    still = replace(MOVED, sensitivity=0.05)
    assert said(still) == []
    (reason,) = said(still, ignores_below=0.1)
    assert "does not depend on its evidence" in reason


def test_the_firewalls_rule_holds_back_from_the_threshold_of_its_mode_on() -> None:
    rule = DropSensitivity()
    at = {"choice": 0.3, "free": 0.5}
    assert rule.object_to(Findings()) == ()
    for mode, limit in at.items():
        for much, held in ((limit, True), (limit - 0.01, False)):
            seen = Dependence(sensitivity=much, mode=mode)
            found = rule.object_to(Findings(dependence=seen))
            assert [one.step for one in found] == [Step.ABSTAIN] * held
    fault = Fault(source="probe", kind=FaultKind.TIMEOUT)
    (objection,) = rule.object_to(Findings(dependence=fault))
    assert objection.could_not_check


def test_only_the_kinds_of_citation_that_are_there_are_held_against_the_answer() -> None:
    bad = CitationFinding(start=0, end=1, status=CitationStatus.STITCHED, reason="two places")
    rule = CitationViolations(statuses=(CitationStatus.FABRICATED, CitationStatus.STITCHED))
    assert rule.object_to(Findings()) == ()
    (objection,) = rule.object_to(Findings(citations=(bad,)))
    assert "1 citation(s) stitched" in objection.reason
