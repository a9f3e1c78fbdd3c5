"""Dates: every part the claim gives must be given by one date of the source, in one place."""

from __future__ import annotations

from firmground.core.claim import CheckNote, Standing
from firmground.verify.checks.case import CheckCase, span_terms
from firmground.verify.reading import Passage
from firmground.verify.values.calendar import Day, agrees, conflicts, days


def check_dates(case: CheckCase) -> tuple[CheckNote, ...]:
    """Object to dates the source gives otherwise, or gives only in parts."""
    if case.about_source:
        return ()
    return tuple(_judge(case, said) for said in days(case.claim.text))


def _judge(case: CheckCase, said: Day) -> CheckNote:
    at = (said.start, said.end)
    shown = case.claim.text[said.start : said.end]
    for passage in case.passages:
        for given in days(passage.text):
            if agrees(said, given):
                span = passage.span(given.start, given.end)
                return case.note("dates", "date_matches", None, f"source says {shown}", at, (span,))
    if _in_question(case, said):
        return case.note("dates", "date_from_question", None, "the question says so", at)
    rival = _rival(case, said, at)
    if rival is not None:
        passage, given = rival
        text = passage.text[given.start : given.end]
        span = passage.span(given.start, given.end)
        return case.note(
            "dates",
            "date_differs",
            Standing.CONTRADICTED,
            f"says {shown}, source says {text}",
            at,
            (span,),
        )
    return _absent(case, said, shown)


def _in_question(case: CheckCase, said: Day) -> bool:
    texts = (case.question, case.claim.context)
    return any(agrees(said, given) for text in texts for given in days(text))


def _rival(case: CheckCase, said: Day, at: tuple[int, int]) -> tuple[Passage, Day] | None:
    own = span_terms(case, *at)
    for passage in case.passages:
        if not case.mirrors(passage, own):
            continue
        rivals = [
            given
            for given in days(passage.text)
            if conflicts(said, given)
            and not any(agrees(other, given) for other in days(case.claim.text) if other != said)
        ]
        if len(rivals) == 1:
            return passage, rivals[0]
    return None


def _absent(case: CheckCase, said: Day, shown: str) -> CheckNote:
    """Point at the parts of the date that no source gives."""
    elsewhere = said.year is None or case.reading.knows(str(said.year))
    at = (said.start, said.end)
    if elsewhere:
        reason = f"says {shown}, whose parts the source gives only in different places"
        return case.note("dates", "date_elsewhere", None, reason, at)
    year = str(said.year)
    inside = case.claim.text.find(year, said.start, said.end)
    if said.month is not None and inside >= 0:
        at = (inside, inside + len(year))
    reason = f"says {shown}, and no source gives the year {year}"
    return case.note("dates", "date_absent", Standing.UNGROUNDED, reason, at)
