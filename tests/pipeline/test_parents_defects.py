"""Each known defect of the GSAR and halguard parents, as a test that they would fail."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from firmground.calibrate import LabelledScore, Refusal, calibrate
from firmground.compat.evaluator import Evaluator
from firmground.compat.pipeline import Pipeline
from firmground.core.budget import Budget
from firmground.core.claim import Assessment, Claim, Standing
from firmground.core.decision import Step
from firmground.core.evidence import Evidence, EvidenceSpan
from firmground.core.finding import Agreement, Fault, FaultKind, Findings, Support
from firmground.core.ports import Inquiry, ModelRequest
from firmground.decide import BALANCED, decide
from firmground.engine import check
from firmground.errors import ModelError
from firmground.pipeline.loop import Judged
from firmground.testing import FunctionJudge, FunctionModel
from firmground.verify.gsar import HARDENED, REFERENCE, Partition, TypedClaim

SOURCE = "The pump failed at 04:12. It was replaced by the night shift."
TESTS = Path(__file__).resolve().parents[1]


def assessed(text: str, standing: Standing, start: int = 0) -> Assessment:
    return Assessment(
        claim=Claim(text=text, start=start, end=start + len(text)),
        standing=standing,
        confidence=0.9,
        support=0.9 if standing.stands else 0.1,
        reason="because",
        evidence=(EvidenceSpan(evidence_id="e", start=0, end=1),),
    )


def supported(score: float, *found: Assessment, coverage: float = 1.0) -> Findings:
    support = Support(score=score, profile="p", risk=0.0, coverage=coverage)
    return Findings(assessments=found, support=support)


# GSAR


def test_gsar_1_two_grounded_claims_do_not_carry_a_contradiction_out() -> None:
    good = tuple(TypedClaim(text=f"fact {n}", type="tool_match") for n in range(2))
    bad = TypedClaim(text="no", type="tool_match")
    partition = Partition(grounded=good, contradicted=(bad,))
    assert REFERENCE.decide(REFERENCE.score(partition)) is Step.PROCEED  # what the parent does
    assert HARDENED.decide(HARDENED.score(partition)) > Step.PROCEED
    found = supported(
        0.99, assessed("a", Standing.GROUNDED), assessed("b", Standing.CONTRADICTED, 2)
    )
    assert decide(found, BALANCED).step > Step.PROCEED  # and a veto whatever the score


def test_gsar_2_padding_and_copies_buy_nothing() -> None:
    base = Partition(
        grounded=(TypedClaim(text="It rained", type="tool_match"),),
        ungrounded=tuple(TypedClaim(text=f"guess {n}", type="tool_match") for n in range(3)),
    )
    copies = tuple(TypedClaim(text="it rained!", type="tool_match") for _ in range(30))
    beside = tuple(TypedClaim(text=f"aside {n}", type="tool_match") for n in range(30))
    padded = Partition(
        grounded=(*base.grounded, *copies), ungrounded=base.ungrounded, complementary=beside
    )
    assert REFERENCE.decide(REFERENCE.score(padded)) is Step.PROCEED
    assert HARDENED.score(padded) == HARDENED.score(base)
    assert HARDENED.decide(HARDENED.score(base)) > Step.PROCEED


def test_gsar_3_what_no_claim_covers_is_not_vouched_for_and_references_must_resolve() -> None:
    found = supported(0.95, assessed("a", Standing.GROUNDED), coverage=0.3)
    assert "uncovered_answer" in {o.rule for o in decide(found, BALANCED).objections}

    def cites_nothing(inquiry: Inquiry) -> tuple[Assessment, ...]:
        return tuple(assessed(c.text, Standing.GROUNDED, c.start) for c in inquiry.claims)

    outcome = check("The pump failed.", SOURCE, judge=FunctionJudge(function=cites_nothing))
    assert not outcome.stands
    assert outcome.findings.faults[0].source == "judge"


def test_gsar_5_a_low_score_really_holds_the_answer_back() -> None:
    outcome = check("The pump never failed. Nobody came. It was painted red.", SOURCE)
    assert outcome.answer is None


def test_gsar_6_regenerations_are_budgeted_and_the_best_report_comes_back() -> None:
    reports = iter(
        [
            "The pump failed at 04:12. It was painted red.",
            "The pump was painted red. Nobody knows why. It was raining in Oslo.",
            "The pump was painted red in 1999.",
        ]
    )
    better = "The pump failed at 04:12. It was replaced by the night shift. It was painted red."
    evaluator = Evaluator(
        regenerate=lambda report, seen: next(reports),
        replan=lambda report, evidence, seen: (next(reports), evidence),
        budget=Budget(regenerations=1, replans=1),
    )
    result = evaluator.evaluate(better, SOURCE)
    assert result.degraded
    assert result.regenerations_used + result.replans_used <= 2
    assert result.report == better  # not the last


def test_gsar_7_a_judge_that_fails_costs_one_look_and_no_search() -> None:
    searches: list[str] = []

    def broken(inquiry: Inquiry) -> tuple[Assessment, ...]:
        raise ModelError("the judge is down")

    def dear(report: str, evidence: tuple[Evidence, ...], seen: Judged) -> tuple[str, Any]:
        searches.append(report)
        return report, evidence

    result = Evaluator(judge=FunctionJudge(function=broken), replan=dear).evaluate(
        "The pump failed.", SOURCE
    )
    assert searches == []
    assert len(result.trajectory.tries) == 1
    assert all(o.could_not_check for o in result.decision.objections if o.step is Step.ABSTAIN)


def test_gsar_8_thresholds_are_calibrated_or_refused_and_hard_facts_weigh_more() -> None:
    assert isinstance(calibrate([LabelledScore(risk=0.1, wrong=False)] * 10, risk=0.05), Refusal)
    good = (TypedClaim(text="It rained", type="tool_match"),)
    plain = Partition(grounded=good, ungrounded=(TypedClaim(text="It was nice"),))
    dose = Partition(grounded=good, ungrounded=(TypedClaim(text="Take 80 mg", criticality=1.0),))
    assert HARDENED.score(dose) < HARDENED.score(plain)


# halguard


def test_halguard_5_an_answer_found_wrong_is_not_returned_as_corrected() -> None:
    wrong = "The pump failed at 09:00."
    model = FunctionModel(function=lambda request: wrong)
    asked = Pipeline(
        model=model, evidence=SOURCE, patch=False, budget=Budget(regenerations=1, replans=0)
    ).ask("When did the pump fail?")
    assert asked.answer is None
    assert asked.repaired == ()


def test_halguard_6_a_patch_hits_its_own_place_and_is_looked_at_again() -> None:
    source = "The north pump failed at 04:12.\nThe south pump failed at 05:30."
    answer = "The north pump failed at 04:12.\nThe south pump failed at 04:12."
    asked = Pipeline(model=FunctionModel(function=lambda request: answer), evidence=source).ask(
        "When did the pumps fail?"
    )
    assert asked.answer is not None
    first, _, second = asked.answer.partition("\n")
    assert first == "The north pump failed at 04:12."  # the same words elsewhere stay
    assert "04:12" not in second
    assert asked.trajectory is not None
    assert len(asked.trajectory.tries) >= 2  # it was verified again
    assert asked.repaired


def test_halguard_6_a_patch_that_does_not_stand_better_is_not_kept() -> None:
    answer = "Wholly invented words about purple elephants dancing on the moon."
    asked = Pipeline(
        model=FunctionModel(function=lambda request: answer),
        evidence=SOURCE,
        budget=Budget(regenerations=2, replans=0),
    ).ask("When did the pump fail?")
    assert asked.answer is None


def test_halguard_7_claims_nobody_was_asked_about_hold_the_answer_back() -> None:
    found = supported(1.0, *(assessed("x", Standing.GROUNDED, 2 * n) for n in range(21)))
    unasked = Agreement(agreeing=20, disagreeing=0, unchecked=(20,))
    decision = decide(
        Findings(assessments=found.assessments, support=found.support, agreement=unasked), BALANCED
    )
    assert decision.step is Step.ABSTAIN
    assert decision.objections[0].could_not_check


@pytest.mark.parametrize("kind", list(FaultKind))
def test_halguard_8_no_failure_looks_like_a_factual_answer(kind: FaultKind) -> None:
    fault = Fault(source="peer", kind=kind)
    good = supported(1.0, assessed("x", Standing.GROUNDED))
    for name in ("agreement", "dependence"):
        found = Findings(
            assessments=good.assessments,
            support=good.support,
            **{name: fault},  # type: ignore[arg-type]
        )
        assert decide(found, BALANCED).step is Step.ABSTAIN


def test_halguard_10_tools_that_were_assigned_prove_nothing() -> None:
    def reply(request: ModelRequest) -> str:
        return "I used the search tool. The pump failed at 09:00."

    asked = Pipeline(
        model=FunctionModel(function=reply), evidence=SOURCE, patch=False,
        budget=Budget(regenerations=0, replans=0),
    ).ask("When did the pump fail?")  # fmt: skip
    assert asked.answer is None


def test_halguard_11_text_of_any_script_is_patched_by_characters() -> None:
    source = "Die Pumpe in Zürich fiel um 04:12 aus. 北のポンプは正常。"
    answer = "北のポンプは正常。 Die Pumpe in Zürich fiel um 05:55 aus."
    asked = Pipeline(model=FunctionModel(function=lambda request: answer), evidence=source).ask(
        "Wann fiel die Pumpe aus?"
    )
    best = asked.best
    assert best is not None
    assert "\ufffd" not in best.draft.answer
    assert best.draft.answer.startswith("北のポンプは正常。")


ELSEWHERE = {
    "gsar 4, thresholds checked against defaults": (
        "verify/test_gsar.py",
        "test_a_threshold_is_checked_against_the_default_of_the_other",
    ),
    "gsar 4, weights": ("verify/test_gsar.py", "test_weights_outside_zero_to_one_are_refused"),
    "gsar 7, a judge that wrote the answer says so": (
        "models/test_llm_judge.py",
        "test_a_judge_that_is_the_generator_says_so",
    ),
    "gsar 7, evidence gives no orders": (
        "models/test_llm_judge.py",
        "test_evidence_cannot_close_its_own_fence_or_add_claims",
    ),
    "gsar 7, braces in strings": (
        "models/test_llm_judge.py",
        "test_braces_inside_strings_do_not_end_the_object",
    ),
    "gsar 8, several judges": (
        "models/test_llm_judge.py",
        "test_a_panel_follows_the_majority_and_the_lower_standing_at_a_tie",
    ),
    "halguard 1": ("preflight/test_look.py", "test_one_strong_signal_is_enough_to_block"),
    "halguard 2, real work": ("preflight/test_look.py", "test_a_real_triage_goal_passes"),
    "halguard 2, its twin": ("preflight/test_look.py", "test_its_fabricated_twin_does_not_pass"),
    "halguard 3": ("preflight/test_look.py", "test_unset_off_and_zero_are_three_things"),
    "halguard 4": (
        "preflight/test_role.py",
        "test_a_goal_outside_the_role_is_blocked_by_its_own_signal",
    ),
    "halguard 5": ("consensus/test_consensus.py", "test_light_looks_once_and_changes_nothing"),
    "halguard 6": (
        "consensus/test_consensus.py",
        "test_the_same_words_elsewhere_in_the_answer_are_not_touched",
    ),
    "halguard 9, the generator's family": (
        "consensus/test_consensus.py",
        "test_the_generators_family_is_kept_out_while_there_are_others",
    ),
    "halguard 9, evidence": ("consensus/test_consensus.py", "test_peers_see_the_evidence"),
    "halguard 9, who does not know": (
        "consensus/test_consensus.py",
        "test_references_that_do_not_know_are_dropped",
    ),
    "halguard 11, injection": (
        "consensus/test_consensus.py",
        "test_an_answer_cannot_label_itself",
    ),
}


@pytest.mark.parametrize("defect", ELSEWHERE)
def test_defects_that_belong_to_other_rooms_are_tested_there(defect: str) -> None:
    path, name = ELSEWHERE[defect]
    assert re.search(rf"^def {name}\(", (TESTS / path).read_text("utf-8"), re.MULTILINE)


def test_what_was_found_reaches_the_callbacks() -> None:
    seen: list[Judged] = []

    def reworded(report: str, found: Judged) -> str:
        seen.append(found)
        return "The pump failed at 04:12."

    result = Evaluator(regenerate=reworded).evaluate("The pump failed at 09:00.", SOURCE)
    assert result.stands
    assert any("04:12" in o.reason for o in seen[0].decision.objections)
