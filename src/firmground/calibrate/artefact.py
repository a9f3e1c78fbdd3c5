"""A calibration as a file: bound to the judge, the policy and the data it was made with."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from firmground.calibrate.threshold import Calibration, Labelled, Refusal, calibrate
from firmground.core.canon import Value, canonical, decimal, parse
from firmground.errors import CanonError, InputError

VERSION = "firmground.calibration.v1"
_QUANTILES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Artefact:
    """Thresholds, by group, with everything they depend on."""

    judge: str
    policy: str
    """Digest of the policy."""
    data: str
    """SHA-256 over the labelled answers."""
    risk: float
    confidence: float
    thresholds: tuple[tuple[str, float], ...]
    """(group, threshold); the group of everything else is the empty string."""
    quantiles: tuple[float, ...]
    """Of the scores that were seen, evenly spaced; what live scores are held against."""
    total: int

    def threshold(self, group: str = "") -> float:
        """The threshold of a group; a group that was not calibrated has none."""
        found = dict(self.thresholds)
        if group not in found:
            raise InputError(f"group {group!r} was not calibrated")
        return found[group]

    def require(self, *, judge: str, policy: str) -> None:
        """Refuse to be used with another judge or policy than it was made with."""
        if judge != self.judge:
            raise InputError(f"calibrated for the judge {self.judge!r}, this is {judge!r}")
        if policy != self.policy:
            raise InputError(f"calibrated for the policy {self.policy}, this is {policy}")

    def to_bytes(self) -> bytes:
        """The file: canonical, so that it has one digest."""
        thresholds: dict[str, Value] = {f"g{n}": [g, decimal(t)] for n, (g, t) in self._numbered()}
        quantiles: list[Value] = [decimal(q) for q in self.quantiles]
        return canonical(
            {
                "version": VERSION,
                "judge": self.judge,
                "policy": self.policy,
                "data": self.data,
                "risk": decimal(self.risk),
                "confidence": decimal(self.confidence),
                "thresholds": thresholds,
                "quantiles": quantiles,
                "total": self.total,
            }
        )

    def _numbered(self) -> list[tuple[int, tuple[str, float]]]:
        return list(enumerate(self.thresholds))


def read_artefact(data: bytes) -> Artefact:
    """Read a calibration file; anything that is not one is an error."""
    try:
        document = parse(data)
        if document["version"] != VERSION:
            raise InputError(f"version {document['version']!r} is not {VERSION}")
        return Artefact(
            judge=document["judge"],
            policy=document["policy"],
            data=document["data"],
            risk=float(document["risk"]),
            confidence=float(document["confidence"]),
            thresholds=tuple((g, float(t)) for g, t in document["thresholds"].values()),
            quantiles=tuple(float(q) for q in document["quantiles"]),
            total=document["total"],
        )
    except (CanonError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"this is no calibration file: {error}") from None


def make_artefact(
    groups: Mapping[str, Sequence[Labelled]],
    *,
    judge: str,
    policy: str,
    risk: float,
    confidence: float,
) -> tuple[Artefact | None, dict[str, Calibration | Refusal]]:
    """Calibrate every group at a shared confidence; None when no group can be supported.

    With several groups each gets its share of the permitted miss, so that all bounds hold at once.
    """
    share = 1 - (1 - confidence) / max(1, len(groups))
    results = {g: calibrate(rows, risk=risk, confidence=share) for g, rows in groups.items()}
    made = tuple(
        # Rounded down to what the file can hold: rounding up would accept more than was tested.
        (group, math.floor(result.threshold * 1e6) / 1e6)
        for group, result in sorted(results.items())
        if isinstance(result, Calibration)
    )
    if not made:
        return None, results
    every = [one for rows in groups.values() for one in rows]
    artefact = Artefact(
        judge=judge,
        policy=policy,
        data=_digest(groups),
        risk=risk,
        confidence=confidence,
        thresholds=made,
        quantiles=_quantiles([one.risk for one in every]),
        total=len(every),
    )
    return artefact, results


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """How far live scores have moved from those that were calibrated on."""

    distance: float
    """Largest difference between the two distributions: 0 the same, 1 nothing in common."""
    allowed: float
    """What chance alone would exceed less than once in a hundred times."""

    @property
    def alarm(self) -> bool:
        """True when the calibration no longer speaks about these answers."""
        return self.distance > self.allowed


def drift(artefact: Artefact, live: Sequence[float]) -> Drift:
    """Hold live scores against the calibrated ones; needs no labels."""
    if not live:
        raise InputError("there are no live scores")
    ordered = sorted(live)
    steps = len(artefact.quantiles) - 1
    distance = 0.0
    for number, quantile in enumerate(artefact.quantiles):
        below = sum(1 for score in ordered if score <= quantile) / len(ordered)
        distance = max(distance, abs(below - number / steps))
    # Smirnov's two-sample bound at one per cent, plus what the coarse quantiles cannot tell.
    spread = math.sqrt((len(live) + artefact.total) / (len(live) * artefact.total))
    return Drift(distance=distance, allowed=1.63 * spread + 1 / steps)


def _quantiles(scores: Sequence[float]) -> tuple[float, ...]:
    ordered = sorted(scores)
    last = len(ordered) - 1
    return tuple(ordered[round(last * i / _QUANTILES)] for i in range(_QUANTILES + 1))


def _digest(groups: Mapping[str, Sequence[Labelled]]) -> str:
    whole = hashlib.sha256()
    for group in sorted(groups):
        whole.update(canonical({"group": group}))
        for one in groups[group]:
            whole.update(canonical({"risk": decimal(one.risk), "wrong": one.wrong}))
    return whole.hexdigest()
