"""The default profile: what invites an invented answer, cue by cue.

A cue is looked for only when one of its gate words occurs, so an ordinary question costs a few
set operations. Cues of one signal, and the signals themselves, combine as independent doubts: the
confidence is the product of what each leaves over. So one strong cue is enough to block, and no
number of weak ones takes off more than everything. Soft cues shrink when something ties the
question to the world (``anchors``); a demand to invent does not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from firmground.core.finding import Signal
from firmground.preflight.anchors import Anchors, find_anchors
from firmground.preflight.cue_families import FAMILIES
from firmground.preflight.cue_table import MET, TESTING, Cue
from firmground.preflight.question_text import QUESTION_WORDS, QuestionText, word_set
from firmground.preflight.settings import SIGNALS
from firmground.preflight.wording import lean

_QUESTION_SHARE = 0.35
_WORDING_MOST = 0.7
_ELSEWHERE_SHARE = 0.7
"""The vote was learnt on talk about running systems and knows less of other talk."""
_LAST_QUESTION_SHARE = 0.35
"""What is left of the vote when nothing else speaks against a text that closes with a question."""
_LITTLE = word_set(
    "a an and are as at be by for from has have in is it now of on or our that the them this to us "
    "was we what which who with you your"
)
"""Words that weigh in the vote and mean nothing to a reader."""
_WORDING_LEAST = 0.15
"""Below this the vote is noise and is not reported."""


CUES = (*MET, *FAMILIES)
_ALWAYS = tuple(i for i, cue in enumerate(CUES) if cue.gate is None)
_BY_WORD = {
    word: tuple(i for i, cue in enumerate(CUES) if cue.gate and word in cue.gate)
    for cue in CUES
    for word in cue.gate or ()
}


@dataclass(frozen=True, slots=True, kw_only=True)
class CueReport:
    """What the default profile saw."""

    signals: tuple[Signal, ...]
    confidence: float
    anchors: Anchors


def default_signals(
    glance: QuestionText,
    *,
    tools: int = 0,
    evidence: int = 0,
    caps: dict[str, float] | None = None,
    off: frozenset[str] = frozenset(),
) -> CueReport:
    """Return the signals that fired, with exact spans, and the confidence they leave."""
    doubts: dict[str, float] = {}
    spans: dict[str, list[tuple[int, int]]] = {}
    anchors: Anchors | None = None
    for cue in _candidates(glance):
        if cue.signal in off or not _may_fire(cue, glance):
            continue
        found = [
            match.span()
            for match in cue.pattern.finditer(glance.text if cue.cased else glance.lower)
        ]
        if not found:
            continue
        if anchors is None:
            anchors = find_anchors(glance.text, tools=tools, evidence=evidence)
        doubt = _strength(cue, len(found), glance, anchors)
        doubts[cue.signal] = 1.0 - (1.0 - doubts.get(cue.signal, 0.0)) * (1.0 - doubt)
        spans.setdefault(cue.signal, []).extend(found)
    if "wording" not in off and not glance.asks:
        anchors = _add_wording(glance, doubts, spans, anchors, tools=tools, evidence=evidence)
    signals = _signals(doubts, spans, caps or {})
    return CueReport(
        signals=signals,
        confidence=leave_over(signals),
        anchors=anchors or Anchors(tools=tools, evidence=evidence),
    )


def _add_wording(
    glance: QuestionText,
    doubts: dict[str, float],
    spans: dict[str, list[tuple[int, int]]],
    anchors: Anchors | None,
    *,
    tools: int,
    evidence: int,
) -> Anchors | None:
    """Add the vote of the whole wording; anchors reduce it like any soft cue."""
    probability, voters = lean(glance.ordered, asks=glance.asks)
    if not glance.operational:
        probability *= _ELSEWHERE_SHARE
    if probability < _WORDING_LEAST:
        return anchors
    if anchors is None:
        anchors = find_anchors(glance.text, tools=tools, evidence=evidence)
    if places := _places(glance.lower, voters):
        alone = not any(doubts.values())
        share = _LAST_QUESTION_SHARE if alone and _ends_asking(glance) else 1.0
        doubts["wording"] = _WORDING_MOST * probability * anchors.share * share
        telling = [span for span in places if glance.lower[slice(*span)] not in _LITTLE]
        spans["wording"] = telling or places
    return anchors


def _ends_asking(glance: QuestionText) -> bool:
    """True when it ends with a question about facts, whatever instructions precede it."""
    last = re.split(r"[.!?]\s+", glance.lower.strip().rstrip("?"))[-1].split()
    return glance.lower.rstrip().endswith("?") and last[:1] != [] and last[0] in QUESTION_WORDS


def _places(lower: str, voters: tuple[str, ...]) -> list[tuple[int, int]]:
    """Where the first of each voting word or pair stands, as far as it can be pointed at."""
    found = []
    for voter in voters:
        words = voter.removeprefix("^").replace("_", " ")
        start = -1 if "#" in words else _whole(lower, words)
        if start >= 0:
            found.append((start, start + len(words)))
    return found


def _whole(lower: str, words: str) -> int:
    """Where the words first stand by themselves, or -1."""
    start = lower.find(words)
    while start >= 0:
        end = start + len(words)
        if not lower[start - 1 : start].isalnum() and not lower[end : end + 1].isalnum():
            return start
        start = lower.find(words, start + 1)
    return -1


def _candidates(glance: QuestionText) -> list[Cue]:
    """The cues one of whose gate words occurs, in the order of the table."""
    positions = set(_ALWAYS) if glance.digits else set()
    for word in glance.words & _BY_WORD.keys():
        positions.update(_BY_WORD[word])
    return [CUES[position] for position in sorted(positions)]


def _may_fire(cue: Cue, glance: QuestionText) -> bool:
    if (cue.operational and not glance.operational) or (
        cue.told and glance.asks and not _politely_told(glance)
    ):
        return False
    return not (cue.spare_tests and not glance.words.isdisjoint(TESTING))


def _politely_told(glance: QuestionText) -> bool:
    """``Could you …?`` has the form of a question and is work to be done."""
    return glance.ordered[1:2] == ["you"] and glance.ordered[0] in ("can", "could", "would")


def _strength(cue: Cue, hits: int, glance: QuestionText, anchors: Anchors) -> float:
    if hits < cue.at_least:
        return 0.0
    strength = 1.0 - (1.0 - cue.strength) * (1.0 - cue.each_more) ** (hits - cue.at_least)
    if cue.hard:
        return strength
    return strength * anchors.share * (_QUESTION_SHARE if glance.asks else 1.0)


def _signals(
    doubts: dict[str, float], spans: dict[str, list[tuple[int, int]]], caps: dict[str, float]
) -> tuple[Signal, ...]:
    return tuple(
        Signal(
            name=name,
            penalty=min(doubts[name], caps.get(name, 1.0)),
            spans=tuple(sorted(set(spans[name]))),
        )
        for name in SIGNALS
        if doubts.get(name, 0.0) > 0.0
    )


def leave_over(signals: tuple[Signal, ...]) -> float:
    """Return the confidence that signals leave when they combine as independent doubts."""
    left = 1.0
    for signal in signals:
        left *= 1.0 - signal.penalty
    return left
