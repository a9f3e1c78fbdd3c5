"""Asking models about an answer that was looked at already, within what a budget leaves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firmground.adapters.llm_judge import (
    CanaryReport,
    JudgePanel,
    JudgeReport,
    LlmJudge,
    joined,
    worth_asking,
)
from firmground.consensus import Consensus, Tier, cross_check, light_check
from firmground.core.claim import Assessment
from firmground.core.family import family_of, named_otherwise, same_model
from firmground.core.finding import (
    Agreement,
    ClaimUse,
    Dependence,
    Fault,
    FaultKind,
    JudgeAgreement,
    ModelUse,
)
from firmground.core.metering import CallBudget, MeteredModel
from firmground.core.ports import Inquiry
from firmground.engine.call_plans import chosen_tier, least, plan_consultation
from firmground.engine.model_checks import NO_MODEL, ModelChecks
from firmground.pipeline.check import Consult, Consulted
from firmground.probe import ProbeProfile, measure_answer


def consultation(checks: ModelChecks) -> Consult:
    """The part of a check that asks models, as the pipeline wants it."""

    async def consult(
        inquiry: Inquiry, assessments: tuple[Assessment, ...], calls_left: int | None
    ) -> Consulted:
        asking = _Consultation(checks, inquiry, CallBudget(least(checks.max_calls, calls_left)))
        plans = plan_consultation(checks, inquiry, assessments, calls_left=calls_left)
        for planned in plans:
            checks.tell(planned.purpose, str(planned))
        return await asking.all(assessments)

    return consult


class _Consultation:
    """One consultation: its budget, and everything that was learnt."""

    def __init__(self, checks: ModelChecks, inquiry: Inquiry, call_budget: CallBudget) -> None:
        self.checks = checks
        self.inquiry = inquiry
        self.call_budget = call_budget
        self.models: list[ModelUse] = []
        self.faults: list[Fault] = []

    async def all(self, given: tuple[Assessment, ...]) -> Consulted:
        """Judges first: what they lower decides how hard to cross-check."""
        assessments, judging = await self.judged(given)
        return Consulted(
            assessments=assessments,
            dependence=await self.probed(),
            agreement=await self.cross_checked(assessments),
            judging=judging,
            models=tuple(self.models),
            faults=tuple(self.faults),
        )

    async def judged(
        self, given: tuple[Assessment, ...]
    ) -> tuple[tuple[Assessment, ...], JudgeAgreement | None]:
        checks = self.checks
        asked = worth_asking(given, checks.may_raise) if checks.judges else []
        if not asked:
            for judge in checks.judges:
                told = "not asked: no standing could fall any lower"
                self.models.append(self.used("judge", judge.name, None, remarks=(told,)))
            return given, None
        tallies = [MeteredModel(judge.model, self.call_budget) for judge in checks.judges]
        judges = [
            judge.through(tally, heard=await self.heard(judge))
            for judge, tally in zip(checks.judges, tallies, strict=True)
        ]
        claims = tuple(self.inquiry.claims[at] for at in asked)
        report = await JudgePanel(judges).report(replace(self.inquiry, claims=claims))
        for one, tally in zip(report.reports, tallies, strict=True):
            self.keep_judge(one, tally, asked)
        lowered = joined(
            given,
            dict(zip(asked, report.assessments, strict=True)),
            may_raise=checks.may_raise,
            keep_when_silent=checks.keep_when_silent,
        )
        return lowered, JudgeAgreement(
            judges=tuple(one.judge for one in report.reports),
            agreement=report.agreement,
            score=report.score,
            scores=report.scores,
            interval=report.interval,
        )

    async def heard(self, judge: LlmJudge) -> CanaryReport | None:
        """Run the canary test; its calls count in the budget, not in an answer's cost."""
        if not judge.wants_canary:
            return None
        return await judge.through(MeteredModel(judge.model, self.call_budget)).canary()

    def keep_judge(self, report: JudgeReport, tally: MeteredModel, asked: Sequence[int]) -> None:
        costs = tuple(
            ClaimUse(claim=at, calls=cost.calls, tokens=cost.tokens, cost=cost.cost)
            for at, cost in zip(asked, report.costs, strict=True)
        )
        remarks = [sentence for _, sentence in report.remarks]
        if report.canary is not None and not report.canary.canary_intact:
            remarks.append(report.canary.told)
        used = self.used("judge", report.judge, tally, remarks=tuple(remarks))
        self.models.append(replace(used, claims=costs))

    async def probed(self) -> Dependence | Fault | None:
        checks = self.checks
        if checks.prober is None:
            return None
        if self.inquiry.question is None:
            return _unasked("probe")
        tally = MeteredModel(checks.prober.model, self.call_budget)
        seen, faults = await measure_answer(
            tally,
            self.inquiry.question,
            self.inquiry.answer,
            self.inquiry.claims,
            self.inquiry.evidence,
            watch=checks.watch,
            profile=self.within_budget(),
        )
        self.faults += [fault for fault in faults if fault != seen]
        remarks = () if isinstance(seen, Fault) else seen.remarks
        self.models.append(self.used("probe", checks.prober.name, tally, remarks=remarks))
        return seen

    def within_budget(self) -> ProbeProfile:
        """The profile with no more calls than are left, so that it is planned with them."""
        profile = self.checks.profile
        return replace(profile, max_calls=least(profile.max_calls, self.call_budget.left))

    async def cross_checked(self, assessments: Sequence[Assessment]) -> Agreement | Fault | None:
        checks = self.checks
        if checks.peers is None:
            return None
        if self.inquiry.question is None:
            return _unasked("consensus")
        if not checks.peers:
            return Fault(source="consensus", kind=FaultKind.SKIPPED, message=NO_MODEL)
        tier = chosen_tier(checks, self.inquiry, assessments)
        if tier is Tier.NONE:
            told = ("skipped: every claim stands on its evidence already",)
            self.models.append(ModelUse(purpose="consensus", model="", remarks=told))
            return None
        tallies = [MeteredModel(peer.model, self.call_budget) for peer in checks.peers]
        peers = [replace(p, model=tally) for p, tally in zip(checks.peers, tallies, strict=True)]
        check = cross_check if tier is Tier.FULL else light_check
        found = await check(
            self.inquiry.question,
            self.inquiry.answer,
            self.inquiry.claims,
            peers=peers,
            evidence=self.inquiry.evidence,
            generator=checks.generator,
            settings=checks.consensus,
        )
        self.keep_peers(found, tallies)
        return found.agreement if isinstance(found, Consensus) else found

    def keep_peers(self, found: Consensus | Fault, tallies: Sequence[MeteredModel]) -> None:
        remarks: tuple[str, ...] = ()
        if isinstance(found, Consensus):
            self.faults += found.faults
            remarks = (f"tier {found.tier}", *found.remarks)
        for peer, tally in zip(self.checks.peers or (), tallies, strict=True):
            if tally.calls or remarks:
                self.models.append(self.used("consensus", peer.name, tally, remarks=remarks))
                remarks = ()

    def used(
        self, purpose: str, name: str, tally: MeteredModel | None, *, remarks: tuple[str, ...]
    ) -> ModelUse:
        others = (named_otherwise(name, said) for said in (tally.answered if tally else ()))
        remarks = (*remarks, *filter(None, others))
        return ModelUse(
            purpose=purpose,
            model=name,
            calls=tally.calls if tally else 0,
            tokens=tally.tokens if tally else 0,
            cost=tally.cost if tally else None,
            prompts=tally.prompts if tally else (),
            kin=_kin(name, self.checks.generator),
            remarks=remarks,
        )


def _unasked(source: str) -> Fault:
    told = "the question is not known, and without it nothing can be asked"
    return Fault(source=source, kind=FaultKind.SKIPPED, message=told)


def _kin(name: str, generator: str | None) -> str:
    if generator is None:
        return ""
    if same_model(name, generator):
        return "generator"
    return "family" if family_of(name) == family_of(generator) else ""
