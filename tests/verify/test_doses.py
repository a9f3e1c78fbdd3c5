"""What a patient would act on: the unit of one letter, and how many times a day."""

from __future__ import annotations

import pytest

from firmground import check
from firmground.verify.values.frequency import counted_frequencies
from firmground.verify.values.quantities import quantities


@pytest.mark.parametrize(
    ("answer", "source"),
    [
        ("Take 200 g of Velartin.", "Take 200 mg of Velartin."),
        ("The dose is 200 g a day.", "The dose is 200 mg a day."),
        ("Take 5 l of the syrup.", "Take 5 ml of the syrup."),
        ("Take it once daily.", "Take it twice daily."),
        ("Dose: twice daily.", "Dose: once daily."),
        ("Take one tablet two times a day.", "Take one tablet once a day."),
        ("The filter is changed 3 times per week.", "The filter is changed twice per week."),
    ],
)
def test_another_unit_or_another_count_a_day_does_not_stand(answer: str, source: str) -> None:
    (found,) = check(answer, source, judge="lexical").findings.assessments
    assert not found.standing.stands
    (same,) = check(source, source, judge="lexical").findings.assessments
    assert same.standing.stands


@pytest.mark.parametrize(
    ("answer", "source"),
    [
        ("Take it twice a day.", "Take it twice daily."),
        ("Take it two times per day.", "Take it twice a day."),
        ("Take it daily.", "Take it twice daily."),
        ("Add 200 g of flour.", "Add 0.2 kg of flour."),
    ],
)
def test_other_words_for_the_same_dose_stand(answer: str, source: str) -> None:
    (found,) = check(answer, source, judge="lexical").findings.assessments
    assert found.standing.stands


def test_what_only_looks_like_a_unit_is_none() -> None:
    (five,) = quantities("Il boit 5 l'eau.")
    assert not five.unit
    assert counted_frequencies("It runs daily, and once it failed.") == ()
