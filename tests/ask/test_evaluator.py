"""A report is judged and repaired by whoever wrote it, under the same loop and record."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from firmground.adapters.sqlite import SqliteStore
from firmground.compat.evaluator import Evaluator
from firmground.core.budget import Budget
from firmground.core.claim import Assessment
from firmground.core.decision import Step
from firmground.core.escalation import Choice, Escalation, Ruling
from firmground.core.evidence import Evidence
from firmground.core.ports import Inquiry
from firmground.core.run import AttemptReason, Stage
from firmground.engine.rejudging import open_log
from firmground.errors import InputError, ModelError
from firmground.ledger.ledger import Ledger
from firmground.pipeline.loop import Judged
from firmground.pipeline.revive import findings_of

SOURCE = "The pump failed at 04:12. It was replaced by the night shift."
RIGHT = "The pump failed at 04:12."
WRONG = "The pump failed at 09:00."


async def reword(report: str, seen: Judged) -> str:
    await asyncio.sleep(0)
    return RIGHT


def test_a_report_that_stands_is_returned_as_it_is() -> None:
    result = Evaluator(judge="lexical").evaluate(RIGHT, SOURCE)
    assert result.stands
    assert result.report == RIGHT
    assert (result.regenerations_used, result.replans_used) == (0, 0)


def test_callbacks_may_be_async_or_plain() -> None:
    for regenerate in (reword, lambda report, seen: RIGHT):
        result = Evaluator(regenerate=regenerate, judge="lexical").evaluate(WRONG, SOURCE)
        assert result.stands
        assert result.regenerations_used == 1
        assert result.run.attempts == (AttemptReason.FIRST, AttemptReason.REGENERATE)


def test_a_replan_brings_a_report_and_its_evidence() -> None:
    async def replan(
        report: str, evidence: tuple[Evidence, ...], seen: Judged
    ) -> tuple[str, list[str]]:
        return RIGHT, [SOURCE]

    result = Evaluator(replan=replan, judge="lexical").evaluate(RIGHT, "The pump is blue.")
    assert result.stands
    assert result.replans_used == 1
    assert [piece.text for piece in result.evidence] == [SOURCE]
    assert len(result.run.payloads(Stage.RETRIEVAL)) == 2


def test_without_callbacks_it_judges_once() -> None:
    result = Evaluator(judge="lexical").evaluate(WRONG, SOURCE)
    assert not result.stands
    assert not result.degraded
    assert len(result.trajectory.tries) == 1


def test_a_callback_that_never_gets_it_right_is_degraded_and_said_so() -> None:
    result = Evaluator(
        regenerate=lambda report, seen: WRONG, judge="lexical", budget=Budget(regenerations=2)
    ).evaluate(WRONG, SOURCE)
    assert result.degraded
    assert result.regenerations_used == 2
    assert "budget_spent" in {o.rule for o in result.decision.objections}


@pytest.mark.parametrize("evidence", [(), []])
def test_no_evidence_and_an_empty_report_are_not_fine(evidence: object) -> None:
    result = Evaluator(judge="lexical").evaluate(RIGHT, evidence)
    assert result.decision.step is Step.ABSTAIN
    assert Evaluator(judge="lexical").evaluate(" ", SOURCE).decision.step is Step.ABSTAIN


def test_a_callback_that_returns_nonsense_is_told_what_is_wanted() -> None:
    with pytest.raises(InputError, match="report must be text"):
        Evaluator(regenerate=lambda report, seen: None, judge="lexical").evaluate(WRONG, SOURCE)
    with pytest.raises(InputError, match="a report and its evidence"):
        Evaluator(replan=lambda report, evidence, seen: RIGHT, judge="lexical").evaluate(
            "Its mayor is Bo Lind.", SOURCE
        )


def test_it_is_recorded_and_so_is_one_that_was_cancelled_or_crashed(tmp_path: Path) -> None:
    begun = asyncio.Event()

    async def never(report: str, seen: Judged) -> str:
        begun.set()
        await asyncio.Event().wait()
        return report

    def broken(report: str, seen: Judged) -> str:
        raise RuntimeError("no more paper")

    async def scene() -> None:
        with Ledger(SqliteStore.open(tmp_path / "log.sqlite")) as ledger:
            kept = await Evaluator(judge="lexical", ledger=ledger).aevaluate(RIGHT, SOURCE)
            assert kept.receipt is not None
            task = asyncio.create_task(
                Evaluator(regenerate=never, judge="lexical", ledger=ledger).aevaluate(WRONG, SOURCE)
            )
            await begun.wait()
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            with pytest.raises(RuntimeError):
                await Evaluator(regenerate=broken, judge="lexical", ledger=ledger).aevaluate(
                    WRONG, SOURCE
                )
            assert ledger.size() == 3

    asyncio.run(scene())
    crashed = open_log(tmp_path / "log.sqlite").run_at(2)
    assert findings_of(crashed.payload(Stage.VERIFY)).assessments, "what was judged is kept"


def test_one_evaluator_serves_many_at_once() -> None:
    evaluator = Evaluator(regenerate=reword, judge="lexical")

    async def scene() -> None:
        results = await asyncio.gather(
            *(evaluator.aevaluate(WRONG if n % 2 else RIGHT, SOURCE) for n in range(50))
        )
        assert all(one.stands for one in results)
        assert [one.regenerations_used for one in results] == [n % 2 for n in range(50)]

    asyncio.run(scene())


def test_a_person_may_be_asked_here_too() -> None:
    def ruled(case: Escalation) -> Ruling:
        return Ruling(choice=Choice.ABORT)

    result = Evaluator(judge="lexical", escalate=ruled).evaluate(RIGHT, ())
    assert result.escalated[0].ruling == Ruling(choice=Choice.ABORT)


def test_a_judge_that_fails_has_nothing_reworded_or_searched_and_is_kept_as_could_not_tell(
    tmp_path: Path,
) -> None:
    class Dead:
        name = "dead"

        async def assess(self, inquiry: Inquiry) -> tuple[Assessment, ...]:
            raise ModelError("nobody answers")

    def never(*given: object) -> tuple[str, str]:
        raise AssertionError("nothing may be repaired")

    log = tmp_path / "log.sqlite"
    found = Evaluator(regenerate=never, replan=never, judge=Dead(), ledger=log).evaluate(
        RIGHT, SOURCE
    )
    assert not found.stands
    assert (found.regenerations_used, found.replans_used, found.degraded) == (0, 0, False)
    assert dict(open_log(log).run_at(0).body.label)["verdict"] == "could_not_tell"
    told = Evaluator(judge="lexical", ledger=log).evaluate(WRONG, SOURCE)
    assert not told.stands
    assert dict(open_log(log).run_at(1).body.label)["verdict"] == "does_not_stand"


def test_evidence_may_come_from_anything_that_can_be_walked_once() -> None:
    pieces = (text for text in (SOURCE, "Nobody was hurt."))
    found = Evaluator(judge="lexical").evaluate(RIGHT, pieces)
    assert found.stands
    assert len(found.evidence) == 2
    assert Evaluator(judge="lexical").evaluate(RIGHT, {"text": SOURCE}).stands
