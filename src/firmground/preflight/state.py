"""Lexical detectors of defects in the question itself; each finding is a hint with a span."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from firmground.preflight.quantifier import Quantifier
from firmground.preflight.question_text import QuestionText, word_set

STATE_VERSION: Final = "firmground-question-state-1"


class State(StrEnum):
    """What may be wrong with a question."""

    WELL_FORMED = "well_formed"
    UNDER_SPECIFIED = "under_specified"
    FALSE_PREMISE_SUSPECTED = "false_premise_suspected"
    CONTRADICTORY_QUESTION = "contradictory_question"
    OUT_OF_CORPUS_RISK = "out_of_corpus_risk"
    STALE_RISK = "stale_risk"
    REFERENCE_FRAME_AMBIGUOUS = "reference_frame_ambiguous"
    BROAD_QUANTIFIER_UNBOUNDED = "broad_quantifier_unbounded"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionState:
    """The states that hold, in a fixed order, and where each was read."""

    states: tuple[State, ...]
    spans: tuple[tuple[State, int, int], ...] = ()
    contradiction_pairs: tuple[tuple[str, str], ...] = ()
    needs_current_source: bool = False

    def as_clause(self) -> dict[str, object]:
        """The question-state clause of the preflight payload."""
        return {
            "version": STATE_VERSION,
            "logical_statuses": [state.value for state in self.states],
            "contradiction_pairs": [list(pair) for pair in self.contradiction_pairs],
            "false_premise_hints": [
                [start, end]
                for state, start, end in self.spans
                if state is State.FALSE_PREMISE_SUSPECTED
            ],
            "needs_current_source": self.needs_current_source,
        }


_STALE = (
    word_set(
        "current currently latest today now newest recent recently president ceo champion"
        " reigning minister this"
    ),
    re.compile(
        r"\b(?:currently|current|latest|newest|today|as\s+of\s+now|right\s+now|this\s+(?:year|month|"
        r"week)|most\s+recent|ceo\s+of|president\s+of|prime\s+minister\s+of|reigning)\b"
    ),
)
_PREMISE = (
    word_set("when how why did stop become stopped"),
    re.compile(
        r"\bwhen\s+did\s+(?:[\w'-]+\s+){1,6}?stop\b|\bhow\s+did\s+(?:[\w'-]+\s+){1,6}?become\b|"
        r"\bwhy\s+did\s+(?:[\w'-]+\s+){1,6}?(?:stop|refuse|fail)\b"
    ),
)
_ELSEWHERE = (
    word_set("my our uploaded unpublished inbox attachment mailbox drive"),
    re.compile(
        r"\b(?:my|our)\s+(?:[\w-]+\s+)?(?:uploaded|unpublished)\s+\w+|\bmy\s+(?:inbox|mailbox|"
        r"calendar|e-?mails?|drive|notes)\b|\b(?:file|document|pdf)\s+i\s+(?:just\s+)?uploaded\b|"
        r"\b(?:my|our)\s+unpublished\b"
    ),
)
_FRAME = (
    word_set("universe canon fictional movie novel series lore game comics show book"),
    re.compile(
        r"\bin\s+(?:the\s+)?(?:[\w'-]+\s+){0,3}?(?:universe|canon|lore|movie|novel|comics|game|"
        r"series|show|books?)\b"
    ),
)
_THING = (
    r"(?:document|file|report|text|article|paper|pdf|contract|e-?mail|letter|passage|transcript|"
    r"stack\s+trace|trace|logs?|log\s+file|screenshot|image|picture|photo|table|spreadsheet|paragraph|"
    r"essay|attachment|snippet|code|diagram|chart|csv|dataset|minutes|notes|export|dump)s?\b"
)
_HANDED = (
    word_set(
        """attached enclosed appended attachment attachments following below above this these
        document file"""
    ),
    re.compile(
        rf"\b(?:attached|enclosed|appended)\s+(?:[\w-]+\s+){{0,2}}?{_THING}|"
        rf"\b{_THING}\s+(?:(?:is|are|that\s+is|i\s+have)\s+)?(?:attached|enclosed|below|above)\b|"
        rf"\b(?:the\s+)?following\s+(?:[\w-]+\s+){{0,2}}?{_THING}|"
        rf"^\W*(?:(?:please|can|could|would|you|me|kindly)\s+){{0,3}}"
        rf"(?:summari[sz]e|translate|explain|analy[sz]e|review|proofread|rewrite|read|shorten|check|"
        rf"correct|describe)\s+(?:this|these)\s+(?:[\w-]+\s+){{0,2}}?{_THING}|"
        r"\b(?:see|in|from|per)\s+(?:the\s+)?attachments?\b"
    ),
)
_INLINE_LETTERS = 40
"""So much text after the reference counts as the thing itself, pasted in."""
_POINTS_AT = re.compile(r"\b(?:it|that|this|they|these|those|he|she)\b")
_PAIRS: Final[tuple[tuple[frozenset[str], frozenset[str]], ...]] = (
    (word_set("unmarried bachelor bachelors"), word_set("spouse wife husband married wives")),
    (word_set("alive living"), word_set("dead deceased died")),
    (word_set("never"), word_set("always")),
    (word_set("square"), word_set("circular round")),
    (word_set("childless"), word_set("children child son daughter")),
    (word_set("empty"), word_set("full")),
    (word_set("silent"), word_set("loud")),
)
_ALWAYS_NOT = re.compile(
    r"\balways\b.{0,80}?\bsometimes\s+not\b|\bsometimes\s+not\b.{0,80}?\balways\b"
)


def read_state(
    text: str, *, quantifier: Quantifier, glance: QuestionText | None = None, attached: bool = False
) -> QuestionState:
    """Return what may be wrong with the question, ``well_formed`` when nothing is."""
    glance = glance or QuestionText.at(text)
    spans: list[tuple[State, int, int]] = []
    for state, (gate, pattern) in _DETECTORS:
        if not glance.words.isdisjoint(gate) and (match := pattern.search(glance.lower)):
            spans.append((state, *match.span()))
    if attached:
        spans = [span for span in spans if span[0] is not State.OUT_OF_CORPUS_RISK]
    elif missing := _missing(glance):
        spans.append((State.UNDER_SPECIFIED, *missing))
    pairs = _contradictions(glance)
    found = {state for state, _, _ in spans}
    if pairs:
        found.add(State.CONTRADICTORY_QUESTION)
    if quantifier.is_broad and quantifier.scope == "unbounded":
        found.add(State.BROAD_QUANTIFIER_UNBOUNDED)
    if _under_specified(glance):
        found.add(State.UNDER_SPECIFIED)
    if not found:
        return _IN_ORDER
    return QuestionState(
        states=tuple(s for s in State if s in found),
        spans=tuple(spans),
        contradiction_pairs=pairs,
        needs_current_source=State.STALE_RISK in found,
    )


_IN_ORDER: Final = QuestionState(states=(State.WELL_FORMED,))
_DETECTORS: Final = (
    (State.STALE_RISK, _STALE),
    (State.FALSE_PREMISE_SUSPECTED, _PREMISE),
    (State.OUT_OF_CORPUS_RISK, _ELSEWHERE),
    (State.REFERENCE_FRAME_AMBIGUOUS, _FRAME),
)


def _contradictions(glance: QuestionText) -> tuple[tuple[str, str], ...]:
    words = glance.words
    pairs = [
        (min(words & one), min(words & other))
        for one, other in _PAIRS
        if not words.isdisjoint(one) and not words.isdisjoint(other)
    ]
    if "always" in words and "sometimes" in words and _ALWAYS_NOT.search(glance.lower):
        pairs.append(("always", "sometimes not"))
    return tuple(pairs)


def _missing(glance: QuestionText) -> tuple[int, int] | None:
    """Where it speaks of something handed in along with it that is not there."""
    gate, pattern = _HANDED
    if glance.words.isdisjoint(gate):
        return None
    match = pattern.search(glance.lower)
    if match is None:
        return None
    after = glance.text[match.end() :].lstrip(" \t:.!?")
    pasted = "\n" in after or ":" in glance.text[match.end() : match.end() + 80]
    return None if pasted and len(after) >= _INLINE_LETTERS else match.span()


def _under_specified(glance: QuestionText) -> bool:
    """A short question about something named only by a pronoun."""
    return len(glance.words) <= 5 and glance.asks and bool(_POINTS_AT.search(glance.lower))
