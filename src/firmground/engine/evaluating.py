"""Check a report and have it repaired by the caller's own callbacks."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from functools import partial
from inspect import isawaitable
from typing import Any

from firmground.core.budget import Budget
from firmground.core.evidence import Evidence
from firmground.core.question import Question
from firmground.core.run import Run
from firmground.decide import decide
from firmground.engine.evidence import evidence_from
from firmground.errors import InputError
from firmground.pipeline.check import CheckPlan
from firmground.pipeline.evaluate import Evaluation, HookInputs, evaluate, judged
from firmground.pipeline.loop import AskPerson, Attempt, Draft, LoopPorts


async def evaluated(
    report: str,
    evidence: tuple[Evidence, ...],
    *,
    plan: CheckPlan,
    question: Question | None,
    told: HookInputs,
    regenerate: Callable[..., Any] | None,
    replan: Callable[..., Any] | None,
    budget: Budget,
    escalate: AskPerson | None,
    cut_off: Callable[[Run], None],
) -> Evaluation:
    """Check a report and repair it within the budget."""
    ports = LoopPorts(
        examine=partial(judged, question=question, plan=plan, told=told),
        decide=lambda findings: decide(findings, plan.policy),
        regenerate=_reworded(regenerate) if regenerate else None,
        replan=_researched(replan) if replan else None,
        budget=budget,
        clock=time.monotonic,
        question=question.text if question else "",
        for_a_person=plan.policy.for_a_person,
        escalate=escalate,
    )
    first = Draft(answer=_text(report), evidence=evidence, made={"by": "caller"})
    return await evaluate(first, question, ports, judge=plan.judge, cut_off=cut_off)


def _reworded(regenerate: Callable[..., Any]) -> Callable[[Attempt], Awaitable[Draft]]:
    async def again(last: Attempt) -> Draft:
        report = _text(await _given(regenerate(last.draft.answer, last.judged)))
        return Draft(answer=report, evidence=last.draft.evidence, made={"by": "regenerate"})

    return again


def _researched(replan: Callable[..., Any]) -> Callable[[Attempt], Awaitable[Draft]]:
    async def again(last: Attempt) -> Draft:
        given = await _given(replan(last.draft.answer, last.draft.evidence, last.judged))
        if not isinstance(given, tuple) or len(given) != 2:
            raise InputError("replan must return a report and its evidence")
        return Draft(
            answer=_text(given[0]), evidence=evidence_from(given[1]), made={"by": "replan"}
        )

    return again


async def _given(value: Any) -> Any:
    return await value if isawaitable(value) else value


def _text(report: object) -> str:
    if not isinstance(report, str):
        raise InputError(f"a report must be text, got {type(report).__name__}")
    return report
