"""Try, look, mend, look again: the recovery loop, under a budget that is spent in the open.

``regenerate`` words the answer anew on the same evidence, ``replan`` looks for new evidence. Each
has its own budget. A decision that rests only on checks that could not be made ends the loop: more
of the same would cost most and find out nothing. Whatever happens, every try is kept and the best
one is returned.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

from firmground.core.budget import Budget
from firmground.core.canon import Value
from firmground.core.decision import Decision, Step
from firmground.core.evidence import Evidence
from firmground.core.finding import Fault, FaultKind, Findings, Spent
from firmground.core.run import MAX_ATTEMPTS, Attempt
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What was found out about a draft, and what the rules say to it."""

    findings: Findings
    decision: Decision
    model_calls: int = 0
    tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Try:
    """One turn of the loop, kept whole."""

    kind: Attempt
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

    tries: tuple[Try, ...]
    best: int
    findings: Findings
    """Those of the best try, with what was spent and what failed on the way."""
    decision: Decision
    spent: Spent

    @property
    def degraded(self) -> bool:
        """True when a budget ran out before an answer stood."""
        return bool(self.spent.exhausted)


Examine = Callable[[Draft, Spent], Awaitable[Judged]]
Mend = Callable[[Try], Awaitable[Draft]]
Decide = Callable[[Findings], Decision]
Clock = Callable[[], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Means:
    """What the loop may use."""

    examine: Examine
    decide: Decide
    regenerate: Mend | None = None
    replan: Mend | None = None
    budget: Budget = field(default_factory=Budget)
    clock: Clock
    """Seconds from any fixed point on."""
    tell: Callable[[Attempt, Judged], None] = lambda kind, judged: None
    """Told after every try."""


async def recover(first: Draft, means: Means) -> Trajectory:
    """Examine a draft and mend it until it stands, may not go on, or the budget is spent."""
    loop = _Loop(means)
    await loop.examine(Attempt.FIRST, first)
    while loop.goes_on():
        try:
            await loop.mend()
        except (ModelError, TimeoutError) as error:
            loop.fail(error)
    return loop.result()


class _Loop:
    """The state of one recovery; lives no longer than ``recover``."""

    def __init__(self, means: Means) -> None:
        self.means = means
        self.tries: list[Try] = []
        self.spent = Spent()
        self.faults: tuple[Fault, ...] = ()
        self.began = means.clock()

    async def examine(self, kind: Attempt, draft: Draft) -> None:
        self.spend(draft.model_calls, draft.tokens)
        judged = await self.means.examine(draft, self.spent)
        self.spend(judged.model_calls, judged.tokens)
        self.tries.append(Try(kind=kind, draft=draft, judged=judged))
        self.means.tell(kind, judged)

    def spend(self, calls: int, tokens: int) -> None:
        self.spent = replace(
            self.spent,
            model_calls=self.spent.model_calls + calls,
            tokens=self.spent.tokens + tokens,
            seconds=self.means.clock() - self.began,
        )

    def goes_on(self) -> bool:
        """Decide from the last try and what is left; running out is noted as exhausted."""
        decision = self.tries[-1].judged.decision
        if self.faults or decision.step in (Step.PROCEED, Step.ABSTAIN) or _only_unasked(decision):
            return False
        kind, mender = self.next()
        if mender is None:
            return False
        out = list(self.means.budget.reached(self.spent))
        counter = "regenerations" if kind is Attempt.REGENERATE else "replans"
        if getattr(self.spent, counter) >= getattr(self.means.budget, counter):
            out.append(counter)
        if len(self.tries) >= MAX_ATTEMPTS:
            out.append("attempts")
        self.spent = replace(self.spent, exhausted=tuple(out))
        return not out

    def next(self) -> tuple[Attempt, Mend | None]:
        """What to try next; where no new search is possible, only the wording can change."""
        step = self.tries[-1].judged.decision.step
        if step is Step.REGENERATE or self.means.replan is None:
            return Attempt.REGENERATE, self.means.regenerate
        return Attempt.REPLAN, self.means.replan

    async def mend(self) -> None:
        last = self.tries[-1]
        kind, mender = self.next()
        assert mender is not None  # goes_on has looked
        left = self.means.budget.seconds - (self.means.clock() - self.began)
        async with asyncio.timeout(max(left, 0.0)):
            draft = await mender(last)
            self.spent = replace(
                self.spent,
                regenerations=self.spent.regenerations + (kind is Attempt.REGENERATE),
                replans=self.spent.replans + (kind is Attempt.REPLAN),
            )
            await self.examine(kind, draft)

    def fail(self, error: Exception) -> None:
        """A model that fails ends the loop; what stood before stays, and the failure is kept."""
        self.spend(0, 0)
        if isinstance(error, TimeoutError):
            self.spent = replace(self.spent, exhausted=("seconds",))
            return
        fault = Fault(source="model", kind=FaultKind.BAD_REPLY, message=str(error))
        self.faults = (*self.faults, fault)

    def result(self) -> Trajectory:
        best = min(range(len(self.tries)), key=lambda at: _rank(self.tries[at]))
        found = self.tries[best].judged.findings
        stands = self.tries[best].judged.decision.step is Step.PROCEED
        spent = replace(self.spent, exhausted=()) if stands else self.spent
        faults = found.faults if stands else (*found.faults, *self.faults)
        findings = replace(found, spent=spent, faults=faults)
        return Trajectory(
            tries=tuple(self.tries),
            best=best,
            findings=findings,
            decision=self.means.decide(findings),
            spent=spent,
        )


def _rank(one: Try) -> tuple[int, float]:
    """Milder decisions first, then higher scores; of equals the earlier try."""
    return one.judged.decision.step, -one.score


def _only_unasked(decision: Decision) -> bool:
    """True when every objection at the decisive step is about something nobody could tell."""
    decisive = [o for o in decision.objections if o.step is decision.step]
    return bool(decisive) and all(o.could_not_check for o in decisive)
