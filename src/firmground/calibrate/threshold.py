"""A threshold on the risk score whose error among accepted answers is bounded, exactly.

The answers are put in order of their risk score, and the threshold is loosened step by step: accept
the first k, then a few more. Which k are tried depends on the number of answers and on which of
them score alike, never on who was wrong. At each an exact binomial test asks whether so few errors
would surprise if the error rate were above the accepted risk. The permitted miss is shared among a
few starting points; whatever the tests up to a place have not lost they hand on to the next one
(fixed-sequence testing with fallback), so a long row of successes is tested with all of it, and a
mishap among the first answers costs one share.

What is promised, at any sample size: with the stated confidence the mean chance of being wrong
among answers that score like the accepted ones is at most the accepted risk. Given the scores this
holds for any score, good or bad, since errors of unequal chances are no more likely to be few than
binomial ones (Hoeffding). For new answers of the same kind it holds in the same way whenever the
error rate passes the accepted risk upwards at most once as the threshold is loosened, as it does
for every score that rises with the risk, tells nothing, or tells the reverse. A bad score only
lowers the share of answers that is accepted.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from firmground.calibrate import binomial
from firmground.errors import InputError

STARTS = 3
STEPS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """One answer whose truth is known."""

    risk: float
    """The score: 0 surely stands, 1 surely does not."""
    wrong: bool
    """True when the answer does not stand."""
    held: bool = False
    """True when another rule holds it back whatever its score, so that it is never accepted."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.risk <= 1.0:
            raise InputError(f"labelled.risk must lie in [0, 1], got {self.risk}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """Accept answers whose risk is at most ``threshold``."""

    threshold: float
    risk: float
    """The accepted error rate among accepted answers."""
    confidence: float
    """Probability, over the labelled sample, that the true rate is at most ``risk``."""
    accepted: int
    """How many of the labelled answers the threshold accepts."""
    errors: int
    """How many of those were wrong."""
    total: int
    upper_bound: float
    """Clopper-Pearson bound at this threshold alone, for reading beside ``risk``."""

    @property
    def coverage(self) -> float:
        """Share of the labelled answers that would be accepted."""
        return self.accepted / self.total


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """The data cannot support a threshold, and why."""

    reason: str
    needed: int
    """How many accepted answers without any error would have been enough."""


def calibrate(
    labelled: Sequence[Labelled], *, risk: float, confidence: float = 0.95
) -> Calibration | Refusal:
    """Find the loosest threshold that keeps the error among accepted answers at most ``risk``."""
    if not 0.0 < risk < 1.0:
        raise InputError(f"risk must lie between 0 and 1, got {risk}")
    if not 0.5 <= confidence < 1.0:
        raise InputError(f"confidence must lie in [0.5, 1), got {confidence}")
    # Given that no other rule holds them back, the rest are independent draws as well.
    ordered = sorted((one for one in labelled if not one.held), key=lambda one: one.risk)
    miss = (1 - confidence) / STARTS
    needed = binomial.fewest_clean(risk, miss)
    if len(ordered) < needed:
        held = len(labelled) - len(ordered)
        others = f" (another {held} are held back by other rules)" if held else ""
        answers = "answer" if len(ordered) == 1 else "answers"
        return Refusal(
            reason=(
                f"{len(ordered)} labelled {answers}{others} cannot show an error rate of at most "
                f"{risk:.3g} with confidence {confidence:.3g}: even without a single error it "
                f"takes {needed}"
            ),
            needed=needed,
        )
    errors = _running_errors(ordered)
    steps = _steps(ordered, needed)
    best = _loosest(errors, steps, risk, miss)
    if best == 0:
        return Refusal(reason=_why_not(errors, needed, risk, confidence), needed=needed)
    return Calibration(
        threshold=ordered[best - 1].risk,
        risk=risk,
        confidence=confidence,
        accepted=best,
        errors=errors[best],
        total=len(labelled),
        upper_bound=binomial.upper_bound(errors[best], best, confidence),
    )


def _running_errors(ordered: Sequence[Labelled]) -> list[int]:
    errors = [0]
    for one in ordered:
        errors.append(errors[-1] + one.wrong)
    return errors


def _steps(ordered: Sequence[Labelled], needed: int) -> dict[int, int]:
    """How many of the lowest scores to accept, in turn, and how many starts lie at each: from just
    enough answers to half of them, evenly. Equal scores are accepted together or not at all.
    """
    total = len(ordered)
    edges = _edges(ordered)
    far = max(needed, total // 2)
    every = max(1, (total - needed) // STEPS)
    steps = {edges[k]: 0 for k in range(needed, total + 1, every)}
    for number in range(STARTS):
        at = edges[needed + (far - needed) * number // (STARTS - 1)]
        steps[at] = steps.get(at, 0) + 1
    return dict(sorted(steps.items()))


def _edges(ordered: Sequence[Labelled]) -> list[int]:
    """For each count the same or the next at which no equal scores are parted."""
    edges = list(range(len(ordered) + 1))
    for k in range(len(ordered) - 1, 0, -1):
        if ordered[k - 1].risk == ordered[k].risk:
            edges[k] = edges[k + 1]
    return edges


def _loosest(errors: Sequence[int], steps: Mapping[int, int], risk: float, miss: float) -> int:
    """The largest k whose test rejects; every start brings its share of the permitted miss, a test
    that rejects hands on all it had, one that does not loses it.
    """
    level, passed = 0.0, 0
    for k, starts in steps.items():
        level += miss * starts
        if level and _rejects(errors[k], k, risk, level):
            passed = k
        else:
            level = 0.0
    return passed


def _rejects(errors: int, k: int, risk: float, level: float) -> bool:
    """True when so few errors would surprise; only where the binomial is the worst case."""
    return errors + 1 <= k * risk and binomial.at_most(errors, k, risk) <= level


def _why_not(errors: Sequence[int], needed: int, risk: float, confidence: float) -> str:
    return (
        f"no threshold keeps the error among accepted answers at most {risk:.3g} with confidence "
        f"{confidence:.3g}: among the {needed} answers with the lowest risk score "
        f"{errors[needed]} are wrong"
    )
