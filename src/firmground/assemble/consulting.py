"""Which models are asked about an answer, for what, and how many calls that may take."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from firmground.adapters.llm_judge import (
    CanaryReport,
    JudgePanel,
    JudgeReport,
    LlmJudge,
    joined,
    judges_for,
    worth_asking,
)
from firmground.consensus import (
    Consensus,
    Peer,
    Settings,
    Tier,
    choose_tier,
    cross_check,
    facts_about,
    light_check,
    plan_check,
)
from firmground.core.claim import Assessment, Standing
from firmground.core.family import family_of, same_model
from firmground.core.finding import (
    Agreement,
    ClaimUse,
    Dependence,
    Fault,
    FaultKind,
    Judging,
    ModelUse,
)
from firmground.core.ports import Inquiry, Model
from firmground.core.prompt import marks_of
from firmground.core.tally import Purse, Tally
from firmground.errors import ConfigError
from firmground.pipeline.check import Consult, Consulted, Parts
from firmground.pipeline.request import Request
from firmground.probe import DEFAULT, WATCHES, Profile, measure_answer, plan_answer

TIERS = ("risk", "light", "full")
"""How hard to cross-check; ``risk`` decides by what the other checks left open."""
NO_MODEL = (
    "no model is configured: name one with --model (its address with --base-url or "
    "OPENAI_BASE_URL, its key in OPENAI_API_KEY), or in a table [[models.use]] of the settings file"
)
_PROMPTS = ("firmground.adapters.llm_judge", "firmground.probe", "firmground.consensus")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChecks:
    """What is asked of models about an answer that deterministic checks have looked at."""

    judges: tuple[LlmJudge, ...] = ()
    """May lower what the deterministic checks found."""
    may_raise: tuple[tuple[Standing, Standing], ...] = ()
    """The only pairs (from, to) in which judges may raise a standing."""
    keep_when_silent: bool = False
    """True: a claim the judges could not speak to keeps its standing."""
    prober: Peer | None = None
    watch: str = "answer"
    profile: Profile = DEFAULT
    peers: tuple[Peer, ...] | None = None
    """None: no cross-check. Empty: one was wanted and nobody is there, which is a finding."""
    tier: str = "risk"
    consensus: Settings = field(default_factory=Settings)
    generator: str | None = None
    max_calls: int | None = None
    tell: Callable[[str, str], None] = lambda stage, message: None
    """Told what is planned before anything is asked."""

    def __post_init__(self) -> None:
        if self.watch not in WATCHES:
            raise ConfigError(f"probe: {self.watch!r} is unknown; use one of {', '.join(WATCHES)}")
        if self.tier not in TIERS:
            raise ConfigError(f"consensus: {self.tier!r} is unknown; use one of {', '.join(TIERS)}")

    @property
    def names(self) -> str:
        """Everything the outcome depends on, as a text."""
        prompts = [mark for package in _PROMPTS for mark in marks_of(package)]
        judges = [(j.name, j.claims_per_call, j.max_tokens, j.seed) for j in self.judges]
        return repr(
            (judges, self.may_raise, self.keep_when_silent, self.prober and self.prober.name,
             self.watch, self.profile, self.peers and [p.name for p in self.peers], self.tier,
             self.consensus, self.generator, self.max_calls, prompts)
        )  # fmt: skip


def model_checks(
    models: Sequence[tuple[str, Model]],
    *,
    judge: bool = False,
    probe: str | None = None,
    consensus: str | None = None,
    generator: str | None = None,
    max_calls: int | None = None,
    may_raise: Sequence[tuple[Standing, Standing]] = (),
    keep_when_silent: bool = False,
    profile: Profile = DEFAULT,
    settings: Settings | None = None,
    tell: Callable[[str, str], None] = lambda stage, message: None,
) -> ModelChecks | None:
    """Choose from the models at hand; None when nothing is wanted of them.

    The generator itself is probed where it is among them, else the first. Judges and peers are of
    other families than the generator's while there are any.
    """
    if not (judge or probe or consensus):
        return None
    if (judge or probe) and not models:
        raise ConfigError(NO_MODEL)
    peers = tuple(Peer(name=name, model=model) for name, model in models)
    author = (peer for peer in peers if generator and same_model(peer.name, generator))
    probed = next(author, peers[0] if peers else None)
    return ModelChecks(
        judges=judges_for(models, generator=generator) if judge else (),
        prober=probed if probe else None,
        watch=probe or "answer",
        peers=peers if consensus else None,
        tier=consensus or "risk",
        generator=generator,
        max_calls=max_calls,
        may_raise=tuple(may_raise),
        keep_when_silent=keep_when_silent,
        profile=profile,
        consensus=settings or Settings(),
        tell=tell,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """Calls for one purpose: when all goes well, and at most."""

    purpose: str
    calls: int
    at_most: int

    def __str__(self) -> str:
        return f"{self.calls} calls planned, at most {self.at_most}"


def plan_consultation(
    checks: ModelChecks,
    inquiry: Inquiry,
    assessments: Sequence[Assessment] = (),
    *,
    calls_left: int | None = None,
) -> tuple[Planned, ...]:
    """What asking about this answer takes; without assessments, the most it could take.

    What a budget leaves for the later checks is planned as if the earlier ones went well.
    """
    checkable = sum(claim.checkable for claim in inquiry.claims)
    left, made = _least(checks.max_calls, calls_left), list[Planned]()
    if checks.judges:
        asked = len(worth_asking(assessments, checks.may_raise)) if assessments else checkable
        made.append(_within(_plan_judges(checks, asked), left))
        left = None if left is None else left - made[-1].calls
    if checks.prober is not None:
        plan = plan_answer(
            watch=checks.watch,
            claims=checkable,
            documents=len(inquiry.evidence),
            profile=replace(checks.profile, max_calls=_least(checks.profile.max_calls, left)),
        )
        made.append(Planned(purpose="probe", calls=plan.calls, at_most=plan.at_most))
        left = None if left is None else left - plan.calls
    if checks.peers:
        tier = _tier(checks, inquiry, assessments)
        low, high = plan_check(claims=checkable, settings=checks.consensus, tier=tier)
        made.append(_within(Planned(purpose="consensus", calls=low, at_most=high), left))
    return tuple(made)


def _least(*limits: int | None) -> int | None:
    """The tightest of several limits; None when there is none."""
    return min((limit for limit in limits if limit is not None), default=None)


def _within(planned: Planned, left: int | None) -> Planned:
    if left is None:
        return planned
    return replace(
        planned, calls=min(planned.calls, left), at_most=min(planned.at_most, max(0, left))
    )


def plan_request(request: Request, parts: Parts, checks: ModelChecks | None) -> tuple[Planned, ...]:
    """The most a whole check could ask of models, known before anything is asked."""
    if checks is None:
        return ()
    inquiry = Inquiry(
        question=request.question,
        answer=request.answer,
        claims=parts.cut(request),
        evidence=request.evidence,
    )
    return plan_consultation(checks, inquiry)


def _plan_judges(checks: ModelChecks, asked: int) -> Planned:
    """Every judge in batches, each forgotten claim once more, and the canary."""
    calls = most = 0
    for judge in checks.judges:
        batches = -(-asked // judge.claims_per_call)
        canary = 1 if asked and judge.wants_canary else 0
        calls += batches + canary
        most += batches + canary + (asked if judge.claims_per_call > 1 else 0)
    return Planned(purpose="judge", calls=calls, at_most=most)


def _tier(checks: ModelChecks, inquiry: Inquiry, assessments: Sequence[Assessment]) -> Tier:
    if checks.tier != "risk":
        return Tier(checks.tier)
    return choose_tier(facts_about(inquiry.answer, inquiry.claims, assessments))


def consultation(checks: ModelChecks) -> Consult:
    """The part of a check that asks models, as the pipeline wants it."""

    async def consult(
        inquiry: Inquiry, assessments: tuple[Assessment, ...], calls_left: int | None
    ) -> Consulted:
        asking = _Asking(checks, inquiry, Purse(_least(checks.max_calls, calls_left)))
        plans = plan_consultation(checks, inquiry, assessments, calls_left=calls_left)
        for planned in plans:
            checks.tell(planned.purpose, str(planned))
        return await asking.all(assessments)

    return consult


class _Asking:
    """One consultation: its budget, and everything that was learnt."""

    def __init__(self, checks: ModelChecks, inquiry: Inquiry, purse: Purse) -> None:
        self.checks = checks
        self.inquiry = inquiry
        self.purse = purse
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
    ) -> tuple[tuple[Assessment, ...], Judging | None]:
        checks = self.checks
        asked = worth_asking(given, checks.may_raise) if checks.judges else []
        if not asked:
            for judge in checks.judges:
                told = "not asked: no standing could fall any lower"
                self.models.append(self.used("judge", judge.name, None, remarks=(told,)))
            return given, None
        tallies = [Tally(judge.model, self.purse) for judge in checks.judges]
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
        return lowered, Judging(
            judges=tuple(one.judge for one in report.reports),
            agreement=report.agreement,
            score=report.score,
            scores=report.scores,
            interval=report.interval,
        )

    async def heard(self, judge: LlmJudge) -> CanaryReport | None:
        """What the canary tells; it is part of the budget and not of what an answer took."""
        if not judge.wants_canary:
            return None
        return await judge.through(Tally(judge.model, self.purse)).canary()

    def keep_judge(self, report: JudgeReport, tally: Tally, asked: Sequence[int]) -> None:
        costs = tuple(
            ClaimUse(claim=at, calls=cost.calls, tokens=cost.tokens, cost=cost.cost)
            for at, cost in zip(asked, report.costs, strict=True)
        )
        remarks = [sentence for _, sentence in report.remarks]
        if report.canary is not None and not report.canary.sings:
            remarks.append(report.canary.told)
        used = self.used("judge", report.judge, tally, remarks=tuple(remarks))
        self.models.append(replace(used, claims=costs))

    async def probed(self) -> Dependence | Fault | None:
        checks = self.checks
        if checks.prober is None:
            return None
        if self.inquiry.question is None:
            return _unasked("probe")
        tally = Tally(checks.prober.model, self.purse)
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

    def within_budget(self) -> Profile:
        """The profile with no more calls than are left, so that it is planned with them."""
        profile = self.checks.profile
        return replace(profile, max_calls=_least(profile.max_calls, self.purse.left))

    async def cross_checked(self, assessments: Sequence[Assessment]) -> Agreement | Fault | None:
        checks = self.checks
        if checks.peers is None:
            return None
        if self.inquiry.question is None:
            return _unasked("consensus")
        if not checks.peers:
            return Fault(source="consensus", kind=FaultKind.SKIPPED, message=NO_MODEL)
        tier = _tier(checks, self.inquiry, assessments)
        if tier is Tier.NONE:
            told = ("skipped: every claim stands on its evidence already",)
            self.models.append(ModelUse(purpose="consensus", model="", remarks=told))
            return None
        tallies = [Tally(peer.model, self.purse) for peer in checks.peers]
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

    def keep_peers(self, found: Consensus | Fault, tallies: Sequence[Tally]) -> None:
        remarks: tuple[str, ...] = ()
        if isinstance(found, Consensus):
            self.faults += found.faults
            changes = tuple(f"proposed: {line}" for line in found.diff)
            remarks = (f"tier {found.tier}", *found.remarks, *changes)
        for peer, tally in zip(self.checks.peers or (), tallies, strict=True):
            if tally.calls or remarks:
                self.models.append(self.used("consensus", peer.name, tally, remarks=remarks))
                remarks = ()

    def used(
        self, purpose: str, name: str, tally: Tally | None, *, remarks: tuple[str, ...]
    ) -> ModelUse:
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
