"""Text that imitates other text, or that addresses the model that reads it."""

# ruff: noqa: E501 - word lists read better in long lines
from __future__ import annotations

import re
from collections.abc import Iterator

from firmground.core.finding import SuspiciousText
from firmground.core.lazy_pattern import lazy_pattern
from firmground.core.match import suspicious_characters
from firmground.core.ports import Inquiry
from firmground.core.suspicious import REASONS

# Where an instruction can begin; most places of a long text are passed over by this alone.
_GATE = r"(?:(?=[<\[\n])|(?<!\w)(?=[acdfilmnorstuvwy\u017f])|\A)"
_ORDERS = lazy_pattern(
    _GATE + r"(?:"
    r"\b(?:ignore|disregard|forget|override)\b[^.\n]{0,40}\b(?:previous|prior|above|earlier|all|any|"
    r"preceding|other|system)\b[^.\n]{0,30}\b(?:instructions?|prompts?|rules?|context|evidence|"
    r"guidelines?|directions?|passages?|documents?|sources?)"
    r"|\b(?:mark|rate|score|label|classify|treat|consider|report)\b[^.\n]{0,40}\b(?:answer|claims?|"
    r"response|statements?|everything|this)\b[^.\n]{0,30}\bas\s+(?:fully\s+)?"
    r"(?:grounded|supported|correct|true|verified|faithful|factual|safe)"
    r"|\b(?:you are|act as|you must act as) (?:now )?(?:an?|the) (?:ai|assistant|language model|judge|"
    r"verifier|fact[- ]?checker)\b"
    r"|(?:^|\n)\s*(?:system|assistant|developer)\s*(?:prompt|message)?\s*:"
    r"|<\|(?:im_start|im_end|system|endoftext)[^>]*\|>|\[/?INST\]|<<SYS>>"
    r"|\b(?:new|updated|additional) (?:system )?instructions?\s*:"
    r"|\b(?:always|only) (?:answer|respond|reply|output|say)\b[^.\n]{0,20}[\"“'][^\"”'\n]{1,80}[\"”']"
    r"|\b(?:when|if) (?:you are )?asked\b[^\n]{0,160}?,?\s*(?:please )?(?:output|answer|respond|reply|"
    r"say)\b"
    r"|\b(?:ignoriere|vergiss)\b[^.\n]{0,40}\b(?:Anweisungen|Regeln)\b"
    r"|\b(?:ignorez|oubliez)\b[^.\n]{0,40}\b(?:instructions|consignes)\b"
    r"|\b(?:ignora|olvida)\b[^.\n]{0,40}\b(?:instrucciones|reglas)\b"
    r")",
    re.IGNORECASE,
)
_MOST = 50


def suspicious_texts(inquiry: Inquiry) -> tuple[SuspiciousText, ...]:
    """List disguised characters and instructions in evidence, answer and question.

    They are reported and never obeyed: no verdict depends on what a text asks for.
    """
    found: list[SuspiciousText] = []
    for piece in inquiry.evidence:
        found.extend(_in_text(piece.id, piece.text, "instruction_in_evidence"))
    found.extend(_in_text("answer", inquiry.answer, "instruction_in_answer"))
    if inquiry.question is not None:
        found.extend(_characters("question", inquiry.question.text))
    return tuple(found)


def _in_text(where: str, text: str, code: str) -> Iterator[SuspiciousText]:
    yield from _characters(where, text)
    for at, m in enumerate(_ORDERS.finditer(text)):
        if at >= _MOST:
            return
        yield SuspiciousText(
            where=where,
            start=m.start(),
            end=m.end(),
            code=code,
            reason="the text gives instructions to its reader",
        )


def _characters(where: str, text: str) -> Iterator[SuspiciousText]:
    for one in suspicious_characters(text)[:_MOST]:
        yield SuspiciousText(
            where=where, start=one.start, end=one.end, code=one.code, reason=REASONS[one.code]
        )
