"""Dates of a statement in the words of the evidence: "3 March" beside 2025-03-03."""

from __future__ import annotations

from collections.abc import Sequence

from firmground.verify.reading import Passage
from firmground.verify.values.calendar import days


def dated(statement: str, passages: Sequence[Passage]) -> str:
    """The statement with each date that lacks a year as the evidence writes the same day.

    A date is replaced only where all dates of the chosen passages with that day and month have one
    year, so that nothing is settled that the evidence leaves open.
    """
    said = [one for one in days(statement) if one.day and one.month and one.year is None]
    if not said:
        return statement
    given = [(p.text[d.start : d.end], d) for p in passages for d in days(p.text) if d.year]
    for one in reversed(said):
        same = [(text, d) for text, d in given if (d.day, d.month) == (one.day, one.month)]
        if len({d.year for _, d in same}) == 1:
            end = one.end - statement[: one.end].endswith(".")
            statement = statement[: one.start] + same[0][0].rstrip(".") + statement[end:]
    return statement
