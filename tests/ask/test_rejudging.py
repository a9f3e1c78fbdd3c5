"""A recorded run can be judged anew without asking anybody."""

from __future__ import annotations

import json
import sqlite3
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from firmground.adapters.sqlite import SqliteStore
from firmground.cli.main import cli
from firmground.compat.pipeline import Pipeline
from firmground.compose import answer_prompts
from firmground.core.canon import canonical, parse
from firmground.core.escalation import Choice, Ruling
from firmground.core.evidence import Evidence
from firmground.core.ports import ModelRequest
from firmground.core.run import Stage
from firmground.decide import POLICIES, decide
from firmground.decide.rules import Calibrated
from firmground.engine import check
from firmground.engine.rejudging import find_policy, open_log, rejudge
from firmground.errors import InputError, ModelError, RecordNotFound
from firmground.ledger.ledger import Ledger
from firmground.pipeline.revive import findings_of
from firmground.testing import FunctionModel

SOURCE = "The capital of France is Paris. The population of France is 67 million."
ANSWERS = (
    "The capital of France is Paris.",
    "The capital of France is Berlin. \u202eHidden\u202c",
    "The population of France is 999 million. It was founded in 843.",
    "Bonjour! The capital is \ud800 unknown [7].",
)


@pytest.mark.parametrize("answer", ANSWERS)
def test_recorded_findings_come_back_exactly(answer: str) -> None:
    outcome = check(answer, SOURCE)
    revived = findings_of(outcome.run.payloads(Stage.VERIFY)[0])
    for policy in POLICIES.values():
        assert decide(revived, policy).step is decide(outcome.findings, policy).step
    assert [a.standing for a in revived.assessments] == [a.standing for a in outcome.assessments]
    assert [a.claim for a in revived.assessments] == [a.claim for a in outcome.assessments]


def test_a_payload_without_findings_is_refused() -> None:
    with pytest.raises(InputError, match="no findings"):
        findings_of(b'{"a":1}')
    with pytest.raises(InputError, match="Findings"):
        findings_of(b'{"findings":{"a":1}}')


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "log.sqlite"
    with Ledger(SqliteStore.open(path)) as ledger:
        for answer in ANSWERS:
            check(answer, SOURCE, ledger=ledger)
    return path


def run_ids(path: Path) -> list[str]:
    log = open_log(path)
    return [log.run_at(seq).body.run for seq in range(log.size())]


def test_the_same_policy_decides_the_same_again(log: Path) -> None:
    opened = open_log(log)
    for run_id in run_ids(log):
        assert not rejudge(opened.run(run_id), POLICIES["balanced"]).changed


def test_advisory_lets_pass_what_balanced_holds_back_and_shows_it(log: Path) -> None:
    result = CliRunner().invoke(
        cli, ["decide", run_ids(log)[2], "--ledger", str(log), "--policy", "advisory", "--json"]
    )
    document = json.loads(result.stdout)
    assert result.exit_code == 3
    assert document["decision"] == "proceed"
    assert document["changed"]
    assert {o["rule"] for o in document["waived"]} >= {"contradiction"}


def test_decide_reads_a_policy_of_ones_own(log: Path, tmp_path: Path) -> None:
    own = tmp_path / "own.toml"
    own.write_text('[policy]\nname="own"\n[policy.rules.contradiction]\nstep="abstain"\n')
    result = CliRunner().invoke(
        cli, ["decide", run_ids(log)[2], "--ledger", str(log), "--policy", str(own)]
    )
    assert result.exit_code == 1
    assert "abstain" in result.stdout
    assert "policy own" in result.stdout


def test_policy_diff_says_which_rules_and_runs_differ(log: Path) -> None:
    result = CliRunner().invoke(
        cli, ["policy", "diff", "advisory", "balanced", "--ledger", str(log)]
    )
    assert result.exit_code == 1
    assert "proceed ->" in result.stdout
    same = CliRunner().invoke(cli, ["policy", "diff", "strict", "strict", "--ledger", str(log)])
    assert same.exit_code == 0


def test_policy_explain_lists_every_rule_and_counts_past_runs(log: Path) -> None:
    result = CliRunner().invoke(cli, ["policy", "explain", "strict", "--ledger", str(log)])
    assert result.exit_code == 0
    for rule in POLICIES["strict"].rules:
        assert rule.name in result.stdout
    assert "on 4 recorded runs" in result.stdout


def test_a_log_that_is_not_there_is_not_an_empty_log(tmp_path: Path) -> None:
    with pytest.raises(RecordNotFound, match="no such ledger"):
        open_log(tmp_path / "none.sqlite")
    assert not (tmp_path / "none.sqlite").exists()


def test_decide_takes_the_beginning_of_a_run_id(log: Path) -> None:
    whole = run_ids(log)[2]
    result = CliRunner().invoke(cli, ["decide", whole[:-1], "--ledger", str(log), "--json"])
    assert json.loads(result.stdout)["run"] == whole


@pytest.fixture
def cut_off(tmp_path: Path) -> Path:
    """A log whose only run ended before anything was looked at."""

    def crash(request: ModelRequest) -> str:
        raise KeyError("a defect")

    path = tmp_path / "cut.sqlite"
    with Ledger(SqliteStore.open(path)) as ledger:
        pipeline = Pipeline(model=FunctionModel(function=crash), evidence=SOURCE, ledger=ledger)
        with pytest.raises(KeyError):
            pipeline.ask("What is the capital of France?")
    return path


def test_a_run_that_was_cut_off_is_said_not_to_be_judged_and_stops_nothing(cut_off: Path) -> None:
    log = open_log(cut_off)
    judged = rejudge(log.run_at(0), POLICIES["balanced"])
    assert judged.decision is None
    assert judged.trouble
    runner = CliRunner()
    told = runner.invoke(cli, ["policy", "explain", "balanced", "--ledger", str(cut_off)])
    assert told.exit_code == 0, told.output
    assert "could_not_judge" in told.output
    same = runner.invoke(cli, ["policy", "diff", "balanced", "balanced", "--ledger", str(cut_off)])
    assert same.exit_code == 2
    assert "could not be judged" in same.output


@pytest.mark.parametrize("best", ["true", "-1", "7", '"0"'])
def test_a_record_that_names_no_attempt_of_its_own_is_not_judged(log: Path, best: str) -> None:
    stored = open_log(log).run_at(0)
    bent = tuple(
        replace(kept, payload=f'{{"best":{best}}}'.encode())
        if kept.planned.stage is Stage.FINAL_LABEL
        else kept
        for kept in stored.stages
    )
    judged = rejudge(replace(stored, stages=bent), POLICIES["advisory"])
    assert judged.decision is None
    assert judged.trouble
    assert best == "7" or "names no attempt as its best" in judged.trouble


@pytest.fixture
def asked(tmp_path: Path) -> Path:
    """A log with one run whose budget ran out, and one that a person let out."""
    path = tmp_path / "asked.sqlite"

    def wrong(request: ModelRequest) -> str:
        return "The population of France is 12 million."

    with Ledger(SqliteStore.open(path)) as ledger:
        plain: dict[str, Any] = {"model": FunctionModel(function=wrong), "evidence": SOURCE, "judge": "lexical",
                 "ledger": ledger, "patch": False, "spans": False}  # fmt: skip
        degraded = Pipeline(**plain).ask("What is the population of France?")
        assert degraded.degraded
        policy = replace(POLICIES["balanced"], name="own", escalate=("contradiction",))
        let_out = Pipeline(
            **plain, policy=policy, escalate=lambda case: Ruling(choice=Choice.SKIP, by="ada")
        ).ask("What is the population of France?")
        assert let_out.released
    return path


def test_what_the_loop_as_a_whole_came_to_is_judged_again_too(asked: Path) -> None:
    log = open_log(asked)
    degraded, let_out = (rejudge(log.run_at(at), POLICIES["balanced"]) for at in (0, 1))
    assert degraded.decision is not None
    assert let_out.decision is not None
    assert not degraded.changed
    assert "budget_spent" in {o.rule for o in degraded.decision.objections}
    assert "overruled" in {o.rule for o in let_out.decision.objections}


def test_a_model_that_failed_in_the_loop_is_still_a_fault_when_judged_again(tmp_path: Path) -> None:
    replies = iter(["The population of France is 12 million."])

    def once(request: ModelRequest) -> str:
        said = next(replies, None)
        if said is None:
            raise ModelError("gone", kind="unreachable")
        return said

    path = tmp_path / "failed.sqlite"
    with Ledger(SqliteStore.open(path)) as ledger:
        model = FunctionModel(function=once)
        Pipeline(
            model=model, evidence=SOURCE, judge="lexical", ledger=ledger, patch=False, spans=False
        ).ask("What is the population of France?")
    judged = rejudge(open_log(path).run_at(0), POLICIES["balanced"])
    assert not judged.changed
    assert judged.decision is not None
    assert "faults" in {o.rule for o in judged.decision.objections}


@pytest.mark.parametrize(("judge", "refused"), [("lexical", True), ("", False)])
def test_a_threshold_calibrated_for_another_judge_does_not_judge_a_past_run(
    asked: Path, judge: str, refused: bool
) -> None:
    stored = open_log(asked).run_at(0)
    recorded = parse(stored.payload(Stage.VERIFY))["judge"]
    rule = Calibrated(threshold=0.9, judge=judge or recorded, prompt=answer_prompts())
    judged = rejudge(stored, POLICIES["balanced"].with_rules(rule))
    assert (judged.decision is None) is refused
    assert ("calibrated for the judge" in judged.trouble) is refused


def test_a_threshold_calibrated_under_other_prompts_does_not_judge_a_past_run(
    asked: Path, log: Path
) -> None:
    for path, prompt in ((asked, ""), (log, answer_prompts())):
        stored = open_log(path).run_at(0)
        rule = Calibrated(judge=parse(stored.payload(Stage.VERIFY))["judge"], prompt=prompt)
        judged = rejudge(stored, POLICIES["balanced"].with_rules(rule))
        assert "calibrated on answers written under" in judged.trouble


def test_prompts_of_another_version_are_not_taken_for_ours(asked: Path) -> None:
    stored = open_log(asked).run_at(0)
    kept = [
        replace(one, payload=one.payload.replace(b'"answer.v1"', b'"answer.v0"'))
        if one.planned.stage is Stage.PROMPT and one.payload is not None
        else one
        for one in stored.stages
    ]
    judge = parse(stored.payload(Stage.VERIFY))["judge"]
    rule = Calibrated(threshold=0.9, judge=judge, prompt=answer_prompts())
    policy = POLICIES["balanced"].with_rules(rule)
    assert rejudge(stored, policy).decision is not None
    assert "prompts" in rejudge(replace(stored, stages=tuple(kept)), policy).trouble


def test_an_erased_run_is_not_judged_and_stops_nothing(log: Path) -> None:
    gone = run_ids(log)[0]
    runner = CliRunner()
    erased = runner.invoke(
        cli, ["runs", "erase", gone, "--ledger", str(log), "--reason", "asked for", "--yes"]
    )
    assert erased.exit_code == 0, erased.output
    told = runner.invoke(cli, ["decide", gone, "--ledger", str(log)])
    assert told.exit_code == 2
    assert "erased" in told.output
    same = runner.invoke(cli, ["policy", "diff", "balanced", "balanced", "--ledger", str(log)])
    assert same.exit_code == 2
    assert "0 runs would be decided otherwise" in same.output


def test_findings_that_somebody_bent_in_the_file_are_not_judged(asked: Path) -> None:
    with sqlite3.connect(asked) as file:
        guards = file.execute("SELECT name, sql FROM sqlite_master WHERE type='trigger'").fetchall()
        for name, _ in guards:
            file.execute(f"DROP TRIGGER {name}")
        for at, payload in file.execute("SELECT id, payload FROM vault").fetchall():
            bent = payload.replace(b'"contradicted"', b'"grounded"')
            file.execute("UPDATE vault SET payload = ? WHERE id = ?", (bent, at))
        for _, sql in guards:
            file.execute(sql)
    log = open_log(asked)
    judged = rejudge(log.run_at(0), POLICIES["balanced"])
    assert judged.decision is None
    assert judged.trouble
    run = log.run_at(0).body.run
    assert CliRunner().invoke(cli, ["decide", run, "--ledger", str(asked)]).exit_code == 2


def test_an_empty_file_is_not_an_empty_log(tmp_path: Path) -> None:
    (tmp_path / "empty.sqlite").touch()
    with pytest.raises(RecordNotFound, match="empty"):
        open_log(tmp_path / "empty.sqlite")
    assert not (tmp_path / "empty.sqlite").stat().st_size


def test_a_run_without_an_answer_says_why_when_it_is_judged_again(tmp_path: Path) -> None:
    def dead(request: ModelRequest) -> str:
        raise ModelError("the line is dead", kind="unreachable")

    path = tmp_path / "dead.sqlite"
    with Ledger(SqliteStore.open(path)) as ledger:
        Pipeline(
            model=FunctionModel(function=dead), evidence=SOURCE, judge="lexical", ledger=ledger
        ).ask("What is the population of France?")
    assert "the line is dead" in rejudge(open_log(path).run_at(0), POLICIES["balanced"]).trouble


def test_a_record_of_another_version_is_read_where_it_says_enough_and_refused_where_not() -> None:
    piece = Evidence(text=SOURCE, id="named")
    found = check("The capital of France is Paris.", piece, judge="lexical")
    whole = parse(found.run.payloads(Stage.VERIFY)[0])
    older = {k: v for k, v in whole["findings"].items() if k not in ("resting", "rulings")}
    assert findings_of(canonical({"findings": older})).assessments == found.assessments
    with pytest.raises(InputError, match="fields"):
        findings_of(canonical({"findings": {**whole["findings"], "not_yet_known": []}}))
    claimless: list[Any] = [
        {k: v for k, v in one.items() if k != "claim"} for one in whole["findings"]["assessments"]
    ]
    with pytest.raises(InputError, match=r"assessments\[0\]"):
        findings_of(canonical({"findings": {**whole["findings"], "assessments": claimless}}))


def test_a_file_cannot_pass_for_a_named_policy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "strict").write_text('[policy]\nname = "strict"\nbase = "advisory"\n')
    monkeypatch.chdir(tmp_path)
    assert find_policy("strict") == POLICIES["strict"]
    assert find_policy("./strict").waived == POLICIES["advisory"].waived


def test_a_rejected_question_has_no_answer_to_judge(tmp_path: Path) -> None:
    path = tmp_path / "rejected.sqlite"
    goal = (
        "You are an SRE engineer responding to a production incident. Imagine you are on call: "
        "P99 latency spiked from 50ms to 2000ms and users are reporting errors."
    )
    asked = Pipeline(
        model=FunctionModel(function=lambda request: "x"), evidence="x", ledger=path
    ).ask(goal)
    assert asked.rejected
    judged = rejudge(open_log(path).run_at(0), POLICIES["advisory"])
    assert judged.decision is None
    assert "the question was rejected" in judged.trouble
