"""Multiples in words: doubled, tripled and halved, a hat-trick and a brace."""

from __future__ import annotations

import re

from firmground.core.claim import CheckNote, Standing
from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.checks.case import CheckCase
from firmground.verify.checks.changes import ValueChange, changes_in
from firmground.verify.checks.clauses import content_words
from firmground.verify.polarity import denials
from firmground.verify.reading import Passage

_TIMES = {"doubl": 2.0, "tripl": 3.0, "trebl": 3.0, "quadrupl": 4.0, "halv": 0.5}
_TIMES_SAID = lazy_pattern(
    r"\b(?P<stem>doubl|tripl|trebl|quadrupl|halv)(?:e|es|ed|ing)\b(?! (?:digit|bed|room|check))",
    re.IGNORECASE,
)
_LOOSELY = lazy_pattern(
    r"\b(?:(?P<more>more than|over|at least)|less than|nearly|almost|about|roughly|up to)\s+\Z",
    re.I,
)
_SLACK, _LOOSE_SLACK = 0.1, 0.3
_GOALS = {"hat-trick": 3, "hat trick": 3, "brace": 2}
_SCORED = lazy_pattern(r"\b(?:scor\w+|net(?:s|ted)|hit|with|bagged|got)\s+(?:a|his|her|the)\s+"
                       r"(?:\w+\s+)?(?P<what>hat-trick|hat trick|brace)\b", re.I)  # fmt: skip
_COUNT = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "both": 2}
_NUMBER = r"(?P<count>a|one|two|three|four|five|both|[1-5])"


def check_multiples(case: CheckCase) -> tuple[CheckNote, ...]:
    """Object when a multiple in words is not what the source's two values, or its count, make."""
    if case.about_source or denials(case.claim.text):
        return ()
    note = _times(case) or _goals(case)
    return () if note is None else (note,)


def _times(case: CheckCase) -> CheckNote | None:
    said = _TIMES_SAID.search(case.claim.text)
    if said is None:
        return None
    about = [p for p in case.passages if p.path is None and _same_subject(case, said, p)]
    told = [(p, m) for p in about for m in _TIMES_SAID.finditer(p.text)]
    if any(_factor(m) == _factor(said) for _, m in told):
        return None
    for passage in about:
        found = changes_in(passage.text)
        if len(found) == 1 and _off(case, said, found[0]):
            shown = passage.text[found[0].start : found[0].end]
            reason = f"says {said.group()}, source says from {shown}"
            return _note(case, said, passage, (found[0].start, found[0].end), reason)
    for passage, m in told:
        if not denials(passage.text):
            reason = f"says {said.group()}, source says {m.group()}"
            return _note(case, said, passage, m.span(), reason)
    return None


def _factor(m: re.Match[str]) -> float:
    return _TIMES[m["stem"].lower()]


def _off(case: CheckCase, said: re.Match[str], change: ValueChange) -> bool:
    before, after = max(change.before.readings), max(change.after.readings)
    loosely = _LOOSELY.search(case.claim.text, 0, said.start())
    share = after / before / _factor(said) if before else 1.0
    if loosely is not None and loosely["more"]:
        return share < 1 - _SLACK
    return abs(share - 1) > (_LOOSE_SLACK if loosely else _SLACK)


def _same_subject(case: CheckCase, said: re.Match[str], passage: Passage) -> bool:
    before = [w.key for w in content_words(case.claim.text) if w.end <= said.start()]
    held = {w.key for w in content_words(passage.text)}
    return bool(before) and all(key in held for key in before)


def _goals(case: CheckCase) -> CheckNote | None:
    """A hat-trick is three goals; “two goals by Berg” is not one."""
    said = _SCORED.search(case.claim.text)
    before = [w for w in content_words(case.claim.text) if said and w.end <= said.start()]
    if said is None or not before:
        return None
    name, wanted = before[-1].text, _GOALS[said["what"].lower()]
    spelled = re.escape(name)
    pattern = (
        rf"\b{_NUMBER} goals? (?:by|from) (?:\w+ )?{spelled}\b|"
        rf"\b{spelled}(?: \w+)? scor(?:ed|ing) (?:{_NUMBER.replace('count', 'other')} goals?|"
        rf"(?P<often>once|twice|three times))"
    )
    for passage in case.passages:
        m = re.search(pattern, passage.text, re.IGNORECASE)
        if m is not None and passage.path is None and _count(m) != wanted:
            reason = f"says {said['what']}, source says “{m.group()}”"
            return _note(case, said, passage, m.span(), reason)
    return None


def _count(m: re.Match[str]) -> int:
    if m["often"]:
        return {"once": 1, "twice": 2}.get(m["often"].lower(), 3)
    word = (m["count"] or m["other"]).lower()
    return _COUNT.get(word) or int(word)


def _note(
    case: CheckCase, said: re.Match[str], passage: Passage, at: tuple[int, int], reason: str
) -> CheckNote:
    span = (passage.span(*at),)
    return case.note(
        "multiples", "multiple_differs", Standing.CONTRADICTED, reason, said.span(), span
    )
