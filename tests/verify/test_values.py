"""Values read out of text: numbers, dates and times as people write them in four languages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmground.verify.values.calendar import Day, agrees, conflicts, days
from firmground.verify.values.clock import day_sets, hours, times
from firmground.verify.values.comparing import Match, compare
from firmground.verify.values.quantities import Quantity, quantities


def one(text: str) -> Quantity:
    found = quantities(text)
    assert len(found) == 1, found
    return found[0]


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("42 %", 42, "percent"),
        ("42 percent", 42, "percent"),
        ("$5.99", 5.99, "usd"),
        ("$600m", 600e6, "usd"),
        ("1.234,56 €", 1234.56, "eur"),
        ("2,970,000 people", 2_970_000, ""),
        ("rund 2,97 Millionen Einwohner", 2.97e6, ""),
        ("3,5 milliards d'euros dans le budget de la ville", 3.5e9, ""),
        ("1 234 567 habitants dans la ville et les environs", 1_234_567, ""),
        ("quatre-vingt-dix personnes sont dans le train", 90, ""),
        ("Er hat siebenundzwanzig Bücher und die Zeitung", 27, ""),
        ("Hay veintidós personas en la casa del pueblo", 22, ""),
        ("twenty-five men", 25, ""),
        ("twenty five men", 25, ""),
        ("one hundred and five men", 105, ""),
        ("a million reasons", 1e6, ""),
        ("half a million reasons", 5e5, ""),
        ("5 mg daily", 0.005, "gram"),
        ("a 29-year-old man", 29, "year-old"),
        ("2 hours", 7200, "second"),
    ],
)
def test_a_number_is_read_with_its_scale_and_unit(text: str, value: float, unit: str) -> None:
    quantity = one(text)
    assert quantity.readings[0] == pytest.approx(value)
    assert quantity.unit == unit
    assert text[quantity.start : quantity.end] == quantity.text


def test_a_number_that_can_be_read_two_ways_keeps_both_readings() -> None:
    assert set(one("2.970 pieces").readings) == {2.97, 2970.0}


@pytest.mark.parametrize("text", ["v1.2.3 on host-12", "3. Stir well", "passage 2", "at 17:0-23:0"])
def test_versions_list_marks_references_and_times_are_no_numbers(text: str) -> None:
    assert quantities(text) == ()


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [("3-5 days", 259200, 432000), ("between 3 and 5 million", 3e6, 5e6), ("10 to 20 %", 10, 20)],
)
def test_a_range_has_two_ends_that_share_scale_and_unit(text: str, low: float, high: float) -> None:
    quantity = one(text)
    assert (quantity.readings[0], quantity.high) == (low, high)


def test_a_change_is_two_numbers_and_not_a_range() -> None:
    assert [q.text for q in quantities("rose from 2% to 24%")] == ["2%", "24%"]


@pytest.mark.parametrize(
    ("said", "given", "match"),
    [
        ("about 3 million", "2,970,000", Match.ROUNDED),
        ("3 million", "2,970,000", Match.ROUNDED),
        ("3 million", "2,600,000", Match.DIFFERENT),
        ("42 %", "24 %", Match.DIFFERENT),
        ("42", "42.3", Match.ROUNDED),
        ("4 stars", "3.5 stars", Match.DIFFERENT),
        ("100", "95", Match.DIFFERENT),
        ("two people", "2 people", Match.SAME),
        ("more than 20 people", "23 people", Match.WITHIN),
        ("more than 20 people", "90 people", Match.DIFFERENT),
        ("4 days", "3-5 days", Match.WITHIN),
        ("60 minutes", "1 hour", Match.SAME),
        ("5 kg", "5 miles", Match.INCOMPARABLE),
        ("$5", "5 €", Match.INCOMPARABLE),
        ("3 dogs", "4 cats", Match.INCOMPARABLE),
    ],
)
def test_numbers_compare_by_value_with_honest_rounding(said: str, given: str, match: Match) -> None:
    assert compare(one(said), one(given)) is match


@given(st.integers(0, 10**9), st.sampled_from(["{}", "{:,}", "{} %", "${:,}"]))
def test_a_number_always_agrees_with_itself(value: int, form: str) -> None:
    text = "it was " + form.format(value) + " then"
    for quantity in quantities(text):
        assert compare(quantity, quantity) is Match.SAME
        assert text[quantity.start : quantity.end] == quantity.text


@given(st.text(max_size=200))
def test_reading_values_never_fails_and_spans_are_exact(text: str) -> None:
    for quantity in quantities(text):
        assert text[quantity.start : quantity.end] == quantity.text
    spans = [(found.start, found.end) for found in days(text)]
    spans += [(found.start, found.end) for found in times(text)]
    spans += [(found.start, found.end) for found in hours(text)]
    spans += [(found.start, found.end) for found in day_sets(text)]
    assert all(0 <= start < end <= len(text) for start, end in spans)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("November 1, 2020", (2020, 11, 1)),
        ("1 November 2020", (2020, 11, 1)),
        ("1. November 2020", (2020, 11, 1)),
        ("le 1er novembre 2020", (2020, 11, 1)),
        ("1 de noviembre de 2020", (2020, 11, 1)),
        ("2020-11-01", (2020, 11, 1)),
        ("November 2020", (2020, 11, None)),
        ("Nov. 1", (None, 11, 1)),
        ("in 843 by", (843, None, None)),
        ("the 1990s", (1990, None, None)),
    ],
)
def test_a_date_is_read_as_far_as_it_is_given(
    text: str, parts: tuple[int | None, int | None, int | None]
) -> None:
    (day,) = days(text)
    assert (day.year, day.month, day.day) == parts


def test_every_part_of_a_date_must_be_given_by_one_date_of_the_source() -> None:
    said = Day(start=0, end=1, year=2020, month=11, day=1)
    assert agrees(said, Day(start=0, end=1, year=2020, month=11, day=1))
    assert not agrees(said, Day(start=0, end=1, month=11, day=1))
    assert conflicts(said, Day(start=0, end=1, year=2019))


def test_a_slashed_date_may_be_read_either_way_round() -> None:
    (slashed,) = days("3/4/2012")
    (written,) = days("March 4, 2012")
    assert agrees(written, slashed)


@pytest.mark.parametrize(
    ("text", "stretch", "named"),
    [
        ("5 pm to 9 pm Tuesday and Wednesday", (1020, 1260), {1, 2}),
        ("5-9 pm Mon-Fri", (1020, 1260), {0, 1, 2, 3, 4}),
        ("11:30 AM - 10:00 PM daily", (690, 1320), set(range(7))),
        ("17:0-23:0", (1020, 1380), set()),
        ("Friday through Monday, 8:00 to noon", (480, 720), {4, 5, 6, 0}),
        ("9:00-17:30 Montag bis Freitag", (540, 1050), {0, 1, 2, 3, 4}),
    ],
)
def test_hours_and_weekdays_are_read_in_both_clocks(
    text: str, stretch: tuple[int, int], named: set[int]
) -> None:
    assert [(h.opens, h.closes) for h in hours(text)] == [stretch]
    assert {day for days_ in day_sets(text) for day in days_.days} == named
