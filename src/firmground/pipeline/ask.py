"""The whole way of a question: preflight, evidence, prompt, answer, findings, decision, loop."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from firmground.core.decision import Decision
from firmground.core.escalation import Choice, Escalated, Escalation, Ruling
from firmground.core.evidence import Evidence
from firmground.core.fault import fault_from
from firmground.core.finding import (
    Fault,
    FaultKind,
    Findings,
    Preflight,
    PreflightStatus,
    Spent,
    Verdict,
)
from firmground.core.ports import HookCase
from firmground.core.question import Question
from firmground.core.run import MAX_ATTEMPTS
from firmground.errors import ModelError
from firmground.pipeline.asked import Asked
from firmground.pipeline.check import examine
from firmground.pipeline.loop import Draft, Judged, Means, Trajectory, Try, recover
from firmground.pipeline.mending import Mender, made_by_model
from firmground.pipeline.record_ask import Progress, record_ask
from firmground.pipeline.request import LONGEST_ANSWER, Request
from firmground.pipeline.way import Way, Weighed


async def ask(question: Question, way: Way) -> Asked:
    """Answer a question from evidence, or say why not; whatever ends it leaves a record."""
    walk = _Walk(question, way)
    try:
        return await walk.to_end()
    except BaseException as error:
        cancelled = isinstance(error, asyncio.CancelledError)
        why = "cancelled" if cancelled else f"{type(error).__name__}: {error}"
        way.cut_off(record_ask(replace(walk.progress, cut_off=why)))
        raise


class _Stopped(Exception):  # noqa: N818 - it ends an attempt, it is not a defect
    """There is no answer to look at: the question, a hook or the model stood in the way."""

    def __init__(self, asked: Asked, *choices: Choice) -> None:
        super().__init__()
        self.asked, self.choices = asked, choices


class _Walk:
    """The state of one question on its way."""

    def __init__(self, question: Question, way: Way) -> None:
        self.question = question
        self.way = way
        self.progress = Progress(question=question, judge=way.check.judge)
        self.searches = 0
        self.began = way.clock()
        self.escalated: tuple[Escalated, ...] = ()
        self.world: tuple[Verdict | Fault, ...] = ()
        self.unweighed: tuple[Fault, ...] = ()
        self.weighing = Spent()
        self.mender = Mender(
            correct=way.correct,
            spans=way.spans,
            patch=way.patch,
            drop=way.drop,
            complete=way.complete,
            tell=way.tell,
        )

    async def to_end(self) -> Asked:
        asked = await self.settled()
        self.way.tell("decision", asked.decision.step.label)
        return asked

    async def settled(self) -> Asked:
        while True:
            try:
                return self.finished(await recover(await self.first(), self.means()))
            except _Stopped as stopped:
                if not await self.goes_on(stopped):
                    return self.told_what_was_ruled(stopped.asked)

    async def goes_on(self, stopped: _Stopped) -> bool:
        """Put to a person what stood in the way of an answer; True when they try again."""
        decision = stopped.asked.decision
        calling = self.way.for_a_person(decision)
        if not calling:
            return False
        choices = stopped.choices if len(self.escalated) < MAX_ATTEMPTS else (Choice.ABORT,)
        case = Escalation(
            question=self.question.text,
            answer=None,
            reasons=(*calling, *(o for o in decision.objections if o not in calling)),
            choices=choices,
        )
        ruling = await self.put(case) if self.way.escalate else None
        self.escalated = (*self.escalated, Escalated(case=case, ruling=ruling))
        if ruling is None or ruling.choice is Choice.ABORT:
            return False
        self.progress = replace(self.progress, cut_off="")
        if ruling.choice is Choice.AMEND:
            self.question = replace(self.question, text=ruling.prompt)
        return True

    def told_what_was_ruled(self, asked: Asked) -> Asked:
        """The outcome without an answer, with what a person said to it."""
        rulings = tuple(one.ruling for one in self.escalated if one.ruling is not None)
        findings = replace(asked.findings, rulings=rulings)
        decision = self.way.check.decide(findings)
        known = {o.rule for o in asked.decision.objections}
        new = {o.rule for o in self.way.check.decide(replace(findings, rulings=())).objections}
        kept = tuple(o for o in decision.objections if o.rule in known or o.rule not in new)
        return self.done(None, findings, replace(decision, objections=kept))

    async def put(self, case: Escalation) -> Ruling | None:
        """Ask the person; their time is not the budget's."""
        assert self.way.escalate is not None
        self.way.tell("escalate", case.reasons[0].reason)
        asked_at = self.way.clock()
        ruling = await self.way.escalate(case)
        self.began += self.way.clock() - asked_at
        self.way.tell("escalate", f"a person ruled: {ruling.choice if ruling else 'nobody did'}")
        return ruling

    def look(self) -> Preflight | None:
        if self.way.preflight is None:
            return None
        seen = self.way.preflight(self.question)
        clauses = self.way.clauses(self.question) if self.way.clauses else None
        self.progress = replace(self.progress, preflight=seen, clauses=clauses)
        self.way.tell("preflight", f"{seen.status}, confidence {seen.confidence:.2f}")
        return seen

    async def weighed(self, seen: Preflight) -> Preflight:
        """The same with what a model says about the role; what it could not say is a fault."""
        if self.way.weigh_role is None or self.question.role is None:
            return seen
        if self.way.budget.model_calls < self.weighing.model_calls + 2:  # the answer takes one
            told = "the budget of calls leaves none for the role check"
            self.unweighed = (Fault(source="role_check", kind=FaultKind.LIMIT, message=told),)
            return seen
        try:
            async with asyncio.timeout(self.left()):
                weighed = await self.way.weigh_role(self.question, seen)
        except TimeoutError:
            told = "no reply in time"
            late = Fault(source="role_check", kind=FaultKind.TIMEOUT, message=told)
            weighed = Weighed(found=late)
        self.weighing = replace(
            self.weighing,
            model_calls=self.weighing.model_calls + weighed.calls,
            tokens=self.weighing.tokens + weighed.tokens,
        )
        found = weighed.found
        if isinstance(found, Fault):
            self.unweighed = (found,)
            return seen
        self.progress = replace(self.progress, preflight=found)
        self.way.tell("preflight", f"{found.status}, confidence {found.confidence:.2f}: its role")
        return found

    async def first(self) -> Draft:
        """The first answer, if neither the question nor the world stands in its way."""
        self.unweighed = ()
        seen = self.look()
        if seen is not None and seen.status is not PreflightStatus.BLOCKED:
            seen = await self.weighed(seen)
        if seen is not None and seen.status is PreflightStatus.BLOCKED:
            decision = self.way.check.decide(Findings(preflight=seen))
            if any(o.rule == "preflight" for o in decision.objections):
                raise _Stopped(self.rejected(seen, decision), Choice.AMEND, Choice.ABORT)
        if self.way.before is not None:
            self.world = await self.way.before(HookCase(question=self.question, answer=None))
            decision = self.way.check.decide(Findings(hooks=self.world))
            if any(o.rule == "hooks" for o in decision.objections):
                raise _Stopped(self.held_back(decision), Choice.RETRY, Choice.AMEND, Choice.ABORT)
        if nothing := self.way.budget.reached(Spent()):
            error = ModelError(f"the budget of {nothing[0]} allows no call")
            ended = self.unanswered(error, exhausted=nothing[:1], calls=0)
            raise _Stopped(ended, Choice.ABORT)
        limit = asyncio.timeout(self.left())
        try:
            async with limit:
                return self.with_weighing(await self.answered(await self.search(), None))
        except (ModelError, TimeoutError) as error:
            late = limit.expired()
            choices = (Choice.ABORT,) if late else (Choice.RETRY, Choice.AMEND, Choice.ABORT)
            out = ("seconds",) if late else ()
            raise _Stopped(self.unanswered(error, exhausted=out), *choices) from error

    def with_weighing(self, draft: Draft) -> Draft:
        """The same, the role check counted with it, once."""
        calls, tokens = self.weighing.model_calls, self.weighing.tokens
        self.weighing = Spent()
        return replace(draft, model_calls=draft.model_calls + calls, tokens=draft.tokens + tokens)

    def left(self) -> float:
        return self.way.budget.seconds - (self.way.clock() - self.began)

    async def search(self) -> tuple[Evidence, ...]:
        evidence = await self.way.retrieve(self.question, self.searches)
        self.searches += 1
        found = "1 piece" if len(evidence) == 1 else f"{len(evidence)} pieces"
        self.way.tell("retrieval", f"{found} of evidence")
        return evidence

    async def answered(self, evidence: tuple[Evidence, ...], last: Try | None) -> Draft:
        request = self.way.compose(self.question, evidence, last)
        self.way.tell("prompt", f"{sum(len(text) for _, text in request.messages)} characters")
        self.way.tell("answer", "asking the model")
        reply = await self.way.complete(request)
        if not reply.texts or not reply.texts[0].strip():
            raise ModelError("the model returned an empty answer")
        if len(reply.texts[0]) > LONGEST_ANSWER:
            raise ModelError(f"the model returned more than {LONGEST_ANSWER} characters")
        self.way.tell("answer", f"{len(reply.texts[0])} characters from {reply.model}")
        return Draft(
            answer=reply.texts[0],
            evidence=evidence,
            made=made_by_model(request, reply),
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
            began=self.began,
            question=self.question.text,
            for_a_person=self.way.for_a_person,
            escalate=self.put if self.way.escalate else None,
            amend=self.amend,
        )

    async def examine(self, draft: Draft, spent: Spent) -> Judged:
        if not draft.evidence:
            found = Findings(
                preflight=self.progress.preflight,
                hooks=self.world,
                faults=(*self.unweighed, _nothing_found()),
                spent=spent,
            )
            return Judged(findings=found, decision=self.way.check.decide(found))
        request = Request(
            answer=draft.answer,
            evidence=draft.evidence,
            question=self.question,
            marks=draft.marks,
        )
        left = self.way.budget.model_calls - spent.model_calls
        found = await examine(request, self.way.check, calls_left=left)
        found = replace(
            found,
            preflight=self.progress.preflight,
            hooks=(*self.world, *found.hooks),
            faults=(*self.unweighed, *found.faults),
            spent=spent,
        )
        return Judged(
            findings=found,
            decision=self.way.check.decide(found),
            model_calls=sum(used.calls for used in found.models),
            tokens=sum(used.tokens for used in found.models),
        )

    def told(self, one: Try) -> None:
        """Keep a try as soon as it is judged, so that a run cut off later still has it."""
        self.progress = replace(self.progress, tries=(*self.progress.tries, one))
        kind, decision = one.kind, one.judged.decision
        rules = ", ".join(sorted({o.rule for o in decision.objections})) or "no objection"
        self.way.tell("verify", f"{kind}: {decision.step.label} ({rules})")

    async def regenerate(self, last: Try) -> Draft:
        """Mend the flagged pieces if that can be done, else have all of it written anew."""
        mended = await self.mender.mend(self.question, last)
        if mended is not None:
            return mended
        if self.mender.owed and self.calls_left() <= len(self.mender.owed):
            return self.mender.unchanged(last)
        return self.mender.settle(await self.answered(last.draft.evidence, last))

    def calls_left(self) -> int:
        used = sum(t.draft.model_calls + t.judged.model_calls for t in self.progress.tries)
        return self.way.budget.model_calls - used

    async def replan(self, last: Try) -> Draft:
        found = await self.search()
        merged = {piece.id: piece for piece in (*last.draft.evidence, *found)}
        return await self.answered(tuple(merged.values()), last)

    async def amend(self, last: Try, prompt: str) -> Draft:
        """Ask what a person would rather have asked, with evidence searched for it."""
        self.question = replace(self.question, text=prompt)
        return await self.answered(await self.search(), None)

    def rejected(self, seen: Preflight, decision: Decision) -> Asked:
        findings = Findings(preflight=seen, spent=self.weighing)
        decision = replace(
            decision, objections=tuple(o for o in decision.objections if o.rule == "preflight")
        )
        return self.done(None, findings, decision)

    def held_back(self, decision: Decision) -> Asked:
        findings = Findings(
            preflight=self.progress.preflight, hooks=self.world, spent=self.weighing
        )
        decision = replace(
            decision, objections=tuple(o for o in decision.objections if o.rule == "hooks")
        )
        self.progress = replace(self.progress, cut_off="a hook objected before the answer")
        return self.done(None, findings, decision)

    def unanswered(self, error: Exception, *, exhausted: tuple[str, ...], calls: int = 1) -> Asked:
        told = str(error) or "no reply in time"
        fault = Fault(source="model", kind=FaultKind.TIMEOUT, message=told)
        if not calls:
            fault = Fault(source="model", kind=FaultKind.LIMIT, message=told)
        elif isinstance(error, ModelError):
            fault = fault_from(error, source="model")
        spent = Spent(
            model_calls=self.weighing.model_calls + calls,
            tokens=self.weighing.tokens,
            exhausted=exhausted,
        )
        faults = (*self.unweighed, fault)
        findings = Findings(preflight=self.progress.preflight, faults=faults, spent=spent)
        self.way.tell("answer", f"none: {told}")
        self.progress = replace(self.progress, cut_off=f"no answer: {told}")
        decision = self.way.check.decide(findings)
        # That nothing was claimed in an answer nobody gave is no objection of its own.
        told_of = tuple(o for o in decision.objections if o.rule != "no_claims")
        return self.done(
            None, findings, replace(decision, objections=told_of or decision.objections)
        )

    def finished(self, trajectory: Trajectory) -> Asked:
        self.progress = replace(self.progress, tries=trajectory.tries, best=trajectory.best)
        self.escalated = (*self.escalated, *trajectory.escalated)
        return self.done(trajectory, trajectory.findings, trajectory.decision)

    def done(self, trajectory: Trajectory | None, findings: Findings, decision: Decision) -> Asked:
        self.progress = replace(
            self.progress, findings=findings, decision=decision, escalated=self.escalated
        )
        return Asked(
            question=self.question,
            preflight=self.progress.preflight,
            trajectory=trajectory,
            findings=findings,
            decision=decision,
            escalated=self.escalated,
            run=record_ask(self.progress),
        )


def _nothing_found() -> Fault:
    return Fault(source="retrieval", kind=FaultKind.SKIPPED, message="no evidence was found")
