"""Comparatives, superlatives, opposites and how many are meant: all, most, some, none."""

from __future__ import annotations

import re

from firmground.core.claim import CheckNote, Standing
from firmground.core.lazy_pattern import lazy_pattern
from firmground.core.segment import Word
from firmground.verify.checks.case import CheckCase, span_terms
from firmground.verify.checks.sides import sides
from firmground.verify.polarity import denials
from firmground.verify.reading import Passage, tokens
from firmground.verify.select import stem, word_terms
from firmground.verify.values.meanings import opposites, same_side

_SUPERLATIVE = lazy_pattern(
    r"\b(?:(?:the|der|die|das|le|la|el)\s+)?(?:largest|biggest|smallest|highest|lowest|oldest|"
    r"youngest|longest|shortest|fastest|slowest|best|worst|greatest|richest|poorest|strongest|"
    r"tallest|earliest|latest|newest|deadliest|cheapest|heaviest|"
    r"(?:most|least)\s+(?!of\b|people\b)[a-z]+|größte\w*|älteste\w*|höchste\w*|"
    r"plus grande?s?|más grande)\b",
    re.IGNORECASE,
)
# "A before B" is "B after A": such words are opposites only before the same thing.
_RELATIONS = frozenset(
    "before after above below over under inside outside vor nach avant après antes después".split()
)
# Of two parties each: what the one does or is makes the other the opposite.
_PARTIES = frozenset(
    "win wins won beat beats lose loses lost buy buys bought sell sells sold import imports "
    "imported export exports exported gewann verlor kaufte verkaufte gagné perdu "
    "acheté vendu ganó perdió compró "
    "vendió husband wife".split()
)
_THAN = lazy_pattern(r"\b(?:than|als|que)\b")
_CONVERSE = _PARTIES | frozenset(
    "more less fewer higher lower larger bigger smaller longer shorter older younger faster slower "
    "better worse earlier later upper north northern south southern east eastern west western left "
    "right mehr weniger größer kleiner plus moins más menos mayor menor".split()
)
_ALL = lazy_pattern(
    r"\b(?:all|every|always|entire(?:ly)?|none|alle|jede\w*|tous|toutes|todos)\b", re.I
)
_SOME = lazy_pattern(
    r"\b(?:some|many|most|several|often|sometimes|usually|a few|part of|majority|generally|"
    r"only|just one|einige|viele|manche|nur|certains|plusieurs|seulement|algunos|muchos|sólo)\b",
    re.IGNORECASE,
)


def check_comparisons(case: CheckCase) -> tuple[CheckNote, ...]:
    """Object to opposites, to superlatives of the writer's own and to some turned into all."""
    if case.about_source:
        return ()
    return (*_opposites(case), *_reversed(case), *_superlatives(case), *_quantifiers(case))


def _reversed(case: CheckCase) -> tuple[CheckNote, ...]:
    """Object when the two that a comparison compares have changed places."""
    if denials(case.claim.text) or not _THAN.search(case.claim.text):
        return ()
    for word in case.words:
        if word.text.lower() not in _CONVERSE:
            continue
        side = same_side(stem(word.text.lower()))
        for passage in case.passages:
            other = _said(passage, side)
            if other is None or denials(passage.text) or not _THAN.search(passage.text):
                continue
            if case.mirrors(passage) and _crossed(case.claim.text, word, passage.text, other):
                reason = f"what is {word.text} and what it is compared with have changed places"
                at = (0, len(case.claim.text.rstrip(" .")))
                span = (passage.span(),)
                return (
                    case.note(
                        "comparisons", "roles_swapped", Standing.CONTRADICTED, reason, at, span
                    ),
                )
    return ()


def _crossed(said: str, word: Word, given: str, other: Word) -> bool:
    """True when each of the two sides has moved to the other, and nothing stayed but the frame."""
    before, after = sides(said, word.start, word.end)
    first, second = sides(given, other.start, other.end)
    moved = (before - after) & (second - first), (after - before) & (first - second)
    stayed = (after - before) & (second - first)
    return all(moved) and not stayed


def _opposites(case: CheckCase) -> tuple[CheckNote, ...]:
    said = frozenset(stem(word.text.lower()) for word in case.words)
    for word in case.words:
        key = stem(word.text.lower())
        against = opposites(key)
        if not against or not said.isdisjoint(against):
            continue  # a claim that says both cannot be held to one of them
        own = span_terms(case, word.start, word.end)
        aligned = [p for p in case.passages if case.alike(p, own, against)]
        if not aligned or any(_said(p, same_side(key)) for p in aligned):
            continue
        for rival in aligned:
            other = _said(rival, against)
            if other is not None and _truly(case.claim.text, word, rival.text, other):
                return (_opposite(case, word, rival, other),)
    return ()


def _truly(said: str, word: Word, given: str, other: Word) -> bool:
    """True unless a denial on one side, or another order of the same two, makes them agree."""
    if _denies(said, word) != _denies(given, other) or _turned_round(said, word, given, other):
        return False
    if word.text.lower() not in _RELATIONS:
        return True
    return bool(_after(said, word) & _after(given, other))


def _turned_round(said: str, word: Word, given: str, other: Word) -> bool:
    """True for `A is larger than B` beside `B is smaller than A`: opposites that say the same."""
    key = word.text.lower()
    if key not in _CONVERSE:
        return False
    before, after = sides(said, word.start, word.end)
    first, second = sides(given, other.start, other.end)
    # "A lost the vote", "B won the vote against A": the one left out is the other party.
    party = key in _PARTIES and bool(first - before - after)
    return bool((before - after) & (second - first)) and (
        party or bool((after - before) & (first - second))
    )


def _after(text: str, word: Word) -> frozenset[str]:
    """The next telling word behind a preposition."""
    terms = (word_terms(w.text) for w in tokens(text) if w.start >= word.end)
    return frozenset(next((found for found in terms if found), ()))


def _opposite(case: CheckCase, word: Word, rival: Passage, other: Word) -> CheckNote:
    reason = f"says {word.text}, source says {other.text}"
    evidence = (rival.span(other.start, other.end),)
    at = (word.start, word.end)
    return case.note("comparisons", "opposite", Standing.CONTRADICTED, reason, at, evidence)


def _denies(text: str, word: Word) -> bool:
    """True when a text denies something by another word than this one."""
    return any(end <= word.start or start >= word.end for start, end in denials(text))


def _said(passage: Passage, keys: frozenset[str]) -> Word | None:
    return next((w for w in tokens(passage.text) if stem(w.text.lower()) in keys), None)


def _superlatives(case: CheckCase) -> tuple[CheckNote, ...]:
    notes = []
    for m in _SUPERLATIVE.finditer(case.claim.text):
        word = stem(m.group().split()[-1].lower())
        held = any(word in {stem(w.text.lower()) for w in tokens(p.text)} for p in case.passages)
        held = held or any(word in passage.terms for passage in case.passages)
        if held:
            continue
        own = span_terms(case, *m.span())
        aligned = any(case.mirrors(passage, own) for passage in case.passages)
        reason = f"says “{m.group()}”, and the source does not rank it"
        veto = Standing.UNGROUNDED if aligned else None
        notes.append(case.note("comparisons", "superlative_absent", veto, reason, m.span()))
    return tuple(notes)


def _quantifiers(case: CheckCase) -> tuple[CheckNote, ...]:
    said = _ALL.search(case.claim.text)
    if said is None:
        return ()
    own = span_terms(case, *said.span())
    for passage in case.passages:
        if not case.mirrors(passage, own):
            continue
        given = _SOME.search(passage.text)
        if given is not None and not _ALL.search(passage.text):
            reason = f"says “{said.group()}”, source says “{given.group()}”"
            evidence = (passage.span(*given.span()),)
            return (
                case.note(
                    "comparisons",
                    "quantifier_raised",
                    Standing.UNGROUNDED,
                    reason,
                    said.span(),
                    evidence,
                ),
            )
    return ()
