"""Two diagnoses of a whole answer: whether it evades the question, and whether its titles fit."""

from __future__ import annotations

from collections.abc import Sequence

from firmground.claims import words as en
from firmground.claims.anchors import plain_question
from firmground.claims.norm import content_tokens, stem, stems


def diagnose_deflection(question: str, answer: str) -> str | None:
    """Return the last content word of the question when the answer never takes it up.

    Questions for a date, a number or a reason are answered without repeating it and pass.
    """
    asked = plain_question(question)
    openings = en.UNDEFLECTABLE_QUESTIONS
    if any(asked == one or asked.startswith(one + " ") for one in openings):
        return None
    wanted = content_tokens(question)
    if not wanted or stem(wanted[-1]) in stems(answer):
        return None
    return wanted[-1]


def diagnose_title_relevance(text: str, titles: Sequence[str]) -> bool:
    """True when any title shares a word stem with the text, or there is no title to compare."""
    named = [title for title in titles if stems(title)]
    if not named:
        return True
    wanted = stems(text)
    return any(not wanted.isdisjoint(stems(title)) for title in named)
