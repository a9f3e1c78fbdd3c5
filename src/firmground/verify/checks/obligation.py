"""Obligation: what must be done, what should be and what may be are three different rules."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from firmground.core.claim import CheckNote, Standing
from firmground.core.lazy_pattern import lazy_pattern
from firmground.core.segment import Word
from firmground.verify.checks.case import CheckCase
from firmground.verify.polarity import denials
from firmground.verify.reading import tokens
from firmground.verify.select import word_terms
from firmground.verify.values.verbs import verb_key

_RULES = (
    ("must", r"must|(?:has|have|had) to|(?:is|are|was|were) (?:required|obliged) to|"
     r"needs? to|shall|muss|müssen|doit|doivent|debe|deben"),
    ("should", r"should|ought to|(?:is|are) (?:advised|recommended|encouraged) to|"
     r"sollten?|devra(?:it|ient)|debería[n]?"),
    ("may", r"may|(?:is|are) (?:allowed|permitted|free) to|(?:has|have) the option to|"
     r"dürfen|darf|peut|peuvent|puede[n]?"),
)  # fmt: skip
_RULE = lazy_pattern(
    r"\b(?:" + "|".join(f"(?P<{name}>{words})" for name, words in _RULES) + r")\b", re.IGNORECASE
)
_PASSED_OVER = frozenset("be been also then always only have soon still therefore first".split())
# "Must have been" and "should be here by noon" guess, they do not rule.
_GUESS = lazy_pattern(r"\s+(?:have|be able|not)\b", re.IGNORECASE)
_STRENGTH = {"may": 1, "should": 2, "must": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class _ModalRule:
    """A modal with the verb that it rules."""

    start: int
    end: int
    name: str
    verb: Word


def check_obligation(case: CheckCase) -> tuple[CheckNote, ...]:
    """Object when the claim binds more, or less, than the source does for the same act."""
    if case.about_source or denials(case.claim.text):
        return ()
    for said in _rules(case.claim.text):
        found = _differing(case, said)
        if found is not None:
            return (found,)
    return ()


def _rules(text: str) -> Iterator[_ModalRule]:
    for m in _RULE.finditer(text):
        if m.group() == "May" or _GUESS.match(text, m.end()):
            continue
        after = (w for w in tokens(text) if w.start >= m.end())
        verb = next((w for w in after if w.text.lower() not in _PASSED_OVER), None)
        if verb is not None and verb.text.islower():
            yield _ModalRule(start=m.start(), end=m.end(), name=str(m.lastgroup), verb=verb)


def _differing(case: CheckCase, said: _ModalRule) -> CheckNote | None:
    rival = None
    for passage in case.passages:
        if (
            passage.path is not None
            or denials(passage.text)
            or not _about(case, said, passage.text)
        ):
            continue
        given = [
            r for r in _rules(passage.text) if verb_key(r.verb.text) == verb_key(said.verb.text)
        ]
        if not given or not case.mirrors(passage, _own(case, said, passage.text, given)):
            continue
        if any(rule.name == said.name for rule in given):
            return None
        rival = rival or (passage, given[0])
    if rival is None:
        return None
    passage, rule = rival
    shown, other = case.claim.text[said.start : said.end], passage.text[rule.start : rule.end]
    reason = f"says “{shown} {said.verb.text}”, source says “{other} {rule.verb.text}”"
    at, span = (said.start, said.end), (passage.span(rule.start, rule.end),)
    code = (
        "obligation_raised" if _STRENGTH[said.name] > _STRENGTH[rule.name] else "obligation_lowered"
    )
    return case.note("obligation", code, Standing.UNGROUNDED, reason, at, span)


def _about(case: CheckCase, said: _ModalRule, text: str) -> bool:
    key = verb_key(said.verb.text)
    return any(verb_key(word.text) == key for word in tokens(text))


def _own(case: CheckCase, said: _ModalRule, text: str, given: list[_ModalRule]) -> frozenset[str]:
    """Content words of the modals themselves, as in `are required to`."""
    spans = [case.claim.text[said.start : said.end], *(text[r.start : r.end] for r in given)]
    return frozenset(t for span in spans for w in span.split() for t in word_terms(w))
