"""Names and identifiers: absent from all evidence, another one in the same place, or swapped."""

from __future__ import annotations

import re

from firmground.core.claim import CheckNote, Standing
from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.checks.case import CheckCase, span_terms
from firmground.verify.checks.naming import (
    GENERIC,
    Name,
    identifiers,
    known,
    names,
    names_and_subject,
    shape,
)
from firmground.verify.reading import Passage
from firmground.verify.select import word_terms
from firmground.verify.values.language import language_of

_JOINED = lazy_pattern(r"(?<![\w-])[a-z][a-z0-9]+(?:[-_][a-z0-9]+)+(?![\w-])")
_PLACED = lazy_pattern(
    r"\b(on|in|at|from|to|for|of|near|within|auf|in|aus|nach|à|en|dans|de)\s+(?:the\s+)?\Z",
    re.IGNORECASE,
)
_BY = lazy_pattern(r"\b(?:by|von|durch|par|por)\b")


def check_names(case: CheckCase) -> tuple[CheckNote, ...]:
    """Object to names and identifiers that no evidence holds, or that have changed places."""
    if case.about_source:
        return ()
    return (*_absent_names(case), *_identifiers(case), *_joined_names(case), *_swapped(case))


def _absent_names(case: CheckCase) -> tuple[CheckNote, ...]:
    notes = []
    for name in names(case.claim.text):
        strange = [w for w in name.words if w[0] and not known(w[2], case.reading, case.asked)]
        if strange and len(strange) < len(name.words) and _only_generic(strange):
            at = (strange[0][0], strange[-1][1])
            notes.append(case.note("names", "name_partly_found", None, "source shortens it", at))
        elif strange:
            notes.append(_strange(case, name, strange))
        else:
            notes.append(
                case.note("names", "name_found", None, "source names it", (name.start, name.end))
            )
    return tuple(notes)


def _joined_names(case: CheckCase) -> tuple[CheckNote, ...]:
    """Compare names such as `payment-processor` where a source says the same of another one.

    An ordinary compound is not a name, so only a sentence that says all the rest of the claim, and
    has compounds of its own in the places of the claim's, makes a difference.
    """
    said = [m for m in _JOINED.finditer(case.claim.text) if not _anywhere(case, m.group())]
    if not said:
        return ()
    own = frozenset().union(*(span_terms(case, m.start(), m.end()) for m in said))
    rest = {term for term in case.terms - own if not any(map(str.isdigit, term))}
    for passage in case.passages:
        others = [m for m in _JOINED.finditer(passage.text) if m.group() not in case.claim.text]
        if rest and rest <= passage.terms and len(others) >= len(said):
            return tuple(
                case.note(
                    "names",
                    "identifier_differs",
                    Standing.CONTRADICTED,
                    f"says {mine.group()}, source says {theirs.group()}",
                    (mine.start(), mine.end()),
                    (passage.span(theirs.start(), theirs.end()),),
                )
                for mine, theirs in zip(said, others, strict=False)
            )
    return ()


def _anywhere(case: CheckCase, token: str) -> bool:
    """True when some passage holds the compound, joined or in two words."""
    whole = case.reading.lowered
    return token in whole or re.sub(r"[-_]", " ", token) in whole


def _only_generic(strange: list[tuple[int, int, str]]) -> bool:
    return all(word.lower() in GENERIC for _, _, word in strange)


def _strange(case: CheckCase, name: Name, strange: list[tuple[int, int, str]]) -> CheckNote:
    at = (strange[0][0], strange[-1][1])
    shown = case.claim.text[at[0] : at[1]]
    rival = _rival(case, name)
    if rival is not None:
        passage, other = rival
        reason = f"says {shown}, source says {other.text}"
        evidence = (passage.span(other.start, other.end),)
        return case.note("names", "name_differs", Standing.CONTRADICTED, reason, at, evidence)
    reason = f"says {shown}, which no source names"
    # A lone German noun looks like a name, and a source may well have another word for it.
    noun = len(strange) == 1 and language_of(case.claim.text) == "de"
    veto = None if noun else Standing.UNGROUNDED
    return case.note("names", "name_absent", veto, reason, at)


def _rival(case: CheckCase, name: Name) -> tuple[Passage, Name] | None:
    """Find a passage that says the same but for the name, and has another name to say it of."""
    own = span_terms(case, name.start, name.end)
    rest = case.terms - own
    if len(rest) < 2:
        return None
    for passage in case.passages:
        if not case.mirrors(passage, own):
            continue
        others = [n for n in names(passage.text) if not _terms(n) & case.terms]
        if others:
            return passage, others[-1]
    return None


def _terms(name: Name) -> frozenset[str]:
    return frozenset(term for word in name.words for term in word_terms(word[2]))


def _identifiers(case: CheckCase) -> tuple[CheckNote, ...]:
    return tuple(_identifier(case, *one) for one in identifiers(case.claim.text))


def _identifier(case: CheckCase, start: int, end: int, shown: str) -> CheckNote:
    at, sought = (start, end), shown.lower()
    holder = _holder(case, sought)
    if holder is not None:
        where = max(0, holder.text.lower().find(sought))
        span = holder.span(where, where + len(shown))
        return case.note("names", "identifier_found", None, "source has it", at, (span,))
    if sought in case.question.lower():
        return case.note("names", "identifier_found", None, "the question has it", at)
    for passage in case.near or case.passages[:2]:
        for low, high, other in identifiers(passage.text):
            if shape(other) == shape(shown) and other not in case.claim.text:
                reason = f"says {shown}, source says {other}"
                evidence = (passage.span(low, high),)
                return case.note(
                    "names", "identifier_differs", Standing.CONTRADICTED, reason, at, evidence
                )
    reason = f"says {shown}, which no source has"
    return case.note("names", "identifier_absent", Standing.UNGROUNDED, reason, at)


def _holder(case: CheckCase, sought: str) -> Passage | None:
    """The passage that has an identifier in its text or, in a record, in the name of its field."""
    if sought not in case.reading.lowered:
        return None
    everywhere = (*case.passages, *case.reading.passages)
    held = (p for p in everywhere if sought in p.text.lower() or sought in (p.path or "").lower())
    return next(held, None)


def _swapped(case: CheckCase) -> tuple[CheckNote, ...]:
    """Object when two names have changed places around the same words."""
    mine = names_and_subject(case.claim.text, case.reading)
    if len(mine) != 2:
        return ()
    first, second = mine
    for passage in case.passages:
        if not case.mirrors(passage):
            continue
        theirs = names_and_subject(passage.text, case.reading)
        if passage.path is not None or len(theirs) != 2:
            continue
        crossed = _same(first, theirs[1]) and _same(second, theirs[0])
        if crossed and not _same(first, second) and _same_frame(case, mine, passage, theirs):
            reason = f"{first.text} and {second.text} have changed places"
            at = (first.start, second.end)
            return (
                case.note(
                    "names", "roles_swapped", Standing.CONTRADICTED, reason, at, (passage.span(),)
                ),
            )
    return ()


def _same(one: Name, other: Name) -> bool:
    return bool(_terms(one) & _terms(other))


def _same_frame(
    case: CheckCase, mine: tuple[Name, ...], passage: Passage, theirs: tuple[Name, ...]
) -> bool:
    """True when the words between the names are the same, active or passive alike."""
    ours = case.claim.text[mine[0].end : mine[1].start]
    other = passage.text[theirs[0].end : theirs[1].start]
    shared = _content(ours) & _content(other)
    symmetric = re.search(r"\b(?:and|und|et|y|with|,)\s*$", ours.strip()) is not None
    same_voice = bool(_BY.search(ours)) == bool(_BY.search(other))
    return bool(shared) and same_voice and not symmetric and not _moved(case, mine, passage, theirs)


def _moved(
    case: CheckCase, mine: tuple[Name, ...], passage: Passage, theirs: tuple[Name, ...]
) -> bool:
    """True when a name keeps its preposition: ``on Twitter`` only stands elsewhere now."""
    ours = [_preposition(case.claim.text, name) for name in mine]
    others = [_preposition(passage.text, name) for name in reversed(theirs)]
    return any(one and one == other for one, other in zip(ours, others, strict=True))


def _preposition(text: str, name: Name) -> str:
    m = _PLACED.search(text, 0, name.start)
    return m[1].lower() if m else ""


def _content(text: str) -> frozenset[str]:
    return frozenset(t for w in re.findall(r"[^\W\d_]+", text) for t in word_terms(w))
