"""Denials: what was denied, or does not hold for another, is not stated as a fact."""

from __future__ import annotations

import re

from firmground.core.claim import CheckNote, Standing
from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.checks.case import CheckCase
from firmground.verify.checks.clauses import keys_of
from firmground.verify.polarity import denials
from firmground.verify.reading import Passage

_DENIED = lazy_pattern(r"\bden(?:y|ies|ied|ying)\b", re.IGNORECASE)
_ADMITTED = lazy_pattern(
    r"\b(?:admit(?:s|ted|ting)?|acknowledg(?:es?|ed|ing)|confess(?:es|ed|ing)?|conced(?:es?|ed|ing))\b",
    re.IGNORECASE,
)
# Words by which a claim reports what was said rather than what is so, or how it was turned down.
_TOLD = lazy_pattern(
    r"\b(?:alleg\w+|accus\w+|claim\w*|said|says|report\w*|according|charg\w+|reject\w*|refus\w+|"
    r"dismiss\w*|disput\w+|refut\w+|contest\w*|suspect\w*|question\w*|asked)\b",
    re.IGNORECASE,
)
_NOT_SO = lazy_pattern(
    r"\b(?:while|whereas|but)\s+(?:the\s+)?(?P<name>[A-Z][\w-]+)\s+"
    r"(?:did|does|do|was|were|is|are|has|had)(?:\s+not|n['’]t)\s*(?=[.,;]|\Z)"
)
_FEWEST = 2


def check_denied(case: CheckCase) -> tuple[CheckNote, ...]:
    """Object to a denial stated as admitted, an act stated as denied, and a wrong subject."""
    if case.about_source or _TOLD.search(case.claim.text):
        return ()
    note = _told_of_the_other(case)
    if note is None:
        note = _as_denial(case) if _DENIED.search(case.claim.text) else _admitted(case)
    return () if note is None else (note,)


def _admitted(case: CheckCase) -> CheckNote | None:
    """The claim says that it was admitted, and the passage that speaks of it that it was denied."""
    text = case.claim.text
    admitted = _ADMITTED.search(text)
    if admitted is None or denials(text):
        return None
    wanted = keys_of(text) - keys_of(admitted.group())
    about = [p for p in case.passages if p.path is None and wanted <= keys_of(p.text)]
    if len(wanted) < _FEWEST or not about or not all(_denies(p, wanted) for p in about):
        return None
    m = _DENIED.search(about[0].text)
    assert m is not None
    reason = f"says {admitted.group()}, source says {m.group()}"
    span = (about[0].span(*m.span()),)
    return case.note(
        "denied", "denial_reversed", Standing.CONTRADICTED, reason, admitted.span(), span
    )


def _denies(passage: Passage, wanted: frozenset[str]) -> bool:
    """True when a passage puts part of what is wanted behind the word that denies it."""
    m = _DENIED.search(passage.text)
    if m is None or len(denials(passage.text)) != 1 or _ADMITTED.search(passage.text):
        return False
    behind = re.split(r"[;.]|\bbut\b|\bthough\b|\balthough\b", passage.text[m.end() :])[0]
    before, after = keys_of(passage.text[: m.start()]), keys_of(behind)
    return bool(wanted & after) and bool(wanted & before) and wanted <= before | after


def _as_denial(case: CheckCase) -> CheckNote | None:
    """The claim says that it was denied, and the passage about it states it as a fact."""
    m = _DENIED.search(case.claim.text)
    assert m is not None
    wanted = keys_of(case.claim.text) - keys_of(m.group())
    if len(denials(case.claim.text)) != 1 or len(wanted) < _FEWEST:
        return None
    about = [p for p in case.passages if p.path is None and wanted <= keys_of(p.text)]
    if not about or any(denials(p.text) or _TOLD.search(p.text) for p in case.passages):
        return None
    admitted = _ADMITTED.search(about[0].text)
    given = admitted.group() if admitted else "it as a fact"
    reason = f"says {m.group()}, source {'says' if admitted else 'tells'} {given}"
    standing = Standing.CONTRADICTED if admitted else Standing.UNGROUNDED
    code = "denial_reversed" if admitted else "fact_as_denial"
    return case.note("denied", code, standing, reason, m.span(), (about[0].span(),))


def _told_of_the_other(case: CheckCase) -> CheckNote | None:
    """“A lowered it, while B did not”: what is said of A is not so of B."""
    text = case.claim.text
    if denials(text):
        return None
    for passage in case.passages:
        m = _NOT_SO.search(passage.text) if passage.path is None else None
        if m is None or not re.match(rf"(?:the\s+)?{re.escape(m['name'])}\b", text, re.IGNORECASE):
            continue
        main = passage.text[: m.start()]
        rest = keys_of(text) - keys_of(m["name"])
        if rest and rest <= keys_of(main) and m["name"].lower() not in main.lower():
            reason = f"source says that {m['name']} did not: “{m.group().strip()}”"
            return case.note(
                "denied",
                "said_not_so",
                Standing.CONTRADICTED,
                reason,
                None,
                (passage.span(*m.span()),),
            )
    return None
