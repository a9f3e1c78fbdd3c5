"""The recovery loop: check an answer, repair it, check again, within a budget.

``regenerate`` rewrites the answer on the same evidence, ``replan`` searches for new evidence. Each
has its own budget. A decision that rests only on checks that could not be made ends the loop,
because repeating them would cost much and find nothing. What the policy leaves to a person is put
to one when repair has not helped; their ruling is acted on and recorded, and without anyone to ask
the case stays open. Every attempt is kept and the best one is returned.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from firmground.core.budget import Budget
from firmground.core.canon import Value
from firmground.core.claim import CONTRADICTION, GAP, Assessment, Standing
from firmground.core.decision import Decision, Objection, Step
from firmground.core.escalation import SETTLING, Choice, Escalated, Escalation, Ruling
from firmground.core.evidence import Evidence
from firmground.core.fault import fault_from
from firmground.core.finding import Fault, FaultKind, Findings, Spent
from firmground.core.run import MAX_ATTEMPTS, AttemptReason
from firmground.errors import ModelError


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One answer, the evidence it may stand on, and how it was made."""

    answer: str
    evidence: tuple[Evidence, ...]
    made: Value = None
    """Goes into the record as the prompt stage: the exact prompt, or the patches."""
    model_calls: int = 0
    tokens: int = 0
    marks: tuple[int, ...] = ()
    """Where firmground marked a claim as not supported."""
    revises: bool = False
    """Made by changing pieces of the draft before it; taken further only if it stands better."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What was found out about a draft, and what the rules say to it."""

    findings: Findings
    decision: Decision
    model_calls: int = 0
    tokens: int = 0

    @property
    def gaps(self) -> tuple[str, ...]:
        """What evidence is missing: as judges said, then each claim on which it is silent."""
        silent = (Standing.UNGROUNDED, Standing.UNVERIFIABLE)
        fallen = [a for a in self.findings.assessments if a.standing in silent]
        return (*self.judge_gaps, *(_said(a) for a in fallen if not a.over_reaches))

    @property
    def judge_gaps(self) -> tuple[str, ...]:
        """What evidence is missing, in the words of the judges."""
        return self._noted(GAP)

    @property
    def contradictions(self) -> tuple[str, ...]:
        """What conflicts with what: as judges said, then each contradicted claim."""
        against = [a for a in self.findings.assessments if a.standing is Standing.CONTRADICTED]
        return (*self._noted(CONTRADICTION), *map(_said, against))

    def _noted(self, code: str) -> tuple[str, ...]:
        notes = (note for one in self.findings.assessments for note in one.notes)
        return tuple(dict.fromkeys(note.reason for note in notes if note.code == code))


def _said(one: Assessment) -> str:
    return f"{one.claim.statement} ({one.reason})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One turn of the loop, kept whole."""

    kind: AttemptReason
    draft: Draft
    judged: Judged

    @property
    def score(self) -> float:
        """The support score; 0 when there is none."""
        support = self.judged.findings.support
        return support.score if support else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Trajectory:
    """Every try, which of them is the best, and what was spent."""

    tries: tuple[Attempt, ...]
    best: int
    findings: Findings
    """Those of the best try, with what was spent and what failed on the way."""
    decision: Decision
    spent: Spent
    escalated: tuple[Escalated, ...] = ()
    """What was put to a person, in order; the last is open until it is ruled on."""

    @property
    def degraded(self) -> bool:
        """True when a budget ran out before an answer stood."""
        return bool(self.spent.exhausted)


Examine = Callable[[Draft, Spent], Awaitable[Judged]]
Repair = Callable[[Attempt], Awaitable[Draft]]
Decide = Callable[[Findings], Decision]
Clock = Callable[[], float]
Amend = Callable[[Attempt, str], Awaitable[Draft]]
AskPerson = Callable[[Escalation], Awaitable[Ruling | None]]
"""Puts a case to a person; None when there is no one to ask."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopPorts:
    """What the loop may use."""

    examine: Examine
    decide: Decide
    regenerate: Repair | None = None
    replan: Repair | None = None
    budget: Budget = field(default_factory=Budget)
    clock: Clock
    """Seconds from any fixed point on."""
    tell: Callable[[Attempt], None] = lambda one: None
    """Called after every attempt."""
    began: float | None = None
    """When the clock was read first; None means when the loop begins."""
    question: str = ""
    for_a_person: Callable[[Decision], tuple[Objection, ...]] = lambda decision: ()
    """Which objections the policy leaves to a person."""
    escalate: AskPerson | None = None
    amend: Amend | None = None
    """An attempt with a prompt of a person's own."""


async def recover(first: Draft, means: LoopPorts) -> Trajectory:
    """Check a draft and repair it until it stands, may not go on, or the budget is spent."""
    loop = _Loop(means)
    await loop.examine(AttemptReason.FIRST, first)
    await loop.repair_until_settled()
    while await loop.put_to_a_person():
        await loop.repair_until_settled()
    return loop.settled()


class _Loop:
    """The state of one recovery; lives no longer than ``recover``."""

    def __init__(self, means: LoopPorts) -> None:
        self.means = means
        self.tries: list[Attempt] = []
        self.at = 0
        """Which attempt is repaired next."""
        self.spent = Spent()
        self.faults: tuple[Fault, ...] = ()
        self.escalated: tuple[Escalated, ...] = ()
        self.began = means.clock() if means.began is None else means.began

    @property
    def current(self) -> Attempt:
        """The last try, or the one before it when a revision of it did not stand better."""
        return self.tries[self.at]

    async def repair_until_settled(self) -> None:
        while self.goes_on():
            kind, repairer = self.next()
            assert repairer is not None  # goes_on has looked
            await self.attempt(kind, repairer)

    async def examine(self, kind: AttemptReason, draft: Draft) -> None:
        self.spend(draft.model_calls, draft.tokens)
        judged = await self.means.examine(draft, self.spent)
        self.spend(judged.model_calls, judged.tokens)
        self.tries.append(Attempt(kind=kind, draft=draft, judged=judged))
        if not draft.revises or _rank(self.tries[-1]) < _rank(self.current):
            self.at = len(self.tries) - 1
        self.means.tell(self.tries[-1])

    def spend(self, calls: int, tokens: int) -> None:
        self.spent = replace(
            self.spent,
            model_calls=self.spent.model_calls + calls,
            tokens=self.spent.tokens + tokens,
            seconds=self.means.clock() - self.began,
        )

    def goes_on(self) -> bool:
        """Decide from the last try and what is left; running out is noted as exhausted."""
        decision = self.current.judged.decision
        if self.faults or decision.step in (Step.PROCEED, Step.ABSTAIN) or _only_unasked(decision):
            return False
        kind, repairer = self.next()
        if repairer is None:
            return False
        out = list(self.means.budget.reached(self.spent))
        counter = "regenerations" if kind is AttemptReason.REGENERATE else "replans"
        if getattr(self.spent, counter) >= getattr(self.means.budget, counter):
            out.append(counter)
        if len(self.tries) >= MAX_ATTEMPTS:
            out.append("attempts")
        self.spent = replace(self.spent, exhausted=tuple(out))
        return not out

    def next(self) -> tuple[AttemptReason, Repair | None]:
        """What to try next; where no new search is possible, only the wording can change."""
        step = self.current.judged.decision.step
        if step is Step.REGENERATE or self.means.replan is None:
            return AttemptReason.REGENERATE, self.means.regenerate
        return AttemptReason.REPLAN, self.means.replan

    async def attempt(self, kind: AttemptReason, repairer: Repair) -> None:
        """One more try, cut off when the time is up; a model that fails is noted."""
        left = self.means.budget.seconds - (self.means.clock() - self.began)
        limit = asyncio.timeout(left)
        try:
            async with limit:
                draft = await repairer(self.current)
                self.spent = replace(
                    self.spent,
                    regenerations=self.spent.regenerations + (kind is AttemptReason.REGENERATE),
                    replans=self.spent.replans + (kind is AttemptReason.REPLAN),
                )
                await self.examine(kind, draft)
        except ModelError as error:
            self.fail(fault_from(error, source="model"))
        except TimeoutError as error:
            if limit.expired():
                self.spend(0, 0)
                self.spent = replace(self.spent, exhausted=("seconds",))
            else:  # the model's own deadline, not ours
                told = str(error) or "no reply in time"
                self.fail(Fault(source="model", kind=FaultKind.TIMEOUT, message=told))

    async def put_to_a_person(self) -> bool:
        """Put the case to a person, if the policy says so; True when they had one more try made."""
        case = self.case()
        if case is None:
            return False
        asked_at = self.means.clock()
        ruling = None if self.means.escalate is None else await self.means.escalate(case)
        self.began += self.means.clock() - asked_at  # a person's time is not the budget's
        self.escalated = (*self.escalated, Escalated(case=case, ruling=ruling))
        if ruling is None or ruling.choice in SETTLING:
            return False
        self.faults, self.spent = (), replace(self.spent, exhausted=())
        await self.attempt(*self.ruled(ruling))
        return True

    def case(self) -> Escalation | None:
        """What a person must decide now, or None."""
        settled = self.settled()
        calling = self.means.for_a_person(settled.decision)
        if not calling:
            return None
        rest = tuple(o for o in settled.decision.objections if o not in calling)
        answer = settled.tries[settled.best].draft.answer
        return Escalation(
            question=self.means.question,
            answer=answer,
            reasons=(*calling, *rest),
            choices=self.choices(answer),
            attempts=len(self.tries),
        )

    def choices(self, answer: str) -> tuple[Choice, ...]:
        """Calls, tokens and seconds bind a person too; the count of attempts does not."""
        out = self.means.budget.reached(self.spent) or len(self.tries) >= MAX_ATTEMPTS
        out = out or "seconds" in self.spent.exhausted
        able = {
            Choice.RETRY: not out and self.means.regenerate is not None,
            Choice.AMEND: not out and self.means.amend is not None,
            Choice.SKIP: bool(answer.strip()),
            Choice.ABORT: True,
        }
        return tuple(choice for choice in Choice if able.get(choice, False))

    def ruled(self, ruling: Ruling) -> tuple[AttemptReason, Repair]:
        """The try that a person asked for."""
        amend = self.means.amend
        if ruling.choice is Choice.AMEND and amend is not None:
            return AttemptReason.REPLAN, lambda last: amend(last, ruling.prompt)
        kind, repairer = self.next()
        if repairer is None or _only_unasked(self.current.judged.decision):
            return AttemptReason.REGENERATE, _same_again
        return kind, repairer

    def fail(self, fault: Fault) -> None:
        """A model that fails ends the loop; what stood before stays, and the failure is kept.

        The failed call counts as one, so that not even a person can try for ever.
        """
        self.spend(1, 0)
        self.faults = (*self.faults, fault)

    def settled(self) -> Trajectory:
        """The best try so far, decided upon with everything that happened."""
        best = min(range(len(self.tries)), key=lambda at: _rank(self.tries[at]))
        found = self.tries[best].judged.findings
        stands = self.tries[best].judged.decision.step is Step.PROCEED
        spent = replace(self.spent, exhausted=()) if stands else self.spent
        faults = found.faults if stands else (*found.faults, *self.faults)
        rulings = tuple(one.ruling for one in self.escalated if one.ruling is not None)
        findings = replace(found, spent=spent, faults=faults, rulings=rulings)
        return Trajectory(
            tries=tuple(self.tries),
            best=best,
            findings=findings,
            decision=self.means.decide(findings),
            spent=spent,
            escalated=self.escalated,
        )


async def _same_again(last: Attempt) -> Draft:
    """The same answer once more, for checks that could not be made the first time."""
    return replace(last.draft, made={"by": "retry"}, model_calls=0, tokens=0)


def _rank(one: Attempt) -> tuple[int, float]:
    """Milder decisions first, then higher scores; of equals the earlier try."""
    return one.judged.decision.step, -one.score


def _only_unasked(decision: Decision) -> bool:
    """True when every objection at the decisive step is about a check that could not be made."""
    decisive = [o for o in decision.objections if o.step is decision.step]
    return bool(decisive) and all(o.could_not_check for o in decisive)
