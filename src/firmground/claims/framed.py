"""Pointer and JSON replies as whole answers: what a pronoun means, and the talk around JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from firmground.claims.jsonclaims import json_claims, read_claims
from firmground.claims.pointer import pointer_claims
from firmground.claims.prose import prose_claims
from firmground.core.claim import Claim
from firmground.core.lazy_pattern import lazy_pattern
from firmground.core.question import Question

_FENCE = lazy_pattern(r"`{3,}[ \t]{0,8}\w{0,20}")


def pointer_answer_claims(answer: str, question: Question | None = None) -> tuple[Claim, ...]:
    """Every line of a pointer answer as a claim, with what it refers to as in prose."""
    return _in_context(pointer_claims(answer), question)


def json_answer_claims(answer: str, question: Question | None = None) -> tuple[Claim, ...]:
    """The claims of a JSON reply, and of the prose around it.

    A reply that is not JSON has no claims.
    """
    reading = read_claims(answer)
    if not reading.parsed:
        return ()
    around = "".join(
        [
            _unfenced(answer[: reading.start]),
            "\n" * (reading.end - reading.start),
            _unfenced(answer[reading.end :]),
        ]
    )
    talk = prose_claims(around, question) if any(map(str.isalnum, around)) else ()
    inside = _in_context(json_claims(answer), question)
    return tuple(sorted((*talk, *inside), key=lambda one: one.start))


def _unfenced(talk: str) -> str:
    return _FENCE.sub(lambda found: " " * len(found.group()), talk)


def _in_context(claims: Sequence[Claim], question: Question | None) -> tuple[Claim, ...]:
    """The same claims, each with what it would refer to if they were read one after another."""
    page = "\n".join(one.text.replace("\n", " ") for one in claims)
    contexts: dict[int, str] = {}
    line, passed = 0, 0
    lengths = [len(one.text) + 1 for one in claims]
    for read in prose_claims(page, question):
        while line + 1 < len(claims) and read.start >= passed + lengths[line]:
            passed += lengths[line]
            line += 1
        contexts.setdefault(line, read.context)
    return tuple(
        replace(one, context=one.context or contexts.get(number, ""))
        for number, one in enumerate(claims)
    )
