"""The whole way of a question: preflight, evidence, prompt, answer, findings, decision, loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from firmground.core.budget import Budget
from firmground.core.canon import Value, pack_text
from firmground.core.decision import Decision
from firmground.core.evidence import Evidence
from firmground.core.finding import (
    Fault,
    FaultKind,
    Findings,
    Preflight,
    PreflightStatus,
    Spent,
    Verdict,
)
from firmground.core.ports import HookCase, ModelReply, ModelRequest
from firmground.core.question import Question
from firmground.core.run import Attempt, Run
from firmground.errors import ModelError
from firmground.pipeline.asked import Asked
from firmground.pipeline.check import AskWorld, Parts, examine
from firmground.pipeline.loop import Draft, Judged, Means, Trajectory, Try, recover
from firmground.pipeline.record_ask import Progress, record_ask
from firmground.pipeline.request import Request

Compose = Callable[[Question, tuple[Evidence, ...], Try | None], ModelRequest]
Patch = Callable[[Try], Draft | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """The parts of the whole way, in order."""

    check: Parts
    preflight: Callable[[Question], Preflight] | None
    retrieve: Callable[[Question, int], Awaitable[tuple[Evidence, ...]]]
    """(question, number of the search) -> evidence; the first search is number 0."""
    compose: Compose
    complete: Callable[[ModelRequest], Awaitable[ModelReply]]
    clauses: Callable[[Question], Value] | None = None
    """What preflight was told to do, as the run commits to it."""
    before: AskWorld | None = None
    """What does the world say before anything is asked of a model?"""
    patch: Patch | None = None
    """Mends without a model when it can; a model is asked when it returns None."""
    can_search_again: bool = False
    budget: Budget
    clock: Callable[[], float]
    tell: Callable[[str, str], None] = lambda stage, message: None
    """Live progress: stage and a few words."""
    cut_off: Callable[[Run], None] = lambda run: None
    """Receives the record of a run that was cancelled."""


async def ask(question: Question, way: Way) -> Asked:
    """Answer a question from evidence, or say why not; cancelling it leaves a record."""
    walk = _Walk(question, way)
    try:
        return await walk.to_end()
    except asyncio.CancelledError:
        way.cut_off(record_ask(replace(walk.progress, cut_off="cancelled")))
        raise


class _Walk:
    """The state of one question on its way."""

    def __init__(self, question: Question, way: Way) -> None:
        self.question = question
        self.way = way
        self.progress = Progress(question=question, judge=way.check.judge)
        self.searches = 0
        self.world: tuple[Verdict | Fault, ...] = ()

    async def to_end(self) -> Asked:
        seen = self.look()
        if seen is not None and seen.status is PreflightStatus.BLOCKED:
            decision = self.way.check.decide(Findings(preflight=seen))
            if any(o.rule == "preflight" for o in decision.objections):
                return self.rejected(seen, decision)
        if self.way.before is not None:
            self.world = await self.way.before(HookCase(question=self.question, answer=None))
            decision = self.way.check.decide(Findings(hooks=self.world))
            if any(o.rule == "hooks" for o in decision.objections):
                return self.held_back(decision)
        try:
            first = await self.first()
        except ModelError as error:
            return self.unanswered(error)
        trajectory = await recover(first, self.means())
        return self.finished(trajectory)

    def look(self) -> Preflight | None:
        if self.way.preflight is None:
            return None
        seen = self.way.preflight(self.question)
        clauses = self.way.clauses(self.question) if self.way.clauses else None
        self.progress = replace(self.progress, preflight=seen, clauses=clauses)
        self.way.tell("preflight", f"{seen.status}, confidence {seen.confidence:.2f}")
        return seen

    async def first(self) -> Draft:
        evidence = await self.search()
        return await self.answered(evidence, None)

    async def search(self) -> tuple[Evidence, ...]:
        evidence = await self.way.retrieve(self.question, self.searches)
        self.searches += 1
        self.way.tell("retrieval", f"{len(evidence)} pieces of evidence")
        return evidence

    async def answered(self, evidence: tuple[Evidence, ...], last: Try | None) -> Draft:
        request = self.way.compose(self.question, evidence, last)
        self.way.tell("prompt", f"{sum(len(text) for _, text in request.messages)} characters")
        reply = await self.way.complete(request)
        if not reply.texts or not reply.texts[0].strip():
            raise ModelError("the model returned an empty answer")
        self.way.tell("answer", f"{len(reply.texts[0])} characters from {reply.model}")
        return Draft(
            answer=reply.texts[0],
            evidence=evidence,
            made=_made(request, reply),
            model_calls=1,
            tokens=reply.tokens_in + reply.tokens_out,
        )

    def means(self) -> Means:
        return Means(
            examine=self.examine,
            decide=self.way.check.decide,
            regenerate=self.regenerate,
            replan=self.replan if self.way.can_search_again else None,
            budget=self.way.budget,
            clock=self.way.clock,
            tell=self.told,
        )

    async def examine(self, draft: Draft, spent: Spent) -> Judged:
        if not draft.evidence:
            found = Findings(
                preflight=self.progress.preflight,
                hooks=self.world,
                faults=(_nothing_found(),),
                spent=spent,
            )
            return Judged(findings=found, decision=self.way.check.decide(found))
        request = Request(answer=draft.answer, evidence=draft.evidence, question=self.question)
        left = max(0, self.way.budget.model_calls - spent.model_calls)
        found = await examine(request, self.way.check, calls_left=left)
        found = replace(
            found,
            preflight=self.progress.preflight,
            hooks=(*self.world, *found.hooks),
            spent=spent,
        )
        return Judged(
            findings=found,
            decision=self.way.check.decide(found),
            model_calls=sum(used.calls for used in found.models),
            tokens=sum(used.tokens for used in found.models),
        )

    def told(self, kind: Attempt, judged: Judged) -> None:
        decision = judged.decision
        rules = ", ".join(sorted({o.rule for o in decision.objections})) or "no objection"
        self.way.tell("verify", f"{kind}: {decision.step.label} ({rules})")

    async def regenerate(self, last: Try) -> Draft:
        self.keep(last)
        patched = self.way.patch(last) if self.way.patch else None
        if patched is not None and patched.answer != last.draft.answer:
            self.way.tell("revise", "patched what was flagged")
            return patched
        return await self.answered(last.draft.evidence, last)

    async def replan(self, last: Try) -> Draft:
        self.keep(last)
        found = await self.search()
        merged = {piece.id: piece for piece in (*last.draft.evidence, *found)}
        return await self.answered(tuple(merged.values()), last)

    def keep(self, last: Try) -> None:
        self.progress = replace(self.progress, tries=(*self.progress.tries, last))

    def rejected(self, seen: Preflight, decision: Decision) -> Asked:
        findings = Findings(preflight=seen)
        decision = replace(
            decision, objections=tuple(o for o in decision.objections if o.rule == "preflight")
        )
        return self.done(None, findings, decision)

    def held_back(self, decision: Decision) -> Asked:
        findings = Findings(preflight=self.progress.preflight, hooks=self.world)
        decision = replace(
            decision, objections=tuple(o for o in decision.objections if o.rule == "hooks")
        )
        self.progress = replace(self.progress, cut_off="a hook objected before the answer")
        return self.done(None, findings, decision)

    def unanswered(self, error: ModelError) -> Asked:
        fault = Fault(source="model", kind=FaultKind.BAD_REPLY, message=str(error))
        findings = Findings(preflight=self.progress.preflight, faults=(fault,))
        self.progress = replace(self.progress, cut_off=f"no answer: {error}")
        return self.done(None, findings, self.way.check.decide(findings))

    def finished(self, trajectory: Trajectory) -> Asked:
        self.progress = replace(self.progress, tries=trajectory.tries, best=trajectory.best)
        return self.done(trajectory, trajectory.findings, trajectory.decision)

    def done(self, trajectory: Trajectory | None, findings: Findings, decision: Decision) -> Asked:
        self.progress = replace(self.progress, findings=findings, decision=decision)
        self.way.tell("decision", decision.step.label)
        return Asked(
            question=self.question,
            preflight=self.progress.preflight,
            trajectory=trajectory,
            findings=findings,
            decision=decision,
            run=record_ask(self.progress),
        )


def _nothing_found() -> Fault:
    return Fault(source="retrieval", kind=FaultKind.SKIPPED, message="no evidence was found")


def _made(request: ModelRequest, reply: ModelReply) -> Value:
    return {
        "by": "model",
        "model": pack_text(reply.model),
        "messages": [{"role": role, "content": pack_text(text)} for role, text in request.messages],
        "temperature": f"{request.temperature:.6f}",
        "max_tokens": request.max_tokens,
        "seed": request.seed,
        "prompts": [[name, digest] for name, digest in request.prompts],
    }
