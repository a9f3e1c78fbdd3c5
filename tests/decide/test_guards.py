"""Each guard of the rules, broken once: what a rule refuses, and where it keeps silent."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from firmground.core.claim import Assessment, Claim, NotCheckable, Standing
from firmground.core.decision import Objection, Step
from firmground.core.finding import Findings, Support
from firmground.decide import BALANCED, Policy
from firmground.decide.rules import Calibrated, Contradiction, Disagreement, ThinSupport
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
