"""Answer a question: preflight, evidence, prompt, answer, check, and repair within a budget."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from functools import partial
from typing import NoReturn

from firmground.claims import build_evidence_map
from firmground.compose import Guidance, answer_request, lattice_request
from firmground.core.budget import Budget
from firmground.core.canon import Value
from firmground.core.decision import Decision
from firmground.core.escalation import Choice, Escalated, Escalation, Ruling
from firmground.core.evidence import Evidence
from firmground.core.fault import fault_from
from firmground.core.finding import (
    Fault,
    FaultKind,
    Findings,
    HookReply,
    Preflight,
    PreflightStatus,
    Spent,
)
from firmground.core.metering import MeteredModel
from firmground.core.ports import HookCase, ModelRequest
from firmground.core.question import Question
from firmground.core.run import MAX_ATTEMPTS
from firmground.decide import Policy, decide
from firmground.decide.rules import FailedHooks, NoClaims, Overruled, PreflightObjects
from firmground.errors import ModelError
from firmground.hooks import Phase
from firmground.pipeline.ask_plan import AskPlan
from firmground.pipeline.ask_result import AskResult
from firmground.pipeline.check import BEFORE, examine
from firmground.pipeline.loop import Attempt, Draft, Judged, LoopPorts, Trajectory, recover
from firmground.pipeline.record_ask import Progress, failed_at, lookup_path, record_ask
from firmground.pipeline.repair_order import Repairer, made_by_model
from firmground.pipeline.repairing import corrected, guidance_from, patched, spans_ask, voted
from firmground.pipeline.request import LONGEST_ANSWER, Request
from firmground.preflight import (
    PolicyRefs,
    PreflightSettings,
    check_role,
    inspect_question,
    preflight_payload,
    with_role,
)
from firmground.preflight.role import RoleCheck
from firmground.revise import Unsupported


async def ask(question: Question, plan: AskPlan) -> AskResult:
    """Answer a question from evidence, or say why not; whatever ends it leaves a record."""
    session = _AskSession(question, plan)
    try:
        return await session.to_end()
    except BaseException as error:
        cancelled = isinstance(error, asyncio.CancelledError)
        why = "cancelled" if cancelled else f"{type(error).__name__}: {error}"
        plan.cut_off(record_ask(replace(session.progress, cut_off=why)))
        raise


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleScope:
    """Which rules apply to a run that ended before there was an answer to check."""

    only: frozenset[str] | None = None
    without: frozenset[str] = frozenset()

    def decide(self, findings: Findings, policy: Policy) -> Decision:
        """Decide under these rules; what a person ruled always counts."""
        only = None if self.only is None else self.only | {Overruled.name}
        return decide(findings, policy, only=only, without=self.without)


_GAPS_SEARCHED = 3
"""For so many of the gaps that judges name a new search is made."""
_OF_QUESTION = RuleScope(only=frozenset({PreflightObjects.name}))
_OF_HOOKS = RuleScope(only=frozenset({FailedHooks.name}))
_UNANSWERED = RuleScope(without=frozenset({NoClaims.name}))


class _Stopped(Exception):  # noqa: N818 - it ends an attempt, it is not a defect
    """There is no answer to check: the question was blocked, a hook failed or the model failed."""

    def __init__(self, asked: AskResult, *choices: Choice, scope: RuleScope) -> None:
        super().__init__()
        self.asked, self.choices, self.scope = asked, choices, scope


class _AskSession:
    """The state of one question while it is answered."""

    def __init__(self, question: Question, plan: AskPlan) -> None:
        self.question = question
        self.plan = plan
        self.progress = Progress(
            question=question,
            judge=plan.check.judge,
            retrieval=dict(plan.retrieval),
            model_profile=plan.model_profile,
            mode=plan.mode,
        )
        patches, spans = (not plan.mode.points and wish for wish in (plan.patch, plan.spans))
        self.began = plan.clock()
        self.escalated: tuple[Escalated, ...] = ()
        self.world: tuple[HookReply | Fault, ...] = ()
        self.unweighed: tuple[Fault, ...] = ()
        self.weighing = Spent()
        self.repairer = Repairer(
            voted=None if plan.mode.points else voted,
            correct=corrected if patches else None,
            spans=partial(spans_ask, **plan.options) if spans else None,
            patch=partial(patched, plan.unsupported) if patches else None,
            drop=partial(patched, Unsupported.DROP) if patches else None,
            complete=plan.model.complete,
            tell=plan.tell,
        )

    async def to_end(self) -> AskResult:
        asked = await self.settled()
        self.plan.tell("decision", asked.decision.step.label)
        return asked

    async def settled(self) -> AskResult:
        while True:
            try:
                return self.finished(await recover(await self.first(), self.loop_ports()))
            except _Stopped as stopped:
                if not await self.goes_on(stopped):
                    return self.with_rulings(stopped)

    async def goes_on(self, stopped: _Stopped) -> bool:
        """Put to a person what stood in the way of an answer; True when they try again."""
        decision = stopped.asked.decision
        calling = self.plan.check.policy.for_a_person(decision)
        if not calling:
            return False
        choices = stopped.choices if len(self.escalated) < MAX_ATTEMPTS else (Choice.ABORT,)
        case = Escalation(
            question=self.question.text,
            answer=None,
            reasons=(*calling, *(o for o in decision.objections if o not in calling)),
            choices=choices,
        )
        ruling = await self.put(case) if self.plan.escalate else None
        self.escalated = (*self.escalated, Escalated(case=case, ruling=ruling))
        if ruling is None or ruling.choice is Choice.ABORT:
            return False
        self.progress = replace(self.progress, cut_off="")
        if ruling.choice is Choice.AMEND:
            self.question = replace(self.question, text=ruling.prompt)
        return True

    def with_rulings(self, stopped: _Stopped) -> AskResult:
        """The outcome without an answer, decided with what a person ruled."""
        rulings = tuple(one.ruling for one in self.escalated if one.ruling is not None)
        findings = replace(stopped.asked.findings, rulings=rulings)
        return self.done(None, findings, stopped.scope.decide(findings, self.plan.check.policy))

    async def put(self, case: Escalation) -> Ruling | None:
        """Ask the person; their time is not the budget's."""
        assert self.plan.escalate is not None
        self.plan.tell("escalate", case.reasons[0].reason)
        asked_at = self.plan.clock()
        ruling = await self.plan.escalate(case)
        self.began += self.plan.clock() - asked_at
        self.plan.tell("escalate", f"a person ruled: {ruling.choice if ruling else 'no one did'}")
        return ruling

    async def inspect_question(self) -> Preflight | None:
        settings = self.plan.preflight
        if settings is None:
            return None
        off_loop = self.plan.check.off_loop
        with self.plan.check.around("preflight"):
            seen: Preflight = await off_loop(
                partial(inspect_question, self.question, settings=settings)
            )
        self.progress = replace(self.progress, preflight=seen, clauses=self.clauses(settings))
        self.plan.tell("preflight", f"{seen.status}, confidence {seen.confidence:.2f}")
        return seen

    def clauses(self, settings: PreflightSettings) -> Value:
        """The preflight settings, as the run commits to them."""
        asked = self.plan.role_model is not None and self.question.role is not None
        refs = PolicyRefs(
            governance_policy_hash=self.plan.check.policy.digest,
            answer_mode=self.plan.mode.answer_mode,
        )
        most = dict(self.plan.retrieval).get("top_k")
        clauses: Value = preflight_payload(  # type: ignore[assignment]
            self.question,
            settings=settings,
            refs=refs,
            role_asked=asked,
            max_evidence_ids_exposed=most if isinstance(most, int) else None,
        )
        return clauses

    async def weighed(self, seen: Preflight) -> Preflight:
        """The same with what a model says about the role; what it could not say is a fault."""
        model, settings = self.plan.role_model, self.plan.preflight
        if model is None or settings is None or self.question.role is None:
            return seen
        if self.plan.budget.model_calls < self.weighing.model_calls + 2:  # the answer takes one
            told = "the budget of calls leaves none for the role check"
            self.unweighed = (Fault(source="role_check", kind=FaultKind.LIMIT, message=told),)
            return seen
        tally = MeteredModel(model)
        said: RoleCheck | Fault
        try:
            async with asyncio.timeout(self.left()):
                said = await check_role(self.question, model=tally)
        except TimeoutError:
            said = Fault(source="role_check", kind=FaultKind.TIMEOUT, message="no reply in time")
        self.weighing = replace(
            self.weighing,
            model_calls=self.weighing.model_calls + tally.calls,
            tokens=self.weighing.tokens + tally.tokens,
        )
        if isinstance(said, Fault):
            self.unweighed = (said,)
            return seen
        found = with_role(seen, said, settings=settings)
        self.progress = replace(self.progress, preflight=found)
        self.plan.tell("preflight", f"{found.status}, confidence {found.confidence:.2f}: its role")
        return found

    async def first(self) -> Draft:
        """The first answer, unless preflight or a hook prevents it."""
        self.unweighed = ()
        seen = await self.inspect_question()
        if seen is not None and seen.status is not PreflightStatus.BLOCKED:
            seen = await self.weighed(seen)
        if seen is not None and seen.status is PreflightStatus.BLOCKED:
            found = Findings(preflight=seen, spent=self.weighing)
            if _OF_QUESTION.decide(found, self.plan.check.policy).objections:
                self.stop(found, Choice.AMEND, Choice.ABORT, scope=_OF_QUESTION)
        if self.plan.hooks is not None:
            case = HookCase(
                question=self.question,
                answer=None,
                metadata=self.plan.metadata,
                job_id=str(self.plan.id),
                output_files=self.plan.output_files,
            )
            self.world = await self.plan.hooks.run(case, phase=Phase.BEFORE)
            found = Findings(preflight=seen, hooks=self.world, spent=self.weighing)
            if _OF_HOOKS.decide(found, self.plan.check.policy).objections:
                self.progress = replace(self.progress, cut_off="a hook objected before the answer")
                self.stop(found, Choice.RETRY, Choice.AMEND, Choice.ABORT, scope=_OF_HOOKS)
        if nothing := self.plan.budget.reached(Spent()):
            error = ModelError(f"the budget of {nothing[0]} allows no call")
            found = self.unanswered(error, exhausted=nothing[:1], calls=0)
            self.stop(found, Choice.ABORT, scope=_UNANSWERED)
        limit = asyncio.timeout(self.left())
        try:
            async with limit:
                return self.with_weighing(await self.answered(await self.search(), None))
        except (ModelError, TimeoutError) as error:
            late = limit.expired()
            choices = (Choice.ABORT,) if late else (Choice.RETRY, Choice.AMEND, Choice.ABORT)
            out = ("seconds",) if late else ()
            self.stop(self.unanswered(error, exhausted=out), *choices, scope=_UNANSWERED)

    def stop(self, findings: Findings, *choices: Choice, scope: RuleScope) -> NoReturn:
        """End the attempt without an answer; only the rules in ``scope`` apply."""
        decision = scope.decide(findings, self.plan.check.policy)
        raise _Stopped(self.done(None, findings, decision), *choices, scope=scope)

    def with_weighing(self, draft: Draft) -> Draft:
        """The same, the role check counted with it, once."""
        calls, tokens = self.weighing.model_calls, self.weighing.tokens
        self.weighing = Spent()
        return replace(draft, model_calls=draft.model_calls + calls, tokens=draft.tokens + tokens)

    def left(self) -> float:
        return self.plan.budget.seconds - (self.plan.clock() - self.began)

    async def search(self) -> tuple[Evidence, ...]:
        with self.plan.check.around("retrieval"):
            evidence = await self.plan.retriever.retrieve(self.question)
        found = "1 piece" if len(evidence) == 1 else f"{len(evidence)} pieces"
        self.plan.tell("retrieval", f"{found} of evidence")
        return evidence

    async def answered(self, evidence: tuple[Evidence, ...], last: Attempt | None) -> Draft:
        guidance = guidance_from(last) if last else None
        seen = self.progress.preflight
        request = self.prompt(evidence, guidance, seen.claim_cap if seen else None)
        self.plan.tell("prompt", f"{sum(len(text) for _, text in request.messages)} characters")
        self.plan.tell("answer", "asking the model")
        with self.plan.check.around("answer"):
            reply = await self.plan.model.complete(request)
        if not reply.texts or not reply.texts[0].strip():
            raise ModelError("the model returned an empty answer")
        if len(reply.texts[0]) > LONGEST_ANSWER:
            raise ModelError(f"the model returned more than {LONGEST_ANSWER} characters")
        self.plan.tell("answer", f"{len(reply.texts[0])} characters from {reply.model}")
        return Draft(
            answer=reply.texts[0],
            evidence=evidence,
            made=made_by_model(request, reply),
            model_calls=1,
            tokens=reply.tokens_in + reply.tokens_out,
        )

    def prompt(
        self, evidence: tuple[Evidence, ...], guidance: Guidance | None, cap: int | None
    ) -> ModelRequest:
        """What the model is asked, in the form of the plan."""
        options = self.plan.options
        if not self.plan.mode.points:
            return answer_request(
                self.question, evidence, guidance=guidance, claim_cap=cap, **options
            )
        named = [
            (one.pointer_id, one.title, one.span)
            for one in build_evidence_map(evidence, self.question.text).objects
        ]
        return lattice_request(
            self.question,
            named,
            form=str(self.plan.mode),
            guidance=guidance,
            claim_cap=cap,
            **options,
        )

    def loop_ports(self) -> LoopPorts:
        return LoopPorts(
            examine=self.examine,
            decide=self.decide,
            regenerate=self.regenerate,
            replan=self.replan if self.plan.can_search_again else None,
            budget=self.budget(),
            clock=self.plan.clock,
            tell=self.told,
            began=self.began,
            question=self.question.text,
            for_a_person=self.plan.check.policy.for_a_person,
            escalate=self.put if self.plan.escalate else None,
            amend=self.amend,
        )

    def budget(self) -> Budget:
        """The plan's budget; a pointer answer is rewritten at most once."""
        given = self.plan.budget
        if not self.plan.mode.points:
            return given
        return replace(given, regenerations=min(given.regenerations, 1))

    def decide(self, findings: Findings) -> Decision:
        return decide(findings, self.plan.check.policy)

    async def examine(self, draft: Draft, spent: Spent) -> Judged:
        if not draft.evidence:
            found = Findings(
                preflight=self.progress.preflight,
                hooks=self.world,
                faults=(*self.unweighed, _nothing_found()),
                spent=spent,
            )
            return Judged(findings=found, decision=self.decide(found))
        request = Request(
            answer=draft.answer,
            evidence=draft.evidence,
            question=self.question,
            marks=draft.marks,
            mode=self.plan.mode,
            id=self.plan.id,
            metadata=self.plan.metadata,
            output_files=self.plan.output_files,
            penalty=1.0 - self.progress.preflight.confidence if self.progress.preflight else 0.0,
        )
        left = self.plan.budget.model_calls - spent.model_calls
        found = await examine(request, self.plan.check, calls_left=left, without={BEFORE})
        found = replace(
            found,
            preflight=self.progress.preflight,
            hooks=(*self.world, *found.hooks),
            faults=(*self.unweighed, *found.faults),
            spent=spent,
        )
        return Judged(
            findings=found,
            decision=self.decide(found),
            model_calls=sum(used.calls for used in found.models),
            tokens=sum(used.tokens for used in found.models),
        )

    def told(self, one: Attempt) -> None:
        """Keep an attempt as soon as it is judged, so that a run cut off later still has it."""
        self.progress = replace(self.progress, tries=(*self.progress.tries, one))
        kind, decision = one.kind, one.judged.decision
        rules = ", ".join(sorted({o.rule for o in decision.objections})) or "no objection"
        self.plan.tell("verify", f"{kind}: {decision.step.label} ({rules})")

    async def regenerate(self, last: Attempt) -> Draft:
        """Repair the flagged pieces if that can be done, else have the whole answer rewritten."""
        repaired = await self.repairer.repair(self.question, last)
        if repaired is not None:
            return repaired
        if self.repairer.owed and self.calls_left() <= len(self.repairer.owed):
            return self.repairer.unchanged(last)
        return self.repairer.settle(await self.answered(last.draft.evidence, last))

    def calls_left(self) -> int:
        used = sum(t.draft.model_calls + t.judged.model_calls for t in self.progress.tries)
        return self.plan.budget.model_calls - used

    async def replan(self, last: Attempt) -> Draft:
        found = list(await self.search())
        for gap in last.judged.judge_gaps[:_GAPS_SEARCHED]:
            found += await self.plan.retriever.retrieve(replace(self.question, text=gap))
        merged = {piece.id: piece for piece in (*last.draft.evidence, *found)}
        return await self.answered(tuple(merged.values()), last)

    async def amend(self, last: Attempt, prompt: str) -> Draft:
        """Ask what a person would rather have asked, with evidence searched for it."""
        self.question = replace(self.question, text=prompt)
        return await self.answered(await self.search(), None)

    def unanswered(
        self, error: Exception, *, exhausted: tuple[str, ...], calls: int = 1
    ) -> Findings:
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
        self.plan.tell("answer", f"none: {told}")
        self.progress = replace(self.progress, cut_off=f"no answer: {told}")
        return Findings(preflight=self.progress.preflight, faults=faults, spent=spent)

    def finished(self, trajectory: Trajectory) -> AskResult:
        self.progress = replace(self.progress, tries=trajectory.tries, best=trajectory.best)
        self.escalated = (*self.escalated, *trajectory.escalated)
        return self.done(trajectory, trajectory.findings, trajectory.decision)

    def done(
        self, trajectory: Trajectory | None, findings: Findings, decision: Decision
    ) -> AskResult:
        self.progress = replace(
            self.progress, findings=findings, decision=decision, escalated=self.escalated
        )
        return AskResult(
            question=self.question,
            preflight=self.progress.preflight,
            trajectory=trajectory,
            findings=findings,
            decision=decision,
            escalated=self.escalated,
            run=record_ask(self.progress),
            failure_stage=failed_at(self.progress),
            mode=self.plan.mode,
            lookup_path=lookup_path(self.progress),
        )


def _nothing_found() -> Fault:
    return Fault(source="retrieval", kind=FaultKind.SKIPPED, message="no evidence was found")
