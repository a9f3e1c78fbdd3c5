"""From beliefs to facts: shift, prior, lean, causal weights, corroboration. No model is asked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from firmground.core.evidence import Evidence
from firmground.core.finding import Dependence, EvidenceEffect, Prior
from firmground.probe.belief import Belief, shift_interval
from firmground.probe.profile import ProbeProfile
from firmground.probe.sameness import mentions
from firmground.probe.sources import causal_weights, count_sources, source_groups

SHARED_ERROR = (
    "model and evidence give the same answer: an error they share cannot be seen by taking the "
    "evidence away"
)
ONLY_MENTIONED = "whether single sources give the answer was read from their words alone"


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeMeasurements:
    """All that was measured."""

    mode: str
    question: str
    evidence: tuple[Evidence, ...]
    beliefs: Mapping[tuple[int, ...], Belief]
    answer: str
    calls: int
    remarks: tuple[str, ...]
    prompts: tuple[tuple[str, str], ...]

    @property
    def none(self) -> Belief:
        """What is believed without evidence."""
        return self.beliefs[()]

    @property
    def full(self) -> Belief:
        """What is believed with all of it."""
        return self.beliefs[tuple(range(len(self.evidence)))]


def conclude(seen: ProbeMeasurements, profile: ProbeProfile) -> Dependence:
    """Everything that follows from the beliefs."""
    with_it, without = seen.full.of(seen.answer), seen.none.of(seen.answer)
    interval = shift_interval(seen.full, seen.none, seen.answer)
    prior, lean = prior_of(seen.none, seen.answer, profile), lean_of(interval, profile)
    weights = causal_weights(
        len(seen.evidence), {shown: b.of(seen.answer) for shown, b in seen.beliefs.items()}
    )
    backing, opposing = _sides(seen, profile)
    groups = source_groups(seen.evidence)
    return Dependence(
        sensitivity=min(1.0, abs(with_it - without)),
        interval=interval,
        prior=prior,
        per_evidence=tuple((seen.evidence[i].id, weight) for i, weight in weights),
        corroborating=count_sources(groups, backing),
        opposing=count_sources(groups, opposing),
        trust=max((seen.evidence[i].trust for i in backing), default=None),
        calls=seen.calls,
        lean=lean,
        mode=seen.mode,
        answer=seen.answer,
        without=_held(seen.none, profile),
        believed_with=with_it,
        believed_without=without,
        margin=with_it - seen.full.best_other(seen.answer)[1],
        noise=seen.full.noise() if seen.full.draws else 0.0,
        remarks=_remarks(seen, prior, lean),
        prompts=seen.prompts,
    )


def prior_of(none: Belief, answer: str, profile: ProbeProfile) -> Prior:
    """What the model held before: the same, something else, or nothing it would repeat."""
    if none.of(answer) >= profile.known_from:
        return Prior.KNOWN
    if none.best_other(answer)[1] >= profile.known_from:
        return Prior.OPPOSED
    return Prior.UNKNOWN


def lean_of(interval: tuple[float, float], profile: ProbeProfile) -> EvidenceEffect:
    """Which way the evidence moves the answer, when the whole interval lies on that side."""
    low, high = interval
    middle = (low + high) / 2
    if low > 0 and middle >= profile.shift_from:
        return EvidenceEffect.SUPPORTS
    if high < 0 and middle <= -profile.shift_from:
        return EvidenceEffect.CONTRADICTS
    return EvidenceEffect.SILENT


def _held(none: Belief, profile: ProbeProfile) -> str:
    label, share = none.top()
    return label if share >= profile.known_from else ""


def _sides(seen: ProbeMeasurements, profile: ProbeProfile) -> tuple[list[int], list[int]]:
    """Positions of the pieces that alone give the answer, and of those that give another."""
    backing, opposing = [], []
    without = seen.none.of(seen.answer)
    for i, piece in enumerate(seen.evidence):
        says = mentions(piece.text, seen.answer, seen.question)
        alone = seen.beliefs.get((i,))
        if alone is None:
            backing += [i] if says else []
            continue
        share = alone.of(seen.answer)
        moved = share - without
        other, other_share = alone.best_other(seen.answer)
        stated = says and alone.top()[0] == seen.answer
        if stated or (share >= 0.5 and moved > profile.shift_from):
            backing.append(i)
        elif share < 0.5 and (
            moved < -profile.shift_from
            or (other_share >= 0.5 and mentions(piece.text, other, seen.question))
        ):
            opposing.append(i)
    return backing, opposing


def _remarks(seen: ProbeMeasurements, prior: Prior, lean: EvidenceEffect) -> tuple[str, ...]:
    remarks = list(seen.remarks)
    if prior is Prior.KNOWN and lean is not EvidenceEffect.CONTRADICTS:
        remarks.append(SHARED_ERROR)
    if any((i,) not in seen.beliefs for i in range(len(seen.evidence))):
        remarks.append(ONLY_MENTIONED)
    return tuple(remarks)
