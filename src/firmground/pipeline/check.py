"""Check one answer: a flat list of stages, each of which adds facts to the findings.

::

    claims → hooks (before) → verify → consult models → place → score → hooks (after)   facts
    decide                                                                    judgement
    record                                                                    the run

A stage that computes is a plain function and runs off the event loop; a stage that waits
is a coroutine function and is awaited. Each takes a state and returns a new one, so a
stage that was abandoned at the deadline cannot change anything afterwards. Every judge selects
its own passages, so selection is part of ``verify``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from inspect import iscoroutinefunction
from typing import Any, NamedTuple

from firmground.claims import check_citations, prose_claims
from firmground.claims.framed import json_answer_claims, pointer_answer_claims
from firmground.claims.jsonclaims import blank_syntax
from firmground.core.claim import Assessment, Claim, Standing
from firmground.core.finding import (
    Agreement,
    Dependence,
    Fault,
    FaultKind,
    Findings,
    JudgeAgreement,
    ModelUse,
)
from firmground.core.marking import with_marks
from firmground.core.ports import ComputingJudge, HookCase, Inquiry, Judge
from firmground.core.unmarked import Unmarked, unmarked
from firmground.decide import Policy, decide
from firmground.decide.rules import Corroboration, FailedHooks
from firmground.errors import ModelError
from firmground.hooks import HookEngine, Phase
from firmground.pipeline.corroboration import Alone, Needs, one_source_each, resting
from firmground.pipeline.outcome import CheckOutcome
from firmground.pipeline.pointers import held_to_pointers, json_citations
from firmground.pipeline.record import record_check
from firmground.pipeline.request import Mode, Request
from firmground.verify.gsar import profile_for, typed_by_role
from firmground.verify.risk import RiskWeights
from firmground.verify.support import measure_support
from firmground.verify.suspicious import suspicious_texts

BEFORE = "hooks before"
"""Name of the stage that asks the hooks of the phase before."""
OffLoop = Callable[[Callable[[], Any]], Awaitable[Any]]
Around = Callable[[str], AbstractContextManager[Any]]
"""Given the name of a stage, returns what is entered before it and left after it."""
"""Runs a function that computes without holding up the event loop, and returns its result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundJudge:
    """A judge with what is recorded about it and how its claims add up to a risk."""

    judge: Judge
    name: str
    """Recorded in every run; changes whenever the judge could judge otherwise."""
    risk: RiskWeights | None = None
    """None means the lexical scorer's."""
    computes: bool = False
    """True when ``assess`` computes rather than waits, and must not run on the event loop."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Consulted:
    """What models said about an answer that the judge has assessed."""

    assessments: tuple[Assessment, ...]
    dependence: Dependence | Fault | None = None
    agreement: Agreement | Fault | None = None
    judging: JudgeAgreement | None = None
    models: tuple[ModelUse, ...] = ()
    faults: tuple[Fault, ...] = ()


Consult = Callable[[Inquiry, tuple[Assessment, ...], int | None], Awaitable[Consulted]]
"""(inquiry, assessments without a model, calls that are left) -> what models say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckState:
    """What is known about one answer after some of the stages."""

    request: Request
    plain: Unmarked
    """The answer without firmground's own marks, which are not judged."""
    calls_left: int | None = None
    """How many model calls are left; None is no limit."""
    claims: tuple[Claim, ...] = ()
    """Pieces of the answer without marks."""
    findings: Findings = Findings()  # noqa: RUF009 - frozen

    @property
    def inquiry(self) -> Inquiry:
        """The claims and the evidence, as judges and models are asked about them."""
        return Inquiry(
            question=self.request.question,
            answer=self.plain.text,
            claims=self.claims,
            evidence=self.request.evidence,
            tool_calls=self.request.tool_calls,
            penalty=self.request.penalty,
        )

    def found(self, **facts: Any) -> CheckState:
        """The same state with more facts."""
        return replace(self, findings=replace(self.findings, **facts))


class CheckStage(NamedTuple):
    """One step of a check."""

    name: str
    run: Callable[[CheckState], Any]
    """A plain function that computes, or a coroutine function that waits."""
    required: bool = True
    """False for a stage that is left out once the deadline has passed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckPlan:
    """The stages of a check and the policy that decides; shared by many checks."""

    stages: tuple[CheckStage, ...]
    policy: Policy
    judge: str
    """The judge's recorded name, and those of models that judge after it."""
    settings: str
    """Names everything but the request that the outcome depends on."""
    off_loop: OffLoop = asyncio.to_thread
    around: Around = nullcontext
    """Entered around every stage, for tracing."""


def check_plan(
    *,
    judge: BoundJudge,
    policy: Policy,
    hooks: HookEngine | None = None,
    consult: Consult | None = None,
    consulted: str = "",
    judges: Sequence[str] = (),
    off_loop: OffLoop = asyncio.to_thread,
    around: Around = nullcontext,
) -> CheckPlan:
    """Return the stages of a check.

    ``consult`` asks models and ``consulted`` names everything their replies depend on; ``judges``
    are the recorded names of models that judge after ``judge``.
    """
    name = "; then ".join([judge.name, *(f"model {one}" for one in judges)])
    by_judge = _judged_by_computing if judge.computes else _judged_by_asking
    stages = [
        CheckStage("claims", cut_claims),
        CheckStage(BEFORE, partial(_hooked_before, hooks), required=False)
        if hooks and any(hook.phase.covers(Phase.BEFORE) for hook in hooks.hooks)
        else None,
        CheckStage("verify", partial(by_judge, judge.judge), required=False),
        CheckStage("consult", partial(_consulted, consult), required=False) if consult else None,
        CheckStage("place", _placed),
        CheckStage("score", partial(_scored, judge, policy)),
        CheckStage("hooks", partial(_hooked, hooks, policy), required=False) if hooks else None,
    ]
    named = [f"{hook.name} {hook.version}" for hook in hooks.hooks] if hooks else []
    return CheckPlan(
        stages=tuple(stage for stage in stages if stage is not None),
        policy=policy,
        judge=name,
        settings="\n".join([name, policy.digest, *named, *([consulted] if consult else [])]),
        off_loop=off_loop,
        around=around,
    )


async def check(
    request: Request,
    plan: CheckPlan,
    *,
    calls_left: int | None = None,
    seconds: float | None = None,
) -> CheckOutcome:
    """Find out where every claim of the answer stands, decide, and make the run's record."""
    findings = await examine(request, plan, calls_left=calls_left, seconds=seconds)
    return await plan.off_loop(partial(_settled, request, plan, findings))  # type: ignore[no-any-return]


def check_now(request: Request, plan: CheckPlan) -> CheckOutcome:
    """Check without an event loop, in this thread; for a plan whose stages all compute."""
    return _settled(request, plan, _computed(begun(request), plan.stages, plan.around).findings)


def computes_only(plan: CheckPlan) -> bool:
    """True when every stage of the plan only computes."""
    return not any(_waits(stage) for stage in plan.stages)


def _settled(request: Request, plan: CheckPlan, findings: Findings) -> CheckOutcome:
    with plan.around("decide"):
        decision = decide(findings, plan.policy)
    with plan.around("record"):
        run = record_check(request, findings, decision, plan.judge)
    return CheckOutcome(request=request, findings=findings, decision=decision, run=run)


async def examine(
    request: Request,
    plan: CheckPlan,
    *,
    calls_left: int | None = None,
    seconds: float | None = None,
    without: Collection[str] = (),
) -> Findings:
    """Find out where every claim of the answer stands, and decide nothing.

    ``calls_left`` bounds what models may be asked about it. After ``seconds`` the stages that are
    not required are left out, and a fault says so. ``without`` names stages that were run already.
    """
    state = begun(request, calls_left)
    until = None if seconds is None else asyncio.get_running_loop().time() + seconds
    stages = [stage for stage in plan.stages if stage.name not in without]
    for group in _grouped(stages, alone=until is not None):
        state = await _run(state, group, plan, until)
    return state.findings


def begun(request: Request, calls_left: int | None = None) -> CheckState:
    """The state before the first stage."""
    return CheckState(
        request=request,
        plain=unmarked(request.answer, request.marks),
        calls_left=calls_left,
        findings=Findings(unread=request.unread),
    )


def _grouped(stages: Sequence[CheckStage], *, alone: bool) -> list[tuple[CheckStage, ...]]:
    """Stages that are run together: neighbours that compute, unless each is to be ``alone``."""
    groups: list[tuple[CheckStage, ...]] = []
    for stage in stages:
        joins = groups and not alone and not _waits(stage) and not _waits(groups[-1][-1])
        if joins:
            groups[-1] = (*groups[-1], stage)
        else:
            groups.append((stage,))
    return groups


def _waits(stage: CheckStage) -> bool:
    return iscoroutinefunction(stage.run)


async def _run(
    state: CheckState, group: tuple[CheckStage, ...], plan: CheckPlan, until: float | None
) -> CheckState:
    first = group[0]
    limit = asyncio.timeout_at(None if first.required else until)
    try:
        async with limit:
            made: CheckState
            if _waits(first):
                with plan.around(first.name):
                    made = await first.run(state)
            else:
                made = await plan.off_loop(partial(_computed, state, group, plan.around))
            return made
    except TimeoutError:
        if not limit.expired():
            raise
        return _left_out(state, first.name)


def _computed(state: CheckState, group: tuple[CheckStage, ...], around: Around) -> CheckState:
    for stage in group:
        with around(stage.name):
            state = stage.run(state)
    return state


async def assess_only(inquiry: Inquiry, plan: CheckPlan) -> tuple[Assessment, ...]:
    """Run only the plan's judge, on claims that are cut already; for text still being written."""
    stage = next(stage for stage in plan.stages if stage.name == "verify")
    request = Request(answer=inquiry.answer, evidence=inquiry.evidence, question=inquiry.question)
    state = replace(begun(request), claims=inquiry.claims)
    return (await _run(state, (stage,), plan, None)).findings.assessments


def _left_out(state: CheckState, stage: str) -> CheckState:
    late = "not finished before the deadline of the call"
    fault = Fault(source=stage, kind=FaultKind.TIMEOUT, message=late)
    state = state.found(faults=(*state.findings.faults, fault))
    if state.findings.assessments or stage != "verify":
        return state
    return state.found(assessments=tuple(_unjudged(claim, late) for claim in state.claims))


def cut_claims(state: CheckState) -> CheckState:
    """Cut the answer into claims, each an exact piece of it."""
    request, text = state.request, state.plain.text
    match request.mode:
        case Mode.POINTER:
            claims = pointer_answer_claims(text, request.question)
        case Mode.JSON:
            claims = json_answer_claims(text, request.question)
        case _:
            claims = prose_claims(text, request.question)
    for claim in claims:
        if text[claim.start : claim.end] != claim.text:
            raise ModelError(f"claim [{claim.start}:{claim.end}] is not what the answer says there")
    return replace(state, claims=claims)


def _judged_by_computing(judge: Judge, state: CheckState) -> CheckState:
    """Assess the claims with a judge that computes; it may say more than its assessments."""
    inquiry = state.inquiry
    try:
        if isinstance(judge, ComputingJudge):
            found = judge.examine(inquiry)
            _require_answers(state, found.assessments)
            return state.found(
                assessments=found.assessments,
                unread=(*found.unread, *state.request.unread),
                suspicious=found.suspicious,
            )
        assessments = asyncio.run(judge.assess(inquiry))
        return _with_assessments(state, assessments)
    except ModelError as error:
        return _judge_failed(state, error)


async def _judged_by_asking(judge: Judge, state: CheckState) -> CheckState:
    try:
        return _with_assessments(state, await judge.assess(state.inquiry))
    except ModelError as error:
        return _judge_failed(state, error)


def _with_assessments(state: CheckState, assessments: tuple[Assessment, ...]) -> CheckState:
    _require_answers(state, assessments)
    evidence = state.request.evidence
    unread = (piece.id for piece in evidence if not any(map(str.isalnum, piece.text)))
    return state.found(
        assessments=assessments,
        unread=(*unread, *state.request.unread),
        suspicious=suspicious_texts(state.inquiry),
    )


def _judge_failed(state: CheckState, error: ModelError) -> CheckState:
    fault = Fault(source="judge", kind=FaultKind.BAD_REPLY, message=str(error))
    return state.found(
        assessments=tuple(_unjudged(claim, str(error)) for claim in state.claims),
        faults=(*state.findings.faults, fault),
    )


async def _consulted(consult: Consult, state: CheckState) -> CheckState:
    said = await consult(state.inquiry, state.findings.assessments, state.calls_left)
    _require_answers(state, said.assessments)
    return state.found(
        assessments=said.assessments,
        dependence=said.dependence,
        agreement=said.agreement,
        judging=said.judging,
        models=said.models,
        faults=(*state.findings.faults, *said.faults),
    )


def _placed(state: CheckState) -> CheckState:
    """Put the assessments back onto the answer as given, and hold claims to what they point to."""
    request, plain, found = state.request, state.plain, state.findings
    back = tuple(plain.assessment(one) for one in found.assessments)
    marked = with_marks(request.answer, back, request.marks)
    pointing = request.mode in (Mode.JSON, Mode.POINTER)
    return state.found(
        assessments=held_to_pointers(request, marked) if pointing else marked,
        suspicious=tuple(plain.suspicious(one) for one in found.suspicious),
    )


def _case(state: CheckState) -> HookCase:
    request = state.request
    return HookCase(
        question=request.question,
        answer=request.answer,
        evidence=request.evidence,
        claims=tuple(state.plain.claim(claim) for claim in state.claims),
        metadata=request.metadata,
        job_id=str(request.id),
        output_files=request.output_files,
    )


async def _hooked_before(hooks: HookEngine, state: CheckState) -> CheckState:
    """Ask the hooks that run before the answer is checked."""
    return state.found(hooks=await hooks.run(_case(state), phase=Phase.BEFORE))


async def _hooked(hooks: HookEngine, policy: Policy, state: CheckState) -> CheckState:
    """Ask the hooks that run afterwards; they see what was found and what rules say to it."""
    so_far = decide(replace(state.findings, hooks=()), policy, without={FailedHooks.name})
    case = replace(
        _case(state),
        verdict=so_far.verdict,
        assessments=state.findings.assessments,
        objections=(*so_far.objections, *so_far.waived),
    )
    return state.found(hooks=(*state.findings.hooks, *await hooks.run(case)))


def _scored(judge: BoundJudge, policy: Policy, state: CheckState) -> CheckState:
    """Add what is summed up over the claims: support, citations, independent sources."""
    request = state.request
    assessments = typed_by_role(state.findings.assessments, request.evidence, policy.scoring)
    asked = request.question.text if request.question else ""
    framed = request.mode is Mode.JSON
    return state.found(
        assessments=assessments,
        support=measure_support(
            blank_syntax(request.answer) if framed else request.answer,
            assessments,
            evidence_ids={piece.id for piece in request.evidence},
            profile=profile_for(policy.scoring),
            risk_weights=judge.risk,
            criticality=policy.criticality,
        ),
        citations=json_citations(request)
        if framed
        else check_citations(request.answer, request.evidence, assessments, question=asked),
        resting=resting(request, assessments, needs=_needs(policy), alone=_alone(judge.judge)),
    )


def _needs(policy: Policy) -> Needs:
    found = [rule for rule in policy.rules if isinstance(rule, Corroboration)]
    return found[0].needs if found else one_source_each


def _alone(judge: Judge) -> Alone | None:
    """How a judge that computes reads part of the evidence; others are not asked once more."""
    if not isinstance(judge, ComputingJudge):
        return None
    return lambda inquiry: judge.examine(inquiry).assessments


def _require_answers(state: CheckState, assessments: tuple[Assessment, ...]) -> None:
    """Refuse a judge's reply about other claims, or about text that is not in the evidence."""
    if not isinstance(assessments, tuple | list) or not all(
        isinstance(one, Assessment) for one in assessments
    ):
        raise ModelError(f"the judge did not give assessments, but {type(assessments).__name__}")
    if tuple(a.claim for a in assessments) != state.claims:
        raise ModelError("the judge did not give one assessment for each claim, in order")
    lengths = {piece.id: len(piece.text) for piece in state.request.evidence}
    for assessment in assessments:
        for span in assessment.evidence:
            if span.end > lengths.get(span.evidence_id, -1):
                raise ModelError(f"the judge cites {span}, which is not in the evidence")


def _unjudged(claim: Claim, why: str) -> Assessment:
    standing = Standing.UNVERIFIABLE if claim.checkable else Standing.NOT_CHECKABLE
    return Assessment(
        claim=claim,
        standing=standing,
        confidence=1.0,
        support=0.0 if claim.checkable else 1.0,
        reason=f"could not be checked: {why}",
        code="judge_failed",
    )
