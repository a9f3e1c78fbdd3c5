"""Each way of repair is tried once, in order, and what was asked in vain is not forgotten."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from firmground.core.decision import Decision, Step, Verdict
from firmground.core.evidence import Evidence
from firmground.core.finding import Findings
from firmground.core.ports import ModelReply, ModelRequest
from firmground.core.question import Question
from firmground.core.run import AttemptReason
from firmground.errors import ModelError
from firmground.pipeline.loop import Attempt, Draft, Judged
from firmground.pipeline.repair_order import Repairer, SpanRepairRequest
from firmground.revise import Patch, PatchKind, Revision, apply

ANSWER = "One. Two."
DECISION = Decision(
    step=Step.REGENERATE,
    verdict=Verdict.DOES_NOT_STAND,
    objections=(),
    policy="",
    policy_digest="",
)
LAST = Attempt(
    kind=AttemptReason.FIRST,
    draft=Draft(answer=ANSWER, evidence=(Evidence(text="x"),)),
    judged=Judged(findings=Findings(), decision=DECISION),
)
QUESTION = Question(text="What?")
REQUEST = ModelRequest(messages=(("user", "repair"),))
CUT = Patch(start=4, end=9, replacement="", kind=PatchKind.DROP, reason="r")


def to(answer: str) -> Draft:
    return replace(LAST.draft, answer=answer, made={"by": answer}, revises=True)


class Ways:
    """A repairer whose ways say their own name, and what was told on the way."""

    def __init__(self, **ways: object) -> None:
        self.asked = 0
        self.told: list[str] = []
        self.fails: Exception | None = None
        self.put: tuple[Revision | None, tuple[str, ...]] = (apply(ANSWER, [CUT]), ())
        given: dict[str, object] = {
            "correct": lambda one: to("correct"),
            "spans": lambda question, one: SpanRepairRequest(
                request=REQUEST, put=self._put, pieces=1
            ),
            "patch": lambda one: to("patch"),
            "drop": lambda one: to("drop"),
            **ways,
        }
        self.repairer = Repairer(
            **given,  # type: ignore[arg-type]
            complete=self._complete,
            tell=lambda stage, message: self.told.append(message),
        )

    async def _complete(self, request: ModelRequest) -> ModelReply:
        self.asked += 1
        if self.fails:
            raise self.fails
        return ModelReply(texts=("said",), model="m", tokens_in=7, tokens_out=3)

    def _put(self, reply: str) -> tuple[Revision | None, tuple[str, ...]]:
        assert reply == "said"
        return self.put

    def repair(self, last: Attempt = LAST) -> Draft | None:
        return asyncio.run(self.repairer.repair(QUESTION, last))


def test_the_cheapest_way_comes_first_and_none_is_tried_twice_on_the_same_answer() -> None:
    ways = Ways()
    found = [ways.repair() for _ in range(5)]
    assert [one and one.answer for one in found] == ["correct", "One.", "patch", "drop", None]
    assert ways.asked == 1
    assert found[0] == to("correct")
    other = replace(LAST, draft=to("Three."))
    assert (again := ways.repair(other)) is not None
    assert again.answer == "correct"


def test_a_patch_that_changes_nothing_is_none() -> None:
    same = Ways(correct=lambda one: to(ANSWER), spans=None, patch=lambda one: to(ANSWER))
    assert (found := same.repair()) is not None
    assert found.answer == "drop"
    assert same.told == ["patched what was flagged"]


@pytest.mark.parametrize(
    ("put", "why"),
    [
        ((None, ("piece 1 was given twice",)), "piece 1 was given twice"),
        ((None, ()), "it would change nothing, or leave nothing"),
        ((apply(ANSWER, []), ()), "it would change nothing, or leave nothing"),
        (
            (apply(ANSWER, [replace(CUT, start=0)]), ()),
            "it would change nothing, or leave nothing",
        ),
    ],
)
def test_a_reply_of_no_use_is_paid_for_and_the_next_way_taken(
    put: tuple[Revision | None, tuple[str, ...]], why: str
) -> None:
    ways = Ways(correct=None)
    ways.put = put
    found = ways.repair()
    assert found is not None
    assert found.answer == "patch"
    assert (found.model_calls, found.tokens) == (1, 10)
    assert isinstance(found.made, dict)
    assert why in str(found.made["in_vain"])
    assert (later := ways.repair()) is not None
    assert (later.answer, later.model_calls) == ("drop", 0)


def test_a_model_that_fails_leaves_the_other_ways_and_is_paid_for() -> None:
    ways = Ways(correct=None)
    ways.fails = ModelError("gone")
    assert (found := ways.repair()) is not None
    assert (found.answer, found.model_calls, found.tokens) == ("patch", 1, 0)
    assert "the model failed: gone" in str(found.made)


@pytest.mark.parametrize("failure", [ModelError("gone"), TimeoutError()])
def test_a_model_that_fails_with_no_other_way_left_is_a_failure(failure: Exception) -> None:
    ways = Ways(correct=None, patch=None, drop=None)
    ways.fails = failure
    with pytest.raises(type(failure)):
        ways.repair()
    assert ways.repairer.owed == ()
    assert ways.repair() is None


def test_an_answer_that_may_not_be_asked_about_again_owes_what_it_cost() -> None:
    ways = Ways(correct=None, patch=None, drop=None)
    ways.put = (None, ())
    assert ways.repair() is None
    same = ways.repairer.unchanged(LAST)
    assert (same.answer, same.model_calls, same.tokens, same.revises) == (ANSWER, 1, 10, True)
    assert ways.repairer.unchanged(LAST).model_calls == 0
