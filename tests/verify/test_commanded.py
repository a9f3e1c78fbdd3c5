"""A command, or a plain statement with something added, without the "not" it had in the source."""

from __future__ import annotations

import pytest

from firmground import check
from firmground.core.claim import Standing

MISSED = "If you miss a dose, do not take a double dose."
ALLERGIC = "Take Velartin with food. Do not take Velartin if you are allergic to celecoxib."


def standing(answer: str, source: str) -> Standing:
    (found,) = check(answer, source, judge="lexical").findings.assessments
    return found.standing


@pytest.mark.parametrize(
    ("answer", "source"),
    [
        ("Take a double dose.", MISSED),
        ("If you miss a dose, take a double dose.", MISSED),
        (
            "If the disk is full, delete the WAL directory.",
            "If the disk is full, do not delete the WAL directory.",
        ),
        (
            "Take Velartin if you are allergic to celecoxib.",
            "Do not take Velartin if you are allergic to celecoxib.",
        ),
        ("Open the valve by hand.", "Stop the pump and never open the valve by hand."),
    ],
)
def test_what_the_source_forbids_may_not_be_told(answer: str, source: str) -> None:
    assert standing(answer, source) is Standing.CONTRADICTED


@pytest.mark.parametrize(
    ("answer", "source"),
    [
        ("If you miss a dose, do not take a double dose.", MISSED),
        ("Never take a double dose.", MISSED),
        ("Take Velartin with food.", ALLERGIC),
        (
            "Delete the WAL directory.",
            "Delete the WAL directory. In a failover, do not delete the WAL directory.",
        ),
        (
            "Restart the service.",
            "Do not restart the service before the backup. Then restart the service.",
        ),
    ],
)
def test_what_it_tells_or_forbids_itself_stands(answer: str, source: str) -> None:
    assert standing(answer, source).stands


def test_what_is_forbidden_on_a_condition_is_not_forbidden_without_it() -> None:
    source = "Do not take Velartin tablets if you are allergic to celecoxib."
    assert standing("Take Velartin tablets.", source) is not Standing.CONTRADICTED
    allergic = "Take Velartin tablets if you are allergic to celecoxib."
    assert standing(allergic, source) is Standing.CONTRADICTED


def test_what_the_source_denies_may_not_be_asserted_with_something_added() -> None:
    denial = "Customer payments were not lost."
    lost = "Customer payments were lost during the incident."
    assert standing(lost, denial) is Standing.CONTRADICTED
    assert standing(lost, f"{denial} Later, customer payments were lost.").stands
    assert standing("Customer payments were made, and time was lost.", denial) is not (
        Standing.CONTRADICTED
    )
