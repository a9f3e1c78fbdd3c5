"""What goes with a claim that is dropped: the white space, the joint, the number of its line."""

from __future__ import annotations

import re
from collections.abc import Sequence

from firmground.core.claim import Assessment, Claim, ClaimKind

TAIL = ".!?…。！？"
_JOINTS = frozenset("and but or while whereas which who that so yet as well also then".split())
_ITEM = re.compile(r"[ \t]*(?:[-*•+]|\d{1,3}[.)])[ \t]+")


def drop_span(answer: str, assessments: Sequence[Assessment], position: int) -> tuple[int, int]:
    """The claim with the white space or the joining words that only served it."""
    claim = assessments[position].claim
    before = assessments[position - 1].claim.end if position else 0
    after = _next_start(answer, assessments, position)
    if claim.kind is ClaimKind.CLAUSE:
        return _drop_clause(answer, claim, before, after)
    start, end = claim.start, claim.end
    while end < after and answer[end] in " \t":
        end += 1
    line = answer.rfind("\n", 0, start) + 1
    if line >= before and end == _line_end(answer, end) and _ITEM.fullmatch(answer, line, start):
        return line, min(end + 1, len(answer))
    if end == claim.end:
        while start > before and answer[start - 1] in " \t":
            start -= 1
    return start, end


def begins_a_sentence(answer: str, assessments: Sequence[Assessment], position: int) -> bool:
    """True for a clause with which a sentence begins and behind which it goes on."""
    claim = assessments[position].claim
    if claim.kind is not ClaimKind.CLAUSE or claim.text.endswith(tuple(TAIL)):
        return False
    before = assessments[position - 1].claim.end if position else 0
    after = _next_start(answer, assessments, position)
    first = not before or answer[before - 1] in TAIL or "\n" in answer[before : claim.start]
    return first and after < len(answer) and not answer[claim.end : after].strip(" \t,;:")


def _next_start(answer: str, assessments: Sequence[Assessment], position: int) -> int:
    following = assessments[position + 1 :]
    return following[0].claim.start if following else len(answer)


def _line_end(answer: str, at: int) -> int:
    end = answer.find("\n", at)
    return len(answer) if end < 0 else end


def _drop_clause(answer: str, claim: Claim, before: int, after: int) -> tuple[int, int]:
    """A later clause goes with the joint before it and leaves the sentence its full stop."""
    joint = answer[before : claim.start]
    words = [word.lower() for word in joint.replace(",", " ").replace(";", " ").split()]
    if before and all(word in _JOINTS for word in words) and "\n" not in joint:
        return len(answer[:before].rstrip(" \t,;")), claim.end - len(_ending(claim.text))
    end = claim.end
    while end < after and answer[end] in " \t,;":
        end += 1
    return claim.start, end


def _ending(text: str) -> str:
    return text[len(text.rstrip(TAIL)) :]
