"""All, everyone and nobody, where the source speaks of some, of exceptions or of a few."""

# ruff: noqa: E501 - word lists read better in long lines
from __future__ import annotations

import re

from firmground.core.claim import CheckNote, Standing
from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.checks.case import CheckCase
from firmground.verify.checks.clauses import Clause, denied, iter_clauses, key_of, keys_of
from firmground.verify.polarity import denials
from firmground.verify.reading import Passage
from firmground.verify.values.quantities import quantities

_PREPOSITIONS = "for|in|on|to|at|with|of"
_ALL = r"(?:everyone|everybody|(?:all|every|each|any)\s+(?:the\s+|of the\s+)?(?P<head>[^\W\d_]+))"
_PLACED_ALL = lazy_pattern(
    rf"\b(?P<frame>[^\W\d_]+)\s+(?P<prep>{_PREPOSITIONS})\s+{_ALL}\b", re.IGNORECASE
)
_ANY_ALL = lazy_pattern(r"\b(?:all|every|everyone|everybody|each|always|any)\b", re.IGNORECASE)
_EXEMPT = lazy_pattern(
    r"\b(?:except(?! (?:in|when|if|that|where|on|to|as)\b)|apart from|with the exception of|exempt(?:ed)? from|excluding)\b",
    re.IGNORECASE,
)
_NARROWED = lazy_pattern(
    r"\s+(?:over|under|above|below|of (?:more|less) than|from|with|between|who|that|aged|worth)\b",
    re.IGNORECASE,
)
_NOT_ALL = lazy_pattern(
    r"(?:all|every|everyone|everybody|each|any|both|most|the|this|that|these|those|its|their|his|"
    r"her|our|your|my|it|them|which|whom|you|us|example|instance|free|more|further|a|an)\b",
    re.IGNORECASE,
)
_NOBODY = lazy_pattern(
    r"\A\W*(?:(?P<one>nobody|no one|no people|no injuries|no casualties)|no\s+(?:[^\W\d_]+\s+)?"
    r"(?P<kind>data|people|person|staff|documents|damage))\s+(?:was|were|has been|have been|had been|got)"
    r"\s+(?!given|provided|mentioned|listed|included|specified|reported|stated|shown|presented)"
    r"(?P<verb>[^\W\d_]+(?:ed|t|n))\b",
    re.IGNORECASE,
)
_PART_OF = {
    "data": "order record message file email mail photo row entry transaction document backup customer user",
    "documents": "file contract letter report form page",
    "staff": "employe worker nurse teacher driver cleaner manager",
}
_FEWEST = 2


def check_universal(case: CheckCase) -> tuple[CheckNote, ...]:
    """Object when the source narrows what the claim says of all, or has some where it has none."""
    note = _none(case)
    if note is None and not case.about_source and not denials(case.claim.text):
        note = _narrowed(case) or _exempted(case)
    return () if note is None else (note,)


def _narrowed(case: CheckCase) -> CheckNote | None:
    """“Free for everyone”, where the source says “free for students”."""
    said = _PLACED_ALL.search(case.claim.text)
    if said is None:
        return None
    frame, head = key_of(said["frame"]), key_of(said["head"] or "everyone")
    rest = keys_of(case.claim.text) - keys_of(said.group())
    pattern = rf"\b(?P<frame>[^\W\d_]+)\s+{said['prep']}\s+(?P<whom>(?:[^\W\d_]+\s+)?[^\W\d_]+)"
    found: CheckNote | None = None
    for passage in case.passages:
        if passage.path is not None or not _speaks_of(case, passage, rest):
            continue
        if _ANY_ALL.search(passage.text):
            return None
        for m in re.finditer(pattern, passage.text, re.IGNORECASE):
            if key_of(m["frame"]) == frame and _some(passage.text, m, head):
                found = found or _note_narrowed(case, said, passage, m)
    return found


def _some(text: str, m: re.Match[str], head: str) -> bool:
    """True when only some are named: others than the claim's, or the claim's with a limit."""
    if _NOT_ALL.match(m["whom"]):
        return False
    first = m["whom"].split()[0]
    if key_of(first) == head:
        return _NARROWED.match(text, m.start("whom") + len(first)) is not None
    return True


def _speaks_of(case: CheckCase, passage: Passage, rest: frozenset[str]) -> bool:
    held = keys_of(passage.text)
    missing = rest - held
    return len(missing) <= 1 and (not missing or len(rest) >= _FEWEST)


def _note_narrowed(
    case: CheckCase, said: re.Match[str], passage: Passage, m: re.Match[str]
) -> CheckNote:
    reason = f"says “{said.group()}”, source says “{m.group()}”"
    span, code = (passage.span(*m.span()),), "narrower_in_source"
    return case.note("universal", code, Standing.UNGROUNDED, reason, said.span(), span)


def _exempted(case: CheckCase) -> CheckNote | None:
    """“All drivers pay it”, where the source exempts some."""
    said = _ANY_ALL.search(case.claim.text)
    if said is None or _EXEMPT.search(case.claim.text):
        return None
    rest = keys_of(case.claim.text) - keys_of(said.group())
    for passage, one in iter_clauses(case, case.passages):
        m = _EXEMPT.search(passage.text)
        if m is None or passage.text[: m.start()].rstrip().endswith("("):
            continue
        if len(rest) >= _FEWEST and rest <= keys_of(passage.text) and len(rest & one.keys) > 1:
            reason = f"says “{said.group()}”, source has an exception (“{m.group()}”)"
            span, code = (passage.span(*m.span()),), "exception_dropped"
            return case.note("universal", code, Standing.CONTRADICTED, reason, said.span(), span)
    return None


def _none(case: CheckCase) -> CheckNote | None:
    """“Nobody was injured”, where the source counts some who were."""
    said = _NOBODY.match(case.claim.text)
    if said is None:
        return None
    verb, kind = key_of(said["verb"]), (said["kind"] or "").lower()
    for passage, one in iter_clauses(case, case.passages):
        if verb not in one.keys or denied(passage.text, one):
            continue
        counted = _counted(passage, one, verb)
        if counted is not None and _is_part(kind, one):
            reason = f"says “{said.group().strip()}”, source says “{passage.text[slice(*counted)]}”"
            span, code = (passage.span(*counted),), "none_for_some"
            return case.note("universal", code, Standing.CONTRADICTED, reason, said.span(), span)
    return None


def _counted(passage: Passage, one: Clause, verb: str) -> tuple[int, int] | None:
    """A number before the verb that counts the subject, in one clause."""
    at = next(word.end for word in one.words if word.key == verb)
    for given in quantities(passage.text):
        if one.start <= given.start < at and not given.unit and min(given.readings) > 0:
            return given.start, at
    return None


def _is_part(kind: str, one: Clause) -> bool:
    return not kind or bool(frozenset(_PART_OF.get(kind, "").split()) & one.keys)
