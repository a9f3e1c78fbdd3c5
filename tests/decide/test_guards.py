"""Each guard of the rules, broken once: what a rule refuses, and where it keeps silent."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import pytest

from firmground.core.claim import Assessment, Claim, NotCheckable, Standing
from firmground.core.decision import Objection, Step
from firmground.core.evidence import EvidenceSpan
from firmground.core.finding import Agreement, Findings, Preflight, PreflightStatus, Support
from firmground.decide import BALANCED, Policy
from firmground.decide.rules import (
    Calibrated,
    Contradiction,
    Corroboration,
    Disagreement,
    PreflightObjects,
    ThinSupport,
)
from firmground.errors import InputError


def claimed(standing: Standing) -> Assessment:
    mute = NotCheckable.GREETING if standing is Standing.NOT_CHECKABLE else None
    return Assessment(
        claim=Claim(text="It is.", start=0, end=6, not_checkable=mute),
        standing=standing,
        confidence=1,
        support=0,
        reason="",
    )


def scored(*, score: float = 0.5, risk: float = 0.5) -> Findings:
    support = Support(profile="", score=score, risk=risk, coverage=1)
    return Findings(assessments=(claimed(Standing.UNGROUNDED),), support=support)


class Loose:
    """A rule without a canonical form."""

    name: ClassVar[str] = "loose"
    about: ClassVar[str] = "nothing"
    reads: ClassVar[tuple[str, ...]] = ()

    def object_to(self, findings: Findings) -> tuple[Objection, ...]:
        return ()


def test_a_rule_without_a_canonical_form_is_refused() -> None:
    with pytest.raises(InputError, match=r"loose.*must be a dataclass"):
        Policy(name="mine", rules=(Loose(),))


def test_a_step_is_written_as_its_word() -> None:
    rules: Any = Policy(name="mine", rules=(Contradiction(),)).canonical()["rules"]
    assert rules == [{"rule": "contradiction", "parameters": {"step": "regenerate"}}]


def test_nothing_claimed_and_nothing_scored_is_not_for_the_rule_about_scores() -> None:
    assert ThinSupport().object_to(Findings()) == ()
    (unscored,) = ThinSupport().object_to(Findings(assessments=(claimed(Standing.UNGROUNDED),)))
    assert unscored.could_not_check


def test_a_calibrated_rule_reads_its_own_score_on_its_own_side() -> None:
    risk = Calibrated(score="risk", threshold=0.5)
    assert risk.object_to(scored(risk=0.5, score=0.0)) == ()
    assert [o.step for o in risk.object_to(scored(risk=0.51, score=1.0))] == [Step.REGENERATE]
    support = Calibrated(score="support", threshold=0.5, regenerate=0.3)
    assert support.object_to(scored(score=0.5, risk=1.0)) == ()
    assert [o.step for o in support.object_to(scored(score=0.4))] == [Step.REGENERATE]
    assert [o.step for o in support.object_to(scored(score=0.2))] == [Step.REPLAN]


def test_without_a_score_a_calibrated_rule_could_not_check() -> None:
    (objection,) = Calibrated().object_to(Findings())
    assert objection.could_not_check


def test_what_asserts_nothing_has_no_support_to_be_thin() -> None:
    support = Support(profile="", score=0.0, risk=0.0, coverage=1)
    mute = Findings(assessments=(claimed(Standing.NOT_CHECKABLE),), support=support)
    assert Calibrated(score="support", threshold=0.5).object_to(mute) == ()
    assert ThinSupport().object_to(mute) == ()


def test_a_score_nobody_knows_is_refused() -> None:
    with pytest.raises(InputError, match="must be risk or support"):
        Calibrated(score="mood")


def test_a_policy_leaves_to_a_person_only_what_it_names() -> None:
    with pytest.raises(InputError, match="both waives and escalates: hooks"):
        Policy(name="mine", rules=BALANCED.rules, waived=("hooks",), escalate=("hooks",))


def test_fewer_than_none_may_not_be_tolerated() -> None:
    with pytest.raises(InputError, match="must not be negative"):
        Disagreement(tolerated=-1)
    assert Disagreement(tolerated=0).tolerated == 0


def test_a_doubtful_question_is_held_against_it_only_where_a_policy_says_so() -> None:
    open_in_part = Preflight(status=PreflightStatus.PARTIAL, confidence=0.4)
    assert PreflightObjects().object_to(Findings(preflight=open_in_part)) == ()
    (doubt,) = PreflightObjects(confidence_below=0.5).object_to(Findings(preflight=open_in_part))
    assert doubt.step is Step.ABSTAIN
    assert PreflightObjects(confidence_below=0.4).object_to(Findings(preflight=open_in_part)) == ()
    (part,) = PreflightObjects(also_partial=True).object_to(Findings(preflight=open_in_part))
    assert part.step is Step.REPLAN
    whole = Preflight(status=PreflightStatus.OK, confidence=0.4)
    assert PreflightObjects(also_partial=True).object_to(Findings(preflight=whole)) == ()


def test_a_blocked_question_is_held_against_it_whatever_its_confidence() -> None:
    blocked = Preflight(status=PreflightStatus.BLOCKED, confidence=1)
    (found,) = PreflightObjects().object_to(Findings(preflight=blocked))
    assert found.step is Step.ABSTAIN


def test_others_object_only_where_they_disagree_or_could_not_be_asked() -> None:
    def told(seen: Agreement, rule: Disagreement) -> list[tuple[Step, bool]]:
        found = rule.object_to(Findings(agreement=seen))
        return [(one.step, one.could_not_check) for one in found]

    assert told(Agreement(agreeing=1, disagreeing=1), Disagreement()) == []
    assert told(Agreement(agreeing=1, disagreeing=2), Disagreement()) == [(Step.REGENERATE, False)]
    assert told(Agreement(agreeing=3, disagreeing=2), Disagreement(tolerated=2)) == []
    assert told(Agreement(agreeing=3, disagreeing=2), Disagreement(tolerated=1)) == [
        (Step.REGENERATE, False)
    ]
    unasked = Agreement(agreeing=3, disagreeing=0, unchecked=(0,))
    assert told(unasked, Disagreement()) == [(Step.ABSTAIN, True)]


def test_where_one_source_is_enough_nobody_need_count_them() -> None:
    piece = EvidenceSpan(evidence_id="a", start=0, end=1)
    grounded = replace(claimed(Standing.UNGROUNDED), standing=Standing.GROUNDED, evidence=(piece,))
    found = Findings(assessments=(grounded,))
    assert Corroboration(untrusted=1, retrieved=1).object_to(found) == ()
    (uncounted,) = Corroboration(untrusted=2, retrieved=1).object_to(found)
    assert uncounted.could_not_check
