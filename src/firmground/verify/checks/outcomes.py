"""Outcomes that exclude each other, effects made stronger, and causes named otherwise."""

# ruff: noqa: E501 - word lists read better in long lines
from __future__ import annotations

import re

from firmground.core.claim import CheckNote, Standing
from firmground.core.lazy_pattern import lazy_pattern
from firmground.verify.checks.case import CheckCase
from firmground.verify.checks.clauses import Clause, content_words, denied, iter_clauses, keys_of
from firmground.verify.polarity import denials
from firmground.verify.reading import Passage, terms_of

_LATE = (
    r"delayed|postponed|cancel+ed|behind schedule|(?:arrived|was|were|ran|left|departed) late|"
    r"(?:minutes?|hours?|days?|weeks?) late"
)
_EXCLUDE = tuple(
    (lazy_pattern(rf"\b(?:{one})\b", re.IGNORECASE), lazy_pattern(rf"\b(?:{other})\b", re.IGNORECASE))
    for one, other in (
        (r"convicted|guilty|sentenced", r"acquitted|exonerated|cleared of|not guilty|"
         r"(?:dismissed|dropped) (?:[^,;.]{0,30}\s)?(?:charges?|case|indictment)|"
         r"(?:charges?|case|indictment)[^,;.]{0,30} (?:dismissed|dropped)"),
        (r"on time|on schedule|punctual(?:ly)?|as scheduled|as planned", _LATE),
        (r"approved|adopted|passed(?! (?:over|away|on|out|by)\b)|granted|accepted|ratified|authori[sz]ed|endorsed|backed|signed",
         r"rejected|vetoed|turned down|refused|failed|dismissed|voted down|blocked|struck down|denied"),
        (r"(?:was|were|is|are|went) (?:down|offline|unavailable)",
         r"(?:kept|continued) (?:working|running|to work|to run)|(?:stayed|remained) (?:up|online|available)|"
         r"unaffected"),
        (r"survived|survives", r"died|was killed|were killed|did not survive"),
        (r"(?:still )?(?:plays|works) (?:for|at)|is employed (?:by|at)|is a member of",
         r"(?:left|quit) (?:the )?(?-i:[A-Z])\w+|resigned from|was dismissed by|retired from"),
        (r"resigned|stepped down|was dismissed|was fired", r"remains in office|stayed on|was re-?elected"),
    )
)  # fmt: skip
_STRONG = lazy_pattern(
    r"\b(?:cures?|cured|eliminates?|eliminated|eradicates?|heals?|healed)\b", re.I
)
_WEAK = lazy_pattern(
    r"\b(?:reduc(?:es?|ed|ing)|eas(?:es?|ed|ing)|reliev(?:es?|ed|ing)|lower(?:s|ed|ing)?|improv(?:es?|ed|ing)|"
    r"alleviat(?:es?|ed|ing)|help(?:s|ed)?|slow(?:s|ed)?|soothes?|mitigat\w+)\b",
    re.IGNORECASE,
)
_BECAUSE = lazy_pattern(
    r"\b(?:because of|due to|owing to|(?:was|were|is|are|been) (?:caused|triggered|brought on|brought about) by|"
    r"as a result of|on account of)\s+(?P<cause>[^,;:.()]+?)(?=\s+(?:is|was|were|are|has|had)\b|[,;:.()]|\s*\Z)",
    re.IGNORECASE,
)
_CAUSED = lazy_pattern(
    r"\b(?:because|due to|owing to|caused?|triggered|led to|result(?:ed|s)? (?:in|from|of)|thanks to|blamed|"
    r"attributed|stem\w* from|after|following|reason)\b",
    re.IGNORECASE,
)
_OWN = lazy_pattern(r"\s*(?:its|his|her|their|our|your)\b", re.IGNORECASE)
# “The first death due to …” names no cause of what happened.
_HAPPENED = lazy_pattern(r"\b(?:is|was|are|were|has|had|have|been|\w+ed)\b", re.IGNORECASE)
_PLACED = lazy_pattern(r"\s(?:in|at|on|for|from|near|during|within|after|over)\s", re.IGNORECASE)
_DURING = lazy_pattern(r"\bduring\b", re.IGNORECASE)
_IT = lazy_pattern(r"\s+(?:it|them|him|her|this|that)\b", re.IGNORECASE)
# Verbs of coming and going, which add nothing to being on time.
_GOING = frozenset("leav arriv depart land com start begin run took tak".split())
_COVERED = 0.6
_LONGEST_CAUSE = 4
_LONG_ENOUGH = 5
_SHORT = 2
_MOST_WORDS = 60
_PREFIXES = ("non-", "non", "un")


def check_outcomes(case: CheckCase) -> tuple[CheckNote, ...]:
    """Object to the opposite outcome, to an effect made stronger and to another cause."""
    if case.about_source or denials(case.claim.text):
        return ()
    note = _excluded(case) or _prefixed(case) or _stronger(case) or _other_cause(case)
    return () if note is None else (note,)


def _excluded(case: CheckCase) -> CheckNote | None:
    for pair in _EXCLUDE:
        for mine, theirs in (pair, pair[::-1]):
            said = mine.search(case.claim.text)
            if said is None or theirs.search(case.claim.text):
                continue
            note = _otherwise(case, said, mine, theirs)
            if note is not None:
                return note
    return None


def _otherwise(
    case: CheckCase, said: re.Match[str], mine: re.Pattern[str], theirs: re.Pattern[str]
) -> CheckNote | None:
    rival: tuple[Passage, tuple[int, int]] | None = None
    for passage, one in iter_clauses(case, case.passages):
        if _carries_on(passage, one, mine):
            return None
        if not _covers(case, said, one):
            continue
        text = passage.text[one.start : one.end]
        given = theirs.search(text)
        apart = text if given is None else text[: given.start()] + text[given.end() :]
        if mine.search(apart):
            return None  # who says both cannot be held to one of them
        if (
            given is not None
            and rival is None
            and not denied(passage.text, one, before=one.start + given.start())
        ):
            rival = passage, (one.start + given.start(), one.start + given.end())
    if rival is None:
        return None
    passage, at = rival
    reason = f"says {said.group()}, source says {passage.text[slice(*at)]}"
    span = (passage.span(*at),)
    return case.note(
        "outcomes", "outcome_differs", Standing.CONTRADICTED, reason, said.span(), span
    )


def _carries_on(passage: Passage, one: Clause, mine: re.Pattern[str]) -> bool:
    """True for “… but approved it in May”: the same one, and the matter by a small word."""
    said = mine.search(passage.text, one.start, one.end)
    return said is not None and bool(one.taken_over) and bool(_IT.match(passage.text, said.end()))


def _covers(case: CheckCase, said: re.Match[str], one: Clause) -> bool:
    """True when a statement speaks of the claim's subject and of most of the rest."""
    words = [w for w in content_words(case.claim.text) if not said.start() <= w.start < said.end()]
    during = _DURING.search(case.claim.text)
    rest = frozenset(w.key for w in words if during is None or w.start < during.start()) - _GOING
    held = one.keys | one.taken_over
    if not rest or words[0].key not in held | _GOING:
        return False
    return len(rest & held) >= _COVERED * len(rest)


def _prefixed(case: CheckCase) -> CheckNote | None:
    """*Refundable*, where the source says *non-refundable*."""
    chosen = " ".join(passage.text for passage in case.passages).lower()
    for word in case.words[:_MOST_WORDS]:
        plain = word.text
        if len(plain) < _LONG_ENOUGH or not plain.islower() or not plain.isalpha():
            continue
        if not any(f"{prefix}{plain}" in chosen for prefix in _PREFIXES):
            continue
        said = re.search(rf"\b{plain}\b", case.claim.text)
        negated = re.compile(rf"\b(?:non-?|un){plain}\b", re.IGNORECASE)
        bare = re.compile(rf"(?<!-)\b{plain}\b", re.IGNORECASE)
        both = negated.search(case.claim.text) or any(bare.search(p.text) for p in case.passages)
        note = _otherwise(case, said, bare, negated) if said and not both else None
        if note is not None:
            return note
    return None


def _stronger(case: CheckCase) -> CheckNote | None:
    """“Cures migraine”, where the source says that it reduced migraine days."""
    said = _STRONG.search(case.claim.text)
    if said is None or any(_STRONG.search(p.text) for p in case.passages):
        return None
    for passage, one in iter_clauses(case, case.passages):
        given = _WEAK.search(passage.text, one.start, one.end)
        if given is not None and _covers(case, said, one):
            reason = f"says {said.group()}, source says only {given.group()}"
            span, code = (passage.span(*given.span()),), "effect_raised"
            return case.note("outcomes", code, Standing.UNGROUNDED, reason, said.span(), span)
    return None


def _other_cause(case: CheckCase) -> CheckNote | None:
    """“Because of fog”, where the source reports the same event and never mentions fog."""
    said = _BECAUSE.search(case.claim.text)
    if said is None:
        return None
    shown = _PLACED.split(said["cause"], maxsplit=1)[0]
    cause = keys_of(shown)
    effect = keys_of(case.claim.text[: said.start()])
    own = _OWN.match(shown) or not _HAPPENED.search(
        case.claim.text, 0, said.end() - len(said["cause"])
    )
    if own or not cause or len(cause) > _LONGEST_CAUSE or not effect or _known(case, shown):
        return None
    for passage in case.passages:
        if passage.path is not None or not effect <= keys_of(passage.text):
            continue
        given = _CAUSED.search(passage.text)
        if given is None and max(len(effect), len(cause)) > _SHORT:
            continue  # a longer tale may leave its cause to what everybody knows
        code = "cause_differs" if given else "cause_unnamed"
        reason = f"names “{said['cause'].strip()}” as the cause, which no source speaks of"
        span, at = (passage.span(),), said.span("cause")
        return case.note("outcomes", code, Standing.UNGROUNDED, reason, at, span)
    return None


def _known(case: CheckCase, cause: str) -> bool:
    terms = terms_of(cause)
    known = any(case.reading.knows(term) for term in terms)
    # *Success* is known where the source says *succeeds*.
    return known or any(
        len(term) >= _LONG_ENOUGH and term[:_LONG_ENOUGH] in case.reading.lowered for term in terms
    )
