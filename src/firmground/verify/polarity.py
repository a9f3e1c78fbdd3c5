"""Where a text denies: negating words of four languages, and the clauses they rule."""

from __future__ import annotations

import re
from functools import lru_cache

from firmground.core.lazy_pattern import lazy_pattern

_NEGATORS = lazy_pattern(
    r"\b(?:not|never|no longer|no|none|nobody|nothing|neither|nor|nowhere|without|cannot|"
    r"fail(?:s|ed|ing|ure)? to|refus(?:es|ed|ing) to|unable to|lacks?|lacked|lacking|"
    r"yet to|den(?:y|ies|ied|ying)|rul(?:e|es|ed|ing) out|"
    r"nicht|kein(?:e[mnrs]?)?|nie|niemals|ohne|"
    r"n['’]\w+ (?:pas|jamais|plus)|ne \w+ (?:pas|jamais|plus|aucune?)|aucune?|sans|"
    r"nunca|jamás|ningun[oa]?|ningún|sin)\b|\b\w+n['’]t\b|\bn['’]t\b",
    re.IGNORECASE,
)
_NOT_A_DENIAL = lazy_pattern(
    r"\b(?:not only|not just|not merely|no doubt|no matter|nothing but|no\. ?\d|not to mention|"
    r"not limited to|no fewer than|no less than|no more than|no longer than|"
    r"no (?:older|younger|higher|lower|larger|smaller) than|whether or not|nicht nur|"
    r"non seulement|no sólo|no solo|no later than|if not|why not|not until|"
    r"believe it or not|or (?:may|might) not)\b",
    re.IGNORECASE,
)
# An answer word denies what was asked, not what the rest of its sentence says.
_ANSWER = lazy_pattern(r"\A\W*(?:A(?:nswer)?\W+)?(?:no|not)(?=[.,;:!–—]\s|[.!]?\Z)", re.IGNORECASE)
_SPANISH_NO = lazy_pattern(
    r"\b(?:no) (?:es|fue|era|son|está|tiene|hay|se|ha|puede|había|han|existe)\b", re.I
)
_TURN = lazy_pattern(
    r"[;:]|\b(?:but|while|although|though|however|yet|whereas|and (?:has|is|offers|provides|does|"
    r"features|serves|accepts|they|it|there))\b|\bbecause\b",
    re.IGNORECASE,
)
_FRONTED = lazy_pattern(
    r"\s*(?:while|although|though|even though|whereas|since|because|despite|even if)\b",
    re.IGNORECASE,
)
_MAIN = lazy_pattern(
    r",[^,;:]{0,80}?\b(?:is|are|was|were|has|have|had|does|do|did|can|will|may|offers?|provides?|"
    r"features?|boasts?|serves?|accepts?|takes?|includes?|adds?|makes?|remains?)\b",
    re.IGNORECASE,
)
_NOT_THERE = lazy_pattern(
    r"\b(?:is|are|was|were)(?: currently)?(?: not|n['’]t)\b(?: \w+)?"
    r"|\bnot (?:available|offered|provided|included|accepted|allowed)\b",
    re.IGNORECASE,
)
_CLAUSE = lazy_pattern(
    r"[,;:()—–\[\]]|\s(?:but|and|while|although|though|because|which|who|whereas|however|or|so|"
    r"aber|und|weil|mais|et|pero|y)\s",
    re.IGNORECASE,
)
_WITHOUT = lazy_pattern(r"without|ohne|sans|sin", re.IGNORECASE)


@lru_cache(maxsize=4096)
def denials(text: str) -> tuple[tuple[int, int], ...]:
    """Give the spans of words that deny something."""
    spared = [m.span() for p in (_NOT_A_DENIAL, _ANSWER) for m in p.finditer(text)]
    found = [m.span() for p in (_NEGATORS, _SPANISH_NO) for m in p.finditer(text)]
    kept = {
        (start, end) for start, end in found if not any(low <= start < high for low, high in spared)
    }
    return _uncancelled(text, sorted(kept))


def _uncancelled(text: str, found: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Leave out pairs that undo each other: ``cannot enter without a badge`` asks for a badge."""
    left: list[tuple[int, int]] = []
    for start, end in found:
        undoes = _WITHOUT.fullmatch(text, start, end) and left
        if undoes and not _CLAUSE.search(text, left[-1][1], start):
            left.pop()
        else:
            left.append((start, end))
    return tuple(left)


def denied_at(text: str, start: int, end: int) -> bool:
    """True when a denial rules the words ``text[start:end]``.

    A denial rules what follows it, on through ``or`` and commas, until a new turn of the sentence;
    what stands before it only if the sentence says that it is not there. Behind ``While there is no
    bar,`` the main clause is such a turn.
    """
    for low, high in denials(text):
        turned = _TURN.search(text, high, start) or _main_clause(text, high, start)
        if high <= start and not turned:
            return True
        if low >= end and _NOT_THERE.search(text, max(end, low - 12), high + 14):
            return not _TURN.search(text, end, low)
    return False


def _main_clause(text: str, low: int, at: int) -> bool:
    """True when a comma between the two places ends a fronted clause and the main one begins."""
    comma = text.rfind(",", low, at)
    return comma >= 0 and bool(_FRONTED.match(text)) and bool(_MAIN.match(text, comma))


@lru_cache(maxsize=4096)
def clauses(text: str) -> tuple[tuple[int, int], ...]:
    """Cut a sentence at commas and joining words."""
    cuts = [0, *(at for m in _CLAUSE.finditer(text) for at in (m.start(), m.end())), len(text)]
    pieces = [(cuts[at], cuts[at + 1]) for at in range(0, len(cuts), 2)]
    return tuple((start, end) for start, end in pieces if text[start:end].strip())
