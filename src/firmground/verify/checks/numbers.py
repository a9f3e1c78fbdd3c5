"""Numbers, percentages and money: does the source give the same one, rounded or not?"""

from __future__ import annotations

from firmground.core.claim import CheckNote, Standing
from firmground.verify.checks.case import Case, span_terms
from firmground.verify.reading import Passage
from firmground.verify.values.quantities import Match, Quantity, compare, quantities

_GOOD = (Match.SAME, Match.ROUNDED, Match.WITHIN)
_ALIGNED = 0.7
# Words such as "two" are often counted by the writer and stand in no source.
_COUNTED_BY_HAND = 12


def check_numbers(case: Case) -> tuple[CheckNote, ...]:
    """Object to numbers the source gives otherwise, or does not give at all."""
    if case.about_source:
        return ()
    return tuple(_judge(case, said) for said in quantities(case.claim.text))


def _judge(case: Case, said: Quantity) -> CheckNote:
    at = (said.start, said.end)
    found = _found(case, said)
    if found is not None:
        passage, given, match = found
        code = "number_matches" if match is Match.SAME else "number_rounded"
        reason = f"source says {given.text}" + ("" if match is Match.SAME else f" for {said.text}")
        span = passage.span(given.start, given.end)
        return case.note("numbers", code, None, reason, at, (span,))
    rival = _rival(case, said, at)
    if rival is not None:
        passage, given = rival
        span = passage.span(given.start, given.end)
        reason = f"says {said.text}, source says {given.text}"
        return case.note(
            "numbers", "number_differs", Standing.CONTRADICTED, reason, at, (span,)
        )
    return _absent(case, said, at)


def _found(case: Case, said: Quantity) -> tuple[Passage, Quantity, Match] | None:
    """Find the best passage that bears the number out: same before rounded, near before far."""
    best: tuple[Passage, Quantity, Match] | None = None
    for passage in case.passages:
        for given in quantities(passage.text):
            match = compare(said, given)
            if match is Match.SAME and _same_thing(said, given):
                return passage, given, match
            if match in _GOOD and best is None:
                best = passage, given, match
    return best


def _same_thing(said: Quantity, given: Quantity) -> bool:
    return said.unit == given.unit or not said.unit or not given.unit


def _rival(
    case: Case, said: Quantity, at: tuple[int, int]
) -> tuple[Passage, Quantity] | None:
    """Find a number of the same kind in a passage that otherwise says what the claim says."""
    own = span_terms(case, *at)
    for passage in case.passages:
        if len(case.terms - own) < 2 or case.cover(passage, own) < _ALIGNED:
            continue
        rivals = [g for g in quantities(passage.text) if compare(said, g) is Match.DIFFERENT]
        if len(rivals) == 1 or (rivals and said.unit):
            return passage, rivals[0]
    return None


def _absent(case: Case, said: Quantity, at: tuple[int, int]) -> CheckNote:
    small = said.worded and max(said.readings) <= _COUNTED_BY_HAND
    elsewhere = all(case.reading.knows(term) for term in span_terms(case, *at))
    asked = any(
        compare(said, given) in _GOOD
        for text in (case.question, case.claim.context)
        for given in quantities(text)
    )
    if asked:
        return case.note("numbers", "number_from_question", None, "the question says so", at)
    code = "number_elsewhere" if elsewhere else "number_absent"
    veto = None if small or said.ordinal or elsewhere else Standing.UNGROUNDED
    reason = f"says {said.text}, " + (
        "which the source says only elsewhere" if elsewhere else "which no source gives"
    )
    return case.note("numbers", code, veto, reason, at)
