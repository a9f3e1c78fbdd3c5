"""Breaks of the typed score and its loop: what the published method does and firmground did not."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from firmground import Budget, Engine, Evidence, Settings, check
from firmground.adapters.llm_judge import LlmJudge
from firmground.cli.main import cli
from firmground.core.claim import Assessment, Standing
from firmground.core.decision import Step
from firmground.core.evidence import EvidenceSpan
from firmground.core.ports import Inquiry
from firmground.core.question import Question
from firmground.core.scoring import Scoring
from firmground.decide import POLICIES
from firmground.engine.model_checks import model_checks
from firmground.errors import ConfigError, InputError
from firmground.pipeline.loop import Judged
from firmground.testing import FunctionJudge, FunctionModel
from firmground.verify.gsar import gsar_score, partition_of

REACHING = [
    ("The outage was caused by a config push.",
     ["A config push happened thirty seconds before the outage."]),
    ("The outage was caused by a config push.",
     ["14:01:30 INFO config push applied", "14:02:00 ERROR outage began", "ALERT error rate 5 %"]),
    ("The patch will definitely fix the leak in the billing service.",
     ["The patch may fix the leak in the billing service."]),
    ("All hosts were patched.", ["Some hosts were patched on Monday."]),
]  # fmt: skip


# Over-reach


@pytest.mark.parametrize(("answer", "evidence"), REACHING)
@pytest.mark.parametrize("policy", sorted(POLICIES))
@pytest.mark.parametrize("judge", ["lexical", "builtin"])
def test_over_reach_that_is_caught_alone_is_worded_anew_and_no_evidence_is_searched_for(
    judge: str, policy: str, answer: str, evidence: list[str]
) -> None:
    found = check(answer, evidence, judge=judge, policy=policy)
    assert not found.stands
    objections = (*found.decision.objections, *found.decision.waived)
    assert max(one.step for one in objections) is Step.REGENERATE, found


def test_over_reach_with_a_hard_fact_is_worded_anew_under_strict_as_well() -> None:
    source = "Config push v2.3.1 happened at 14:01, thirty seconds before the outage."
    answer = "The outage was caused by config push v2.3.1."
    found = check(answer, source, policy="strict", judge="lexical")
    assert "critical_claim_unsupported" in {o.rule for o in found.decision.objections}
    assert found.assessments[0].over_reaches, found
    assert found.decision.step is Step.REGENERATE, found


def test_over_reach_beside_a_claim_that_nothing_speaks_of_still_looks_for_evidence() -> None:
    answer, evidence = REACHING[0]
    found = check(f"{answer} The mayor of Oslo resigned in 1974.", evidence, judge="lexical")
    assert found.decision.step is Step.REPLAN, found


def test_a_report_that_over_reaches_is_reworded_and_nothing_is_looked_up() -> None:
    answer, evidence = REACHING[0]
    called: list[str] = []

    def replan(report: str, evidence: Any, seen: Judged) -> Any:
        called.append("replan")
        return report, evidence

    with Engine(judge="lexical") as engine:
        result = engine.evaluate(
            answer,
            evidence,
            regenerate=lambda report, seen: "A config push happened thirty seconds before it.",
            replan=replan,
        )
    assert called == []
    assert (result.regenerations_used, result.replans_used) == (1, 0)


# Parameters of the score


MIXED = "The pump failed at 04:12. It was replaced at noon by Ada Jones."
SOURCE = [Evidence(text="The pump failed at 04:12.", id="log", role="source")]


def support(**scoring: Any) -> float:
    with Engine(judge="lexical", scoring=Scoring(**scoring)) as engine:
        return engine.check(MIXED, SOURCE).support


def test_profile_rho_and_weights_are_set_in_python_and_change_the_score() -> None:
    hardened, reference = support(), support(profile="reference")
    assert reference != hardened
    with Engine(judge="lexical") as engine:
        found = engine.check(MIXED, SOURCE).findings
    assert reference == pytest.approx(gsar_score(partition_of(found.assessments)), abs=1e-6)
    kinds = {str(one.evidence_type) for one in found.assessments if one.standing.stands}
    assert support(weights=dict.fromkeys(kinds, 0.1)) < hardened
    against = "The pump failed at 09:30. It was a pump."
    with Engine(judge="lexical", scoring=Scoring(profile="reference", rho=0.0)) as engine:
        lenient = engine.check(against, SOURCE)
    with Engine(judge="lexical", scoring=Scoring(profile="reference", rho=1.0)) as engine:
        severe = engine.check(against, SOURCE)
    assert Standing.CONTRADICTED in {one.standing for one in lenient.assessments}
    assert lenient.support > severe.support


POLICY = """
[policy]
base = "balanced"

[policy.scoring]
profile = "reference"
rho = 0.25

[policy.scoring.weights]
runbook_step = 0.3

[policy.scoring.roles]
runbook = "runbook_step"
"""


def test_profile_rho_weights_and_taxonomy_are_set_in_a_policy_file_and_in_settings(
    tmp_path: Path,
) -> None:
    path = tmp_path / "firmground.toml"
    path.write_text(POLICY)
    evidence = [{"text": "Restart the pump after a fault.", "role": "runbook"}]
    for engine in (
        Engine(policy=str(path), judge="lexical"),
        Engine(Settings.load(path), judge="lexical"),
    ):
        with engine:
            found = engine.check("Restart the pump after a fault. It hums.", evidence)
            scoring = engine.policy.scoring
        assert scoring == Scoring(
            profile="reference", rho=0.25, weights={"runbook_step": 0.3},
            roles={"runbook": "runbook_step"},
        )  # fmt: skip
        assert found.findings.support is not None
        assert found.findings.support.profile == "reference rho=0.25"
        assert dict(found.findings.support.weights)["runbook_step"] == 0.3
    explained = CliRunner().invoke(cli, ["policy", "explain", str(path)]).output
    assert "profile = reference, rho = 0.25, weights.runbook_step = 0.3" in explained
    assert "roles.runbook = runbook_step" in explained


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ('[policy.scoring]\nprofile = "referenc"\n', "did you mean reference"),
        ('[policy.scoring]\nprofile = "reference"\nrho = 1.5\n', "must lie in"),
        ("[policy.scoring]\nrho = 0.5\n", "must lie in"),
        ("[policy.scoring]\nroh = 1\n", "unknown key"),
        ("[policy.scoring.weights]\ntool_match = 0\n", "tool_match"),
        ("[policy.scoring.weights]\ntool_match = nan\n", "tool_match"),
        ('[policy.scoring.weights]\ntool_match = "1"\n', "tool_match"),
        ('[policy.scoring.roles]\nrunbook = "runbok"\n', "no weight"),
        ("[policy]\nscoring = 3\n", "must be a table"),
    ],
)
def test_a_wrong_parameter_of_the_score_is_refused_with_its_file_and_key(
    tmp_path: Path, table: str, told: str
) -> None:
    path = tmp_path / "p.toml"
    path.write_text(table if "[policy]" in table else f"[policy]\n{table}")
    with pytest.raises(ConfigError, match=told) as raised:
        Engine(policy=str(path))
    assert "p.toml" in str(raised.value)


def test_other_scoring_is_another_policy_and_the_default_keeps_its_digest() -> None:
    with Engine(scoring=Scoring()) as plain, Engine(scoring=Scoring(rho=2.0)) as other:
        assert plain.policy.digest == POLICIES["balanced"].digest
        assert other.policy.digest != plain.policy.digest
    with pytest.raises(InputError):
        Scoring(weights={"": 0.5})


def test_a_recorded_run_is_scored_anew_under_a_policy_with_another_rho(tmp_path: Path) -> None:
    log, policy = tmp_path / "log.sqlite", tmp_path / "p.toml"
    policy.write_text(
        '[policy]\nbase = "none"\n[policy.rules.thin_support]\n[policy.scoring]\n'
        'profile = "reference"\nrho = 0.0\n'
    )
    answer = "The pump failed at 04:12. It failed at 09:30."
    with Engine(judge="lexical", ledger=log) as engine:
        found = engine.check(answer, "The pump failed at 04:12.")
    assert found.decision.step > Step.PROCEED
    told = CliRunner().invoke(
        cli, ["policy", "explain", str(policy), "--ledger", str(log), "--json"]
    )
    assert [(one["to"], one["runs"]) for one in json.loads(told.output)["runs"]] == [("proceed", 1)]


# Roles and an own taxonomy


@pytest.mark.parametrize(
    ("role", "kind"), [("signal", "signal_match"), ("domain", "domain"), ("alert", "page")]
)
@pytest.mark.parametrize("judge", ["lexical", "builtin"])
def test_the_role_of_the_evidence_types_the_claims_that_rest_on_it(
    judge: str, role: str, kind: str
) -> None:
    evidence = [{"text": "The error rate of payments rose to 7 % at 14:02.", "role": role}]
    scoring = Scoring(weights={"page": 0.4}, roles={"alert": "page"})
    with Engine(judge=judge, scoring=scoring) as engine:
        found = engine.check("The error rate of payments rose to 7 % at 14:02.", evidence)
    assert found.stands, found
    assert found.to_dict()["claims"][0]["evidence_type"] == kind
    assert partition_of(found.assessments).grounded[0].type == kind


def test_a_claim_of_an_own_type_is_recorded_and_read_back(tmp_path: Path) -> None:
    log = tmp_path / "log.sqlite"
    scoring = Scoring(weights={"page": 0.4}, roles={"alert": "page"})
    with Engine(judge="lexical", scoring=scoring, ledger=log) as engine:
        engine.check("The pump failed.", [{"text": "The pump failed.", "role": "alert"}])
    shown = CliRunner().invoke(cli, ["policy", "explain", "strict", "--ledger", str(log)])
    assert shown.exit_code == 0, shown.output
    assert "could_not_judge" not in shown.output


def test_a_role_types_claims_of_a_judge_of_your_own_too() -> None:
    def assess(inquiry: Inquiry) -> tuple[Assessment, ...]:
        span = EvidenceSpan(evidence_id=inquiry.evidence[0].id, start=0, end=4)
        return tuple(
            Assessment(claim=claim, standing=Standing.GROUNDED, confidence=1.0, support=1.0,
                       reason="so", evidence=(span,))
            for claim in inquiry.claims
        )  # fmt: skip

    with Engine(judge=FunctionJudge(function=assess)) as engine:
        found = engine.check("It rained.", [{"text": "Rain.", "role": "domain"}])
    assert str(found.assessments[0].evidence_type) == "domain"


# What the judge says about the evidence


def judge_saying(**said: Any) -> LlmJudge:
    reply = {"decision_status": "resolved", "ungrounded_claims": [{"id": "C1"}], **said}
    model = FunctionModel(function=lambda request: json.dumps(reply))
    return LlmJudge(model, name="judge-1", canary=False)


GAP = "No log of the payment service between 13:00 and 14:00."
CONFLICT = "E1 says 14:02, the report says 15:00."


@pytest.mark.parametrize("second", [False, True])
def test_the_gaps_and_contradictions_a_judge_names_reach_the_callbacks(second: bool) -> None:
    seen: list[Judged] = []

    def replan(report: str, evidence: Any, judged: Judged) -> Any:
        seen.append(judged)
        return report, evidence

    judge = judge_saying(gaps=[GAP], contradictions=[CONFLICT])
    if second:
        checks = model_checks([("judge-1", judge.model)], judge=True)
        assert checks is not None
        checks.judges[0].wants_canary = False
        engine = Engine(judge="lexical", models=checks)
    else:
        engine = Engine(judge=judge)
    with engine:
        result = engine.evaluate(
            "The outage began at 14:02.",
            ["The outage began at 14:02."],
            replan=replan,
            budget=Budget(replans=1),
        )
    assert result.replans_used == 1
    assert GAP in seen[0].gaps
    assert CONFLICT in seen[0].contradictions
    assert any("The outage began at 14:02." in gap for gap in seen[0].gaps[1:]), seen[0].gaps


def test_without_a_model_the_fallen_claims_are_the_gaps_and_contradictions() -> None:
    seen: list[Judged] = []

    def replan(report: str, evidence: Any, judged: Judged) -> Any:
        seen.append(judged)
        return report, evidence

    with Engine(judge="lexical") as engine:
        engine.evaluate(
            "The pump failed at 09:30. The mayor of Oslo resigned in 1974.",
            ["The pump failed at 04:12."],
            replan=replan,
            budget=Budget(replans=1),
        )
    assert any("mayor" in gap for gap in seen[0].gaps)
    assert any("09:30" in one and "04:12" in one for one in seen[0].contradictions)


def test_ask_searches_for_the_gaps_that_a_judge_names() -> None:
    searched: list[str] = []

    class Retriever:
        async def retrieve(self, question: Question) -> tuple[Evidence, ...]:
            searched.append(question.text)
            return (Evidence(text="The outage began at 14:02."),)

    with Engine(
        judge=judge_saying(gaps=[GAP]),
        model=FunctionModel(function=lambda request: "The outage began at 14:02."),
        retriever=Retriever(),
        budget=Budget(replans=1, regenerations=0),
    ) as engine:
        engine.ask("When did the outage begin?")
    assert GAP in searched


@pytest.mark.parametrize("second", [False, True])
def test_a_judge_that_abstains_spends_no_replan_and_the_verdict_is_left_open(second: bool) -> None:
    calls: list[str] = []

    def replan(report: str, evidence: Any, judged: Judged) -> Any:
        calls.append("replan")
        return report, evidence

    def regenerate(report: str, judged: Judged) -> str:
        calls.append("regenerate")
        return report

    reply = json.dumps({"decision_status": "abstain", "abstain_reason": "the log is garbled"})
    model = FunctionModel(function=lambda request: reply)
    judge = LlmJudge(model, name="judge-1", canary=False)
    if second:
        checks = model_checks([("judge-1", model)], judge=True)
        assert checks is not None
        checks.judges[0].wants_canary = False
        engine = Engine(judge="lexical", models=checks)
    else:
        engine = Engine(judge=judge)
    with engine:
        result = engine.evaluate(
            "The outage began at 14:02.",
            ["The outage began at 14:02."],
            regenerate=regenerate,
            replan=replan,
        )
    assert calls == []
    assert (result.regenerations_used, result.replans_used, result.degraded) == (0, 0, False)
    assert str(result.decision.verdict) == "could_not_tell"
    assert "the log is garbled" in repr(result)
