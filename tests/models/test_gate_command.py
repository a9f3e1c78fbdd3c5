"""The commands over real HTTP with scripted replies."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.models.wire_server import Answer, completion, refusal, wire

from firmground.cli.main import cli
from firmground.errors import InputError

pytest.importorskip("openai", reason="the extra 'llm' is not installed")

ASK = ("--question", "What is the capital of Australia?")


def follows(body: dict[str, Any], number: int) -> Answer:
    prompt = body["messages"][0]["content"]
    told = re.findall(r"capital is (\w+)", prompt)
    return 200, {}, completion(told[0] if told else "Canberra", n=body.get("n", 1))


def run(url: str, *arguments: str) -> Any:
    return CliRunner().invoke(cli, ["gate", "--model", "m", "--base-url", url, *arguments])


def test_a_poisoned_document_is_held_back_with_exit_code_one() -> None:
    with wire(follows) as server:
        result = run(server.base_url, *ASK, "--context", "The capital is Sydney.", "--json")
    found = json.loads(result.stdout)
    assert result.exit_code == 1
    assert found["decision"] == "ABSTAIN"
    assert (found["answer"], found["answer_without_documents"]) == ("Sydney", "Canberra")
    assert (found["sensitivity"], found["prior"]) == (1.0, "opposed")
    assert found["objections"][0]["rule"] == "blind_dependence"
    assert len(found["prompts"]["free.v1"]) == 64


def test_a_vouched_document_goes_out_with_exit_code_zero() -> None:
    with wire(follows) as server:
        result = run(
            server.base_url, *ASK, "--context", "The capital is Sydney.", "--trust", "vouched"
        )
    assert result.exit_code == 0
    assert result.stdout.startswith("ANSWER  Sydney")


def test_choices_are_read_from_sentences_where_no_logprobs_are_offered() -> None:
    def answer(body: dict[str, Any], number: int) -> Answer:
        prompt = body["messages"][0]["content"]
        said = re.findall(r"^([AB])\) Sydney", prompt, re.MULTILINE)[0]
        if "document" not in prompt:
            said = "B" if said == "A" else "A"
        return 200, {}, completion(f"Answer: {said}", n=body.get("n", 1))

    with wire(answer) as server:
        result = run(
            server.base_url, *ASK, "--context", "Doc: the capital is Sydney.", "--json",
            "--option", "Canberra", "--option", "Sydney", "--no-logprobs",
            "--profile", "firewall",
        )  # fmt: skip
    found = json.loads(result.stdout)
    assert (found["answer"], found["confidence"], found["sensitivity"]) == ("Sydney", 1.0, 1.0)
    assert found["decision"] == "ABSTAIN"
    assert found["calls"] == 4
    assert not any(body.get("logprobs") for body in server.seen)


@pytest.mark.parametrize(("threshold", "code"), [("0.3", 1), ("0.5", 1), ("1", 1), (None, 1)])
def test_an_explicit_threshold_is_used_in_free_mode_whatever_its_value(
    threshold: str | None, code: int
) -> None:
    extra = ("--threshold", threshold) if threshold else ()
    with wire(follows) as server:
        result = run(
            server.base_url, *ASK, "--context", "The capital is Sydney.", "--json",
            "--profile", "firewall", *extra,
        )  # fmt: skip
    assert result.exit_code == code
    reason = json.loads(result.stdout)["objections"][0]["reason"]
    assert f"from {float(threshold or 0.5):.2f}" in reason


def test_more_samples_than_five_are_not_silently_replaced() -> None:
    with wire(follows) as server:
        run(server.base_url, *ASK, "--context", "The capital is Sydney.", "--samples", "9")
    assert {body["n"] for body in server.seen} == {9}


def test_a_model_that_cannot_be_asked_is_an_error_and_not_an_abstention() -> None:
    with wire(lambda body, number: refusal(401, "no")) as server:
        result = run(server.base_url, *ASK, "--context", "x", "--json")
    assert result.exit_code == 2
    assert json.loads(result.stdout)["decision"] == "ERROR"


def test_the_plan_is_shown_without_a_single_call(tmp_path: Path) -> None:
    path = tmp_path / "doc.txt"
    path.write_text("The capital is Sydney.")
    with wire(follows) as server:
        result = run(
            server.base_url, *ASK, "--context", f"@{path}", "--context", "b", "--plan",
            "--option", "a", "--option", "b",
        )  # fmt: skip
    assert not server.seen
    assert json.loads(result.stdout)["calls"] == 8


def test_what_is_missing_is_said(tmp_path: Path) -> None:
    result = run("http://127.0.0.1:9/v1", "--question", "q")
    assert isinstance(result.exception, InputError)
    assert "--context" in str(result.exception)
    result = run("http://127.0.0.1:9/v1", *ASK, "--context", f"@{tmp_path / 'none'}")
    assert "cannot be read" in str(result.exception)


@pytest.mark.parametrize(
    "command", [("gate", *ASK, "--context", "x"), ("gate", "--demo"), ("bench", "dependence")]
)
def test_without_a_model_it_is_said_which_options_and_variables_name_one(
    command: tuple[str, ...],
) -> None:
    result = CliRunner().invoke(cli, command)
    assert isinstance(result.exception, InputError)
    for name in ("--model", "--base-url", "OPENAI_BASE_URL", "OPENAI_API_KEY", "--api-key-env"):
        assert name in str(result.exception)


def test_a_plan_needs_no_model() -> None:
    one = CliRunner().invoke(cli, ["gate", *ASK, "--context", "x", "--plan"])
    assert json.loads(one.stdout)["calls"] == 2
    six = CliRunner().invoke(cli, ["gate", "--demo", "--plan"])
    assert json.loads(six.stdout) == {"mode": "free", "questions": 6, "at_most": 60}


def _demo(script: Callable[[dict[str, Any], int], Answer], *extra: str) -> Any:
    with wire(script) as server:
        return run(server.base_url, "--demo", "--json", *extra)


def test_the_demo_counts_wrong_answers_shipped_and_held_back() -> None:
    right = {"Australia": "Canberra", "mountain": "Everest", "gold": "Au", "bones": "206",
             "planet": "Jupiter", "organelle": "mitochondria"}  # fmt: skip

    asked = []

    def answer(body: dict[str, Any], number: int) -> Answer:
        prompt = body["messages"][0]["content"]
        asked.append(prompt)
        told = re.findall(r"answer is: (.*)\.", prompt)
        known = next(value for key, value in right.items() if key in prompt)
        return 200, {}, completion(told[0] if told else known, n=body.get("n", 1))

    found = json.loads(_demo(answer).stdout)
    assert found["poisoned"] == found["wrong"] == found["wrong_held_back"] == 6
    assert found["wrong_shipped"] == found["could_not_measure"] == 0
    assert len(asked) == 12  # each question once with its poisoned document and once without


def test_the_bench_command_prints_intervals_writes_a_plot_and_pays_once(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    docs = [{"text": "The capital is Canberra.", "poison": False},
            {"text": "The capital is Sydney.", "poison": True}]  # fmt: skip
    path.write_text(json.dumps({"question": ASK[1], "correct": ["Canberra"],
                                "wrong": ["Sydney"], "docs": docs}))  # fmt: skip
    with wire(follows) as server:
        arguments = ["bench", "dependence", "--model", "m", "--base-url", server.base_url,
                     "--items", str(path), "--cache", str(tmp_path / "c"),
                     "--plot", str(tmp_path / "p.svg")]  # fmt: skip
        first = CliRunner().invoke(cli, arguments)
        asked = len(server.seen)
        second = CliRunner().invoke(cli, [*arguments, "--json"])
        assert len(server.seen) == asked == 3
        refused = CliRunner().invoke(cli, [*arguments, "--max-calls", "3"])
    assert first.exit_code == 0, first.output
    assert "wrong with a poisoned one    1 of 1" in first.output
    assert json.loads(second.stdout)["gates"][0]["wrong_held_back"] == {"count": 1, "of": 1}
    assert (tmp_path / "p.svg").read_text().startswith("<svg")
    assert refused.exit_code == 2


def test_a_plan_and_a_replay_need_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "AZURE_OPENAI_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    asked = (*ASK, "--context", "The capital is Sydney.")
    kept = tmp_path / "calls.jsonl"
    with wire(follows) as server:
        first = run(server.base_url, *asked, "--record", str(kept), "--json")
    plain = ["gate", "--model", "m", *asked]
    again = CliRunner().invoke(cli, [*plain, "--replay", str(kept), "--json"])
    assert (again.exit_code, again.stdout) == (first.exit_code, first.stdout)
    assert json.loads(CliRunner().invoke(cli, [*plain, "--plan"]).stdout)["calls"] == 2


def test_a_key_named_on_the_command_line_is_the_one_that_is_sent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("THEIRS", "sk-theirs")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-openai")
    with wire(follows) as server:
        run(server.base_url, *ASK, "--context", "It is so.", "--api-key-env", "THEIRS")
    assert set(server.keys) == {"Bearer sk-theirs"}


def test_what_cannot_be_asked_is_refused_before_the_first_call(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.touch()
    many = [part for n in range(11) for part in ("--option", f"o{n}")]
    with wire(follows) as server:
        for arguments, told in (
            (("--context", "x", "--option", "only"), "options are needed"),
            (("--context", "x", *many, "--plan"), "options are needed"),
            (("--context", " "), "--context is empty"),
            (("--context", "x", "--record", str(taken / "x")), "cannot be written"),
        ):
            result = run(server.base_url, *ASK, *arguments)
            assert isinstance(result.exception, InputError)
            assert told in str(result.exception)
        bench = ["bench", "dependence", "--model", "m", "--base-url", server.base_url]
        result = CliRunner().invoke(cli, [*bench, "--plot", str(tmp_path / "no" / "x.svg")])
        assert "--plot" in str(result.exception)
    assert not server.seen


def test_a_transcript_that_cannot_be_written_any_more_is_a_fault(tmp_path: Path) -> None:
    kept = tmp_path / "calls.jsonl"

    def vanish(body: dict[str, Any], number: int) -> Answer:
        kept.unlink(missing_ok=True)
        kept.mkdir(exist_ok=True)
        return follows(body, number)

    with wire(vanish) as server:
        result = run(server.base_url, *ASK, "--context", "The capital is Sydney.",
                     "--record", str(kept))  # fmt: skip
    assert result.exit_code == 2
    assert "cannot be written" in result.stdout
