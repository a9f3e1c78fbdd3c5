"""``check`` and ``ask`` with models over real HTTP: flags, settings, plans, errors, the record."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.models.scripted import POISON, QUESTION, TRUE, serve
from tests.models.wire_server import refusal, wire

from firmground.cli._consult import models_from
from firmground.cli.main import cli
from firmground.config.models import ModelEntry
from firmground.config.settings import Settings
from firmground.engine.models import model_at
from firmground.errors import ConfigError

pytest.importorskip("openai", reason="the extra 'llm' is not installed")

CHECK = ("check", "-q", QUESTION, "-a", POISON, "-e", POISON, "--judge")


def run(*arguments: str) -> Any:
    return CliRunner().invoke(cli, list(arguments))


def test_judge_probe_and_consensus_are_asked_for_by_name() -> None:
    with wire(serve) as server:
        result = run(
            *CHECK, "llm+lexical", "--probe", "both", "--consensus", "full", "--json",
            "--model", f"gemini-2={server.base_url}", "--model", f"gpt-5={server.base_url}",
            "--generator", "gpt-5",
        )  # fmt: skip
    assert result.exit_code == 1, result.output
    found = json.loads(result.stdout)
    assert {one["rule"] for one in found["objections"]} >= {"blind_dependence"}
    assert {one["purpose"]: one["model"] for one in found["models"]} == {
        "judge": "gemini-2", "probe": "gpt-5", "consensus": "gemini-2",
    }  # fmt: skip
    assert found["judging"]["judges"] == ["gemini-2"]
    assert "judge      2 calls planned, at most 3" in result.stderr
    assert all(one["prompts"] for one in found["models"])


def test_the_page_for_a_person_says_who_was_asked() -> None:
    with wire(serve) as server:
        result = run(
            *CHECK, "llm+lexical", "--model", "gpt-5", "--base-url", server.base_url,
            "--generator", "gpt-5", "--probe", "answer",
        )  # fmt: skip
    page = " ".join(result.stdout.split())
    assert "judge: gpt-5, which wrote the answer: 1 calls" in page
    assert "tokens a claim" in page
    assert "judge: gpt-5 judges its own answer" in page
    assert "probe: the answer moves by +1.00" in page


def test_a_plan_asks_nobody() -> None:
    with wire(serve) as server:
        result = run(
            *CHECK, "llm+lexical", "--probe", "claims", "--consensus", "full", "--plan",
            "--model", "m", "--base-url", server.base_url,
        )  # fmt: skip
        assert server.seen == []
    assert result.exit_code == 0
    assert [line.split()[0] for line in result.stdout.splitlines()] == [
        "judge", "probe", "consensus",
    ]  # fmt: skip


@pytest.mark.parametrize("wanted", [("llm",), ("lexical", "--probe", "answer")])
def test_no_model_is_an_error_that_names_what_to_set(wanted: tuple[str, ...]) -> None:
    with pytest.raises(ConfigError, match=r"--model .*OPENAI_BASE_URL.*models\.use"):
        CliRunner().invoke(cli, [*CHECK, *wanted], catch_exceptions=False, standalone_mode=False)


def test_a_consensus_without_models_is_declared_as_skipped() -> None:
    result = run(*CHECK, "lexical", "--consensus", "full", "--json")
    found = json.loads(result.stdout)
    assert result.exit_code == 2
    assert found["agreement"]["kind"] == "skipped"


def test_a_budget_bounds_the_calls() -> None:
    with wire(serve) as server:
        result = run(
            *CHECK, "llm+lexical", "--probe", "both", "--consensus", "full", "--max-calls", "3",
            "--model", "m", "--base-url", server.base_url, "--json",
        )  # fmt: skip
        assert len(server.seen) <= 3
    assert result.exit_code in (1, 2)


def test_an_endpoint_that_is_down_is_could_not_tell() -> None:
    with wire(lambda body, number: refusal(401, "no")) as server:
        result = run(
            *CHECK, "llm+lexical", "--probe", "answer", "--model", "m",
            "--base-url", server.base_url, "--json",
        )  # fmt: skip
    assert result.exit_code == 2
    assert json.loads(result.stdout)["dependence"]["kind"] == "refused"


def test_settings_switch_the_checks_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "firmground.toml"
    monkeypatch.setenv("MY_KEY", "k")
    with wire(serve) as server:
        path.write_text(
            '[models]\ngenerator = "gpt-5"\n[[models.use]]\nname = "m"\napi_key_env = "MY_KEY"\n'
            f'base_url = "{server.base_url}"\nprice_in = 1000\nprice_out = 0\n[models.probe]\n'
        )
        result = run(*CHECK, "lexical", "--config", str(path), "--json")
        found = json.loads(result.stdout)
        monkeypatch.delenv("MY_KEY")
        with pytest.raises(ConfigError, match="model m: the variable MY_KEY is not set"):
            CliRunner().invoke(
                cli, [*CHECK, "lexical", "--config", str(path)],
                catch_exceptions=False, standalone_mode=False,
            )  # fmt: skip
    assert found["models"][0]["purpose"] == "probe"
    assert found["models"][0]["cost"] == pytest.approx(2 * 3 * 1000 / 1e6)


def test_a_recorded_check_is_replayed_without_the_server_and_has_the_same_root(
    tmp_path: Path,
) -> None:
    wanted = ("llm+lexical", "--probe", "both", "--consensus", "full", "--model", "m", "--json")
    calls = str(tmp_path / "calls.jsonl")
    with wire(serve) as server:
        first = run(*CHECK, *wanted, "--base-url", server.base_url, "--record", calls)
    again = run(*CHECK, *wanted, "--replay", calls)
    assert json.loads(first.stdout)["run"] == json.loads(again.stdout)["run"]
    other = run(
        "check", "-q", "Which town?", "-a", POISON, "-e", POISON, "--judge", *wanted,
        "--replay", calls,
    )  # fmt: skip
    assert other.exit_code == 2
    assert "no further reply" in other.stdout


def test_a_question_is_asked_probed_judged_and_its_prompts_are_in_the_record(
    tmp_path: Path,
) -> None:
    log = str(tmp_path / "log.db")
    with wire(serve) as server:
        asked = run(
            "ask", QUESTION, "-e", TRUE, "--model", "gpt-5", "--base-url", server.base_url,
            "--peer", "gemini-2", "--judge", "llm+lexical", "--probe", "answer",
            "--consensus", "full", "--ledger", log, "--json",
        )  # fmt: skip
    found = json.loads(asked.stdout)
    assert asked.exit_code == 0, asked.output
    assert {one["purpose"] for one in found["models"]} == {"judge", "probe", "consensus"}
    shown = run("runs", "show", found["receipt"]["run_id"], "--ledger", log)
    for name in ("answer.v1", "judge.v1", "free.v1", "votes.v1"):
        assert f"prompt {name} sha256:" in shown.stdout
    listed = json.loads(
        run("runs", "show", found["receipt"]["run_id"], "--ledger", log, "--json").stdout
    )["prompts"]
    assert {one["stage"] for one in listed} == {"prompt", "verify"}


@pytest.mark.parametrize(
    "option", [("--judge", "llm"), ("--probe", "answer"), ("--consensus", "full"), ("--plan",)]
)
def test_a_batch_asks_no_models_and_says_so(option: tuple[str, ...], tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text("{}\n")
    result = run("check", "--batch", str(rows), "--output", str(tmp_path / "out"), *option)
    assert result.exit_code == 2
    assert "--batch" in result.output


def test_a_model_of_the_settings_gets_no_key_that_is_not_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    monkeypatch.setenv("THEIRS", "sk-theirs")
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    url = "https://api.third-party.example/v1"
    assert model_at(ModelEntry(name="m", base_url=url)).endpoint.keyless
    named = model_at(ModelEntry(name="m", base_url=url, api_key_env="THEIRS"))
    assert named.endpoint.api_key == "sk-theirs"
    typed = models_from(
        {"settings": Settings(), "timeout_seconds": 1.0, "base_url": url, "api_key_env": "THEIRS",
         "max_calls": None, "judge": None, "probe": None, "consensus": None},
        models=("first", "second=https://other.example/v1"), generator=None,
    )  # fmt: skip
    assert [place.api_key_env for place in typed.use] == ["THEIRS", None]
