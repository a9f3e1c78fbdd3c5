"""The parent's six signals with its weights, defects included, for those who compare.

The penalties are summed and capped at one; context and tools are not looked at; no signal can
reach the parent's own threshold alone. ``cues`` is the profile to use.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from firmground.core.finding import Signal

_Spans = tuple[tuple[int, int], ...]

_ARTICLE = r"(?:(?:an?|the)\s+)?"
_ROLE_PLAY = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\b(?:you\s+are|you['’]re|act\s+as|pretend\s+to\s+be|imagine\s+you['’]re)\s+"
        + _ARTICLE
        + r"(?:sre|devops|software\s+engineer|incident\s+commander|on-call\s+engineer)\b",
        r"\b(?:respond\s+to|handle|triage|investigate)\s+"
        + _ARTICLE
        + r"(?:(?:production|live|critical)\s+)?(?:incident|outage|alert)\b",
        r"\bhypothetical\s+scenario\b",
        r"\b(?:simulate|roleplay|role-play|tabletop\s+exercise|drill\s+exercise|mock\s+incident)\b",
        r"\b(?:imagine|pretend|suppose)\s+(?:you|that|we)\b",
        r"\bin\s+this\s+scenario\b",
    )
)
_FABRICATION = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\bp\d{2,3}\s+latency\s+(?:spiked|increased|jumped|rose)\s+(?:from|to)\s+\d",
        r"\b(?:error|failure)\s+rate\s+(?:jumped|spiked|increased)\s+(?:from|to)\s+\d",
        r"\b(?:cpu|memory|disk)\s+(?:usage|utilization)\s+(?:spiked|jumped|increased)\s+to\s+\d",
        r"\bin\s+the\s+last\s+\d+\s+(?:minutes?|hours?|seconds?)\b",
        r"\b(?:users\s+are\s+reporting|customers\s+are\s+complaining|the\s+dashboard\s+shows)\b",
        r"\bthe\s+service\s+has\s+been\s+(?:down|unavailable|unreachable)\s+for\b",
    )
)
_SECOND_PERSON = re.compile(r"\s*(you\s+are|you['’]re)\b", re.IGNORECASE)
_METRIC = re.compile(
    r"\d+(?:\.\d+)?\s*(?:%|(?:ms|seconds?|minutes?|hours?|mb|gb|requests/s|req/s|qps|rps|tps)\b)",
    re.IGNORECASE,
)
_URGENCY = re.compile(
    r"\b(?:right\s+now|immediately|urgent|critical|production\s+is\s+down|pages?\s+going\s+off)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?]")
_SPECIFIC = re.compile(
    r"\d|v\d|(?:latenc|throughput|error|timeout|cpu|memory|disk|database|service|cluster|node|pod|"
    r"container|deploy|release|rollback|incident|outage|alert|degrad|fail|crash|leak|restart|"
    r"monitor|dashboard|metric|queue|cache|replica|shard|connection|request|response|endpoint|"
    r"kubernetes|redis|kafka|postgres)",
    re.IGNORECASE,
)
_WORD = re.compile(r"\S+")
_SITUATION = re.compile(
    r"\b(?:ha(?:s|ve)\s+been|experiencing|started\s+to|seems?\s+to\s+be|went\s+from|is\s+down)\b",
    re.IGNORECASE,
)
_CAUSE = re.compile(
    r"\b(?:due\s+to|caused\s+by|because\s+of|root\s+cause|since\s+the|after\s+the|introduced)\b",
    re.IGNORECASE,
)
_ACTION = re.compile(
    r"\b(?:investigate|check|fix|generate|find\s+out|resolve|diagnose|mitigate)\b", re.IGNORECASE
)


def _group(text: str, patterns: tuple[re.Pattern[str], ...]) -> tuple[float, _Spans]:
    """Score a group by how many of its patterns occur at all."""
    found = [match.span() for pattern in patterns if (match := pattern.search(text))]
    return (min(1.0, 0.7 + 0.15 * (len(found) - 1)) if found else 0.0, tuple(found))


def _role_play(text: str) -> tuple[float, _Spans]:
    return _group(text, _ROLE_PLAY)


def _fabrication(text: str) -> tuple[float, _Spans]:
    return _group(text, _FABRICATION)


def _second_person(text: str) -> tuple[float, _Spans]:
    match = _SECOND_PERSON.match(text)
    return (1.0, (match.span(1),)) if match else (0.0, ())


def _metrics(text: str) -> tuple[float, _Spans]:
    spans = tuple(match.span() for match in _METRIC.finditer(text))
    if len(spans) < 2:
        return 0.0, ()
    sentences = max(1, len(_SENTENCE_END.findall(text)))
    return min(1.0, 0.5 * len(spans) / sentences), spans


def _density(text: str) -> tuple[float, _Spans]:
    words = list(_WORD.finditer(text))
    if len(words) < 5:
        return 0.0, ()
    spans = tuple(word.span() for word in words if _SPECIFIC.match(word.group()))
    density = len(spans) / len(words)
    arc = (
        0.35 * bool(_SITUATION.search(text))
        + 0.35 * bool(_CAUSE.search(text))
        + 0.30 * bool(_ACTION.search(text))
    )
    combined = max(density, (density + arc) / 2)
    return (min(1.0, 2 * (combined - 0.5)), spans) if combined > 0.5 else (0.0, ())


def _urgency(text: str) -> tuple[float, _Spans]:
    spans = tuple(match.span() for match in _URGENCY.finditer(text))
    return (1.0, spans) if spans else (0.0, ())


_SIGNALS: tuple[tuple[str, float, Callable[[str], tuple[float, _Spans]]], ...] = (
    ("role_play", 0.40, _role_play),
    ("fabricated_data", 0.25, _fabrication),
    ("second_person_role", 0.15, _second_person),
    ("specific_metrics", 0.15, _metrics),
    ("information_density", 0.10, _density),
    ("temporal_urgency", 0.10, _urgency),
)


def halguard_signals(
    text: str, *, weights: dict[str, float] | None = None, off: frozenset[str] = frozenset()
) -> tuple[Signal, ...]:
    """Return the signals that fired, each with its share of the summed penalty."""
    found = []
    for name, weight, detect in _SIGNALS:
        if name in off:
            continue
        score, spans = detect(text)
        if score > 0.0:
            scale = weight if weights is None else weights.get(name, weight)
            found.append(Signal(name=name, penalty=score * scale, spans=spans))
    return tuple(found)


def halguard_confidence(signals: tuple[Signal, ...]) -> float:
    """One minus the summed penalties, not below zero."""
    return max(0.0, 1.0 - sum(signal.penalty for signal in signals))
