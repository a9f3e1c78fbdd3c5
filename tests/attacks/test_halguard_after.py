"""Breaks of the check after an answer: corrections that were paid and dropped, scores nobody saw."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.models.wire_server import Answer, completion, wire

from firmground import AskOptions, Engine, Question, Settings
from firmground.cli.main import cli
from firmground.core.finding import Agreement
from firmground.core.ports import ModelRequest
from firmground.core.run import Stage
from firmground.engine.model_checks import ModelChecks, model_checks
from firmground.engine.rejudging import open_log
from firmground.errors import ConfigError
from firmground.pipeline.revive import findings_of
from firmground.preflight import PreflightSettings
from firmground.testing import FunctionModel

QUESTION = "Which service failed, and where?"
WRONG = "The payment-processor failed in prod-cluster."
RIGHT = "The aiden-scheduler failed in developer-eks."
ANSWER = f"{WRONG} It was restarted at 9:40."
SOURCE = f"{RIGHT} It was restarted at 9:40."


def said(request: ModelRequest) -> str:
    """A peer that knows what happened, votes on it, and corrects what is wrong."""
    prompt = request.messages[-1][1]
    if "One statement of an answer" in prompt:
        return json.dumps({"replacement": RIGHT})
    names = re.findall(r"\[(B\d+) [0-9a-f]{16}\]\n(.*)", prompt)
    if names:
        return json.dumps(
            {"labels": [
                {"id": name, "reason": "the reference names aiden-scheduler",
                 "label": "CONTRADICTION" if "failed in prod" in text else "ACCURATE"}
                for name, text in names
            ]}
        )  # fmt: skip
    return SOURCE


def peers(**given: Any) -> ModelChecks:
    model = FunctionModel(function=said)
    checks = model_checks(
        [("claude-haiku", model), ("gemini-flash", model)],
        consensus="full",
        generator="gpt-5",
        **given,
    )
    assert checks is not None
    return checks


# Scores, votes and reasons


def test_block_scores_votes_and_reasons_are_in_the_json_and_in_the_ledger(tmp_path: Path) -> None:
    log = tmp_path / "log.sqlite"
    with Engine(judge="lexical", models=peers(), ledger=log) as engine:
        found = engine.check(ANSWER, SOURCE, question=QUESTION)
    told = json.loads(json.dumps(found.to_dict()))["agreement"]
    assert told["tier"] == "full"
    first, second = told["blocks"]
    assert (first["claim"], first["label"]) == (0, "CONTRADICTION")
    assert (second["claim"], second["label"]) == (1, "ACCURATE")
    assert first["score"] < 0.5 < second["score"]
    assert len(first["votes"]) == 3
    vote = first["votes"][0]
    assert vote["reason"] == "the reference names aiden-scheduler"
    assert vote["judge"] != vote["reference"], "another family reads a reference than wrote it"
    kept = findings_of(open_log(log).run_at(0).payload(Stage.VERIFY)).agreement
    assert isinstance(kept, Agreement)
    assert isinstance(found.findings.agreement, Agreement)
    assert kept.blocks == found.findings.agreement.blocks
    assert kept.corrections == found.findings.agreement.corrections


# Corrections


def test_a_correction_that_was_voted_for_is_offered_by_check() -> None:
    with Engine(judge="lexical", models=peers()) as engine:
        found = engine.check(ANSWER, SOURCE, question=QUESTION)
    assert not found.stands
    assert found.corrected == SOURCE
    told = found.to_dict()
    assert told["corrected"] == SOURCE
    correction = told["agreement"]["corrections"][0]
    assert (correction["before"], correction["after"]) == (WRONG, RIGHT)
    assert correction["accepted"] is True
    assert found.answer is None, "what is offered is not released"


def test_without_an_accepted_correction_nothing_is_offered() -> None:
    with Engine(judge="lexical") as engine:
        assert engine.check(ANSWER, SOURCE, question=QUESTION).corrected is None
    with Engine(judge="lexical", models=peers(settings=None)) as engine:
        assert engine.check(SOURCE, SOURCE, question=QUESTION).corrected is None


def test_a_correction_that_was_paid_is_applied_by_ask_before_the_model_is_asked_again() -> None:
    calls: list[ModelRequest] = []

    def answer(request: ModelRequest) -> str:
        calls.append(request)
        return ANSWER

    with Engine(judge="lexical", models=peers(), model=FunctionModel(function=answer)) as engine:
        asked = engine.ask(QUESTION, SOURCE, options=AskOptions(patch=False))
    assert asked.stands, asked
    assert asked.answer == SOURCE
    assert len(calls) == 1
    assert any(RIGHT in line and "claude-haiku" in line for line in asked.repaired)
    best = asked.best
    assert best is not None
    made = best.draft.made
    assert isinstance(made, dict)
    assert made["by"] == "consensus"


def test_the_command_shows_the_offered_correction(monkeypatch: pytest.MonkeyPatch) -> None:
    def reply(body: dict[str, Any], number: int) -> Answer:
        messages = tuple((one["role"], one["content"]) for one in body["messages"])
        return 200, {}, completion(said(ModelRequest(messages=messages)))

    monkeypatch.setenv("OPENAI_API_KEY", "none")
    monkeypatch.setenv("COLUMNS", "100")
    with wire(reply) as server:
        shown = CliRunner().invoke(
            cli,
            ["check", "-q", QUESTION, "-a", ANSWER, "-e", SOURCE, "--judge", "lexical",
             "--consensus", "full", "--model", f"claude-haiku={server.base_url}",
             "--model", f"gemini-flash={server.base_url}", "--generator", "gpt-5"],
        )  # fmt: skip
    assert shown.exit_code == 1, shown.output
    plain = " ".join(shown.stdout.split())
    assert "OFFERED CORRECTION" in plain
    assert RIGHT in plain
    assert "the reference names aiden-scheduler" in plain


# Settings


CONFIG = """
[preflight]
enabled = false
block_below = 0.3

[models]
generator = "gpt-5"

[[models.use]]
name = "claude-opus"
tasks = ["planning"]

[[models.use]]
name = "gemini-flash"
tasks = ["efficiency"]

[[models.use]]
name = "mistral-small"

[models.consensus]
tier = "length"
light_from_bytes = 10
full_from_bytes = 80
penalty_from = 0.2
samples = 2
blocks_per_call = 5
temperature = 0.1
seed = 7
"""


def test_thresholds_lengths_and_switches_are_read_from_the_settings(tmp_path: Path) -> None:
    path = tmp_path / "firmground.toml"
    path.write_text(CONFIG)
    found = Settings.load(path)
    assert found.models is not None
    assert found.preflight.enabled is False
    cross, tiers = found.models.cross, found.models.tiers
    assert (cross.samples, cross.blocks_per_call, cross.temperature, cross.seed) == (2, 5, 0.1, 7)
    assert (tiers.light_from_bytes, tiers.full_from_bytes, tiers.penalty_from) == (10, 80, 0.2)
    assert found.models.consensus == "length"
    for old, new in (("full_from_bytes = 80", "full_from_bytes = -1"),
                     ("penalty_from = 0.2", "penalty_from = 2"),
                     ('tasks = ["planning"]', 'tasks = ["plannin"]')):  # fmt: skip
        path.write_text(CONFIG.replace(old, new))
        with pytest.raises(ConfigError, match=new.split(" ")[0]):
            Settings.load(path)


@pytest.mark.parametrize("table", ["judge", "probe", "consensus"])
def test_a_check_of_models_is_switched_off_without_deleting_its_table(
    table: str, tmp_path: Path
) -> None:
    path = tmp_path / "firmground.toml"
    path.write_text(f'[[models.use]]\nname = "m"\n\n[models.{table}]\nenabled = false\n')
    found = Settings.load(path).models
    assert found is not None
    assert [found.judge, found.probe, found.consensus] == [False, None, None]
    path.write_text(f'[[models.use]]\nname = "m"\n\n[models.{table}]\n')
    found = Settings.load(path).models
    assert found is not None
    assert found.judge or found.probe or found.consensus


def test_preflight_that_is_switched_off_does_not_look() -> None:
    settings = Settings(judge="lexical", preflight=PreflightSettings(enabled=False))
    with Engine(settings, model=FunctionModel(function=lambda request: SOURCE)) as engine:
        asked = engine.ask(QUESTION, SOURCE)
    assert asked.preflight is None
    assert Stage.PREFLIGHT not in [node.stage for node in asked.run.nodes]


HALGUARD = """
[halguard]
light_threshold_chars = 100
full_threshold_chars = 300
enable_pre_check = false
cross_model_samples = 5
max_blocks_to_judge = 20
pre_check_threshold = 0.35

[[models.use]]
name = "gemini-flash"
"""


def test_the_parents_own_table_is_read_and_leaving_something_out_switches_nothing_off(
    tmp_path: Path,
) -> None:
    path = tmp_path / "genie.toml"
    path.write_text(HALGUARD)
    found = Settings.load(path)
    assert found.models is not None
    assert found.preflight.enabled is False
    assert found.preflight.block_below == 0.35
    assert found.preflight.profile == "halguard"
    assert (found.models.cross.samples, found.models.cross.blocks_per_call) == (5, 20)
    assert found.models.tiers.light_from_bytes == 100
    assert found.models.tiers.full_from_bytes == 300
    assert found.models.consensus == "length"
    path.write_text("[halguard]\ncross_model_samples = 5\n")
    found = Settings.load(path)
    assert found.models is not None
    assert found.preflight.enabled is not False
    assert found.models.consensus == "length"
    path.write_text("[halguard]\nenable_post_check = false\n")
    off = Settings.load(path).models
    assert off is None or off.consensus is None
    path.write_text("[halguard]\nlight_treshold_chars = 5\n")
    with pytest.raises(ConfigError, match="light_treshold_chars"):
        Settings.load(path)


# Selection of models


def test_models_for_efficiency_are_asked_first_and_others_fill_up(tmp_path: Path) -> None:
    asked: list[str] = []

    def reply(body: dict[str, Any], number: int) -> Answer:
        asked.append(body["model"])
        messages = tuple((one["role"], one["content"]) for one in body["messages"])
        return 200, {}, completion(said(ModelRequest(messages=messages)))

    path = tmp_path / "firmground.toml"
    with wire(reply) as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENAI_API_KEY", "none")
        patch.setenv("OPENAI_BASE_URL", server.base_url)
        for samples, first in ((1, {"gemini-flash"}), (2, {"gemini-flash", "claude-opus"})):
            asked.clear()
            path.write_text(
                CONFIG.replace("samples = 2", f"samples = {samples}\ncorrect = false").replace(
                    'tier = "length"', 'tier = "full"'
                )
            )
            with Engine(path, judge="lexical") as engine:
                engine.check(ANSWER, SOURCE, question=QUESTION)
            assert set(asked[:samples]) == first


# Length rule and tool calls


@pytest.mark.parametrize(
    ("tool_calls", "answer", "tier"),
    [(0, SOURCE, "full"), (3, SOURCE, "light"), (3, "It failed.", None), (0, "It failed.", None)],
)
def test_by_length_tool_calls_decide_how_hard_to_check(
    tool_calls: int, answer: str, tier: str | None
) -> None:
    checks = replace(peers(), tier="length", tiers=replace(peers().tiers, light_from_bytes=40))
    with Engine(judge="lexical", models=checks) as engine:
        found = engine.check(
            answer, f"{SOURCE} It failed.", question=QUESTION, tool_calls=tool_calls
        )
    seen = found.findings.agreement
    assert (seen.tier if isinstance(seen, Agreement) else None) == tier


def test_the_penalty_of_the_question_raises_the_tier_in_ask() -> None:
    checks = replace(peers(), tier="length", tiers=replace(peers().tiers, light_from_bytes=9999))
    goal = "You are an SRE engineer responding to a production incident. Which service failed?"
    settings = Settings(judge="lexical", preflight=PreflightSettings(block_below="off"))
    with Engine(
        settings, models=checks, model=FunctionModel(function=lambda request: SOURCE)
    ) as engine:
        asked = engine.ask(goal, SOURCE)
        plain = engine.ask(QUESTION, SOURCE)
    assert isinstance(asked.findings.agreement, Agreement)
    assert asked.findings.agreement.tier == "full"
    assert plain.findings.agreement is None


def test_tool_calls_are_given_on_the_command_line_and_in_a_document(tmp_path: Path) -> None:
    from firmground.adapters.document import read_request

    found = read_request('{"answer": "a", "evidence": ["b"], "tool_calls": 3}', "row")
    assert found.tool_calls == 3
    for wrong in ("-1", '"3"', "1.5", "true"):
        with pytest.raises(Exception, match="tool_calls"):
            read_request(f'{{"answer": "a", "evidence": ["b"], "tool_calls": {wrong}}}', "row")
    run = CliRunner().invoke(
        cli, ["check", "-a", SOURCE, "-e", SOURCE, "--judge", "lexical", "--tool-calls", "2"]
    )
    assert run.exit_code == 0, run.output


# Stages as spans


def test_an_observer_is_told_when_each_stage_begins_and_ends() -> None:
    seen: list[str] = []

    @contextmanager
    def around(stage: str) -> Iterator[None]:
        seen.append(f"+{stage}")
        try:
            yield
        finally:
            seen.append(f"-{stage}")

    with Engine(judge="lexical", around=around) as engine:
        engine.check(SOURCE, SOURCE)
        for stage in ("claims", "verify", "score", "decide"):
            assert seen.index(f"+{stage}") < seen.index(f"-{stage}")
        seen.clear()
        with Engine(
            judge="lexical", models=peers(), around=around,
            model=FunctionModel(function=lambda request: SOURCE),
        ) as asking:  # fmt: skip
            asking.ask(Question(text=QUESTION), SOURCE)
    for stage in ("preflight", "retrieval", "answer", "claims", "verify", "consult"):
        assert f"+{stage}" in seen
        assert seen.count(f"+{stage}") == seen.count(f"-{stage}")


def test_an_observer_that_fails_is_not_hidden() -> None:
    @contextmanager
    def around(stage: str) -> Iterator[None]:
        raise RuntimeError("no tracer")
        yield

    with Engine(judge="lexical", around=around) as engine, pytest.raises(RuntimeError):
        engine.check(SOURCE, SOURCE)
