"""Comparatives, superlatives, opposites and how many are meant: all, most, some, none."""

from __future__ import annotations

import re

from firmground.core.claim import CheckNote, Standing
from firmground.verify.checks.case import Case, span_terms
from firmground.verify.checks.polarity import denials
from firmground.verify.reading import Passage, tokens
from firmground.verify.select import stem

_PAIRS = (
    "increase decrease|increase reduce|rise fall|rose fell|grew shrank|grow shrink|win lose|"
    "won lost|before after|first last|north south|east west|up down|more less|more fewer|"
    "higher lower|larger smaller|bigger smaller|highest lowest|largest smallest|longer shorter|"
    "older younger|oldest youngest|faster slower|better worse|best worst|most least|"
    "longest shortest|earlier later|above below|over under|open closed|allow forbid|"
    "allow prohibit|enable disable|import export|buy sell|bought sold|male female|always never|"
    "accept reject|approve reject|approve deny|pass fail|hot cold|true false|guilty innocent|"
    "guilty acquitted|alive dead|legal illegal|positive negative|maximum minimum|left right|"
    "inside outside|gain loss|profit loss|support oppose|agree disagree|confirm deny|"
    "upper lower|strengthen weaken|expand contract|include exclude|son daughter|husband wife|"
    "brother sister|mother father|man woman|boy girl|increased decreased|mehr weniger|"
    "größer kleiner|plus moins|más menos|mayor menor|allowed forbidden|allowed prohibited|"
    "allowed banned|permitted forbidden|permitted prohibited|permitted banned|permit forbid|"
    "free paid|free chargeable|increased dropped|rose dropped|rising falling|mandatory optional|"
    "mandatory voluntary|required optional|erlaubt verboten|autorisé interdit|permitido prohibido"
)
_OPPOSITES: dict[str, frozenset[str]] = {}
for _pair in _PAIRS.split("|"):
    _one, _other = (stem(word) for word in _pair.split())
    _OPPOSITES[_one] = _OPPOSITES.get(_one, frozenset()) | {_other}
    _OPPOSITES[_other] = _OPPOSITES.get(_other, frozenset()) | {_one}
_SUPERLATIVE = re.compile(
    r"\b(?:(?:the|der|die|das|le|la|el)\s+)?(?:largest|biggest|smallest|highest|lowest|oldest|"
    r"youngest|longest|shortest|fastest|slowest|best|worst|greatest|richest|poorest|strongest|"
    r"tallest|earliest|latest|newest|deadliest|cheapest|heaviest|"
    r"(?:most|least)\s+(?!of\b|people\b)[a-z]+|größte\w*|älteste\w*|höchste\w*|"
    r"plus grande?s?|más grande)\b",
    re.IGNORECASE,
)
_ALL = re.compile(
    r"\b(?:all|every|always|entire(?:ly)?|none|alle|jede\w*|tous|toutes|todos)\b", re.I
)
_SOME = re.compile(
    r"\b(?:some|many|most|several|often|sometimes|usually|a few|part of|majority|generally|"
    r"einige|viele|manche|certains|plusieurs|algunos|muchos)\b",
    re.IGNORECASE,
)


def check_comparisons(case: Case) -> tuple[CheckNote, ...]:
    """Object to opposites, to superlatives of the writer's own and to some turned into all."""
    if case.about_source:
        return ()
    return (*_opposites(case), *_superlatives(case), *_quantifiers(case))


def _opposites(case: Case) -> tuple[CheckNote, ...]:
    for word in case.words:
        key = stem(word.text.lower())
        if key not in _OPPOSITES or any(
            stem(w.text.lower()) in _OPPOSITES[key] for w in case.words
        ):
            continue  # a claim that says both cannot be held to one of them
        own = span_terms(case, word.start, word.end)
        aligned = [p for p in case.passages if case.mirrors(p, own) or _says_only(case, p, key)]
        if not aligned or any(_has(p, frozenset({key})) for p in aligned):
            continue
        rival = next((p for p in aligned if _has(p, _OPPOSITES[key])), None)
        if rival is None or bool(denials(case.claim.text)) != bool(denials(rival.text)):
            continue
        other = next(w for w in tokens(rival.text) if stem(w.text.lower()) in _OPPOSITES[key])
        reason = f"says {word.text}, source says {other.text}"
        evidence = (rival.span(other.start, other.end),)
        at = (word.start, word.end)
        return (case.note("comparisons", "opposite", Standing.CONTRADICTED, reason, at, evidence),)
    return ()


def _says_only(case: Case, passage: Passage, key: str) -> bool:
    """True when claim and passage, one word and its opposite apart, say the very same words."""
    theirs = frozenset(t for t in passage.terms if t not in _OPPOSITES[key])
    return passage.path is None and bool(theirs) and theirs == case.terms - {key}


def _has(passage: Passage, keys: frozenset[str]) -> bool:
    return any(stem(word.text.lower()) in keys for word in tokens(passage.text))


def _superlatives(case: Case) -> tuple[CheckNote, ...]:
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


def _quantifiers(case: Case) -> tuple[CheckNote, ...]:
    said = _ALL.search(case.claim.text)
    if said is None:
        return ()
    for passage in case.passages:
        if not case.mirrors(passage):
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
