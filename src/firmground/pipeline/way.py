"""What the whole way of a question is made of."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from firmground.core.budget import Budget
from firmground.core.canon import Value
from firmground.core.decision import Decision, Objection
from firmground.core.evidence import Evidence
from firmground.core.finding import Fault, Preflight
from firmground.core.ports import ModelReply, ModelRequest
from firmground.core.question import Question
from firmground.core.run import Run
from firmground.pipeline.check import AskWorld, Parts
from firmground.pipeline.loop import AskPerson, Try
from firmground.pipeline.mending import Patch, Spans

Compose = Callable[[Question, tuple[Evidence, ...], Try | None], ModelRequest]


@dataclass(frozen=True, slots=True, kw_only=True)
class Weighed:
    """What a model says about a question's role, and what asking it took."""

    found: Preflight | Fault
    calls: int = 1
    tokens: int = 0


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
    weigh_role: Callable[[Question, Preflight], Awaitable[Weighed]] | None = None
    """Does the question fit the role it names? Asks a model, and only lowers the confidence."""
    before: AskWorld | None = None
    """What does the world say before anything is asked of a model?"""
    correct: Patch | None = None
    """Puts in what the evidence says, where that is all there is to mend; needs no model."""
    spans: Spans | None = None
    """What is asked of a model about the flagged pieces only; None when too little would stay."""
    patch: Patch | None = None
    """Mends without a model, when a model could not; as little as may be."""
    drop: Patch | None = None
    """The same, where that did not help: takes out every claim that does not stand."""
    can_search_again: bool = False
    budget: Budget
    clock: Callable[[], float]
    tell: Callable[[str, str], None] = lambda stage, message: None
    """Live progress: stage and a few words."""
    cut_off: Callable[[Run], None] = lambda run: None
    """Receives the record of a run that did not come to its end: cancelled, or crashed."""
    for_a_person: Callable[[Decision], tuple[Objection, ...]] = lambda decision: ()
    """Which objections the policy leaves to a person."""
    escalate: AskPerson | None = None
    """Puts a case to a person; without it the case stays open and the outcome says so."""
