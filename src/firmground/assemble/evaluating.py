"""GSAR's outer loop with callbacks of one's own: judge, then proceed, regenerate or replan."""

from __future__ import annotations

import inspect
import time
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import replace
from functools import partial
from typing import TypeAlias, TypeVar

from firmground.adapters.document import evidence_list, question_from_value
from firmground.assemble.asking import Escalate, awaited
from firmground.assemble.checks import Piece, run_to_end
from firmground.assemble.keeping import Kept, about, opened_ledger
from firmground.assemble.parts import DEFAULT_JUDGE, DEFAULT_POLICY, named_policy, parts_for
from firmground.core.budget import Budget
from firmground.core.evidence import Evidence
from firmground.core.ports import Judge
from firmground.core.question import Question
from firmground.core.run import Run
from firmground.decide import Policy
from firmground.errors import InputError
from firmground.hooks import HookEngine
from firmground.ledger.ledger import Ledger
from firmground.pipeline.evaluate import Evaluation, evaluate, judged
from firmground.pipeline.loop import Draft, Judged, Means, Try

_T = TypeVar("_T")
Pieces: TypeAlias = "Piece | Iterable[Piece]"
Regenerate = Callable[[str, Judged], "str | Awaitable[str]"]
"""(report, what was found) -> the same evidence in other words."""
Replan = Callable[
    [str, tuple[Evidence, ...], Judged], "tuple[str, Pieces] | Awaitable[tuple[str, Pieces]]"
]
"""(report, evidence, what was found) -> a new report on new evidence."""


class Evaluator:
    """Judges reports and has them mended. Safe to use from many tasks at once."""

    def __init__(
        self,
        *,
        regenerate: Regenerate | None = None,
        replan: Replan | None = None,
        policy: str | Policy = DEFAULT_POLICY,
        judge: Judge | str = DEFAULT_JUDGE,
        budget: Budget | None = None,
        hooks: HookEngine | None = None,
        escalate: Escalate | None = None,
        ledger: Kept = None,
    ) -> None:
        """Take the callbacks, plain or ``async``; without one, that way of mending is not there."""
        rules = policy if isinstance(policy, Policy) else named_policy(policy)
        self._parts = parts_for(policy=rules, judge=judge, hooks=hooks)
        self._ledger = ledger
        self._means = Means(
            examine=partial(judged, question=None, parts=self._parts),
            decide=self._parts.decide,
            regenerate=_reworded(regenerate) if regenerate else None,
            replan=_researched(replan) if replan else None,
            budget=budget or Budget(),
            clock=time.monotonic,
            for_a_person=rules.for_a_person,
            escalate=awaited(escalate) if escalate else None,
        )

    def evaluate(
        self, report: str, evidence: Pieces, *, question: str | Question | None = None
    ) -> Evaluation:
        """Judge a report and mend it within the budget."""
        return run_to_end(self.aevaluate(report, evidence, question=question))

    async def aevaluate(
        self, report: str, evidence: Pieces, *, question: str | Question | None = None
    ) -> Evaluation:
        """The same for those who are in an event loop already."""
        asked = question_from_value(question)
        means = replace(
            self._means,
            examine=partial(judged, question=asked, parts=self._parts),
            question=asked.text if asked else "",
        )
        first = Draft(answer=_text(report), evidence=_listed(evidence), made={"by": "caller"})
        found = await evaluate(
            first, asked, means, judge=self._parts.judge, cut_off=self._keep_cut_off
        )
        with opened_ledger(self._ledger) as log:
            return found if log is None else await self._kept(found, log)

    async def _kept(self, found: Evaluation, ledger: Ledger) -> Evaluation:
        verdict = "stands" if found.stands else "does_not_stand"
        if not found.stands and all(o.could_not_check for o in found.decision.objections):
            verdict = "could_not_tell"
        receipt = await ledger.arecord(found.run, **about(found.decision, verdict))
        return replace(found, receipt=receipt)

    def _keep_cut_off(self, run: Run) -> None:
        with opened_ledger(self._ledger) as log:
            if log is not None:
                log.record(run, label={"decision": "cut_off", "verdict": "could_not_tell"})


def _reworded(regenerate: Regenerate) -> Callable[[Try], Awaitable[Draft]]:
    async def again(last: Try) -> Draft:
        report = _text(await _given(regenerate(last.draft.answer, last.judged)))
        return Draft(answer=report, evidence=last.draft.evidence, made={"by": "regenerate"})

    return again


def _researched(replan: Replan) -> Callable[[Try], Awaitable[Draft]]:
    async def again(last: Try) -> Draft:
        given = await _given(replan(last.draft.answer, last.draft.evidence, last.judged))
        if not isinstance(given, tuple) or len(given) != 2:
            raise InputError("replan must return a report and its evidence")
        return Draft(answer=_text(given[0]), evidence=_listed(given[1]), made={"by": "replan"})

    return again


async def _given(value: _T | Awaitable[_T]) -> _T:
    return await value if inspect.isawaitable(value) else value


def _text(report: object) -> str:
    if not isinstance(report, str):
        raise InputError(f"a report must be text, got {type(report).__name__}")
    return report


def _listed(evidence: Pieces) -> tuple[Evidence, ...]:
    if isinstance(evidence, Iterable) and not isinstance(evidence, str | dict):
        evidence = list(evidence)
    return evidence_list(evidence)
