"""Finds the piece of a claim that can be cut so that a sentence is left.

Only what commas, dashes or brackets set apart: an insertion or a phrase at the end. The judge
checks the rest again. Lists are left alone, since the words around a list belong to all of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from firmground.core.claim import Assessment, Standing
from firmground.core.hard_fact import HardFact, hard_facts
from firmground.core.marking import MARK

_BRACKET = re.compile(r"\s*\([^()\n]{1,400}\)")
_BREAK = re.compile(r"\s*(?:,|;|\s[–—-]{1,2})\s+")
_LISTED = re.compile(r"(?:and|or|as well as|&)\b", re.IGNORECASE)
_FIGURE = (
    r"[$€£¥₹]?\w{0,64}[\d_@](?:[\w.,:/%@+-]{0,64}[\w%$€£¥₹])?"
    r"(?:\s?(?:[AaPp][Mm]\b|[ap]\.m\b(?:\.(?!\Z))?))?"
)
_ACTED_ON = re.compile(rf"{_FIGURE}(?:\s(?:to|until|–)\s{_FIGURE})?")
OMITTED = "[…]"
"""Stands where words of an answer were left out."""
_FEWEST_WORDS = 4
_FRONTED = re.compile(
    r"(?:while|although|though|even though|whereas|since|because|despite|if|when|as)\b",
    re.IGNORECASE,
)
_SMALL = re.compile(r"[ ,]{0,3}(?:(?:it|a|an|the|of|in|on|to|and|or|as|from|at)[ ,]{1,3}){1,3}")
_DENIAL = re.compile(
    r"\b(?:not|no|neither|nor|never|none|without|lacks?|lacking|cannot)\b|n['’]t\b", re.IGNORECASE
)
_GOES_ON = re.compile(r"\s*,?\s*n?or\b|\s*,[^.;:]{0,200}?\bn?or\b", re.IGNORECASE)
_LEAD = re.compile(
    r"(?:(?:and|but|or|while|although|though|as|that|which)\s+)?"
    r"(?:(?:the|its|their|this)\s+(?:[a-z]+(?:['’]s)?\s+){1,3}?|(?:it|they|there|this)\s+)"
    r"(?:(?:also|currently)\s+)?"
    r"(?:is|are|was|were|has|have|had|offers?|provides?|features?|serves?|accepts?|takes?|"
    r"includes?|boasts?|operates?)\b(?!\s+(?:not|never|no)\b|n['’]t)\s*",
    re.IGNORECASE,
)
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
    if len(re.findall(r"\w+", left)) < _FEWEST_WORDS or _main_clause_gone(claim.text, left):
        return []
    return [(claim.start + low, claim.start + high) for low, high in cuts]


def _main_clause_gone(text: str, left: str) -> bool:
    """True when ``While there is no bar, the garden is open`` would end at its comma."""
    return bool(_FRONTED.match(text)) and "," in text and "," not in left.rstrip(" ,;")


def _turned_round(text: str, piece: tuple[int, int]) -> bool:
    """True when a denial would go and what it denies would stay, as if it were asserted."""
    denials = list(_DENIAL.finditer(text, *piece))
    if not denials:
        return False
    return denials[-1].end() == piece[1] or bool(_GOES_ON.match(text, piece[1]))


def flagged_words(assessment: Assessment) -> list[tuple[int, int]]:
    """The flagged pieces as whole words, without the end of the sentence.

    Empty when too little of the claim would be left to say anything, or when words of it were left
    out before. The figures of the claim go with them: beside missing words they could be read of
    another thing than was meant.
    """
    claim = assessment.claim
    pieces = [_without_lead(claim.text, piece) for piece in _pieces(assessment)]
    if any(_turned_round(claim.text, piece) for piece in pieces):
        return []
    if pieces:
        figures = [m.span() for m in _ACTED_ON.finditer(claim.text)]
        apart = [f for f in figures if all(f[1] <= low or high <= f[0] for low, high in pieces)]
        pieces = sorted([*pieces, *apart])
    pieces = _joined(claim.text, pieces)
    words_left = re.findall(r"\w+", _without(claim.text, pieces))
    if OMITTED in claim.text or len(words_left) < _FEWEST_WORDS:
        return []
    return [(claim.start + low, claim.start + high) for low, high in pieces]


def facts_to_act_on(assessment: Assessment) -> list[tuple[int, int]]:
    """The numbers, dates and identifiers in the flagged pieces of a claim without evidence.

    Without them a mark is enough. Empty when there are none, or something else is wrong.
    """
    claim = assessment.claim
    standings = {assessment.standing, *(p.standing for p in assessment.problems)}
    if standings != {Standing.UNGROUNDED} or MARK.strip() in claim.text:
        return []
    found: list[tuple[int, int]] = []
    whole = [] if assessment.problems else [(0, len(claim.text))]
    for low, high in _pieces(assessment) or whole:
        piece = claim.text[low:high]
        facts = [match.span() for match in _ACTED_ON.finditer(piece)]
        if not {*hard_facts(_without(piece, facts))} <= {HardFact.NAME}:
            return []
        found += [(low + a, low + b) for a, b in facts]
    return [(claim.start + a, claim.start + b) for a, b in _joined(claim.text, found)]


def _joined(text: str, pieces: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Pieces with only function words between them are one: not ``[…] or in the […]``."""
    joined: list[tuple[int, int]] = []
    for low, high in pieces:
        if joined and _SMALL.fullmatch(text, joined[-1][1], low):
            joined[-1] = (joined[-1][0], high)
        else:
            joined.append((low, high))
    return joined


def _pieces(assessment: Assessment) -> list[tuple[int, int]]:
    """The flagged pieces inside the claim's text, as whole words; those that meet are one."""
    claim = assessment.claim
    spans: list[tuple[int, int]] = []
    for problem in sorted(assessment.problems, key=lambda p: p.start):
        low, high = _whole_words(claim.text, problem.start - claim.start, problem.end - claim.start)
        if spans and low <= spans[-1][1] + 1:
            spans[-1] = (spans[-1][0], max(high, spans[-1][1]))
        elif low < high:
            spans.append((low, high))
    return spans


def _without_lead(text: str, piece: tuple[int, int]) -> tuple[int, int]:
    """Leave the subject and its plain verb: ``The bar is […]`` says no more than that it is."""
    lead = _LEAD.match(text, *piece)
    return (lead.end(), piece[1]) if lead and lead.end() < piece[1] else piece


def _whole_words(text: str, low: int, high: int) -> tuple[int, int]:
    low, high = max(low, 0), min(high, len(text))
    while 0 < low < len(text) and text[low - 1].isalnum() and text[low].isalnum():
        low -= 1
    while 0 < high < len(text) and text[high - 1].isalnum() and text[high].isalnum():
        high += 1
    while low < high and not text[high - 1].isalnum():
        high -= 1
    while low < high and not text[low].isalnum():
        low += 1
    return low, high


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
