"""Claim-lattice answering from a question on, and what every record says about how it came about."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.models.wire_server import Answer, completion, wire

from firmground import AskOptions, AskResult, Budget, Engine, Ruling, check
from firmground.cli.main import cli
from firmground.core.escalation import Choice
from firmground.core.ports import ModelRequest
from firmground.core.run import Run, Stage
from firmground.errors import InputError
from firmground.testing import FunctionModel

SOURCES = ["The tower was built in 1889.", "The tower is 330 metres high."]
POINTING = "The tower was built in 1889. [E1]\nThe tower is 330 metres high. [E2]"
AS_JSON = json.dumps(
    {"claims": [{"claim": "The tower was built in 1889.", "evidence_ids": ["E1"]},
                {"claim": "The tower is 330 metres high.", "evidence_ids": ["E2"]}]}
)  # fmt: skip
QUESTION = "When was the tower built, and how high is it?"
LATTICE = [
    "question", "preflight", "retrieval", "evidence_map", "prompt", "raw_answer",
    "parsed_claims", "verify", "render", "final_label",
]  # fmt: skip


def payload(run: Run, stage: Stage) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run.payloads(stage)[-1])
    return found


def asked(
    *replies: str, mode: str, seen: list[ModelRequest] | None = None, **given: Any
) -> AskResult:
    said: Iterator[str] = iter(replies)
    last = replies[-1]

    def answer(request: ModelRequest) -> str:
        if seen is not None:
            seen.append(request)
        return next(said, last)

    with Engine(judge="lexical", model=FunctionModel(function=answer), **given) as engine:
        return engine.ask(QUESTION, SOURCES, options=AskOptions(mode=mode))


@pytest.mark.parametrize(("mode", "reply"), [("pointer", POINTING), ("json", AS_JSON)])
def test_a_question_answered_by_pointers_stands_and_has_ten_stages(mode: str, reply: str) -> None:
    seen: list[ModelRequest] = []
    made = asked(reply, mode=mode, seen=seen)
    assert made.stands, made
    assert [str(node.stage) for node in made.run.nodes] == LATTICE
    system, user = seen[0].messages[0][1], seen[0].messages[1][1]
    assert "[E1]" in system or '"E1"' in system
    assert "E1" in user
    assert "E2" in user
    assert [name for name, _ in seen[0].prompts] == [f"lattice-{mode}.v1"]
    clauses = payload(made.run, Stage.PREFLIGHT)["clauses"]
    assert clauses["policy_refs"]["answer_mode"] == (
        "claim_lattice_pointer" if mode == "pointer" else "claim_lattice"
    )
    assert clauses["evidence_contract"] == {
        "max_evidence_ids_exposed": 8,
        "one_claim_per_line": True,
    }
    assert clauses["answer_contract"]["evidence_pointer_required"] is True


def test_a_question_answered_without_preflight_by_pointers_has_nine_stages() -> None:
    model = FunctionModel(function=lambda request: POINTING)
    with Engine(judge="lexical", model=model) as engine:
        made = engine.ask(QUESTION, SOURCES, preflight=False, options=AskOptions(mode="pointer"))
    assert [str(node.stage) for node in made.run.nodes] == [s for s in LATTICE if s != "preflight"]


def test_a_line_without_a_pointer_or_with_one_to_nothing_does_not_stand() -> None:
    for reply in ("The tower was built in 1889. [E7]", "The tower was built in 1912. [E1]"):
        assert not asked(reply, mode="pointer", budget=Budget(regenerations=0)).stands


def test_a_lattice_answer_is_not_patched_and_written_anew_at_most_once() -> None:
    seen: list[ModelRequest] = []
    wrong = "The tower was built in 1912. [E1]"
    made = asked(wrong, mode="pointer", seen=seen, budget=Budget(regenerations=5))
    assert len(seen) == 2
    assert made.findings.spent.regenerations == 1
    assert not made.repaired
    assert "1912" in seen[1].messages[1][1], "the second prompt shows the answer and the objections"


def test_the_second_wording_is_recorded_with_all_its_stages() -> None:
    made = asked("The tower was built in 1912. [E1]", POINTING, mode="pointer")
    assert made.stands
    assert len(made.run.payloads(Stage.RAW_ANSWER)) == 2
    assert len(made.run.payloads(Stage.RENDER)) == 2


def test_the_record_has_audit_mode_method_statuses_label_answer_mode_and_lookup_path() -> None:
    made = asked(POINTING, mode="pointer")
    audit = payload(made.run, Stage.VERIFY)["audit"]
    assert (audit["mode"], audit["method"]) == ("STRICT", "claim_lattice_pointer")
    assert audit["statuses"] == ["EVIDENCE_LINKED", "EVIDENCE_LINKED"]
    assert (audit["units"], audit["verified"]) == (2, 2)
    label = payload(made.run, Stage.FINAL_LABEL)
    assert (label["lookup_path"], label["answer_mode"]) == ("computed", "claim_lattice_pointer")


@pytest.mark.parametrize(
    ("answer", "mode", "statuses"),
    [
        ("The tower was built in 1889.", "STRICT", ["grounded"]),
        ("The tower was built in 1889. It was painted by Ada Lovelace.", "HYBRID",
         ["grounded", "ungrounded"]),
        ("It was painted by Ada Lovelace in Oslo.", "UNGROUNDED", ["ungrounded"]),
    ],
)  # fmt: skip
def test_the_record_of_a_check_has_audit_mode_and_a_status_for_each_claim(
    answer: str, mode: str, statuses: list[str]
) -> None:
    run = check(answer, SOURCES, judge="lexical").run
    audit = payload(run, Stage.VERIFY)["audit"]
    assert (audit["mode"], audit["method"], audit["statuses"]) == (mode, "standing", statuses)
    label = payload(run, Stage.FINAL_LABEL)
    assert (label["lookup_path"], label["answer_mode"]) == ("given", "quote")


def test_the_record_says_which_evidence_was_shown_to_the_model() -> None:
    made = asked(POINTING, mode="prose")
    exposed = payload(made.run, Stage.PROMPT)["exposed"]
    best = made.best
    assert best is not None
    listed = payload(made.run, Stage.RETRIEVAL)["evidence"]
    assert exposed["evidence"] == [piece["id"] for piece in listed]
    assert len(listed) == len(best.draft.evidence) == 2
    assert exposed["characters"] == sum(len(piece.text) for piece in best.draft.evidence)


def test_a_rejected_question_says_that_it_went_no_further_than_preflight() -> None:
    from firmground.config.settings import Settings
    from firmground.preflight import PreflightSettings

    settings = Settings(judge="lexical", preflight=PreflightSettings(reject_broad=True))
    model = FunctionModel(function=lambda request: "x")
    with Engine(settings, model=model) as engine:
        made = engine.ask("List every river of the whole world.", SOURCES)
    assert len(made.run.nodes) == 3
    assert payload(made.run, Stage.FINAL_LABEL)["lookup_path"] == "preflight"


def test_a_waiting_case_is_read_back_from_a_lattice_run_and_from_a_second_wording(
    tmp_path: Path,
) -> None:
    for mode, reply in (("pointer", "The tower was built in 1912. [E1]"),
                        ("prose", "The tower was built in 1912 by Ada Lovelace.")):  # fmt: skip
        log = tmp_path / f"{mode}.sqlite"
        from dataclasses import replace

        from firmground.decide import BALANCED

        policy = replace(BALANCED, escalate=("contradiction", "budget_spent"))
        made = asked(
            f"{reply}\nIt is in Oslo. [E2]", reply, mode=mode, ledger=log, policy=policy,
            budget=Budget(regenerations=1),
        )  # fmt: skip
        assert made.escalation is not None
        assert made.run_id is not None
        with Engine(judge="lexical", ledger=log, policy=policy) as engine:
            settled = engine.resume(made.run_id, Ruling(choice=Choice.SKIP, by="Ada"))
        best = made.best
        assert best is not None
        assert settled.answer == best.draft.answer


def test_an_unknown_mode_is_refused() -> None:
    with pytest.raises(InputError, match="mode"):
        asked(POINTING, mode="poitner")


def test_the_command_answers_by_pointers_and_keeps_ten_stages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "log.sqlite"

    def answer(body: dict[str, Any], number: int) -> Answer:
        return 200, {}, completion(POINTING)

    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with wire(answer) as server:
        run = CliRunner().invoke(
            cli,
            ["ask", QUESTION, "-e", SOURCES[0], "-e", SOURCES[1], "--mode", "pointer",
             "--judge", "lexical", "--model", f"local={server.base_url}", "--ledger", str(log), "--json"],
        )  # fmt: skip
    assert run.exit_code == 0, run.output
    told = json.loads(run.stdout)
    assert (told["lookup_path"], told["mode"]) == ("computed", "pointer")
    shown = CliRunner().invoke(
        cli, ["runs", "show", told["receipt"]["run_id"], "--ledger", str(log)]
    )
    assert "parsed_claims" in shown.output
    assert "STRICT by claim_lattice_pointer, 2 of 2" in shown.output
    assert "computed" in shown.output


@pytest.mark.parametrize("mode", ["pointer", "json"])
def test_a_claim_that_names_no_evidence_does_not_stand_where_pointers_are_required(
    mode: str,
) -> None:
    bare = {"pointer": SOURCES[0], "json": json.dumps({"claims": [{"claim": SOURCES[0]}]})}[mode]
    made = asked(bare, mode=mode, budget=Budget(regenerations=0))
    assert payload(made.run, Stage.PREFLIGHT)["clauses"]["answer_contract"][
        "evidence_pointer_required"
    ]
    assert not made.stands, made
    assert made.claims[0].code == "pointer_missing"
    assert payload(made.run, Stage.VERIFY)["audit"]["mode"] == "UNGROUNDED"
    assert not check(bare, SOURCES, mode=mode, judge="lexical").stands
