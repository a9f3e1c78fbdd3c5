"""A case that waits for a person is settled later, by the id of its run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from firmground import Engine, HookReply, InputError, Ruling
from firmground.core.escalation import Choice
from firmground.core.finding import Fault, FaultKind
from firmground.core.ports import HookCase
from firmground.hooks import Registered
from firmground.testing import FunctionHook, FunctionModel

SOURCE = "The Alder bridge opened in 1932."
QUESTION = "When did the Alder bridge open?"


def engine_with(replies: list[bool], **given: Any) -> Engine:
    """An engine whose hook is out as often as the list says, then answers."""

    def ask(case: HookCase) -> HookReply | Fault:
        if case.answer is not None and replies and not replies.pop(0):
            return Fault(source="books", kind=FaultKind.UNREACHABLE, message="out")
        return HookReply(source="books", passed=True, message="")

    hook = FunctionHook(name="books", function=ask)
    model = FunctionModel(function=lambda request: SOURCE)
    return Engine(judge="lexical", model=model, hooks=[Registered(hook=hook, inline=True)], **given)


def test_an_open_case_is_released_withheld_or_tried_again() -> None:
    for choice, answer, label in (
        (Choice.SKIP, SOURCE, "skip"),
        (Choice.ABORT, None, "abort"),
        (Choice.RETRY, SOURCE, "proceed"),
    ):
        with engine_with([False]) as engine:
            waiting = engine.ask(QUESTION, SOURCE, preflight=False)
            assert waiting.label == "escalate"
            assert waiting.answer is None
            settled = engine.resume(waiting.root, Ruling(choice=choice, by="kim"))
        assert (settled.answer, settled.label) == (answer, label)
        assert settled.stands is (choice is Choice.RETRY)


def test_another_process_resumes_it_from_the_ledger(tmp_path: Path) -> None:
    path = tmp_path / "runs.sqlite"
    with engine_with([False], ledger=path) as engine:
        waiting = engine.ask(QUESTION, SOURCE, preflight=False)
    assert waiting.run_id is not None
    with engine_with([], ledger=path) as later:
        amended = Ruling(choice=Choice.AMEND, prompt="In which year did the Alder bridge open?")
        again = later.resume(waiting.run_id, amended, preflight=False)
        assert again.stands
        assert again.question.text == amended.prompt
        released = later.resume(waiting.run_id, Ruling(choice=Choice.SKIP, by="kim"))
        assert released.answer == SOURCE
        assert not released.stands
        assert released.receipt is not None
        with pytest.raises(InputError, match="is not waiting for a ruling"):
            later.resume(str(again.run_id), Ruling(choice=Choice.SKIP))


def test_an_unknown_run_is_an_error() -> None:
    with engine_with([]) as engine, pytest.raises(InputError, match="no case of run"):
        engine.resume("nobody", Ruling(choice=Choice.ABORT))
