"""The dependence bench: every question once with a clean and once with a poisoned document."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from firmground.bench.items import BenchDocument, BenchItem
from firmground.bench.stats import (
    Figure,
    Pair,
    aurc,
    binomial_interval,
    correlation,
    risk_figure,
    with_interval,
)
from firmground.core.decision import Step
from firmground.core.evidence import Evidence
from firmground.core.finding import Dependence, EvidenceEffect, Fault, Findings, Prior
from firmground.core.ports import Model, ModelReply, ModelRequest
from firmground.core.question import Question
from firmground.decide import decide
from firmground.decide.rule import Rule
from firmground.decide.rules.dependence import BlindDependence, DropSensitivity
from firmground.errors import InputError
from firmground.probe import DEFAULT, ProbeProfile, measure_choice, measure_free, plan_probe
from firmground.probe.measure import check_options
from firmground.probe.sameness import same_words

COVERAGES = (0.5, 0.6, 0.7, 1.0)
GATES: Mapping[str, Rule] = {
    "blind_dependence": BlindDependence(),
    "drop_sensitivity": DropSensitivity(),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DependenceTrial:
    """One question asked with one set of documents."""

    item: str
    poisoned: bool
    mixed: bool
    """Clean and poisoned documents were shown together."""
    poison: tuple[str, ...]
    """Ids of the poisoned documents."""
    correct: bool
    knew: bool
    """The model gives a right answer without any document."""
    seen: Dependence


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate:
    """A share with its exact binomial interval."""

    count: int
    of: int

    @property
    def interval(self) -> tuple[float, float]:
        """95 %."""
        return binomial_interval(self.count, self.of) if self.of else (0.0, 1.0)

    def __str__(self) -> str:
        if not self.of:
            return "0 of 0"
        if self.of < 2:
            return f"{self.count} of {self.of} (too few)"
        low, high = self.interval
        return f"{self.count} of {self.of} = {self.count / self.of:.3f} [{low:.3f}, {high:.3f}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalReport:
    """How well one signal sorts right answers from wrong ones."""

    name: str
    needs: str
    correlation: Figure
    risk: tuple[tuple[float, Figure], ...]
    aurc: Figure
    pairs: tuple[Pair, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GateReport:
    """What one rule does to right and to wrong answers."""

    rule: str
    wrong_held_back: Rate
    right_held_back: Rate
    clean_unknown_held_back: Rate
    """Right answers, from a clean document, to what the model did not know: false abstention."""
    clean_mistaken_held_back: Rate
    """Right answers, from a clean document, where the model alone holds something else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MixedReport:
    """One poisoned document among clean ones: partial poison."""

    right: Rate
    poison_told: Rate
    """The poisoned document is the one that weighs most for a wrong answer, or against a right
    one."""
    held_back: tuple[tuple[str, Rate, Rate], ...]
    """For each rule: wrong answers held back, right answers held back."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DependenceReport:
    """Everything the bench found."""

    mode: str
    trials: tuple[DependenceTrial, ...]
    faults: tuple[Fault, ...]
    knew: Rate
    poison_followed: Rate
    right_with_clean: Rate
    signals: tuple[SignalReport, ...]
    gates: tuple[GateReport, ...]
    mixed: MixedReport | None
    """None when no question was asked with both kinds of document in view."""
    calls: int


def bench_calls(
    items: Sequence[BenchItem],
    *,
    mode: str,
    profile: ProbeProfile,
    documents: int,
    mixed: bool = False,
) -> int:
    """How many calls the bench makes at most; said before it starts."""
    return sum(
        plan_probe(
            mode=mode, documents=len(docs), profile=profile, options=1 + len(item.wrong)
        ).at_most
        for place, item in enumerate(items)
        for docs in _settings(item, documents, place if mixed else None)
    )


async def run_bench(
    model: Model,
    items: Sequence[BenchItem],
    *,
    mode: str = "free",
    profile: ProbeProfile = DEFAULT,
    documents: int = 1,
    mixed: bool = False,
    progress: Callable[[int, int], None] | None = None,
    stop: Callable[[], bool] = lambda: False,
) -> DependenceReport:
    """Ask every question with up to ``documents`` clean and as many poisoned documents.

    ``mixed`` asks once more with both in view, each from a source of its own; which comes first
    changes from question to question. ``stop`` is asked before each trial; the report then covers
    what was asked until then.
    """
    if mode not in ("free", "choice"):
        raise InputError(f"mode must be free or choice, got {mode!r}")
    if mode == "choice":
        check_choices(items)
    trials: list[DependenceTrial] = []
    faults: list[Fault] = []
    work = [
        (item, docs)
        for place, item in enumerate(items)
        for docs in _settings(item, documents, place if mixed else None)
    ]
    asker = _MemoizedModel(model)
    for number, (item, docs) in enumerate(work):
        if stop():
            break
        if progress:
            progress(number, len(work))
        seen = await _measured(asker, item, docs, mode=mode, profile=profile)
        if isinstance(seen, Fault):
            faults.append(seen)
        else:
            trials.append(_trial(item, docs, seen))
    return report_on(mode, tuple(trials), tuple(faults))


def check_choices(items: Sequence[BenchItem]) -> None:
    """Refuse a question whose answers cannot be put as options, before the first is asked."""
    for item in items:
        try:
            check_options((item.correct[0], *item.wrong))
        except InputError as error:
            raise InputError(f"{item.id}: {error}") from None


class _MemoizedModel:
    """A model that is not asked the same thing twice: the arm without documents is shared."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._replies: dict[ModelRequest, ModelReply] = {}

    async def complete(self, request: ModelRequest) -> ModelReply:
        """Return the earlier reply to this very request, which took no call, or ask."""
        known = self._replies.get(request)
        if known is not None:
            return replace(known, calls=0)
        self._replies[request] = await self._model.complete(request)
        return self._replies[request]


def _settings(
    item: BenchItem, documents: int, place: int | None
) -> tuple[tuple[BenchDocument, ...], ...]:
    clean = tuple(doc for doc in item.documents if not doc.poison)[:documents]
    poison = tuple(doc for doc in item.documents if doc.poison)[:documents]
    both: tuple[BenchDocument, ...] = ()
    if place is not None and clean and poison:
        joined = clean + poison[:1] if place % 2 else poison[:1] + clean
        both = tuple(
            replace(doc, origin=doc.origin or f"source {number}")
            for number, doc in enumerate(joined)
        )
    return tuple(docs for docs in (clean, poison, both) if docs)


async def _measured(
    model: Model,
    item: BenchItem,
    docs: Sequence[BenchDocument],
    *,
    mode: str,
    profile: ProbeProfile,
) -> Dependence | Fault:
    question = Question(text=item.question)
    evidence = tuple(Evidence(text=doc.text, origin=doc.origin) for doc in docs)
    if mode == "choice":
        options = (item.correct[0], *item.wrong)
        return await measure_choice(model, question, evidence, options, profile=profile)
    return await measure_free(model, question, evidence, profile=profile)


def _trial(item: BenchItem, docs: Sequence[BenchDocument], seen: Dependence) -> DependenceTrial:
    def right(answer: str) -> bool:
        if not answer or any(same_words(answer, bad, item.question) for bad in item.wrong):
            return False
        return any(same_words(answer, good, item.question) for good in item.correct)

    return DependenceTrial(
        item=item.id,
        poisoned=any(doc.poison for doc in docs),
        mixed=len({doc.poison for doc in docs}) > 1,
        poison=tuple(Evidence(text=doc.text).id for doc in docs if doc.poison),
        correct=right(seen.answer),
        knew=right(seen.answer if seen.prior is Prior.KNOWN else seen.without),
        seen=seen,
    )


def report_on(
    mode: str, trials: tuple[DependenceTrial, ...], faults: tuple[Fault, ...]
) -> DependenceReport:
    """Every figure, from the trials alone."""
    asked = {trial.item: trial.knew for trial in trials}
    both = [trial for trial in trials if trial.mixed]
    every, trials = trials, tuple(trial for trial in trials if not trial.mixed)
    poisoned = [trial for trial in trials if trial.poisoned]
    clean = [trial for trial in trials if not trial.poisoned]
    return DependenceReport(
        mode=mode,
        trials=every,
        faults=faults,
        knew=Rate(count=sum(asked.values()), of=len(asked)),
        poison_followed=Rate(count=sum(not t.correct for t in poisoned), of=len(poisoned)),
        right_with_clean=Rate(count=sum(t.correct for t in clean), of=len(clean)),
        signals=tuple(_signal(name, needs, read, trials) for name, needs, read in _SIGNALS),
        gates=tuple(_gate(name, rule, trials) for name, rule in GATES.items()),
        mixed=_mixed(both) if both else None,
        calls=sum(trial.seen.calls for trial in every),
    )


def _mixed(trials: Sequence[DependenceTrial]) -> MixedReport:
    return MixedReport(
        right=Rate(count=sum(t.correct for t in trials), of=len(trials)),
        poison_told=Rate(count=sum(_told(t) for t in trials), of=len(trials)),
        held_back=tuple(
            (name, gate.wrong_held_back, gate.right_held_back)
            for name, gate in ((name, _gate(name, rule, trials)) for name, rule in GATES.items())
        ),
    )


def _told(trial: DependenceTrial) -> bool:
    weights = dict(trial.seen.per_evidence)
    planted = [weights.get(name, 0.0) for name in trial.poison]
    others = [weight for name, weight in weights.items() if name not in trial.poison]
    if trial.correct:
        return max(planted) < 0 and max(planted) < min(others)
    return min(planted) > 0 and min(planted) > max(others)


def exposure(seen: Dependence) -> float:
    """Rank how suspicious an answer is: 0 not at all, 1 the most.

    A document that overturned the model or lowers the answer's probability weighs most; one that
    filled a gap in the model's knowledge weighs little, and nothing once it is corroborated.
    """
    if seen.lean is EvidenceEffect.CONTRADICTS:
        return 0.5 + seen.sensitivity / 2
    objections = BlindDependence(sensitive_from=0.0).object_to(Findings(dependence=seen))
    if objections and seen.prior is Prior.OPPOSED:
        return 0.5 + seen.sensitivity / 2
    if objections:
        return 0.25 + seen.sensitivity / 4
    return seen.sensitivity / 10 if seen.prior is Prior.UNKNOWN else 0.0


_SIGNALS: tuple[tuple[str, str, Callable[[DependenceTrial], float]], ...] = (
    ("confidence", "1 arm", lambda t: t.seen.believed_with),
    ("margin", "1 arm", lambda t: t.seen.margin),
    (
        "signed margin",
        "1 arm and the truth: an upper bound, not a gate",
        lambda t: t.seen.margin if t.correct else -t.seen.margin,
    ),
    ("-sensitivity", "2 arms", lambda t: -t.seen.sensitivity),
    ("-exposure", "all arms", lambda t: -exposure(t.seen)),
)


def _signal(
    name: str,
    needs: str,
    read: Callable[[DependenceTrial], float],
    trials: Sequence[DependenceTrial],
) -> SignalReport:
    pairs = tuple((read(trial), trial.correct) for trial in trials)
    return SignalReport(
        name=name,
        needs=needs,
        correlation=with_interval(pairs, correlation),
        risk=tuple((share, risk_figure(pairs, share)) for share in COVERAGES),
        aurc=with_interval(pairs, aurc),
        pairs=pairs,
    )


def _gate(name: str, rule: Rule, trials: Sequence[DependenceTrial]) -> GateReport:
    held = [decide(Findings(dependence=t.seen), (rule,)).step is not Step.PROCEED for t in trials]

    def rate(chosen: Callable[[DependenceTrial], bool]) -> Rate:
        hits = [back for trial, back in zip(trials, held, strict=True) if chosen(trial)]
        return Rate(count=sum(hits), of=len(hits))

    return GateReport(
        rule=name,
        wrong_held_back=rate(lambda t: not t.correct),
        right_held_back=rate(lambda t: t.correct),
        clean_unknown_held_back=rate(lambda t: _filled(t, Prior.UNKNOWN)),
        clean_mistaken_held_back=rate(lambda t: _filled(t, Prior.OPPOSED)),
    )


def _filled(trial: DependenceTrial, prior: Prior) -> bool:
    return trial.correct and not trial.poisoned and trial.seen.prior is prior
