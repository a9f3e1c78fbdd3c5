"""How a statement lines up with the passage it is closest to, as figures for the fusion.

Shared words alone say little: a careful answer rephrases, a careless one copies with one thing
wrong. So the words are put side by side in order: which match, which are replaced by which, which
were added, and above all which words of the source were left out (not, only, unless, may, until).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Final

from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.checks.case import CheckCase
from firmground.verify.reading import Passage, terms_of
from firmground.verify.select import stem

ALIGNMENT: Final = (
    "al_cover", "al_cover_two", "al_cover_other", "al_matched", "al_matched_source",
    "al_replaced", "al_replaced_source", "al_added", "al_left_out", "al_denials",
    "al_denials_source", "al_denials_differ", "al_left_denial", "al_left_condition",
    "al_left_hedge", "al_left_limit", "al_added_denial", "al_added_condition", "al_added_hedge",
    "al_added_limit", "al_added_all", "al_numbers", "al_numbers_here", "al_numbers_document",
    "al_numbers_elsewhere", "al_numbers_nowhere", "al_replaced_numbers",
    "al_replaced_numbers_source", "al_known", "al_outside_document", "al_only_outside",
    "al_names", "al_names_outside", "al_opposed", "al_order", "al_cause_added",
    "al_subject_other",
)  # fmt: skip

_LONGEST = 80
_WORD = lazy_pattern(r"[^\W\d_]+(?:['’][^\W\d_]+)?|\d+(?:[.,:]\d+)*")
_NAME = lazy_pattern(r"(?<=[\w,;)] )[A-Z][\w-]+|\b[A-Z]{2,}\w*")
_SMALL = frozenset(
    "the a an of to in on at for and or is are was were be been it its this that with by from as "
    "has have had do does did you your we our they their will can i he she his her".split()
)
_DENIAL = frozenset(
    "not no never none neither nor without cannot can't don't doesn't isn't aren't won't didn't "
    "wasn't weren't hasn't haven't nothing nobody unable".split()
)
_CONDITION = frozenset(
    "if unless except only until before after when provided subject excluding apart once while "
    "without".split()
)
_HEDGE = frozenset(
    "may might could should would probably likely usually normally typically generally sometimes "
    "often expected planned proposed possibly appears reportedly about approximately roughly "
    "around some most many several".split()
)
_LIMIT = frozenset(
    "up least most maximum minimum max min over under below above within exceed more less fewer "
    "than exactly nearly almost".split()
)
_ALL = frozenset(
    "all every always any everyone each entire everything whole both never only".split()
)
_CAUSE = frozenset(
    "because due caused since owing thanks therefore so order result led reason".split()
)
# Two poles of one scale: a statement on one pole is not supported by a source on the other.
_POLES: Final = tuple(
    (frozenset(low.split()), frozenset(high.split()))
    for low, high in (
        ("decreas fell fall drop declin shrank shrink reduc lower cut down loss lost less fewer",
         "increas ros rise grew grow climb gain rais higher up profit more"),
        ("before earli prior until previous first", "after later following sinc last"),
        ("allow permit may can optional free include eligible accept",
         "prohibit forbid forbidden banned cannot mandatory exclude ineligible refus reject not"),
        ("minimum least", "maximum most"),
        ("open start begin began enable accept approve pass buy bought arriv enter won win",
         "clos end stop finish disabl reject deni fail sell sold depart leave lost lose"),
        ("cheap short small slow light cool cold low near quiet young weak early",
         "expensive long large fast heavi warm hot high far loud old strong late"),
    )
)  # fmt: skip


@dataclass(slots=True)
class _Edit:
    """What differs between a statement and a passage, word by word."""

    matched: int = 0
    replaced: list[str] = field(default_factory=list)
    replaced_source: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


def alignment(case: CheckCase) -> tuple[float, ...]:
    """Give the figures of one statement against its chosen passages, in the order of ALIGNMENT."""
    text = case.claim.text
    mine = _words(text)
    if not case.passages or not mine:
        return (0.0,) * len(ALIGNMENT)
    wanted = case.terms
    covers = [_cover(wanted, passage) for passage in case.passages]
    at = max(range(len(covers)), key=lambda one: (covers[one], -one))
    best = case.passages[at]
    theirs = _words(best.text)
    edit = _edit(mine, theirs)
    document = _document_terms(case, best)
    here = terms_of(best.text) | terms_of(best.about)
    numbers = [word for word in mine if word[0].isdigit()]
    names = [name.lower() for name in _NAME.findall(text)]
    others = [
        c for c, p in zip(covers, case.passages, strict=True) if p.evidence_id != best.evidence_id
    ]
    two = max((_cover(wanted, best, other) for other in case.passages), default=0.0)
    where = [_where(word, here, document, case) for word in numbers]
    gone, new = edit.left_out + edit.replaced_source, edit.added + edit.replaced
    return (
        covers[at], two, max(others, default=0.0),
        edit.matched / len(mine), edit.matched / max(len(theirs), 1),
        _content(edit.replaced), _content(edit.replaced_source), _content(edit.added),
        _content(edit.left_out),
        _among(mine, _DENIAL), _among(theirs, _DENIAL),
        _among(mine, _DENIAL) - _among(theirs, _DENIAL),
        _among(gone, _DENIAL), _among(gone, _CONDITION), _among(gone, _HEDGE), _among(gone, _LIMIT),
        _among(new, _DENIAL), _among(new, _CONDITION), _among(new, _HEDGE), _among(new, _LIMIT),
        _among(new, _ALL),
        float(len(numbers)), where.count(0), where.count(1), where.count(2), where.count(3),
        float(sum(w[0].isdigit() for w in edit.replaced)),
        float(sum(w[0].isdigit() for w in edit.replaced_source)),
        _share([term for term in wanted if case.reading.knows(term)], wanted),
        _share([term for term in wanted if term not in document], wanted),
        float(sum(term not in document and case.reading.knows(term) for term in wanted)),
        float(len(names)), float(sum(stem(name) not in document for name in names)),
        _opposed(mine, theirs), _disorder(mine, theirs), _cause(mine, case),
        _subject_other(case, best),
    )  # fmt: skip


def _words(text: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(text)][:_LONGEST]


def _cover(wanted: frozenset[str], *passages: Passage) -> float:
    held = frozenset().union(*(terms_of(p.text) | terms_of(p.about) for p in passages))
    return len(wanted & held) / len(wanted) if wanted else 1.0


def _document_terms(case: CheckCase, best: Passage) -> frozenset[str]:
    """The terms of the piece of evidence that a passage is from."""
    cached = case.reading.document_terms.get(best.evidence_id)
    if cached is None:
        cached = frozenset().union(
            *(terms_of(p.text) for p in case.reading.passages if p.evidence_id == best.evidence_id)
        ) | terms_of(best.about)
        case.reading.document_terms[best.evidence_id] = cached
    return cached


def _edit(mine: Sequence[str], theirs: Sequence[str]) -> _Edit:
    found = _Edit()
    left = [stem(word) for word in mine]
    right = [stem(word) for word in theirs]
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    for operation, a, b, c, d in matcher.get_opcodes():
        if operation == "equal":
            found.matched += b - a
        elif operation == "replace":
            found.replaced += mine[a:b]
            found.replaced_source += theirs[c:d]
        elif operation == "delete":
            found.added += mine[a:b]
        else:
            found.left_out += theirs[c:d]
    return found


def _content(words: Sequence[str]) -> float:
    return float(sum(word not in _SMALL for word in words))


def _among(words: Sequence[str], group: frozenset[str]) -> float:
    return float(sum(word in group for word in words))


def _share(part: Sequence[str], whole: frozenset[str]) -> float:
    return len(part) / len(whole) if whole else 0.0


def _where(number: str, here: frozenset[str], document: frozenset[str], case: CheckCase) -> int:
    """0 in the closest passage, 1 in its document, 2 in another document, 3 nowhere."""
    term = number.replace(",", "").removesuffix(".0")
    if term in here:
        return 0
    if term in document:
        return 1
    return 2 if case.reading.knows(term) else 3


def _opposed(mine: Sequence[str], theirs: Sequence[str]) -> float:
    """How many scales have the statement on one pole only and the passage on the other only."""
    left, right = {stem(w) for w in mine}, {stem(w) for w in theirs}
    count = 0
    for low, high in _POLES:
        a = (bool(left & low), bool(left & high))
        b = (bool(right & low), bool(right & high))
        count += a in ((True, False), (False, True)) and b == (a[1], a[0])
    return float(count)


def _disorder(mine: Sequence[str], theirs: Sequence[str]) -> float:
    """Share of neighbouring content words that the passage has in the other order."""
    places = {stem(word): at for at, word in enumerate(theirs) if word not in _SMALL}
    found = [places[stem(w)] for w in mine if w not in _SMALL and stem(w) in places]
    if len(found) < 2:
        return 0.0
    return sum(b < a for a, b in pairwise(found)) / (len(found) - 1)


def _cause(mine: Sequence[str], case: CheckCase) -> float:
    """1 when the statement gives a cause or purpose and no chosen passage has a word for one."""
    if not any(word in _CAUSE for word in mine):
        return 0.0
    return float(not any(w in _CAUSE for p in case.passages for w in _words(p.text)))


def _subject_other(case: CheckCase, best: Passage) -> float:
    """How many names of the statement stand in another passage's title, but not in this one's."""
    here = terms_of(best.about) | terms_of(best.text)
    others: set[str] = set()
    for passage in case.passages:
        if passage.evidence_id != best.evidence_id:
            others |= terms_of(passage.about)
    return float(len(case.terms & (others - here)))
