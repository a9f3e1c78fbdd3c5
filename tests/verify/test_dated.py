"""A date without a year is read as the day that the evidence gives with one."""

from __future__ import annotations

import pytest

import firmground
from firmground.core.evidence import Evidence
from firmground.verify.dated import dated
from firmground.verify.reading import read


@pytest.mark.parametrize(
    ("evidence", "expected"),
    [
        ("Signed on 2025-03-03.", "It was signed on 2025-03-03."),
        ("Signed on 2025-03-04.", "It was signed on 3 March."),
        ("Signed on 2025-03-03, renewed on 2026-03-03.", "It was signed on 3 March."),
        ("Signed on 3 March.", "It was signed on 3 March."),
    ],
)
def test_a_date_takes_the_year_of_the_same_day(evidence: str, expected: str) -> None:
    passages = read((Evidence(text=evidence),)).passages
    assert dated("It was signed on 3 March.", passages) == expected


def test_a_right_day_stands_beside_an_iso_date_and_a_wrong_one_falls() -> None:
    evidence = ["The contract was signed on 2025-03-03."]
    assert firmground.check("The contract was signed on 3 March.", evidence).stands
    assert not firmground.check("The contract was signed on 4 March.", evidence).stands
