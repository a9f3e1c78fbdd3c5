"""Which piece of a claim can be taken out so that a sentence is left?

Only what commas, dashes or brackets set apart: an insertion or a phrase at the end. Whether the
rest stands is for the judge to say, who is asked again. Lists are left alone, since the words
around a list belong to all of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from firmground.core.claim import Assessment

_BRACKET = re.compile(r"\s*\([^()\n]{1,400}\)")
_BREAK = re.compile(r"\s*(?:,|;|\s[–—-]{1,2})\s+")
_LISTED = re.compile(r"(?:and|or|as well as|&)\b", re.IGNORECASE)
_FEWEST_WORDS = 4
_ENDING = ".!?…。！？"


def spared(answer: str, assessment: Assessment) -> list[tuple[int, int]]:
    """Spans that hold every problem of the claim and can go; empty when that is not so."""
    claim = assessment.claim
    problems = [(p.start - claim.start, p.end - claim.start) for p in assessment.problems]
    if not problems or any(low <= 0 and high >= len(claim.text) for low, high in problems):
        return []
    pieces = _apart(claim.text)
    wanted = []
    for low, high in problems:
        holding = [piece for piece in pieces if piece[0] <= low and high <= piece[1]]
        if not holding:
            return []
        wanted.append(min(holding, key=lambda piece: piece[1] - piece[0]))
    cuts = sorted(set(wanted))
    if any(two[0] < one[1] for one, two in pairwise(cuts)):
        return []
    left = _without(claim.text, cuts)
    if len(re.findall(r"\w+", left)) < _FEWEST_WORDS:
        return []
    return [(claim.start + low, claim.start + high) for low, high in cuts]


def _apart(text: str) -> list[tuple[int, int]]:
    """What is set apart inside a sentence, with the marks that set it apart."""
    pieces = [match.span() for match in _BRACKET.finditer(text)]
    breaks = [match.span() for match in _BREAK.finditer(text)]
    end = len(text.rstrip(_ENDING))
    for number, (start, inner) in enumerate(breaks):
        last = number + 1 == len(breaks)
        if _LISTED.match(text, inner) or (not last and _LISTED.match(text, breaks[number + 1][1])):
            continue
        if last:
            pieces.append((start, end))
        elif _framed(breaks, number, text):
            pieces.append((start, breaks[number + 1][1] - _space(text, breaks[number + 1])))
    return [(low, high) for low, high in pieces if high > low]


def _framed(breaks: Sequence[tuple[int, int]], number: int, text: str) -> bool:
    """True for an insertion between the same two marks, in a sentence that has no others."""
    first, second = (text[slice(*breaks[at])].strip() for at in (number, number + 1))
    return first == second and len(breaks) == 2


def _space(text: str, found: tuple[int, int]) -> int:
    piece = text[slice(*found)]
    return len(piece) - len(piece.rstrip())


def _without(text: str, cuts: Sequence[tuple[int, int]]) -> str:
    for low, high in reversed(cuts):
        text = text[:low] + text[high:]
    return text
