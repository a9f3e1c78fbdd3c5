"""Hooks and preflight stand on the way of every answer, and in its record."""

from __future__ import annotations

import json
from collections.abc import Callable

from firmground.adapters.hooks.arithmetic import ArithmeticHook
from firmground.compat.pipeline import Pipeline
from firmground.core.claim import EvidenceType, Standing
from firmground.core.decision import Step
from firmground.core.finding import Fault, FaultKind, HookReply
from firmground.core.ports import HookCase, ModelRequest
from firmground.core.run import Shape, Stage
from firmground.engine.functions import check
from firmground.hooks import HookEngine, Phase, Registered, reply_evidence
from firmground.preflight import PreflightSettings
from firmground.testing import FunctionHook, FunctionModel

SOURCE = "The tower is 324 m tall. It was built in 1889."
ANSWER = "The tower is 324 m tall."
QUESTION = "How tall is the tower?"
Reply = HookReply | Fault


def engine(function: Callable[[HookCase], Reply], phase: Phase = Phase.AFTER) -> HookEngine:
    hook = FunctionHook(name="world", function=function)
    return HookEngine([Registered(hook=hook, phase=phase, inline=True)])


def yes(_: HookCase) -> Reply:
    return HookReply(source="world", passed=True, message="so it is")


def no(_: HookCase) -> Reply:
    return HookReply(source="world", passed=False, message="no", guidance="Say it was measured.")


def down(_: HookCase) -> Reply:
    return Fault(source="world", kind=FaultKind.UNREACHABLE, message="nobody there")


def model(*answers: str, seen: list[ModelRequest] | None = None) -> FunctionModel:
    left = list(answers)

    def reply(request: ModelRequest) -> str:
        if seen is not None:
            seen.append(request)
        return left.pop(0) if len(left) > 1 else left[0]

    return FunctionModel(function=reply)


def test_a_hook_that_says_yes_lets_the_answer_out() -> None:
    assert check(ANSWER, SOURCE, hooks=engine(yes)).decision.step is Step.PROCEED


def test_a_hook_that_says_no_objects() -> None:
    outcome = check(ANSWER, SOURCE, hooks=engine(no))
    assert [o.rule for o in outcome.decision.objections] == ["hooks"]
    assert outcome.decision.step is Step.REGENERATE


def test_a_hook_nobody_could_reach_is_not_a_hook_that_passed() -> None:
    outcome = check(ANSWER, SOURCE, hooks=engine(down))
    assert outcome.decision.step is Step.ABSTAIN
    assert outcome.decision.objections[0].could_not_check


def test_what_a_hook_said_stands_in_the_record_with_both_digests() -> None:
    outcome = check(ANSWER, SOURCE, hooks=engine(yes))
    (payload,) = outcome.run.payloads(Stage.VERIFY)
    (reply,) = json.loads(payload)["findings"]["hooks"]
    assert (reply["source"], reply["passed"]) == ("world", True)
    assert len(reply["asked"]) == len(reply["replied"]) == 64
    other = check(ANSWER, SOURCE, hooks=engine(no))
    assert other.run.content_root != outcome.run.content_root


def test_guidance_reaches_the_next_attempt() -> None:
    seen: list[ModelRequest] = []
    pipeline = Pipeline(
        model=model(ANSWER, seen=seen), evidence=SOURCE, hooks=engine(no), patch=False
    )
    pipeline.ask(QUESTION)
    assert len(seen) > 1
    assert "Say it was measured." in seen[1].messages[-1][1]


def test_a_hook_before_the_answer_holds_the_model_back() -> None:
    seen: list[ModelRequest] = []
    for function in (no, down):
        pipeline = Pipeline(
            model=model(ANSWER, seen=seen), evidence=SOURCE, hooks=engine(function, Phase.BEFORE)
        )
        asked = pipeline.ask(QUESTION)
        assert asked.answer is None
        assert [o.rule for o in asked.decision.objections] == ["hooks"]
        assert b"a hook objected" in asked.run.payloads(Stage.FINAL_LABEL)[0]
    assert seen == []


def test_a_hook_before_the_answer_that_says_yes_is_kept_among_the_findings() -> None:
    hooks = engine(yes, Phase.BOTH)
    asked = Pipeline(model=model(ANSWER), evidence=SOURCE, hooks=hooks).ask(QUESTION)
    assert asked.answer == ANSWER
    assert [h.source for h in asked.findings.hooks] == ["world", "world"]


def test_a_reply_can_ground_a_claim_as_a_tool_match() -> None:
    verdict = HookReply(source="world", passed=True, message="The tower is 324 m tall.")
    outcome = check(ANSWER, [reply_evidence(verdict)])
    (assessed,) = outcome.findings.assessments
    assert (assessed.standing, assessed.evidence_type) == (
        Standing.GROUNDED,
        EvidenceType.TOOL_MATCH,
    )
    piece = reply_evidence(verdict)
    assert assessed.evidence
    for span in assessed.evidence:
        assert span.evidence_id == piece.id
        assert piece.text[span.start : span.end] in verdict.message
    assert outcome.decision.step is Step.PROCEED


def test_a_wrong_sum_in_an_answer_does_not_go_out() -> None:
    source = "The tower is 300 m tall. The antenna is 24 m tall."
    hooks = HookEngine([Registered(hook=ArithmeticHook(), inline=True)])
    outcome = check("The tower is 300 m tall: 300 + 24 = 325.", source, hooks=hooks)
    assert "hooks" in {o.rule for o in outcome.decision.objections}


def test_a_broad_question_is_rejected_before_any_model_call_and_recorded() -> None:
    seen: list[ModelRequest] = []
    pipeline = Pipeline(
        model=model(ANSWER, seen=seen),
        evidence=SOURCE,
        preflight=PreflightSettings(reject_broad=True),
    )
    asked = pipeline.ask("List all towers")
    assert asked.answer is None
    assert seen == []
    assert asked.run.shape is Shape.REJECT
    assert len(asked.run.nodes) == 3
    (payload,) = asked.run.payloads(Stage.PREFLIGHT)
    clauses = json.loads(payload)["clauses"]
    assert clauses["answer_contract"]["reject_broad_active"] is True
    assert clauses["classifier"]["intensity"] == "ALL"
    assert len(clauses["policy_refs"]["governance_policy_hash"]) == 64


def test_another_preflight_policy_is_another_run() -> None:
    def root(settings: PreflightSettings) -> str:
        pipeline = Pipeline(model=model(ANSWER), evidence=SOURCE, preflight=settings)
        return pipeline.ask(QUESTION).run.content_root

    assert root(PreflightSettings()) == root(PreflightSettings())
    assert root(PreflightSettings()) != root(PreflightSettings(reject_broad=True))
