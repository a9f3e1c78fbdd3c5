"""A calibration is used where it was made for, and nowhere else."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from firmground.calibrate import Artefact
from firmground.cli.main import cli
from firmground.compat.pipeline import Pipeline
from firmground.compose import answer_prompts
from firmground.config.calibration import calibrated_policy
from firmground.config.policies import load_policy
from firmground.core.decision import Step
from firmground.core.finding import Findings, Support
from firmground.decide import BALANCED, POLICIES, decide
from firmground.decide.rules import Calibrated
from firmground.engine import check
from firmground.engine.judges import judge_name
from firmground.errors import ConfigError, InputError
from firmground.testing import FunctionModel

SOURCE = "The capital of France is Paris."
RIGHT = "The capital of France is Paris."


def artefact(**more: object) -> Artefact:
    values: dict[str, object] = {
        "score": "risk",
        "judge": judge_name("lexical"),
        "prompt": "",
        "policy": BALANCED.digest,
        "data": "d",
        "risk": 0.05,
        "confidence": 0.95,
        "thresholds": (("", 0.9), ("strict", 0.0)),
        "quantiles": tuple(n / 20 for n in range(21)),
        "total": 500,
        "sources": 500,
    }
    return Artefact(**{**values, **more})  # type: ignore[arg-type]


def test_the_calibrated_threshold_stands_in_for_the_guessed_one() -> None:
    policy = calibrated_policy(BALANCED, artefact())
    assert "high_risk" not in {rule.name for rule in policy.rules}
    assert check(RIGHT, SOURCE, policy=policy, judge="lexical").stands
    harsh = calibrated_policy(BALANCED, artefact(), group="strict")
    held = check(RIGHT, SOURCE, policy=harsh, judge="lexical")
    assert [o.rule for o in held.decision.objections] == ["calibrated"]
    assert held.decision.policy_digest == harsh.digest != BALANCED.digest


def test_another_policy_judge_group_or_prompt_is_refused() -> None:
    with pytest.raises(InputError, match="calibrated for the policy"):
        calibrated_policy(POLICIES["strict"], artefact())
    with pytest.raises(InputError, match="'nobody' was not calibrated"):
        calibrated_policy(BALANCED, artefact(), group="nobody")
    policy = calibrated_policy(BALANCED, artefact())
    with pytest.raises(InputError, match="calibrated for the judge"):
        check(RIGHT, SOURCE, policy=policy, judge="builtin")
    model = FunctionModel(function=lambda request: RIGHT)
    with pytest.raises(InputError, match="were not named"):
        Pipeline(model=model, evidence=SOURCE, judge="lexical", calibration=artefact())
    asked = artefact(prompt=answer_prompts())
    with pytest.raises(InputError, match="calibrated on answers written under the prompts"):
        check(RIGHT, SOURCE, policy=calibrated_policy(BALANCED, asked), judge="lexical")
    assert Pipeline(model=model, evidence=SOURCE, judge="lexical", calibration=asked)


def test_a_pipeline_says_when_live_scores_have_left_the_calibrated_range() -> None:
    told: list[str] = []
    pipeline = Pipeline(
        model=FunctionModel(function=lambda request: RIGHT),
        evidence=SOURCE,
        judge="lexical",
        preflight=False,
        calibration=artefact(prompt=answer_prompts()),
        tell=lambda stage, message: told.append(message) if stage == "drift" else None,
    )
    asked = [pipeline.ask("What is the capital?") for _ in range(60)]
    assert not asked[10].drift
    assert "no longer holds" in asked[-1].drift
    assert told


def test_two_calibrated_thresholds_choose_between_rewording_and_searching() -> None:
    rule = Calibrated(score="support", threshold=0.9, regenerate=0.5)
    steps = []
    for score in (0.95, 0.7, 0.2):
        support = Support(score=score, profile="p", risk=0.0, coverage=1.0)
        found = replace(check(RIGHT, SOURCE, judge="lexical").findings, support=support)
        steps.append(decide(found, [rule]).step)
    assert steps == [Step.PROCEED, Step.REGENERATE, Step.REPLAN]
    assert decide(Findings(), [rule]).objections[0].could_not_check


def test_a_policy_file_names_its_calibration(tmp_path: Path) -> None:
    (tmp_path / "c.json").write_bytes(artefact().to_bytes())
    own = tmp_path / "own.toml"
    own.write_text('[policy]\ncalibration = "c.json"\n')
    assert "calibrated" in {rule.name for rule in load_policy(own).rules}
    own.write_text('[policy]\nbase = "strict"\ncalibration = "c.json"\n')
    with pytest.raises(ConfigError, match=r"policy\.calibration"):
        load_policy(own)
    own.write_text('[policy]\ncalibration = "gone.json"\n')
    with pytest.raises(ConfigError, match=r"gone\.json"):
        load_policy(own)


def test_check_takes_a_calibration_file_and_refuses_a_foreign_one(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_bytes(artefact().to_bytes())
    words = ["check", "-a", RIGHT, "-e", SOURCE, "--judge", "lexical", "--calibration", str(path)]
    assert CliRunner().invoke(cli, words).exit_code == 0
    harsh = CliRunner().invoke(cli, [*words, "--group", "strict", "--json"])
    assert harsh.exit_code == 1
    assert json.loads(harsh.stdout)["objections"][0]["rule"] == "calibrated"
    other = CliRunner().invoke(cli, [*words, "--policy", "strict"])
    assert isinstance(other.exception, InputError)
    assert "c.json" in str(other.exception)
    path.write_bytes(b"{}")
    assert "not a calibration file" in str(CliRunner().invoke(cli, words).exception)


def test_calibrating_on_support_gives_both_thresholds_and_a_file_for_check(tmp_path: Path) -> None:
    rows = [
        {"stands": n % 100 < 95 if n % 2 else n % 100 < 30, "support": 0.99 if n % 2 else 0.3}
        for n in range(1200)
    ]
    data, out = tmp_path / "l.jsonl", tmp_path / "c.json"
    data.write_text("\n".join(map(json.dumps, rows)))
    words = ["calibrate", str(data), "--score", "support", "--risk", "0.1", "--judge", "lexical"]
    result = CliRunner().invoke(cli, [*words, "--regenerate-risk", "0.6", "--out", str(out)])
    assert result.exit_code == 0, result.output
    assert "proceed from support 0.99" in result.stdout
    assert "regenerate from 0.3" in result.stdout
    used = ["check", "-a", RIGHT, "-e", SOURCE, "--judge", "lexical", "--calibration", str(out)]
    refused = CliRunner().invoke(cli, used)
    assert "thin_support" not in refused.stdout
