"""May it go out? The harshest objection wins, and nothing that was found out goes unjudged."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmground.core.claim import Assessment, Claim, EvidenceType, Standing
from firmground.core.decision import Step
from firmground.core.escalation import Choice, Ruling
from firmground.core.evidence import EvidenceSpan, Trust
from firmground.core.finding import (
    Agreement,
    CitationFinding,
    CitationStatus,
    ClaimSources,
    Dependence,
    Fault,
    FaultKind,
    Findings,
    HookReply,
    JudgeAgreement,
    ModelUse,
    Preflight,
    PreflightStatus,
    Prior,
    Spent,
    Support,
    SuspiciousText,
)
from firmground.decide import ADVISORY, BALANCED, POLICIES, RULES, STRICT, Policy, decide
from firmground.decide.rules import (
    Contradiction,
    FailedHooks,
    Faulted,
    HighRisk,
    ThinSupport,
    UncoveredAnswer,
)
from firmground.errors import InputError


def assessed(standing: Standing, *, critical: bool = False, text: str = "It is so.") -> Assessment:
    claim = Claim(text=text, start=0, end=len(text))
    span = EvidenceSpan(evidence_id="e1", start=0, end=1)
    return Assessment(
        claim=claim,
        standing=standing,
        confidence=0.9,
        support=0.9 if standing.stands else 0.1,
        reason="because",
        evidence_type=EvidenceType.SIGNAL_MATCH,
        evidence=(span,) if standing is Standing.GROUNDED else (),
        critical=critical,
    )


def support(score: float = 1.0, risk: float = 0.0, coverage: float = 1.0) -> Support:
    return Support(score=score, profile="hardened", risk=risk, coverage=coverage)


GOOD = Findings(
    assessments=(assessed(Standing.GROUNDED),),
    support=support(),
    resting=(ClaimSources(claim=0, sources=("e1",), trust=Trust.RETRIEVED),),
)
FAULT = Fault(source="somebody", kind=FaultKind.TIMEOUT)
# One bad value for each field of Findings; the walk below fails if a field has none.
BAD: dict[str, Findings] = {
    "preflight": replace(GOOD, preflight=Preflight(status=PreflightStatus.BLOCKED, confidence=0.1)),
    "assessments": replace(GOOD, assessments=(assessed(Standing.CONTRADICTED),)),
    "support": replace(GOOD, support=support(score=0.1)),
    "resting": replace(
        GOOD, resting=(ClaimSources(claim=0, sources=("e1",), trust=Trust.UNTRUSTED),)
    ),
    "rulings": replace(GOOD, rulings=(Ruling(choice=Choice.SKIP),)),
    "dependence": replace(
        GOOD, dependence=Dependence(sensitivity=0.9, prior=Prior.OPPOSED, corroborating=0)
    ),
    "agreement": replace(GOOD, agreement=Agreement(agreeing=0, disagreeing=2)),
    "hooks": replace(GOOD, hooks=(HookReply(source="h", passed=False, message="no"),)),
    "citations": replace(
        GOOD,
        citations=(
            CitationFinding(start=0, end=2, status=CitationStatus.FABRICATED, reason="made up"),
        ),
    ),
    "suspicious": replace(
        GOOD,
        suspicious=(
            SuspiciousText(
                where="e1", start=0, end=2, code="instruction_in_evidence", reason="orders"
            ),
        ),
    ),
    "stale": replace(GOOD, stale=("e1",)),
    "unread": replace(GOOD, unread=("e2",)),
    "faults": replace(GOOD, faults=(FAULT,)),
    "judging": replace(
        GOOD,
        judging=JudgeAgreement(
            judges=("a", "b"), agreement=0.2, score=0.5, scores=(0.1, 0.9), interval=(0.0, 1.0)
        ),
    ),
    "models": replace(
        GOOD, models=(ModelUse(purpose="judge", model="the-writer", kin="generator"),)
    ),
    "spent": replace(GOOD, spent=Spent(exhausted=("model_calls",))),
}


def test_an_answer_that_stands_goes_out_under_every_policy() -> None:
    for policy in POLICIES.values():
        decision = decide(GOOD, policy)
        assert decision.step is Step.PROCEED
        assert decision.objections == ()


@pytest.mark.parametrize("field", [field.name for field in fields(Findings)])
def test_for_every_field_of_findings_some_strict_rule_can_object(field: str) -> None:
    decision = decide(BAD[field], STRICT)
    assert decision.step > Step.PROCEED
    reading = {rule.name for rule in STRICT.rules if field in rule.reads}
    assert reading & {objection.rule for objection in decision.objections}


def test_every_rule_of_the_registry_is_in_the_strict_policy() -> None:
    assert {rule.name for rule in RULES} == {rule.name for rule in STRICT.rules}
    assert len({rule.name for rule in RULES}) == len(RULES)


def test_no_rules_is_an_error_and_not_a_pass() -> None:
    with pytest.raises(InputError, match="no rules"):
        decide(GOOD, ())
    with pytest.raises(InputError, match="no rules"):
        Policy(name="mine", rules=())


def test_a_rule_that_lets_everything_pass_is_refused() -> None:
    with pytest.raises(InputError, match="more than proceed"):
        Contradiction(step=Step.PROCEED)


def test_the_harshest_objection_wins_and_the_milder_ones_are_kept() -> None:
    findings = replace(BAD["assessments"], faults=(FAULT,))
    decision = decide(findings, BALANCED)
    assert decision.step is Step.ABSTAIN
    assert decision.objections[0].step is Step.ABSTAIN
    assert {"faults", "contradiction"} <= {objection.rule for objection in decision.objections}


def test_a_contradiction_stops_an_answer_whatever_its_score() -> None:
    findings = replace(
        GOOD, assessments=(*[assessed(Standing.GROUNDED)] * 20, assessed(Standing.CONTRADICTED))
    )
    decision = decide(findings, BALANCED)
    assert decision.step is Step.REGENERATE
    assert decision.objections[0].claims == (20,)


@pytest.mark.parametrize(
    ("score", "step"),
    [(1.0, 0), (0.80, 0), (0.79, 1), (0.756757, 1), (0.65, 1), (0.64, 2), (0.0, 2)],
)
def test_the_published_thresholds_decide_thin_support(score: float, step: int) -> None:
    assert decide(replace(GOOD, support=support(score)), [ThinSupport()]).step == step


def test_claims_that_nobody_scored_are_not_fine() -> None:
    decision = decide(replace(GOOD, support=None), BALANCED)
    assert [o.could_not_check for o in decision.objections] == [True]


def test_an_answer_without_claims_is_not_fine() -> None:
    for policy in POLICIES.values():
        decision = decide(Findings(), policy)
        assert decision.step > Step.PROCEED
        assert any(o.rule == "no_claims" and o.could_not_check for o in decision.objections)


def test_a_refusal_asserts_nothing_and_passes_unless_the_policy_is_strict() -> None:
    findings = replace(
        GOOD, assessments=(assessed(Standing.NOT_CHECKABLE),), support=support(score=0.0)
    )
    assert decide(findings, BALANCED).step is Step.PROCEED
    assert decide(findings, STRICT).step > Step.PROCEED


def test_what_could_not_be_checked_is_never_let_pass_even_by_the_advisory_policy() -> None:
    unchecked = replace(GOOD, assessments=(assessed(Standing.UNVERIFIABLE),))
    for findings in (unchecked, BAD["faults"]):
        decision = decide(findings, ADVISORY)
        assert decision.step > Step.PROCEED
        assert decision.objections[0].could_not_check


def test_waived_objections_are_shown_and_do_not_decide() -> None:
    decision = decide(BAD["assessments"], ADVISORY)
    assert decision.step is Step.PROCEED
    assert [objection.rule for objection in decision.waived] == ["contradiction"]


def test_waiving_a_rule_the_policy_does_not_have_is_an_error() -> None:
    with pytest.raises(InputError, match="nonsense"):
        Policy(name="mine", rules=(Faulted(),), waived=("nonsense",))


def test_a_hook_nobody_could_reach_is_not_a_hook_that_passed() -> None:
    decision = decide(replace(GOOD, hooks=(FAULT,)), BALANCED)
    assert decision.step is Step.ABSTAIN
    assert decision.objections[0].could_not_check


@pytest.mark.parametrize("field", ["dependence", "agreement"])
def test_a_model_that_could_not_be_asked_is_not_a_model_that_agreed(field: str) -> None:
    findings = Findings(
        assessments=GOOD.assessments,
        support=GOOD.support,
        dependence=FAULT if field == "dependence" else None,
        agreement=FAULT if field == "agreement" else None,
    )
    assert decide(findings, BALANCED).step is Step.ABSTAIN


def test_two_policies_differ_in_digest_exactly_when_they_differ_in_rules() -> None:
    assert len({policy.digest for policy in POLICIES.values()}) == 3
    renamed = replace(BALANCED, name="other")
    assert renamed.digest == BALANCED.digest
    assert Policy(name="a", rules=(HighRisk(at=0.5),)).digest != (
        Policy(name="a", rules=(HighRisk(at=0.500001),)).digest
    )


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan")])
def test_a_share_outside_zero_to_one_is_refused(value: float) -> None:
    with pytest.raises(InputError):
        HighRisk(at=value)
    with pytest.raises(InputError):
        UncoveredAnswer(at_least=value)
    with pytest.raises(InputError):
        ThinSupport(proceed=value)


_standings = st.lists(st.sampled_from(list(Standing)), max_size=5)
_shares = st.floats(0, 1)


@st.composite
def findings_of_any_kind(draw: st.DrawFn) -> Findings:
    assessments = tuple(assessed(one, critical=draw(st.booleans())) for one in draw(_standings))
    scored = support(draw(_shares), draw(_shares), draw(_shares))
    found = Findings(assessments=assessments, support=draw(st.none() | st.just(scored)))
    for name in draw(st.sets(st.sampled_from(sorted(set(BAD) - {"assessments", "support"})))):
        found = Findings(
            **{
                f.name: getattr(BAD[name] if f.name == name else found, f.name)
                for f in fields(Findings)
            }
        )
    return found


@given(findings_of_any_kind(), st.sets(st.sampled_from(range(len(STRICT.rules))), min_size=1))
def test_an_added_rule_can_only_harden_a_decision(found: Findings, kept: set[int]) -> None:
    rules = tuple(STRICT.rules[at] for at in sorted(kept))
    before = decide(found, rules)
    for rule in STRICT.rules:
        after = decide(found, Policy(name="custom", rules=rules).with_rules(rule))
        assert after.step >= before.step
        assert set(before.objections) <= set(after.objections)


@given(findings_of_any_kind())
def test_the_decision_is_the_harshest_objection_and_nothing_else(found: Findings) -> None:
    decision = decide(found, STRICT)
    assert decision.step == max((o.step for o in decision.objections), default=Step.PROCEED)
    assert decide(found, STRICT) == decision


NOT_APPLICABLE = Fault(source="cites", kind=FaultKind.NOT_APPLICABLE, message="cites nothing")


@pytest.mark.parametrize("policy", POLICIES.values(), ids=lambda p: p.name)
def test_a_hook_that_does_not_apply_is_no_objection_and_a_hook_nobody_asked_is(
    policy: Policy,
) -> None:
    quiet = decide(replace(GOOD, hooks=(NOT_APPLICABLE,)), policy)
    assert not [o for o in (*quiet.objections, *quiet.waived) if o.rule == "hooks"]
    for kind in set(FaultKind) - {FaultKind.NOT_APPLICABLE}:
        loud = decide(replace(GOOD, hooks=(replace(NOT_APPLICABLE, kind=kind),)), policy)
        about = [o for o in (*loud.objections, *loud.waived) if o.rule == "hooks"]
        assert [o.could_not_check for o in about] == [True], kind


def test_a_hook_that_must_have_spoken_has_not_when_it_does_not_apply() -> None:
    rules = Policy(name="must", rules=(FailedHooks(required=("cites",)),))
    assert decide(replace(GOOD, hooks=(NOT_APPLICABLE,)), rules).step is Step.ABSTAIN


def test_a_check_that_failed_elsewhere_objects_even_if_it_calls_itself_not_applicable() -> None:
    for policy in POLICIES.values():
        decision = decide(replace(GOOD, faults=(NOT_APPLICABLE,)), policy)
        assert "faults" in {o.rule for o in decision.objections}
