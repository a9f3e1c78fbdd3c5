"""A value that the claim denies is not contradicted by another value in the source."""

from __future__ import annotations

import pytest

from firmground.core.claim import Claim
from firmground.core.evidence import Evidence
from firmground.verify.checks import CHECKS
from firmground.verify.checks.case import CheckCase, search_text
from firmground.verify.reading import read


def _objections(text: str, source: str) -> set[str]:
    reading = read((Evidence(text=source),))
    claim = Claim(text=text, start=0, end=len(text))
    passages = reading.select(search_text(claim), limit=6)
    case = CheckCase(claim=claim, passages=passages, reading=reading)
    return {note.code for check in CHECKS for note in check(case) if note.standing is not None}


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("The bridge did not open in 1952.", "The bridge opened in 1932."),
        ("The fee is not 12 euros.", "The fee is 15 euros."),
        ("The store doesn't close at 18:00.", "The store closes at 20:00."),
    ],
)
def test_another_value_in_the_source_bears_a_denial_out(text: str, source: str) -> None:
    assert not {code for code in _objections(text, source) if "differs" in code}
    assert "value_conflicts" not in _objections(text, source)


def test_the_same_value_without_a_denial_conflicts() -> None:
    assert "date_differs" in _objections("The bridge opened in 1952.", "The bridge opened in 1932.")


def test_two_denials_with_different_values_still_conflict() -> None:
    found = _objections(
        "The shop does not open before 9:00.", "The shop does not open before 10:00."
    )
    assert found & {"time_differs", "value_conflicts"}
