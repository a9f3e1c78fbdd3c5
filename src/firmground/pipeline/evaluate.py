"""Checks an existing report and has it repaired by its author's callbacks.

The caller rewrites (``regenerate``) and searches for evidence (``replan``); the loop, its budgets,
the record and the best report are those of a question that is asked.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypedDict

from firmground.core.decision import Decision, Verdict
from firmground.core.escalation import Escalated
from firmground.core.evidence import Evidence
from firmground.core.finding import Fault, FaultKind, Findings, Spent
from firmground.core.question import Question
from firmground.core.run import Run
from firmground.decide import decide
from firmground.ledger.receipt import Receipt
from firmground.pipeline.check import CheckPlan, examine
from firmground.pipeline.loop import Attempt, Draft, Judged, LoopPorts, Trajectory, recover
from firmground.pipeline.record_ask import Progress, record_ask
from firmground.pipeline.request import Request


class HookInputs(TypedDict):
    """What the caller shows to hooks about every version of a report."""

    id: str | int
    metadata: tuple[tuple[str, str], ...]
    output_files: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Evaluation:
    """The best version of a report, its verdict, and every attempt."""

    trajectory: Trajectory
    run: Run
    receipt: Receipt | None = None

    @property
    def best(self) -> Attempt:
        """The try that is returned."""
        return self.trajectory.tries[self.trajectory.best]

    @property
    def report(self) -> str:
        """The best version, whether or not it stands."""
        return self.best.draft.answer

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """What the best version was judged on."""
        return self.best.draft.evidence

    @property
    def stands(self) -> bool:
        """True when no rule objects to the best version, not even one that the policy waives."""
        return self.decision.verdict is Verdict.STANDS

    def __bool__(self) -> bool:
        return self.stands

    @property
    def score(self) -> float:
        """Support of the best version: 0 nothing stands, 1 everything."""
        return self.best.score

    @property
    def findings(self) -> Findings:
        """What was found out about the best version."""
        return self.trajectory.findings

    @property
    def decision(self) -> Decision:
        """What the rules say to it, running out of budget included."""
        return self.trajectory.decision

    @property
    def replans_used(self) -> int:
        """New searches."""
        return self.trajectory.spent.replans

    @property
    def regenerations_used(self) -> int:
        """New wordings."""
        return self.trajectory.spent.regenerations

    @property
    def degraded(self) -> bool:
        """True when a budget ran out before a version stood."""
        return self.trajectory.degraded

    @property
    def escalated(self) -> tuple[Escalated, ...]:
        """What was put to a person."""
        return self.trajectory.escalated

    @property
    def root(self) -> str:
        """The root over the whole run."""
        return self.run.content_root

    def __repr__(self) -> str:
        tries = len(self.trajectory.tries)
        lines = [
            f"<Evaluation {self.decision.step.label}: support {self.score:.3f}; {tries} attempts"
        ]
        lines += [f"  {o.rule}: {o.reason}" for o in self.decision.objections]
        return "\n".join(lines) + f"\n  run {self.root[:16]}>"


async def evaluate(
    first: Draft,
    question: Question | None,
    ports: LoopPorts,
    *,
    judge: str,
    cut_off: Callable[[Run], None] = lambda run: None,
) -> Evaluation:
    """Check a report and repair it within the budget; every ending leaves a record."""
    seen: list[Attempt] = []
    progress = Progress(question=question, judge=judge)

    def told(one: Attempt) -> None:
        seen.append(one)
        ports.tell(one)

    try:
        trajectory = await recover(first, replace(ports, tell=told))
    except BaseException as error:
        cancelled = isinstance(error, asyncio.CancelledError)
        why = "cancelled" if cancelled else f"{type(error).__name__}: {error}"
        cut_off(record_ask(replace(progress, tries=tuple(seen), cut_off=why)))
        raise
    run = record_ask(
        replace(
            progress,
            tries=trajectory.tries,
            best=trajectory.best,
            findings=trajectory.findings,
            decision=trajectory.decision,
            escalated=trajectory.escalated,
        )
    )
    return Evaluation(trajectory=trajectory, run=run)


async def judged(
    draft: Draft, spent: Spent, *, question: Question | None, plan: CheckPlan, told: HookInputs
) -> Judged:
    """What is found out about a draft, and what the rules say; no evidence is a fault."""
    if draft.evidence and draft.answer.strip():
        request = Request(answer=draft.answer, evidence=draft.evidence, question=question, **told)
        found = replace(await examine(request, plan), spent=spent)
    else:
        what = "no evidence was given" if not draft.evidence else "the report is empty"
        fault = Fault(source="evaluate", kind=FaultKind.SKIPPED, message=what)
        found = Findings(faults=(fault,), spent=spent)
    return Judged(findings=found, decision=decide(found, plan.policy))
