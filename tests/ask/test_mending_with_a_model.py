"""The model repairs flagged pieces; what it cannot repair is patched, written anew, or withheld."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from firmground.compat.pipeline import Pipeline
from firmground.compose import answer_prompts, template
from firmground.core.budget import Budget
from firmground.core.ports import ModelReply, ModelRequest
from firmground.core.run import Run, Stage
from firmground.errors import InputError, ModelError
from firmground.pipeline.ask_result import AskResult
from firmground.pipeline.request import LONGEST_ANSWER
from firmground.testing import FunctionModel

SOURCE = (
    "Northwind Ltd reported revenue of 24 million euros in 2023. "
    "The company employs 310 people in Bergen. The firm was founded by Kari Lund in 1998."
)
GOOD = "Northwind Ltd reported revenue of 24 million euros in 2023."
ALSO_GOOD = "The company employs 310 people in Bergen."
INVENTED = "Its cafeteria won a prize for vegan soups."
RIGHT = "The firm was founded by Kari Lund in 1998."
ANSWER = f"{GOOD} {INVENTED} {ALSO_GOOD}"
QUESTION = "What is known about Northwind Ltd and its people?"


def spans(request: ModelRequest) -> bool:
    return request.prompts[0][0] == "spans.v1"


def run(reply: str, *, whole: str = ANSWER, seen: list[ModelRequest] | None = None,
        **more: Any) -> AskResult:  # fmt: skip
    kept = [] if seen is None else seen

    def model(request: ModelRequest) -> str:
        kept.append(request)
        if spans(request):
            return reply
        return ANSWER if len(kept) == 1 else whole

    pipeline = Pipeline(
        model=FunctionModel(function=model), evidence=SOURCE, judge="lexical", **more
    )
    return pipeline.ask(QUESTION)


def made(asked: AskResult, attempt: int) -> dict[str, object]:
    payload = asked.run.payloads(Stage.PROMPT)[attempt]
    return json.loads(payload)["made"]  # type: ignore[no-any-return]


def test_only_the_flagged_piece_is_replaced_and_the_call_is_on_record() -> None:
    seen: list[ModelRequest] = []
    asked = run(json.dumps({"spans": [{"n": 1, "text": RIGHT}]}), seen=seen)
    assert asked.answer == f"{GOOD} {RIGHT} {ALSO_GOOD}"
    assert asked.repaired_by_model
    assert asked.findings.spent.model_calls == 2
    how = made(asked, 1)
    assert how["by"] == "spans"
    assert how["prompts"] == [["spans.v1", template("spans.v1").digest]]
    assert INVENTED in seen[1].messages[1][1]
    assert "objections" in seen[1].messages[1][1]


@pytest.mark.parametrize("reply", ["I cannot do that.", '{"spans": [{"n": 9, "text": "x"}]}', ""])
def test_a_reply_that_cannot_be_read_falls_back_to_patching_and_says_so(reply: str) -> None:
    asked = run(reply)
    assert made(asked, 1)["by"] == "patch"
    assert "in_vain" in made(asked, 1)
    assert GOOD in asked.trajectory.tries[1].draft.answer  # type: ignore[union-attr]
    assert asked.findings.spent.model_calls == 2


def test_without_patching_a_reply_that_cannot_be_read_has_the_whole_written_anew() -> None:
    asked = run("no", whole=f"{GOOD} {ALSO_GOOD}", patch=False)
    assert asked.answer == f"{GOOD} {ALSO_GOOD}"
    assert "in_vain" in made(asked, 1)
    assert asked.findings.spent.model_calls == 3


def test_nothing_more_is_asked_when_the_unreadable_reply_was_the_last_call_allowed() -> None:
    seen: list[ModelRequest] = []
    asked = run("no", seen=seen, patch=False, budget=Budget(model_calls=2))
    assert len(seen) == 2
    assert asked.answer is None
    assert made(asked, 1)["by"] == "nobody"
    assert "model_calls" in asked.findings.spent.exhausted


def test_a_revision_that_stands_no_better_is_not_taken_further() -> None:
    worse = "Its cafeteria was founded by Ola Nordmann in 1850 and won 77 prizes."
    seen: list[ModelRequest] = []
    asked = run(json.dumps({"1": worse}), seen=seen, patch=False, whole=f"{GOOD} {ALSO_GOOD}")
    assert asked.answer == f"{GOOD} {ALSO_GOOD}"
    assert INVENTED in seen[2].messages[1][1], "the next try must repair the better answer"
    assert worse not in seen[2].messages[1][1]


def test_a_model_that_fails_on_the_pieces_leaves_patching() -> None:
    calls: list[ModelRequest] = []

    def model(request: ModelRequest) -> str:
        calls.append(request)
        if len(calls) > 1:
            raise ModelError("connection refused")
        return ANSWER

    pipeline = Pipeline(model=FunctionModel(function=model), evidence=SOURCE, judge="lexical")
    asked = pipeline.ask(QUESTION)
    assert made(asked, 1)["by"] == "patch"
    assert "connection refused" in json.dumps(made(asked, 1)["in_vain"])


def test_a_whole_rewrite_can_be_asked_for_instead() -> None:
    seen: list[ModelRequest] = []
    run("no", whole=f"{GOOD} {ALSO_GOOD}", seen=seen, patch=False, spans=False)
    assert not any(map(spans, seen))


def test_the_prompt_about_pieces_is_part_of_what_a_calibration_is_bound_to() -> None:
    assert len(answer_prompts()) == 64
    assert template("spans.v1").digest != template("rewrite.v1").digest


@pytest.mark.parametrize("name", ["model_calls", "tokens", "seconds"])
def test_a_budget_of_nothing_asks_nothing(name: str) -> None:
    seen: list[ModelRequest] = []
    asked = run("no", seen=seen, budget=Budget(**{name: 0}))
    assert seen == []
    assert asked.answer is None
    assert asked.findings.spent.exhausted == (name,)
    assert asked.findings.spent.model_calls == 0
    assert "budget_spent" in {o.rule for o in asked.decision.objections}


@pytest.mark.parametrize("wrong", [-1, True, "5", None, 1.5, float("nan"), float("inf")])
def test_a_budget_that_is_no_count_is_refused(wrong: object) -> None:
    with pytest.raises(InputError, match=r"budget\.regenerations"):
        Budget(regenerations=wrong)  # type: ignore[arg-type]


def test_an_endless_answer_is_the_models_failure_and_not_a_crash() -> None:
    endless = FunctionModel(function=lambda request: "x " * (LONGEST_ANSWER // 2 + 1))
    asked = Pipeline(model=endless, evidence=SOURCE, judge="lexical").ask(QUESTION)
    assert asked.answer is None
    assert "faults" in {o.rule for o in asked.decision.objections}


@pytest.mark.parametrize("at", range(1, 7))
def test_cancelled_at_any_call_it_leaves_one_record(
    at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: list[Run] = []
    steps = iter(range(1, 100))

    class Slow:
        async def complete(self, request: ModelRequest) -> ModelReply:
            for _ in range(2):
                if next(steps) == at:
                    task = asyncio.current_task()
                    assert task is not None
                    task.cancel()
                await asyncio.sleep(0)
            text = json.dumps({"1": "Bad thing 99."}) if spans(request) else ANSWER
            return ModelReply(texts=(text,), model="m")

    pipeline = Pipeline(model=Slow(), evidence=SOURCE, judge="lexical", patch=False)
    monkeypatch.setattr(pipeline.engine, "_keep_cut_off", kept.append)
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(pipeline.aask(QUESTION))
    assert len(kept) == 1


def test_loops_that_share_a_pipeline_do_not_share_what_was_tried() -> None:
    class Two:
        async def complete(self, request: ModelRequest) -> ModelReply:
            await asyncio.sleep(0)
            one = request.messages[1][1].endswith("one?")
            text = json.dumps({"1": RIGHT if one else "drop"}) if spans(request) else ANSWER
            return ModelReply(texts=(text,), model="m")

    async def all_at_once() -> list[AskResult]:
        pipeline = Pipeline(model=Two(), evidence=SOURCE, judge="lexical")
        words = ["one", "two"] * 4
        return await asyncio.gather(
            *(pipeline.aask(f"What is known about Northwind Ltd, {word}?") for word in words)
        )

    for number, asked in enumerate(asyncio.run(all_at_once())):
        middle = "" if number % 2 else f"{RIGHT} "
        assert asked.answer == f"{GOOD} {middle}{ALSO_GOOD}"
        assert asked.findings.spent.model_calls == 2
