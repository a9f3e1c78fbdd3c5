"""What cross-model sampling adds: the same number of references from one model or from others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from firmground.bench.stats import Figure, resampled
from firmground.claims.prose import prose_claims
from firmground.consensus import Consensus, ConsensusSettings, Peer, cross_check
from firmground.core.evidence import Evidence
from firmground.core.finding import Fault
from firmground.core.question import Question
from firmground.errors import InputError

SIGNALS = ("own model", "other models", "judge", "judge or others")
"""References of the generator's own model, of others, the judge without models, either of both."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossTrial:
    """One answer, whether it is wrong, and how strongly each signal says so."""

    set_id: str
    wrong: bool
    suspicion: tuple[float, ...]
    """0 to 1, in the order of ``SIGNALS``; above 0.5 the answer is flagged."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossRow:
    """Figures of one signal."""

    name: str
    caught: int
    """Wrong answers that are flagged."""
    false_alarms: int
    """Right answers that are flagged."""
    f1: Figure
    auc: Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class CrossReport:
    """All signals on one set of answers."""

    generator: str
    others: tuple[str, ...]
    answers: int
    wrong: int
    could_not_measure: int
    calls: int
    rows: tuple[CrossRow, ...]
    f1_added: Figure
    """F1 of other models minus F1 of the own model, paired by answer."""
    auc_added: Figure


def families_apart(peers: Sequence[Peer]) -> tuple[Peer, tuple[Peer, ...]]:
    """The generator, which is the first, and the models of other families; refused without any."""
    if not peers:
        raise InputError("no model was named")
    first, *rest = peers
    others = tuple(peer for peer in rest if peer.family != first.family)
    if not others:
        raise InputError(
            f"cross-model sampling needs a model of another family than {first.name}'s "
            f"({first.family}): name a second one"
        )
    return first, others


async def suspicions(
    question: str,
    answer: str,
    evidence: Sequence[str],
    *,
    own: Peer,
    others: Sequence[Peer],
    settings: ConsensusSettings,
) -> tuple[float, float, int] | Fault:
    """How strongly the own model and other models contradict an answer, and the calls it took."""
    asked = Question(text=question)
    claims = prose_claims(answer, asked)
    pieces = tuple(Evidence(text=text) for text in evidence)
    found = []
    for peers in ((own,), others):
        seen = await cross_check(
            asked, answer, claims, peers=peers, evidence=pieces, generator=own.name,
            settings=settings,
        )  # fmt: skip
        if isinstance(seen, Fault):
            return seen
        if seen.faults:
            return seen.faults[0]
        found.append(seen)
    return _worst(found[0]), _worst(found[1]), sum(one.calls for one in found)


def _worst(seen: Consensus) -> float:
    return max((1 - block.score for block in seen.blocks if block.checked), default=0.5)


def cross_report(
    generator: str,
    others: Sequence[str],
    trials: Sequence[CrossTrial],
    *,
    could_not_measure: int = 0,
    calls: int = 0,
) -> CrossReport:
    """Sum up trials; intervals are over draws of whole evidence sets."""
    sets = [one.set_id for one in trials]
    rows = []
    for at, name in enumerate(SIGNALS):
        flagged = [one for one in trials if one.suspicion[at] > 0.5]
        caught = sum(one.wrong for one in flagged)
        rows.append(
            CrossRow(
                name=name,
                caught=caught,
                false_alarms=len(flagged) - caught,
                f1=resampled(trials, sets, _f1(at)),
                auc=resampled(trials, sets, _auc(at)),
            )
        )
    return CrossReport(
        generator=generator,
        others=tuple(others),
        answers=len(trials),
        wrong=sum(one.wrong for one in trials),
        could_not_measure=could_not_measure,
        calls=calls,
        rows=tuple(rows),
        f1_added=resampled(trials, sets, _difference(_f1(1), _f1(0))),
        auc_added=resampled(trials, sets, _difference(_auc(1), _auc(0))),
    )


_Statistic = Callable[[Sequence[CrossTrial]], float | None]


def _f1(at: int) -> _Statistic:
    def f1(trials: Sequence[CrossTrial]) -> float | None:
        flagged = [one for one in trials if one.suspicion[at] > 0.5]
        wrong = sum(one.wrong for one in trials)
        both = len(flagged) + wrong
        return 2 * sum(one.wrong for one in flagged) / both if both else None

    return f1


def _auc(at: int) -> _Statistic:
    def auc(trials: Sequence[CrossTrial]) -> float | None:
        bad = [one.suspicion[at] for one in trials if one.wrong]
        good = [one.suspicion[at] for one in trials if not one.wrong]
        if not bad or not good:
            return None
        wins = sum((b > g) + (b == g) / 2 for b in bad for g in good)
        return wins / (len(bad) * len(good))

    return auc


def _difference(one: _Statistic, other: _Statistic) -> _Statistic:
    def difference(trials: Sequence[CrossTrial]) -> float | None:
        a, b = one(trials), other(trials)
        return None if a is None or b is None else a - b

    return difference


def cross_lines(found: CrossReport) -> list[str]:
    """The report for a person."""
    right = found.answers - found.wrong
    made = [
        f"{found.answers} answers ({found.wrong} wrong), generator {found.generator}, others "
        f"{', '.join(found.others)}; could not measure {found.could_not_measure}, "
        f"calls {found.calls}",
        "",
        "signal           wrong caught  false alarms  F1                        AUC",
    ]
    for row in found.rows:
        made.append(
            f"{row.name:<16} {row.caught:>5} of {found.wrong:<4} {row.false_alarms:>5} of "
            f"{right:<4} {row.f1!s:<25} {row.auc}"
        )
    return [
        *made,
        "",
        f"cross-model sampling adds  F1 {found.f1_added}  AUC {found.auc_added}",
    ]
