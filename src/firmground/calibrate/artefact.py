"""A calibration as a file: bound to the judge, prompt, policy and data it was made with."""

from __future__ import annotations

import hashlib
import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from firmground.calibrate.labelled import LabelledScore, sources_of
from firmground.calibrate.threshold import Calibration, Refusal, calibrate
from firmground.calibrate.two_thresholds import ThresholdPair, calibrate_pair
from firmground.core.canon import Value, canonical, decimal, parse
from firmground.errors import CanonError, InputError

VERSION = "firmground.calibration.v3"
_EARLIER = ("firmground.calibration.v1", "firmground.calibration.v2")
_QUANTILES = 20
SCORES = ("risk", "support")


@dataclass(frozen=True, slots=True, kw_only=True)
class Artefact:
    """Thresholds, by group, with everything they depend on."""

    score: str
    """``risk``: accept up to the threshold; ``support``: proceed from it on."""
    judge: str
    prompt: str
    """SHA-256 of the prompts that the answers were written under; empty: not known."""
    policy: str
    """Digest of the policy."""
    data: str
    """SHA-256 over the labelled answers."""
    risk: float
    confidence: float
    thresholds: tuple[tuple[str, float], ...]
    """(group, threshold); the group of everything else is the empty string."""
    regenerate: tuple[tuple[str, float], ...] = ()
    """(group, second threshold); only with ``support``."""
    quantiles: tuple[float, ...] = ()
    """Of the scores that were seen, evenly spaced; what live scores are held against."""
    total: int = 0
    sources: int = 0
    """How many independent draws the labelled answers were; 0: each was one."""

    def __post_init__(self) -> None:
        if self.score not in SCORES:
            raise InputError(f"a calibration is about {' or '.join(SCORES)}, got {self.score!r}")

    @property
    def digest(self) -> str:
        """SHA-256 of the file."""
        return hashlib.sha256(self.to_bytes()).hexdigest()

    def threshold(self, group: str = "") -> float:
        """The threshold of a group; a group that was not calibrated has none."""
        found = dict(self.thresholds)
        if group not in found:
            raise InputError(f"group {group!r} was not calibrated")
        return found[group]

    def regenerate_from(self, group: str = "") -> float:
        """The second threshold of a group."""
        found = dict(self.regenerate)
        if group not in found:
            raise InputError(f"group {group!r} has no second threshold")
        return found[group]

    def require(self, *, judge: str, policy: str, prompt: str) -> None:
        """Refuse to be used with another judge, policy or prompt than it was made with."""
        if judge != self.judge:
            raise InputError(f"calibrated for the judge {self.judge!r}, this is {judge!r}")
        if policy != self.policy:
            raise InputError(
                f"calibrated for the policy with digest {self.policy[:16]}…, this one has "
                f"{policy[:16]}…: calibrate again under it"
            )
        if prompt != self.prompt:
            raise InputError(
                f"calibrated on answers written under {_prompt(self.prompt)}, these are written "
                f"under {_prompt(prompt)}: calibrate on such answers"
            )

    def to_bytes(self) -> bytes:
        """The file: canonical, so that it has one digest."""
        thresholds: list[Value] = [[g, decimal(t)] for g, t in self.thresholds]
        regenerate: list[Value] = [[g, decimal(t)] for g, t in self.regenerate]
        quantiles: list[Value] = [decimal(q) for q in self.quantiles]
        return canonical(
            {
                "version": VERSION,
                "score": self.score,
                "judge": self.judge,
                "prompt": self.prompt,
                "policy": self.policy,
                "data": self.data,
                "risk": decimal(self.risk),
                "confidence": decimal(self.confidence),
                "thresholds": thresholds,
                "regenerate": regenerate,
                "quantiles": quantiles,
                "total": self.total,
                "sources": self.sources,
            }
        )


def read_artefact(data: bytes) -> Artefact:
    """Read a calibration file; anything that is not one is an error."""
    try:
        document = parse(data)
        if document["version"] in _EARLIER:
            raise InputError(
                f"version {document['version']!r} was made by a search whose bound took the error "
                f"rate to rise with the score; calibrate again on the same answers"
            )
        if document["version"] != VERSION:
            raise InputError(f"version {document['version']!r} is not {VERSION}")
        unknown = sorted(set(document) - _KEYS)
        if unknown:
            raise InputError(f"{unknown[0]} is not a key of it")
        texts = {name: _text(document, name) for name in _TEXTS}
        return Artefact(
            **texts,
            risk=_share_of(document["risk"], "risk"),
            confidence=_share_of(document["confidence"], "confidence"),
            thresholds=_by_group(document, "thresholds"),
            regenerate=_by_group(document, "regenerate", needed=document["score"] == "support"),
            quantiles=_read_quantiles(document["quantiles"]),
            total=_read_count(document, "total"),
            sources=_read_count(document, "sources"),
        )
    except InputError as error:
        raise InputError(f"this is not a calibration file: {error}") from None
    except (CanonError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise InputError(f"this is not a calibration file: {error}") from None


_TEXTS = ("score", "judge", "prompt", "policy", "data")
_KEYS = {
    "version", *_TEXTS, "risk", "confidence", "thresholds", "regenerate", "quantiles", "total",
    "sources",
}  # fmt: skip


def _text(document: Any, name: str) -> str:
    value = document[name]
    if not isinstance(value, str):
        raise InputError(f"{name} must be a text")
    return value


def _share_of(raw: Any, name: str) -> float:
    value = float(raw) if isinstance(raw, str) else math.nan
    if not 0.0 <= value <= 1.0:  # also refuses NaN
        raise InputError(f"{name} must lie in [0, 1], got {raw!r}")
    return value


def _by_group(document: Any, name: str, *, needed: bool = True) -> tuple[tuple[str, float], ...]:
    found: dict[str, float] = {}
    for group, raw in document[name]:
        if not isinstance(group, str) or group in found:
            raise InputError(f"{name}: group {group!r} is not a name, or occurs twice")
        found[group] = _share_of(raw, f"{name}: {group or 'the threshold'}")
    if needed and not found:
        raise InputError(f"{name} is empty")
    return tuple(found.items())


def _read_quantiles(raw: Any) -> tuple[float, ...]:
    values = tuple(_share_of(one, "quantiles") for one in raw)
    if len(values) < 2 or list(values) != sorted(values):
        raise InputError("quantiles must be at least two, in rising order")
    return values


def _read_count(document: Any, name: str) -> int:
    raw = document[name]
    if isinstance(raw, bool) or not isinstance(raw, int) or raw < 1:
        raise InputError(f"{name} must be a whole number above 0, got {raw!r}")
    return raw


Groups = Mapping[str, Sequence[LabelledScore]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationScope:
    """What a calibration is good for, and nothing else."""

    judge: str
    policy: str
    prompt: str = ""


def make_artefact(
    groups: Groups, *, bound: CalibrationScope, risk: float, confidence: float
) -> tuple[Artefact | None, dict[str, Calibration | Refusal]]:
    """Calibrate every group at a shared confidence; None when no group can be supported.

    With several groups each gets its share of the permitted miss, so that all bounds hold at once.
    """
    share = _share(confidence, groups)
    results = {g: calibrate(rows, risk=risk, confidence=share) for g, rows in groups.items()}
    made = tuple(
        (group, result.threshold)
        for group, result in sorted(results.items())
        if isinstance(result, Calibration)
    )
    if not made:
        return None, results
    whole = _artefact(groups, bound, risk=risk, confidence=confidence, thresholds=made)
    return whole, results


def make_pair_artefact(
    groups: Groups,
    *,
    bound: CalibrationScope,
    risk: float,
    regenerate_risk: float,
    confidence: float,
) -> tuple[Artefact | None, dict[str, ThresholdPair | Refusal]]:
    """The same for the two thresholds on the support score."""
    share = _share(confidence, groups)
    results = {
        group: calibrate_pair(rows, risk=risk, regenerate_risk=regenerate_risk, confidence=share)
        for group, rows in groups.items()
    }
    supported = [(g, r) for g, r in sorted(results.items()) if isinstance(r, ThresholdPair)]
    if not supported:
        return None, results
    made = _artefact(
        groups,
        bound,
        risk=risk,
        confidence=confidence,
        thresholds=tuple((group, found.proceed) for group, found in supported),
    )
    second = tuple((group, found.regenerate) for group, found in supported)
    return replace(made, score="support", regenerate=second), results


def _share(confidence: float, groups: Groups) -> float:
    return 1 - (1 - confidence) / max(1, len(groups))


def _artefact(
    groups: Groups,
    bound: CalibrationScope,
    *,
    risk: float,
    confidence: float,
    thresholds: tuple[tuple[str, float], ...],
) -> Artefact:
    every = [one for rows in groups.values() for one in rows]
    return Artefact(
        score="risk",
        judge=bound.judge,
        prompt=bound.prompt,
        policy=bound.policy,
        data=_digest(groups),
        risk=risk,
        confidence=confidence,
        thresholds=thresholds,
        quantiles=_quantiles([one.risk for one in every]),
        total=len(every),
        sources=len(sources_of(every)),
    )


def _prompt(digest: str) -> str:
    return f"the prompts {digest[:16]}…" if digest else "prompts that were not named"


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
    if not all(0.0 <= score <= 1.0 for score in live):  # also refuses NaN
        raise InputError("a live score must lie in [0, 1]")
    ordered = sorted(live)
    steps = len(artefact.quantiles) - 1
    distance = 0.0
    for number, quantile in enumerate(artefact.quantiles):
        below = sum(1 for score in ordered if score <= quantile) / len(ordered)
        distance = max(distance, abs(below - number / steps))
    # Smirnov's two-sample bound at one per cent, plus the resolution of the coarse quantiles.
    # Answers of one source have similar scores, so sources are the sampling unit.
    known = artefact.sources or artefact.total
    spread = math.sqrt((len(live) + known) / (len(live) * known))
    return Drift(distance=distance, allowed=1.63 * spread + 1 / steps)


class DriftWatch:
    """The last scores of a running service, held against those that were calibrated on."""

    def __init__(self, artefact: Artefact, *, window: int = 200, least: int = 50) -> None:
        """Look at the last ``window`` scores, once there are ``least`` of them."""
        if not 1 <= least <= window:
            raise InputError(f"a watch needs 1 <= least <= window, got {least} and {window}")
        self._artefact = artefact
        self._least = least
        self._seen: deque[float] = deque(maxlen=window)

    def see(self, risk: float) -> Drift | None:
        """Take in one live score; None until enough were seen."""
        self._seen.append(risk)
        return drift(self._artefact, tuple(self._seen)) if len(self._seen) >= self._least else None


def _quantiles(scores: Sequence[float]) -> tuple[float, ...]:
    ordered = sorted(scores)
    last = len(ordered) - 1
    return tuple(ordered[round(last * i / _QUANTILES)] for i in range(_QUANTILES + 1))


def _digest(groups: Mapping[str, Sequence[LabelledScore]]) -> str:
    whole = hashlib.sha256()
    for group in sorted(groups):
        whole.update(canonical({"group": group}))
        for one in groups[group]:
            row: dict[str, Value] = {
                "risk": decimal(one.risk), "wrong": one.wrong, "held": one.held,
            }  # fmt: skip
            whole.update(canonical(row | ({"source": one.source} if one.source else {})))
    return whole.hexdigest()
