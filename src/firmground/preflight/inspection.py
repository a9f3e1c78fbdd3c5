"""Inspects a question and returns everything suspicious about it."""

from __future__ import annotations

import re
from dataclasses import replace

from firmground.core.evidence import Evidence
from firmground.core.finding import Preflight, PreflightStatus, Signal
from firmground.core.question import Question
from firmground.preflight.cues import CueReport, default_signals, leave_over
from firmground.preflight.halguard import halguard_confidence, halguard_signals
from firmground.preflight.language import is_english
from firmground.preflight.quantifier import Quantifier, claim_cap, classify
from firmground.preflight.question_text import QuestionText
from firmground.preflight.settings import PreflightSettings
from firmground.preflight.state import QuestionState, State, read_state

_UNSET = PreflightSettings()
# The commonest opening of a prompt assigns no role: "You are a helpful AI assistant."
_PREAMBLE = re.compile(
    r"\s{0,20}you(?:\s+are|['’]re)\s+an?\s+"
    r"(?:(?:helpful|friendly|honest|harmless|careful|concise|knowledgeable|useful|ai|and),?\s+){0,6}"
    r"(?:assistant|chatbot|language\s+model)\s{0,4}[.!:]\s+(?=\S)",
    re.IGNORECASE,
)
# "You are on call this week. Who …?" says who asks and assigns no role: before a question only.
_DUTY = re.compile(
    r"\s{0,20}(?:you(?:\s+are|['’]re)|i(?:\s+am|['’]m)|we(?:\s+are|['’]re))\s+(?:currently\s+|now\s+)?"
    r"(?:on[\s-]call|on\s+(?:duty|shift|rotation|the\s+rota))\b[^.!?\n]{0,80}[.!]\s+(?=\S)",
    re.IGNORECASE,
)
# "As a support agent, explain why my invoice went up": a customer addresses the reader.
_ADDRESSED = re.compile(
    r"\s{0,20}as\s+an?\s+[a-z][a-z -]{0,40},\s+"
    r"(?=(?:[a-z]+ly\s+|please\s+){0,3}(?:explain|tell|show|help|check|say|clarify)\b"
    r"[^.!?\n]{0,120}\bmy\b)",
    re.IGNORECASE,
)
_CONTEXT_SHARE = 0.7
"""How much of a signal counts when it is in the context and not in the question."""
_FROM_CONTEXT = frozenset({"role_play", "second_person_role"})
"""Signals of the default profile that count in a context, where figures are data handed in."""
_IN_WORDS = {
    "role_play": "the reader is assigned a role",
    "fabricated_data": "it asks for data or a report that was never measured",
    "second_person_role": "it opens by casting the reader",
    "specific_metrics": "it states many measurements as given",
    "information_density": "it states the cause before it was investigated",
    "temporal_urgency": "it presses for time",
    "wording": "it is put like invented goals; a source, a ticket or evidence would help",
}
NOT_READ = "not read: not English"
_UNREAD_CONFIDENCE = 0.5
"""Of a question that was not read: neither for it nor against it."""


def inspect_question(
    question: Question,
    *,
    settings: PreflightSettings = _UNSET,
    evidence: tuple[Evidence, ...] = (),
    attached: bool = False,
) -> Preflight:
    """Find what in the question invites an invented answer, with exact spans, without any model.

    ``attached`` says that something is handed in with it which is not among the evidence here.
    """
    parent = settings.profile == "halguard"
    told = (
        question.text if parent else _without_duty(_unaddressed(_without_preamble(question.text)))
    )
    glance = QuestionText.at(told)
    unread = not parent and is_english(glance.ordered, told) is False
    attached = attached or bool(evidence or question.context)
    signals, confidence, ties = _suspect(question, glance, settings, attached=attached)
    if question.context.strip():
        signals = _with_context(signals, question.context, settings)
        confidence = halguard_confidence(signals) if parent else leave_over(signals)
    if unread:
        confidence = min(confidence, _UNREAD_CONFIDENCE)
    quantifier = classify(told, glance=glance)
    state = None if unread else _state(glance, quantifier, settings, attached=attached)
    blocked = _why_blocked(confidence, quantifier, state, settings)
    doubted = () if blocked else _why_partial(confidence, signals, state, settings)
    if unread:
        doubted = (NOT_READ,) if not blocked else ()
    return Preflight(
        status=_status(blocked, doubted),
        confidence=confidence,
        signals=signals,
        quantifier=_as_pairs(quantifier),
        question_state=_said(state, confidence, settings),
        reasons=(*blocked, *doubted, *ties),
        profile=settings.profile,
        claim_cap=claim_cap(quantifier, model_profile=settings.model_profile)
        if settings.apply_caps
        else None,
    )


def _without_preamble(text: str) -> str:
    """Blank out the sentence that only says the reader is an assistant; every span stays true."""
    found = _PREAMBLE.match(text)
    return text if found is None else " " * found.end() + text[found.end() :]


def _without_duty(text: str) -> str:
    """Blank out who is on call, where nothing but a question follows; every span stays true."""
    found = _DUTY.match(text)
    if found is None or not QuestionText.at(text[found.end() :]).asks:
        return text
    return " " * found.end() + text[found.end() :]


def _unaddressed(text: str) -> str:
    """Blank out whom a customer addresses; what is asked is judged, and every span stays true."""
    found = _ADDRESSED.match(text)
    return text if found is None else " " * found.end() + text[found.end() :]


def _with_context(
    signals: tuple[Signal, ...], context: str, settings: PreflightSettings
) -> tuple[Signal, ...]:
    """Add what the context says at a reduced weight; spans stay those of the question."""
    parent = settings.profile == "halguard"
    told = Question(text=context)
    found, _, _ = _suspect(
        told, QuestionText.at(_without_preamble(context)), settings, attached=False
    )
    merged = {signal.name: signal for signal in signals}
    for one in found:
        if not parent and one.name not in _FROM_CONTEXT:
            continue
        own = merged.get(one.name, Signal(name=one.name, penalty=0.0))
        more = _CONTEXT_SHARE * one.penalty
        penalty = own.penalty + more if parent else 1 - (1 - own.penalty) * (1 - more)
        merged[one.name] = replace(own, penalty=penalty)
    return tuple(merged.values())


def _suspect(
    question: Question,
    glance: QuestionText,
    settings: PreflightSettings,
    *,
    attached: bool,
) -> tuple[tuple[Signal, ...], float, tuple[str, ...]]:
    if settings.profile == "halguard":
        signals = halguard_signals(question.text, weights=settings.caps, off=settings.off)
        return signals, halguard_confidence(signals), ()
    reading = default_signals(
        glance,
        tools=len(question.tools),
        evidence=int(attached),
        caps=settings.caps if settings.max_penalty else None,
        off=settings.off if settings.max_penalty else frozenset(),
    )
    return reading.signals, reading.confidence, _ties(reading)


def _ties(reading: CueReport) -> tuple[str, ...]:
    names = reading.anchors.names
    if not reading.signals or not names:
        return ()
    return (f"doubts lowered by {', '.join(names)}",)


def _state(
    glance: QuestionText, quantifier: Quantifier, settings: PreflightSettings, *, attached: bool
) -> QuestionState | None:
    if settings.question_state == "off":
        return None
    return read_state(glance.text, quantifier=quantifier, glance=glance, attached=attached)


def _said(
    state: QuestionState | None, confidence: float, settings: PreflightSettings
) -> tuple[str, ...]:
    """The states by name; a question whose premise is doubted is never called well formed."""
    if state is None:
        return ()
    thresholds = (settings.block_threshold(), settings.partial_threshold())
    if all(threshold is None or confidence >= threshold for threshold in thresholds):
        return tuple(s.value for s in state.states)
    doubted = {*state.states, State.FALSE_PREMISE_SUSPECTED} - {State.WELL_FORMED}
    return tuple(s.value for s in State if s in doubted)


def _why_blocked(
    confidence: float,
    quantifier: Quantifier,
    state: QuestionState | None,
    settings: PreflightSettings,
) -> tuple[str, ...]:
    threshold = settings.block_threshold()
    states = state.states if state else ()
    why = []
    if threshold is not None and confidence < threshold:
        why.append(f"confidence {confidence:.2f} is below {threshold}: the premise looks invented")
    if State.OUT_OF_CORPUS_RISK in states:
        why.append("asks about something that was not handed in")
    if settings.block_on_contradiction and State.CONTRADICTORY_QUESTION in states:
        why.append("contradicts itself")
    if settings.reject_broad and quantifier.is_broad and quantifier.scope == "unbounded":
        why.append("broad and unbounded")
    return tuple(why)


def _why_partial(
    confidence: float,
    signals: tuple[Signal, ...],
    state: QuestionState | None,
    settings: PreflightSettings,
) -> tuple[str, ...]:
    threshold = settings.partial_threshold()
    why = []
    if threshold is not None and confidence < threshold:
        worst = max(signals, key=lambda signal: signal.penalty, default=None)
        because = f": {_IN_WORDS[worst.name]}" if worst and worst.name in _IN_WORDS else ""
        why.append(f"confidence {confidence:.2f} is below {threshold}{because}")
    if state:
        why.extend(_in_words(state, s) for s in state.states if s is not State.WELL_FORMED)
    return tuple(why)


def _in_words(state: QuestionState, which: State) -> str:
    if which is State.UNDER_SPECIFIED and any(s is which for s, _, _ in state.spans):
        return "under specified: speaks of something attached, and nothing is"
    return which.value.replace("_", " ")


def _status(blocked: tuple[str, ...], doubted: tuple[str, ...]) -> PreflightStatus:
    if blocked:
        return PreflightStatus.BLOCKED
    return PreflightStatus.PARTIAL if doubted else PreflightStatus.OK


def _as_pairs(quantifier: Quantifier) -> tuple[tuple[str, str], ...]:
    """The classifier clause with every value as text; absent values are left out."""
    return tuple(
        (key, str(value).lower() if isinstance(value, bool) else str(value))
        for key, value in quantifier.as_clause().items()
        if value is not None
    )
