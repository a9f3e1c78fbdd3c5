"""A recorded run can be judged anew without asking anybody."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from firmground.adapters.sqlite import SqliteStore
from firmground.assemble import check
from firmground.assemble.asking import Pipeline
from firmground.assemble.rejudging import open_log, rejudge
from firmground.cli.main import cli
from firmground.core.ports import ModelRequest
from firmground.core.run import Stage
from firmground.decide import POLICIES, decide
from firmground.errors import InputError, RecordNotFound
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
    assert [a.claim for a in revived.assessments] == list(outcome.claims)


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
    with pytest.raises(RecordNotFound, match="no log"):
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
