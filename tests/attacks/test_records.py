"""Breaks of the record: it said what had not happened, or left out what had."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from firmground import Engine, check
from firmground.cli.main import cli
from firmground.compose.prompt import template
from firmground.config.settings import Settings
from firmground.core.ports import ModelRequest
from firmground.core.run import Run, Stage
from firmground.engine import AskOptions
from firmground.pipeline.ask_result import AskResult
from firmground.preflight import PreflightSettings
from firmground.preflight.payload import REMINDER_TEMPLATE
from firmground.testing import FunctionModel

CITIES = ["Oslo", "Bergen", "Hamar", "Molde", "Skien", "Moss", "Halden", "Bodo"]
SOURCES = [f"{city} is a town in Norway with a harbour." for city in CITIES]
BROAD = "List all towns in Norway with a harbour."


def payload(run: Run, stage: Stage) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run.payloads(stage)[0])
    return found


def asked(
    reply: str, *, caps: bool = True, seen: list[ModelRequest] | None = None, passages: int = 8
) -> AskResult:
    def answer(request: ModelRequest) -> str:
        if seen is not None:
            seen.append(request)
        return reply

    preflight = PreflightSettings(apply_caps=caps, model_profile="hermes-3-8b")
    with Engine(
        Settings(judge="lexical", preflight=preflight), model=FunctionModel(function=answer)
    ) as engine:
        return engine.ask(BROAD, SOURCES, options=AskOptions(passages=passages))


def test_a_reminder_that_is_recorded_as_injected_is_in_the_prompt() -> None:
    seen: list[ModelRequest] = []
    made = asked(SOURCES[0], seen=seen)
    contract = payload(made.run, Stage.PREFLIGHT)["clauses"]["prompt_contract"]
    assert contract["reminder_injected"] is True
    assert contract["reminder_template_id"] == REMINDER_TEMPLATE
    assert template(REMINDER_TEMPLATE).text.replace("{cap}", "8").strip() in seen[0].messages[1][1]
    assert REMINDER_TEMPLATE in dict(seen[0].prompts)


def test_no_reminder_is_recorded_where_none_is_sent() -> None:
    seen: list[ModelRequest] = []
    made = asked(SOURCES[0], caps=False, seen=seen)
    contract = payload(made.run, Stage.PREFLIGHT)["clauses"]["prompt_contract"]
    assert contract["reminder_injected"] is False
    assert "at most" not in seen[0].messages[1][1]


def test_an_answer_with_more_claims_than_the_contract_allows_is_held_back() -> None:
    many = " ".join([*SOURCES, *(f"{city} is in Norway." for city in CITIES)])
    made = asked(many)
    assert not made.stands
    assert any("at most 8" in o.reason for o in made.decision.objections), made.decision
    assert asked(many, caps=False).stands


def test_the_retrieval_plan_is_in_the_record() -> None:
    three, eight = (asked(SOURCES[0], passages=n) for n in (3, 8))
    assert payload(three.run, Stage.RETRIEVAL)["plan"]["top_k"] == 3
    assert payload(eight.run, Stage.RETRIEVAL)["plan"]["top_k"] == 8


def test_two_retrieval_plans_that_find_the_same_give_two_roots() -> None:
    def run(passages: int) -> AskResult:
        model = FunctionModel(function=lambda request: SOURCES[0])
        with Engine(judge="lexical", model=model) as engine:
            options = AskOptions(passages=passages)
            return engine.ask("What is Oslo?", SOURCES[:1], options=options)

    assert run(3).root != run(8).root


def test_the_model_profile_is_in_the_record() -> None:
    profile = payload(asked(SOURCES[0]).run, Stage.PROMPT)["model_profile"]
    assert set(profile) == {"id", "revision", "quantisation", "determinism"}
    assert profile["id"] == "function"
    assert profile["determinism"] == {"seed": None, "temperature": "0.000000"}


@pytest.mark.parametrize(
    ("answer", "stage"),
    [(SOURCES[0], None), ("Oslo is a town in Sweden with a harbour.", "answer")],
)
def test_a_check_that_fails_names_its_first_failing_stage(answer: str, stage: str | None) -> None:
    result = check(answer, SOURCES[0], judge="lexical")
    assert result.failure_stage == stage
    assert result.to_dict()["failure_stage"] == stage
    assert payload(result.run, Stage.FINAL_LABEL)["failure_stage"] == stage


def test_a_rejected_question_fails_at_preflight_and_an_empty_search_at_retrieval() -> None:
    model = FunctionModel(function=lambda request: "Oslo.")
    strict = Settings(judge="lexical", preflight=PreflightSettings(reject_broad=True))
    with Engine(strict, model=model) as engine:
        turned_away = engine.ask("List everything about all animals.", SOURCES)
        assert turned_away.failure_stage == "preflight"
        assert engine.ask("Zebra?", SOURCES, preflight=False).failure_stage == "retrieval"


def test_the_terminal_and_the_kept_run_name_the_failing_stage(tmp_path: Path) -> None:
    log = str(tmp_path / "log.sqlite")
    told = ["check", "-a", "Oslo is in Sweden.", "-e", "Oslo is in Norway.", "--judge", "lexical"]
    ran = CliRunner().invoke(cli, [*told, "--ledger", log])
    assert "failed at: answer" in ran.output, ran.output
    runs = json.loads(CliRunner().invoke(cli, ["runs", "list", "--ledger", log, "--json"]).output)
    shown = CliRunner().invoke(cli, ["runs", "show", runs[0]["run"], "--ledger", log])
    assert "failed at: answer" in shown.output, shown.output
