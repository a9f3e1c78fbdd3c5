"""What a policy leaves to a person is put to one, and never skipped in silence."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from pathlib import Path

import pytest

from firmground.adapters.sqlite import SqliteStore
from firmground.compat.pipeline import Pipeline
from firmground.core.budget import Budget
from firmground.core.decision import Step
from firmground.core.decision import Verdict as Judged
from firmground.core.escalation import Choice, Escalation, Ruling
from firmground.core.finding import Fault, HookReply
from firmground.core.ports import HookCase, ModelRequest
from firmground.core.run import AttemptReason, Stage
from firmground.decide import BALANCED, Policy
from firmground.engine.rejudging import open_log, rejudge
from firmground.errors import InputError, ModelError
from firmground.hooks import HookEngine, Registered
from firmground.ledger.ledger import Ledger
from firmground.testing import FunctionHook, FunctionModel

SOURCE = "Northwind Ltd reported revenue of 24 million euros in 2023."
QUESTION = "What was the revenue of Northwind?"
TRUE = "Northwind Ltd reported revenue of 24 million euros in 2023."
FALSE = "Northwind Ltd reported revenue of 42 million euros in 2023."


def person(*rulings: Ruling | None) -> tuple[list[Escalation], object]:
    """Somebody who rules in this order, and what was put to them."""
    seen: list[Escalation] = []
    left = list(rulings)

    def ruled(case: Escalation) -> Ruling | None:
        seen.append(case)
        return left.pop(0)

    return seen, ruled


def doubting(*, until: int = 99) -> HookEngine:
    """A hook that says no so many times."""
    asked = [0]

    def reply(case: HookCase) -> HookReply | Fault:
        asked[0] += 1
        return HookReply(
            source="books", passed=asked[0] > until, message="not booked", guidance="name the year"
        )

    return HookEngine([Registered(hook=FunctionHook(name="books", function=reply), inline=True)])


def pipeline(answer: str = TRUE, **more: object) -> Pipeline:
    options: dict[str, object] = {
        "model": FunctionModel(function=lambda request: answer),
        "evidence": SOURCE,
        "hooks": doubting(),
        "patch": False,
        "budget": Budget(regenerations=1, replans=0),
    }
    return Pipeline(**{**options, **more})  # type: ignore[arg-type]


def test_without_anybody_to_ask_the_case_stays_open_and_says_why() -> None:
    asked = pipeline().ask(QUESTION)
    assert asked.escalation is not None
    assert asked.answer is None
    assert asked.label == "escalate"
    assert asked.verdict is Judged.COULD_NOT_TELL
    assert asked.escalation.reasons[0].rule == "hooks"
    assert "not booked" in asked.escalation.reasons[0].reason
    assert json.loads(asked.run.payloads(Stage.FINAL_LABEL)[0])["escalated"][0]["ruling"] is None


def test_nobody_is_bothered_with_an_answer_that_stands_or_that_no_person_need_judge() -> None:
    def never(case: Escalation) -> Ruling:
        raise AssertionError("nobody may be asked")

    assert pipeline(hooks=None, escalate=never).ask(QUESTION).stands
    fallen = pipeline(FALSE, hooks=None, escalate=never).ask(QUESTION)
    assert fallen.verdict is Judged.DOES_NOT_STAND
    assert fallen.escalation is None


def test_a_retry_is_one_more_attempt_beyond_the_count_of_attempts() -> None:
    seen, ruled = person(Ruling(choice=Choice.RETRY))
    asked = pipeline(hooks=doubting(until=2), escalate=ruled).ask(QUESTION)
    assert asked.stands
    assert asked.answer == TRUE
    assert len(seen) == 1
    assert seen[0].attempts == 2
    assert asked.run.attempts == (
        AttemptReason.FIRST,
        AttemptReason.REGENERATE,
        AttemptReason.REGENERATE,
    )


def test_a_retry_is_bound_by_calls_and_the_choice_is_then_not_offered() -> None:
    seen, ruled = person(Ruling(choice=Choice.RETRY))
    with pytest.raises(InputError, match="retry is not on offer"):
        pipeline(escalate=ruled, budget=Budget(model_calls=2, regenerations=5)).ask(QUESTION)
    assert seen[0].choices == (Choice.SKIP, Choice.ABORT)


def test_somebody_who_always_says_retry_does_not_go_on_for_ever() -> None:
    calls = [0]

    def broken(request: ModelRequest) -> str:
        calls[0] += 1
        if calls[0] > 1:
            raise ModelError("gone")
        return FALSE

    def again(case: Escalation) -> Ruling:
        more = Choice.RETRY in case.choices
        return Ruling(choice=Choice.RETRY if more else Choice.ABORT)

    asked = pipeline(
        model=FunctionModel(function=broken), escalate=again, budget=Budget(model_calls=6)
    ).ask(QUESTION)
    assert calls[0] == 6
    assert asked.label == "abort"


def test_an_amended_prompt_is_what_the_model_is_asked() -> None:
    prompts: list[str] = []

    def reply(request: ModelRequest) -> str:
        prompts.append(request.messages[1][1])
        return TRUE

    amended = Ruling(choice=Choice.AMEND, prompt="What did Northwind report for 2023?")
    _, ruled = person(amended)
    asked = pipeline(
        model=FunctionModel(function=reply), hooks=doubting(until=2), escalate=ruled
    ).ask(QUESTION)
    assert asked.stands
    assert "Question: What did Northwind report for 2023?" in prompts[-1]
    assert asked.run.attempts[-1] is AttemptReason.REPLAN
    label = json.loads(asked.run.payloads(Stage.FINAL_LABEL)[0])
    assert label["escalated"][0]["ruling"]["prompt"] == amended.prompt


def test_a_skip_lets_the_answer_out_and_everything_says_that_nobody_vouches(tmp_path: Path) -> None:
    _, ruled = person(Ruling(choice=Choice.SKIP, note="booked by hand", by="Ada"))
    path = tmp_path / "log.sqlite"
    with Ledger(SqliteStore.open(path)) as ledger:
        asked = pipeline(escalate=ruled, ledger=ledger).ask(QUESTION)
    assert asked.answer == TRUE
    assert not asked.vouched
    assert not asked.stands
    assert asked.verdict is not Judged.STANDS
    overruled = next(o for o in asked.decision.objections if o.rule == "overruled")
    assert "Ada released it" in overruled.reason
    assert "booked by hand" in overruled.reason
    assert not asked.to_dict()["vouched"]
    stored = open_log(path).run_at(0)
    assert dict(stored.body.label)["outcome"] == "skip"
    again = rejudge(stored, BALANCED)
    assert again.decision is not None
    assert again.decision.step > Step.PROCEED


def test_an_abort_withholds_and_says_who() -> None:
    _, ruled = person(Ruling(choice=Choice.ABORT, by="Ada"))
    asked = pipeline(escalate=ruled).ask(QUESTION)
    assert asked.answer is None
    assert asked.label == "abort"
    assert asked.verdict is Judged.DOES_NOT_STAND
    assert "Ada withheld it" in {o.reason for o in asked.decision.objections}


def test_a_model_that_cannot_be_asked_is_put_to_a_person_and_tried_again() -> None:
    left = [ModelError("connection refused"), TRUE]

    def reply(request: ModelRequest) -> str:
        now = left.pop(0)
        if isinstance(now, ModelError):
            raise now
        return str(now)

    seen, ruled = person(Ruling(choice=Choice.RETRY))
    asked = pipeline(model=FunctionModel(function=reply), hooks=None, escalate=ruled).ask(QUESTION)
    assert asked.stands
    assert seen[0].answer is None
    assert Choice.SKIP not in seen[0].choices


def test_a_person_who_could_not_be_asked_leaves_the_case_open() -> None:
    _, ruled = person(None)
    assert pipeline(escalate=ruled).ask(QUESTION).escalation is not None


def test_an_escalation_may_be_a_coroutine() -> None:
    async def ruled(case: Escalation) -> Ruling:
        await asyncio.sleep(0)
        return Ruling(choice=Choice.ABORT)

    assert pipeline(escalate=ruled).ask(QUESTION).label == "abort"


def test_a_person_who_raises_leaves_a_record_and_is_heard(tmp_path: Path) -> None:
    def ruled(case: Escalation) -> Ruling:
        raise RuntimeError("the pager is broken")

    with Ledger(SqliteStore.open(tmp_path / "log.sqlite")) as ledger:
        with pytest.raises(RuntimeError, match="pager"):
            pipeline(escalate=ruled, ledger=ledger).ask(QUESTION)
        assert ledger.size() == 1
    stored = open_log(tmp_path / "log.sqlite").run_at(0)
    assert "pager" in json.loads(stored.payload(Stage.FINAL_LABEL))["cut_off"]
    assert len(stored.body.attempts) == 2


def test_which_objections_a_person_decides_is_the_policys_to_say() -> None:
    mine = replace(BALANCED, escalate=("contradiction",))
    asked = pipeline(FALSE, hooks=None, policy=mine).ask(QUESTION)
    assert asked.escalation is not None
    assert asked.escalation.reasons[0].rule == "contradiction"
    assert mine.digest != BALANCED.digest
    with pytest.raises(InputError, match="escalates rules it does not have"):
        Policy(name="mine", rules=BALANCED.rules, escalate=("nonsense",))
    with pytest.raises(InputError, match="both waives and escalates"):
        replace(BALANCED, waived=("hooks",))


def test_a_ruling_that_makes_no_sense_is_refused() -> None:
    with pytest.raises(InputError, match="must not be empty"):
        Ruling(choice=Choice.AMEND)
    with pytest.raises(InputError, match="belongs to amend"):
        Ruling(choice=Choice.SKIP, prompt="x")
