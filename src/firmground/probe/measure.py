"""The measurement: one belief per arm, then everything that follows from them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from firmground.core.evidence import Evidence
from firmground.core.fault import fault_from
from firmground.core.finding import Dependence, Fault, FaultKind
from firmground.core.fold import Fold, fold
from firmground.core.ports import Model
from firmground.core.question import Question
from firmground.errors import InputError, ModelError
from firmground.probe.asking import CountingModel, PromptText, prompt_named, shown_evidence
from firmground.probe.belief import Belief
from firmground.probe.choice import choice_belief
from firmground.probe.conclude import ProbeMeasurements, conclude
from firmground.probe.free import belief_from, free_draws, grouped, merged_by_model
from firmground.probe.letters import LETTERS
from firmground.probe.plan import Plan, plan_probe
from firmground.probe.profile import DEFAULT, ProbeProfile

SOURCE = "probe"
T = TypeVar("T")
Shown = tuple[int, ...]


async def measure_choice(
    model: Model,
    question: Question,
    evidence: Sequence[Evidence],
    options: Sequence[str],
    *,
    answer: str | None = None,
    profile: ProbeProfile = DEFAULT,
) -> Dependence | Fault:
    """How far the choice among options moves without the evidence; a failed call is a fault."""
    asked = PromptText(text=question.text)
    return await choose(model, asked, evidence, options, answer=answer, profile=profile)


async def choose(
    model: Model,
    question: PromptText,
    evidence: Sequence[Evidence],
    options: Sequence[str],
    *,
    answer: str | None,
    profile: ProbeProfile,
) -> Dependence | Fault:
    """The same for a question that was itself made from a prompt file."""
    check_options(options, answer)
    plan = plan_probe(mode="choice", documents=len(evidence), profile=profile, options=len(options))
    refused = _refused(plan, evidence, profile)
    if refused:
        return refused
    asker = CountingModel(model)

    async def ask(shown: Shown) -> Belief | ModelError:
        return await choice_belief(
            asker,
            question=question,
            evidence=shown_evidence([evidence[i] for i in shown]),
            options=options,
            profile=profile,
        )

    gathered = await in_all_arms(plan, ask)
    if isinstance(gathered, Fault):
        return gathered
    return conclude(
        ProbeMeasurements(
            mode="choice",
            question=question.text,
            evidence=tuple(evidence),
            beliefs=gathered.values,
            answer=answer or gathered.values[plan.arms[1].shown].top()[0],
            calls=asker.calls,
            remarks=(*_dropped(plan), *gathered.remarks),
            prompts=(*_marks("choice.v1", "evidence.v1"), *question.prompts),
        ),
        profile,
    )


async def measure_free(
    model: Model,
    question: Question,
    evidence: Sequence[Evidence],
    *,
    answer: str | None = None,
    profile: ProbeProfile = DEFAULT,
    comparer: Model | None = None,
) -> Dependence | Fault:
    """How far the free answer moves without the evidence.

    ``answer`` is the answer to watch, by default the one most often drawn with all evidence.
    ``comparer`` settles whether answers in different words state the same fact.
    """
    plan = plan_probe(
        mode="free", documents=len(evidence), profile=profile, compared=comparer is not None
    )
    refused = _refused(plan, evidence, profile)
    if refused:
        return refused
    asker = CountingModel(model)

    async def ask(shown: Shown) -> tuple[str, ...] | ModelError:
        pieces = shown_evidence([evidence[i] for i in shown])
        return await free_draws(asker, question=question.text, evidence=pieces, profile=profile)

    gathered = await in_all_arms(plan, ask)
    if isinstance(gathered, Fault):
        return gathered
    full = plan.arms[1].shown
    target = (
        answer
        or belief_from(gathered.values[full], grouped(gathered.values[full], question.text)).top()[
            0
        ]
    )
    if not target:
        told = "the model gave no answer with all the evidence in view"
        return Fault(source=SOURCE, kind=FaultKind.BAD_REPLY, message=told)
    names = grouped(
        [target, *(a for draws in gathered.values.values() for a in draws)], question.text
    )
    judge = CountingModel(comparer) if comparer else None
    merged = await _merged(judge, names, names[target], question.text, profile)
    if isinstance(merged, ModelError):
        return fault_from(merged, source=SOURCE)
    beliefs = {shown: belief_from(d, merged) for shown, d in gathered.values.items()}
    if not any(belief.of(names[target]) for belief in beliefs.values()):
        told = "the model states this answer neither with the evidence nor without it"
        return Fault(source=SOURCE, kind=FaultKind.BAD_REPLY, message=told)
    return conclude(
        ProbeMeasurements(
            mode="free",
            question=question.text,
            evidence=tuple(evidence),
            beliefs=beliefs,
            answer=names[target],
            calls=asker.calls + (judge.calls if judge else 0),
            remarks=(*_dropped(plan), *gathered.remarks),
            prompts=_marks("free.v1", "evidence.v1", *(("same.v1",) if judge else ())),
        ),
        profile,
    )


async def _merged(
    judge: CountingModel | None,
    names: Mapping[str, str],
    target: str,
    question: str,
    profile: ProbeProfile,
) -> Mapping[str, str] | ModelError:
    if judge is None:
        return names
    return await merged_by_model(judge, names, target, question, seed=profile.seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class ArmResults(Generic[T]):
    """What every arm gave, and what is missing."""

    values: Mapping[Shown, T]
    remarks: tuple[str, ...]


async def in_all_arms(
    plan: Plan, ask: Callable[[Shown], Awaitable[T | ModelError]]
) -> ArmResults[T] | Fault:
    """Ask in every arm side by side; without both ``none`` and ``full`` there is no measurement."""

    async def one(shown: Shown) -> T | ModelError:
        return await ask(shown)

    try:
        async with asyncio.TaskGroup() as group:
            tasks = {arm.shown: group.create_task(one(arm.shown)) for arm in plan.arms}
    except ExceptionGroup as several:  # one arm's defect is every arm's: say it once, unwrapped
        raise several.exceptions[0] from None
    values: dict[Shown, T] = {}
    remarks = []
    for shown, task in tasks.items():
        result = task.result()
        if not isinstance(result, ModelError):
            values[shown] = result
        elif shown in (plan.arms[0].shown, plan.arms[1].shown):
            return fault_from(result, source=SOURCE)
        else:
            remarks.append(f"the arm that shows {len(shown)} document(s) failed: {result}")
    return ArmResults(values=values, remarks=tuple(remarks))


def _refused(plan: Plan, evidence: Sequence[Evidence], profile: ProbeProfile) -> Fault | None:
    if not evidence:
        told = "there is no evidence to remove"
        return Fault(source=SOURCE, kind=FaultKind.SKIPPED, message=told)
    if not plan.fits:
        told = f"at least {plan.at_most} calls may be needed, {profile.max_calls} are allowed"
        return Fault(source=SOURCE, kind=FaultKind.LIMIT, message=told)
    return None


def _dropped(plan: Plan) -> tuple[str, ...]:
    return tuple(f"the budget of calls left out the arms {kind}" for kind in plan.dropped)


def _marks(*names: str) -> tuple[tuple[str, str], ...]:
    return tuple(prompt_named(name).mark for name in names)


def check_options(options: Sequence[str], answer: str | None = None) -> None:
    """Refuse options that cannot be distinguished or lettered, before any call."""
    if not 2 <= len(options) <= len(LETTERS):
        raise InputError(f"between 2 and {len(LETTERS)} options are needed, got {len(options)}")
    for option in options:
        if not option.strip() or len(option.splitlines()) != 1:
            raise InputError(f"an option must be one line that is not empty, got {option!r}")
    seen = {" ".join(fold(option, Fold.SKELETON).text.split()) for option in options}
    if len(seen) != len(options):
        raise InputError("two options are the same, or look the same")
    if answer is not None and answer not in options:
        raise InputError(f"the answer {answer!r} is not among the options")
