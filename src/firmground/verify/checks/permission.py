"""Permission: what the source forbids, excepts or keeps for others is not allowed."""

# ruff: noqa: E501 - word lists read better in long lines
from __future__ import annotations

import re

from firmground.core.claim import CheckNote, Standing
from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.checks.case import CheckCase
from firmground.verify.checks.clauses import Clause, content_words, iter_clauses, keys_of
from firmground.verify.checks.naming import names_and_subject
from firmground.verify.polarity import denials
from firmground.verify.reading import Passage

_ALLOWS = lazy_pattern(
    r"\b(?:may|can|could|allowed|permitted|safe|suitable|recommended|available|eligible|welcome|"
    r"entitled|free to|accepted|approved|covered|supported|advisable|refundable|included)\b",
    re.IGNORECASE,
)
_FORBIDS = lazy_pattern(
    r"\A\W*(?:do not|don't|never)\b|\b(?:must|shall|may|should|can) ?not\b|\bcan['’]t\b|\bcontraindicated\b|\bprohibited\b|"
    r"\bforbidden\b|\bbanned\b|\bbarred\b|\bineligible\b|\bunsafe\b|\bunsuitable\b|"
    r"\b(?:not|never|no longer)(?: be)? (?:recommended|suitable|permitted|allowed|eligible|intended|"
    r"available|accepted|given|used|admitted|supported|covered|included|advised|safe|advisable|refundable)\b",
    re.IGNORECASE,
)
_CONDITION = lazy_pattern(
    r"\b(?:unless|without|if|until|except|before|more than|when|only|whether|while|longer|"
    r"during(?! or after| and after)|that (?:are|is|have|has)|"
    r"exceed\w*|otherwise|necessarily|always|just|yet|alone)\b",
    re.IGNORECASE,
)
_FREELY = lazy_pattern(
    r"\b(?:freely|unconditionally|without (?:\w+ )?(?:consent|permission|approval|notice|restriction)|"
    r"at any time|at will)\b",
    re.IGNORECASE,
)
_BOUND_TO = lazy_pattern(r"\b(?:without|unless|only with|only if|only after)\b", re.IGNORECASE)
_EXCEPT = lazy_pattern(
    r"\b(?:except(?: for)?|apart from|other than|excluding|with the exception of|but not)\s+"
    r"(?:(?:for|in|on|to|by|from|the|a|an|any|at)\s+){0,2}"
    r"(?P<named>[^,;:.()]+?)(?=\s+(?:can|may|must|is|are|was|were|has|have|will|shall)\b|[,;:.()]|\Z)",
    re.IGNORECASE,
)
_ONLY = lazy_pattern(
    r"(?:\A|[.;:,]|\b(?:and|but))\s*only\s+(?P<who>[^,;:.()]{3,50}?)\s+(?:may|can|must|is|are|was|were|have|has|will|shall)\b",
    re.IGNORECASE,
)
_KEPT_FOR = lazy_pattern(
    r"\b(?:reserved for|restricted to|limited to|only (?:for|open to|available to))\s+(?P<who>[^,;:.()]{3,50})",
    re.IGNORECASE,
)
_MODAL = lazy_pattern(r"\b(?:may|can|must|is|are|was|were|have|has|will|shall)\b", re.IGNORECASE)
# Verbs that say no more than that it is done.
_LIGHT = frozenset("enter tak us receiv get giv hav need appli apply go mak do obtain".split())
_FEWEST = 2
_LONGEST_NAMED = 4
_MOST = 0.75


def check_permission(case: CheckCase) -> tuple[CheckNote, ...]:
    """Object when the claim allows what the source forbids, excepts, or allows to others only."""
    text = case.claim.text
    if case.about_source or denials(text) or _EXCEPT.search(text) or _FORBIDS.search(text):
        return ()
    note = _excepted(case) or _for_others(case)
    if note is None and _ALLOWS.search(text):
        note = _forbidden(case)
    return () if note is None else (note,)


def _rest(case: CheckCase) -> frozenset[str]:
    """What the claim speaks of, but for the words that allow it."""
    allowing = frozenset[str]().union(
        *(keys_of(m.group()) for m in _ALLOWS.finditer(case.claim.text))
    )
    return keys_of(case.claim.text) - allowing - _LIGHT


def _forbidden(case: CheckCase) -> CheckNote | None:
    rest = _rest(case)
    freely = _FREELY.search(case.claim.text)
    if freely is not None:
        rest -= keys_of(freely.group())
    given = list(iter_clauses(case, case.passages))
    if any(_allowed(p, s, rest) for p, s in given):
        return None
    for passage, one in given:
        said = passage.text[one.start : one.end]
        m = _FORBIDS.search(said)
        if m is None or not rest or _doubly(said, m):
            continue
        bound = _BOUND_TO.search(said) is not None
        if (bound and freely is None) or (not bound and _CONDITION.search(said)):
            continue
        tail = _BOUND_TO.search(said)
        marker = keys_of(m.group()) | (keys_of(said[tail.start() :]) if tail else frozenset())
        if _same_matter(case, passage, one, rest, marker):
            reason = f"allows what the source forbids (“{m.group()}”)"
            span = (passage.span(one.start + m.start(), one.start + m.end()),)
            code = "forbidden_allowed"
            allowed = _ALLOWS.search(case.claim.text)
            at = allowed.span() if allowed else None
            return case.note("permission", code, Standing.CONTRADICTED, reason, at, span)
    return None


def _doubly(said: str, m: re.Match[str]) -> bool:
    """True for *games not on Sundays are ineligible*, which allows those on Sundays."""
    return any(end <= m.start() for _, end in denials(said))


def _allowed(passage: Passage, one: Clause, rest: frozenset[str]) -> bool:
    """True when a statement that forbids nothing speaks of most of what the claim allows."""
    text = passage.text[one.start : one.end]
    if denials(text) or _FORBIDS.search(text) or not _ALLOWS.search(text):
        return False
    return len(rest & (one.keys | one.taken_over)) >= _MOST * len(rest)


def _same_matter(
    case: CheckCase, passage: Passage, one: Clause, rest: frozenset[str], marker: frozenset[str]
) -> bool:
    """True when the ban speaks of what the claim allows, or of a part that the claim names."""
    held = one.keys | one.taken_over
    shared = rest & held
    if len(shared) >= _FEWEST and len(shared) >= _MOST * len(rest):
        return len(one.keys - marker - _LIGHT - rest) <= len(shared)
    banned = one.keys - marker - _LIGHT
    near = held | _neighbours(case, passage)
    return bool(banned) and banned <= rest and rest <= near


def _neighbours(case: CheckCase, passage: Passage) -> frozenset[str]:
    """What the same sentence and the one before it speak of."""
    at = passage.order
    before = case.reading.passages[at - 1] if at else passage
    texts = [passage.text, before.text if before.evidence_id == passage.evidence_id else ""]
    return frozenset[str]().union(*map(keys_of, texts))


def _excepted(case: CheckCase) -> CheckNote | None:
    """The claim says of the exception what the source says of all the others."""
    rest = _rest(case)
    for passage in case.passages:
        m = _EXCEPT.search(passage.text) if passage.path is None else None
        if m is None:
            continue
        main = passage.text[: m.start()]
        if main.rstrip().endswith("(") or denials(main):  # "none, except A" says it of A
            continue
        named = _named_exception(case, rest, passage.text, m)
        if named:
            reason = f"says it of “{named}”, which the source excepts"
            span = (passage.span(*m.span()),)
            return case.note("permission", "excepted", Standing.CONTRADICTED, reason, None, span)
    return None


def _named_exception(case: CheckCase, rest: frozenset[str], text: str, m: re.Match[str]) -> str:
    """What is excepted, if the claim names it and says of it what is said of all the others."""
    words = [w for w in content_words(text) if m.start("named") <= w.start < m.end("named")]
    names = frozenset(w.key for w in content_words(case.claim.text) if w.start in _names_of(case))
    for size in range(min(len(words), _LONGEST_NAMED), 0, -1):
        but, end = frozenset(w.key for w in words[:size]), words[size - 1].end
        stop = re.search(r"[;.]|,\s(?:which|who|where|and|but)\b", text[end:])
        main = text[: m.start()] + text[end : end + stop.start() if stop else None]
        left = rest - but
        if but <= rest and left - names and left <= keys_of(main):
            return text[m.start("named") : end]
    return ""


def _only(text: str) -> re.Match[str] | None:
    return _ONLY.search(text) or _KEPT_FOR.search(text)


def _names_of(case: CheckCase) -> frozenset[int]:
    found = names_and_subject(case.claim.text, case.reading)
    return frozenset(word[0] for name in found for word in name.words)


def _for_others(case: CheckCase) -> CheckNote | None:
    """“Only teachers may use it” says that students may not."""
    modal = _MODAL.search(case.claim.text)
    if modal is None:
        return None
    who = keys_of(case.claim.text[: modal.start()])
    rest = keys_of(case.claim.text) - who
    if not who or not rest or case.words[0].start in _names_of(case):
        return None
    for passage in case.passages:
        m = _only(passage.text) if passage.path is None else None
        if m is None or denials(passage.text):
            continue
        if rest <= keys_of(passage.text) - keys_of(m["who"]) and not who & keys_of(passage.text):
            reason = f"source says it only of “{m['who']}”"
            span = (passage.span(*m.span("who")),)
            return case.note("permission", "only_others", Standing.UNGROUNDED, reason, None, span)
    return None
