"""Judges, probe and consensus inside a check: planned first, bounded, and their word on record."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from tests.models.scripted import POISON, QUESTION, TRUE, everything

from firmground import Question, Result, check
from firmground.adapters.llm_judge import LlmJudge
from firmground.compat.pipeline import Pipeline
from firmground.compose import prompt as compose_prompt
from firmground.config.settings import load_settings
from firmground.consensus import ConsensusSettings, Peer
from firmground.core import prompt as core_prompt
from firmground.core.budget import Budget
from firmground.core.claim import Standing
from firmground.core.decision import Verdict
from firmground.core.finding import Agreement, Dependence, Fault, FaultKind
from firmground.core.ports import ModelReply, ModelRequest
from firmground.core.run import Stage
from firmground.engine.documents import prompts_in
from firmground.engine.model_checks import ModelChecks, model_checks
from firmground.errors import ConfigError, ModelError
from firmground.pipeline.serialize import models_lines
from firmground.preflight import check_role
from firmground.testing import FunctionModel


def checked(models: ModelChecks | None, *, answer: str = POISON, **more: Any) -> Result:
    evidence = more.pop("evidence", [answer])
    more.setdefault("question", QUESTION)
    return check(answer, evidence, judge="lexical", models=models, **more)


def rules(outcome: Result) -> set[str]:
    return {objection.rule for objection in outcome.decision.objections}


def verify_payload(outcome: Result) -> bytes:
    return next(node.payload for node in outcome.run.nodes if node.stage is Stage.VERIFY)


def test_without_models_the_poisoned_answer_stands_and_the_probe_holds_it_back() -> None:
    assert checked(None).verdict is Verdict.STANDS
    seen = checked(model_checks([("m", everything())], probe="answer"))
    assert "blind_dependence" in rules(seen)
    assert seen.verdict is Verdict.DOES_NOT_STAND
    assert isinstance(seen.findings.dependence, Dependence)
    assert (seen.findings.models[0].purpose, seen.findings.models[0].calls) == ("probe", 2)


def test_claims_are_probed_one_by_one_and_the_objection_names_the_claim() -> None:
    seen = checked(model_checks([("m", everything())], probe="claims"))
    (objection,) = [o for o in seen.decision.objections if o.rule == "blind_dependence"]
    assert objection.claims == (0,)
    found = seen.findings.dependence
    assert isinstance(found, Dependence)
    assert (found.mode, found.claims[0].believed_with) == ("claims", 1.0)
    both = checked(model_checks([("m", everything())], probe="both")).findings.dependence
    assert isinstance(both, Dependence)
    assert (both.mode, len(both.claims)) == ("free", 1)


def test_a_vouched_document_may_turn_the_model_claim_by_claim() -> None:
    vouched = [{"text": POISON, "trust": "vouched"}]
    seen = checked(model_checks([("m", everything())], probe="both"), evidence=vouched)
    assert "blind_dependence" not in rules(seen)


def test_other_families_that_contradict_the_answer_hold_it_back() -> None:
    peers = [("gemini-2", everything(label="CONTRADICTION")), ("gpt-5", everything())]
    seen = checked(model_checks(peers, consensus="full", generator="gpt-4o"))
    assert "disagreement" in rules(seen)
    found = seen.findings.agreement
    assert isinstance(found, Agreement)
    assert (found.disputed, found.families, found.same_family) == ((0,), ("google",), False)


def test_nobody_to_ask_is_declared_as_skipped_and_names_what_to_set() -> None:
    seen = checked(model_checks([], consensus="full"))
    assert isinstance(seen.findings.agreement, Fault)
    assert seen.findings.agreement.kind is FaultKind.SKIPPED
    assert "OPENAI_BASE_URL" in seen.findings.agreement.message
    assert seen.verdict is Verdict.COULD_NOT_TELL


def test_one_model_of_the_generators_family_is_said_to_be_self_consistency() -> None:
    seen = checked(model_checks([("gpt-5", everything())], consensus="light", generator="gpt-5"))
    found = seen.findings.agreement
    assert isinstance(found, Agreement)
    assert found.same_family
    assert seen.findings.models[0].kin == "generator"


def test_a_cross_check_that_is_not_needed_says_that_it_was_skipped() -> None:
    def fail(request: ModelRequest) -> str:
        raise AssertionError("asked")

    seen = checked(model_checks([("m", FunctionModel(function=fail))], consensus="risk"))
    assert seen.stands
    (used,) = seen.findings.models
    assert (used.calls, used.remarks[0][:7]) == (0, "skipped")


@pytest.mark.parametrize("wanted", [{"judge": True}, {"probe": "answer"}])
def test_no_model_is_an_error_that_names_what_to_set(wanted: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"--model .*OPENAI_BASE_URL.*\[\[models.use\]\]"):
        model_checks([], **wanted)


def test_a_judge_lowers_what_the_checks_found_and_cannot_raise_it() -> None:
    doubting = model_checks([("m", everything(grounded=False))], judge=True)
    lowered = checked(doubting)
    assert lowered.assessments[0].standing is Standing.UNGROUNDED
    glad = model_checks([("m", everything())], judge=True)
    unsupported = "The capital of Norway is Bergen."
    for models in (None, glad):
        seen = checked(models, answer=unsupported, evidence=["Bergen is a port."])
        assert not seen.assessments[0].standing.stands
    before = (
        checked(None, answer=unsupported, evidence=["Bergen is a port."]).assessments[0].standing
    )
    raising = model_checks(
        [("m", everything())], judge=True, may_raise=[(before, Standing.GROUNDED)]
    )
    raised = checked(raising, answer=unsupported, evidence=["Bergen is a port."])
    assert raised.assessments[0].standing is Standing.GROUNDED


def test_a_judge_that_cannot_be_asked_leaves_the_claim_open_unless_the_caller_says_otherwise() -> (
    None
):
    def gone(request: ModelRequest) -> str:
        raise ModelError("gone", kind="unreachable")

    models = [("m", FunctionModel(function=gone))]
    assert checked(model_checks(models, judge=True)).verdict is Verdict.COULD_NOT_TELL
    kept = checked(model_checks(models, judge=True, keep_when_silent=True))
    assert kept.stands


def test_a_judge_that_wrote_the_answer_is_said_so_and_strict_objects() -> None:
    models = model_checks([("gpt-5", everything())], judge=True, generator="gpt-5")
    seen = checked(models, policy="strict")
    assert "doubtful_judges" in rules(seen)
    assert seen.findings.models[0].kin == "generator"
    assert "gpt-5 judges its own answer" in seen.findings.models[0].remarks
    foreign = model_checks([("gpt-5", everything())], judge=True, generator="claude-9")
    assert "doubtful_judges" not in rules(checked(foreign, policy="strict"))


def test_judges_are_not_asked_about_what_cannot_fall() -> None:
    made: list[ModelRequest] = []
    models = model_checks([("m", everything(seen=made))], judge=True)
    seen = checked(models, answer="The capital of Norway is Bergen.", evidence=["Bananas."])
    assert not made
    assert seen.findings.models[0].remarks[0].startswith("not asked")


def test_a_model_that_breaks_is_a_fault_and_breaks_nothing_else() -> None:
    def broken(request: ModelRequest) -> str:
        raise ZeroDivisionError("a bug of its own")

    models = model_checks(
        [("m", FunctionModel(function=broken))], judge=True, probe="both", consensus="full"
    )
    seen = checked(models)
    assert seen.verdict is Verdict.COULD_NOT_TELL
    assert isinstance(seen.findings.dependence, Fault)
    assert seen.findings.dependence.kind is FaultKind.CRASHED


def test_two_peers_of_one_name_are_two_peers() -> None:
    first: list[ModelRequest] = []
    second: list[ModelRequest] = []
    peers = [("m", everything(seen=first)), ("m", everything(seen=second))]
    seen = checked(model_checks(peers, consensus="full"))
    assert first
    assert second
    assert sum(used.calls for used in seen.findings.models) == len(first) + len(second)


def test_several_judges_give_an_agreement_and_an_interval() -> None:
    judges = [("gpt-5", everything()), ("claude-9", everything(grounded=False))]
    seen = checked(model_checks(judges, judge=True), policy="strict")
    found = seen.findings.judging
    assert found is not None
    assert (found.judges, found.agreement) == (("gpt-5", "claude-9"), 0.0)
    assert found.interval[0] <= found.score <= found.interval[1]
    assert found.interval == (0.0, 1.0)
    assert "doubtful_judges" in rules(seen)
    assert seen.to_dict()["judging"]["interval"] == [0.0, 1.0]


def test_what_every_claim_cost_is_in_the_outcome() -> None:
    answer = f"{TRUE} The capital of Australia is Canberra, too."
    models = model_checks([("gpt-5", everything())], judge=True)
    used = checked(models, answer=answer, evidence=[TRUE]).to_dict()["models"][0]
    assert (used["calls"], used["tokens"], used["cost"]) == (1, 120, 0.01)
    assert [one["tokens"] for one in used["claims"]] == [60, 60]
    assert [one["cost"] for one in used["claims"]] == [0.005, 0.005]
    unpriced = model_checks([("gpt-5", everything(cost=None))], judge=True)
    assert checked(unpriced, answer=answer, evidence=[TRUE]).to_dict()["models"][0]["cost"] is None


def test_the_calls_are_told_before_the_first_is_made_and_hold() -> None:
    order: list[str] = []
    models = model_checks(
        [("a", everything(heard=lambda request: order.append("call")))],
        judge=True,
        probe="both",
        consensus="full",
        tell=lambda stage, message: order.append(f"{stage}: {message}"),
    )
    checked(models)
    assert [line.partition(":")[0] for line in order[:3]] == ["judge", "probe", "consensus"]
    assert order[0] == "judge: 2 calls planned, at most 3"
    most = sum(int(line.rpartition(" ")[2]) for line in order[:3])
    assert 0 < order.count("call") <= most


@pytest.mark.parametrize("most", range(12))
def test_a_budget_is_never_exceeded_and_what_it_left_out_is_not_fine(most: int) -> None:
    made: list[ModelRequest] = []
    models = model_checks(
        [("a", everything(seen=made))],
        judge=True, probe="both", consensus="full", max_calls=most,
    )  # fmt: skip
    seen = checked(models, evidence=[{"text": POISON, "trust": "vouched"}])
    assert len(made) <= most
    assert not seen.stands
    if most < 2:
        assert seen.verdict is Verdict.COULD_NOT_TELL


@pytest.mark.parametrize("most", [3, 11, 14, 20, 40, 80])
def test_a_budget_holds_where_every_sample_is_a_call_of_its_own(most: int) -> None:
    made: list[int] = []
    told: list[str] = []
    plain = everything()

    def singly(request: ModelRequest) -> ModelReply:
        made.append(request.samples)
        reply = plain.function(request)
        assert isinstance(reply, ModelReply)
        return replace(reply, calls=request.samples)

    models = model_checks(
        [("a", FunctionModel(function=singly))],
        judge=True, probe="both", consensus="full", max_calls=most,
        tell=lambda stage, message: told.append(message),
    )  # fmt: skip
    seen = checked(models, evidence=[{"text": POISON, "trust": "vouched"}])
    assert sum(made) <= most
    assert all(int(line.rpartition(" ")[2]) <= most for line in told)
    canary = 1
    assert sum(used.calls for used in seen.findings.models) + canary == sum(made)


def test_without_the_question_nothing_is_asked_and_that_is_said() -> None:
    made: list[ModelRequest] = []
    models = model_checks([("a", everything(seen=made))], probe="both", consensus="full")
    seen = checked(models, question=None)
    assert not made
    assert isinstance(seen.findings.dependence, Fault)
    assert isinstance(seen.findings.agreement, Fault)
    assert seen.verdict is Verdict.COULD_NOT_TELL


def test_the_same_check_has_the_same_root_whether_or_not_the_judge_was_heard_before() -> None:
    models = model_checks([("a", everything())], judge=True, probe="both", consensus="full")
    first, second = checked(models), checked(models)
    assert first.root == second.root
    dear = model_checks([("a", everything(cost=9.0))], judge=True, probe="both", consensus="full")
    assert checked(dear).root == first.root


def asked_everything() -> list[ModelRequest]:
    """One request of every kind the house sends."""
    made: list[ModelRequest] = []
    models = model_checks(
        [("gemini-2", everything(seen=made, label="CONTRADICTION"))],
        judge=True, probe="both", consensus="full", generator="gpt-5",
    )  # fmt: skip
    checked(models)
    checked(replace(models or ModelChecks(), tier="light"))
    pipeline = Pipeline(
        model=everything(seen=made),
        evidence=["Nothing of that kind."],
        judge="lexical",
        patch=False,
    )
    pipeline.ask(QUESTION)
    asyncio.run(check_role(Question(text="Do it.", role="cook"), model=everything(seen=made)))
    return made


def test_every_request_names_the_prompt_files_it_was_made_from() -> None:
    made = asked_everything()
    names = {name for request in made for name, _ in request.prompts}
    assert names >= {
        "judge.v1", "free.v1", "choice.v1", "claim.v1", "evidence.v1", "votes.v1", "light.v1",
        "correct.v1", "sample-plain.v1", "sample-steps.v1", "sample-facts.v1", "answer.v1",
        "rewrite.v1", "role.v1",
    }  # fmt: skip
    for request in made:
        assert request.prompts
        whole = " ".join(text for _, text in request.messages)
        first = request.prompts[0][0]
        assert any(piece in whole for piece in _pieces(first)), first


def _pieces(name: str) -> list[str]:
    homes = ("adapters/llm_judge", "probe", "consensus", "compose", "preflight")
    texts = [
        path.read_text(encoding="utf-8")
        for home in homes
        if (path := Path(str(files("firmground"))) / home / "prompts" / f"{name}.txt").is_file()
    ]
    return [max(re.split(r"\{\{\w+\}\}|\{mark\}", text), key=len).strip() for text in texts]


@pytest.fixture
def edited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Put another word into one prompt file, as an installation with changed prompts would."""

    def edit(package: str, name: str) -> None:
        home = tmp_path / package
        shutil.copytree(str(files(package) / "prompts"), home / "prompts")
        path = home / "prompts" / f"{name}.txt"
        path.write_text(path.read_text(encoding="utf-8") + "Please.\n", encoding="utf-8")
        for module in (core_prompt, compose_prompt):
            monkeypatch.setattr(
                module, "files", lambda asked: home if asked == package else files(asked)
            )
        core_prompt.load_prompt.cache_clear()
        compose_prompt.template.cache_clear()

    yield edit
    core_prompt.load_prompt.cache_clear()
    compose_prompt.template.cache_clear()


@pytest.mark.parametrize(
    ("package", "name"),
    [
        ("firmground.adapters.llm_judge", "judge.v1"),
        ("firmground.probe", "free.v1"),
        ("firmground.probe", "claim.v1"),
        ("firmground.consensus", "votes.v1"),
    ],
)
def test_a_changed_prompt_file_changes_the_hash_in_the_run_and_the_root(
    package: str, name: str, edited: Any
) -> None:
    def run() -> Result:
        models = model_checks([("a", everything())], judge=True, probe="both", consensus="full")
        return checked(models)

    before = run()
    recorded = dict(prompts_in(verify_payload(before)))
    assert recorded[name] == core_prompt.load_prompt(package, name).digest
    edited(package, name)
    after = run()
    changed = dict(prompts_in(verify_payload(after)))
    assert changed[name] != recorded[name]
    assert {k: v for k, v in changed.items() if k != name} == {
        k: v for k, v in recorded.items() if k != name
    }
    assert after.root != before.root


def test_a_changed_answer_prompt_changes_the_prompt_stage_and_the_root(edited: Any) -> None:
    def run() -> Any:
        return Pipeline(model=everything(), evidence=[TRUE], judge="lexical").ask(QUESTION)

    def recorded(asked: Any) -> str:
        payload = next(n.payload for n in asked.run.nodes if n.stage is Stage.PROMPT)
        return dict(prompts_in(payload))["answer.v1"]

    before = run()
    edited("firmground.compose", "answer.v1")
    after = run()
    assert recorded(before) != recorded(after)
    assert before.root != after.root


def test_a_question_is_probed_and_cross_checked_on_its_way_and_the_budget_counts_it() -> None:
    models = model_checks(
        [("gpt-5", everything()), ("gemini-2", everything())],
        judge=True, probe="answer", consensus="full", generator="gpt-5",
    )  # fmt: skip
    asked = Pipeline(
        model=everything(), evidence=[TRUE], judge="lexical", models=models,
        budget=Budget(model_calls=30),
    ).ask(QUESTION)  # fmt: skip
    assert asked.stands
    used = {one.purpose: one for one in asked.findings.models}
    assert used["judge"].model == "gemini-2"
    assert used["probe"].kin == "generator"
    assert asked.findings.spent.model_calls == 1 + sum(m.calls for m in asked.findings.models)
    tight = Pipeline(
        model=everything(), evidence=[TRUE], judge="lexical", models=models,
        budget=Budget(model_calls=2),
    ).ask(QUESTION)  # fmt: skip
    assert not tight.stands
    assert tight.findings.spent.model_calls <= 2


def test_settings_say_what_is_asked_of_whom(tmp_path: Path) -> None:
    path = tmp_path / "firmground.toml"
    path.write_text(
        '[models]\ngenerator = "gpt-5"\nmax_calls = 9\n[[models.use]]\nname = "m"\n'
        'base_url = "http://127.0.0.1:1/v1"\napi_key_env = "K"\nprice_in = 1\nprice_out = 2.5\n'
        '[models.judge]\nmay_raise = ["ungrounded > grounded"]\nwhen_silent = "keep"\n'
        '[models.probe]\nwatch = "both"\nsamples = 7\n[models.consensus]\ntier = "light"\n'
    )
    found = load_settings(path).models
    assert found is not None
    assert (found.judge, found.probe, found.consensus) == (True, "both", "light")
    assert found.may_raise == ((Standing.UNGROUNDED, Standing.GROUNDED),)
    assert (found.keep_when_silent, found.profile.samples, found.max_calls) == (True, 7, 9)
    assert found.use[0].price_out == 2.5
    path.write_text("[models]\n")
    empty = load_settings(path).models
    assert empty is not None
    assert (empty.judge, empty.probe, empty.consensus) == (False, None, None)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[models.judge]\nmay_raise = ['up']\n", "line 2: models.judge.may_raise"),
        ("[models.judge]\nwhen_silent = 'maybe'\n", "models.judge.when_silent"),
        ("[models.probe]\nwatch = 'all'\n", "line 2: models.probe.watch"),
        ("[models.probe]\nsamples = 0\n", "samples must be at least 1"),
        ("[models.consensus]\ntier = 'none'\n", "models.consensus.tier"),
        ("[models]\nmax_calls = -1\n", "models.max_calls"),
        ("[[models.use]]\nbase_url = 'x'\n", "name: is missing"),
        ("[[models.use]]\nname = 'm'\napi_key = 'secret'\n", "api_key: unknown key"),
        ("[[models.use]]\nname = 'm'\nprice_in = 1.0\n", "price_out"),
    ],
)
def test_a_mistake_in_the_settings_names_its_key(text: str, named: str, tmp_path: Path) -> None:
    path = tmp_path / "firmground.toml"
    path.write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_settings(path)
    assert named in str(caught.value)
    assert "firmground.toml" in str(caught.value)


def test_a_judge_is_heard_again_when_the_canary_could_not_be_asked() -> None:
    calls = 0

    def once_busy(request: ModelRequest) -> Any:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise ModelError("busy", kind="limit")
        return everything().function(request)

    models = ModelChecks(judges=(LlmJudge(FunctionModel(function=once_busy), name="j"),))
    assert checked(models).verdict is Verdict.COULD_NOT_TELL
    assert calls == 1
    assert checked(models).stands


def test_what_consensus_would_repair_is_shown() -> None:
    models = ModelChecks(
        peers=(Peer(name="gemini-2", model=_repairs()),),
        tier="full",
        consensus=ConsensusSettings(samples=1),
        generator="gpt-5",
    )
    outcome = checked(models)
    seen = outcome.findings.agreement
    assert isinstance(seen, Agreement)
    assert [one.accepted for one in seen.corrections] == [True]
    assert "Canberra" in (outcome.corrected or "")
    assert any("correction accepted" in line for line in models_lines(outcome.findings))


def _repairs() -> FunctionModel:
    def reply(request: ModelRequest) -> str:
        prompt = request.messages[-1][1]
        if "choose one label" in prompt:
            statements = prompt.partition("[B1 ")[2]
            label = "CONTRADICTION" if "Sydney" in statements else "ACCURATE"
            return json.dumps({"labels": [{"id": "B1", "label": label, "reason": "r"}]})
        if '"replacement"' in prompt:
            return json.dumps({"replacement": TRUE})
        return TRUE

    return FunctionModel(function=reply)


def test_what_is_wanted_of_models_is_one_of_what_there_is() -> None:
    assert model_checks([], judge=False) is None
    with pytest.raises(ConfigError, match="probe: 'everything' is unknown"):
        ModelChecks(watch="everything")
    with pytest.raises(ConfigError, match="consensus: 'huge' is unknown"):
        ModelChecks(tier="huge")
