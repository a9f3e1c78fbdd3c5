"""Quantities are read with dimension, limit and exact offsets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmground.verify.derive import Limit, values

_DAY = 86400.0


@pytest.mark.parametrize(
    ("text", "written", "dimension", "amount"),
    [
        ("It costs €591.00 now.", "€591.00", "money:eur", 591.0),
        ("It costs $5m now.", "$5m", "money:usd", 5e6),
        ("a fee of R$119.80", "R$119.80", "money:brl", 119.8),
        ("a fee of 75 cents", "75 cents", "money:usd", 0.75),
        ("6,980 thousand US dollars", "6,980 thousand US dollars", "money:usd", 6.98e6),
        ("after 1 h 45 min it", "1 h 45 min", "time", 6300.0),
        ("within two weeks of", "two weeks", "time", 14 * _DAY),
        ("for a full fortnight", "a full fortnight", "time", 14 * _DAY),
        ("took a minute and a half", "a minute and a half", "time", 90.0),
        ("half an hour later", "half an hour", "time", 1800.0),
        ("fourteen and three-quarter hours", "fourteen and three-quarter hours", "time", 53100.0),
        ("31 fewer days", "31 fewer days", "time", 31 * _DAY),
        ("nearly seventy years", "seventy years", "months", 840.0),
        ("30 basis points", "30 basis points", "percent", 0.3),
        ("54.5 percent of", "54.5 percent", "percent", 54.5),
        ("two thirds of it", "two thirds", "share", 2 / 3),
        ("one eighth of the former", "one eighth", "share", 0.125),
        ("twice as many", "twice", "ratio", 2.0),
        ("1200 g of flour", "1200 g", "mass", 1200.0),
        ("kept at -20 °C", "-20 °C", "temperature", -20.0),
        ("0.2 µM primer", "0.2 µM", "molar", 2e-7),
        ("12.5 µl mix", "12.5 µl", "volume", 1.25e-5),
        ("128 MiB each", "128 MiB", "data", 128 * 2.0**20),
        ("one hundred and five people", "one hundred and five", "count", 105.0),
        ("1,312,000 passengers", "1,312,000", "count", 1312000.0),
        ("half a million users", "half a million", "count", 5e5),
        ("the fifth working day", "fifth", "ordinal", 5.0),
        ("at half past six", "half past six", "clock", 390.0),
        ("eight in the evening", "eight in the evening", "clock", 1200.0),
        ("from Terminal 2 on", "2", "label", 2.0),
    ],
)
def test_one_value(text: str, written: str, dimension: str, amount: float) -> None:
    (found,) = values(text)
    assert text[found.start : found.end] == found.text == written
    assert found.dimension == dimension
    assert found.amount == pytest.approx(amount)


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("up to 60 cm", Limit.AT_MOST), ("at least 3 hosts", Limit.AT_LEAST),
        ("no more than 5 kg", Limit.AT_MOST), ("not more than 5 kg", Limit.AT_MOST),
        ("more than 5 kg", Limit.OVER), ("about 5 kg", Limit.ABOUT),
        ("just over 5 kg", Limit.JUST_OVER), ("nearly 5 kg", Limit.NEARLY),
        ("under 5 kg", Limit.UNDER), ("5 kg or more", Limit.AT_LEAST), ("weighs 5 kg", Limit.EXACT),
    ],
)  # fmt: skip
def test_limits(text: str, limit: Limit) -> None:
    assert values(text)[0].limit is limit


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("2 to 8 °C", 2, 8),
        ("between 5 and 10 kg", 5000, 10000),
        ("9-12 weeks", 63 * _DAY, 84 * _DAY),
    ],
)
def test_ranges(text: str, low: float, high: float) -> None:
    (found,) = values(text)
    assert (found.amount, found.high) == (low, high)


def test_a_change_is_two_values() -> None:
    assert [one.text for one in values("rose from 10 to 12 million")] == ["10", "12 million"]


@pytest.mark.parametrize("text", ["fp-live-2", "INC-0417", "Q4", "flat 3B", "utf8"])
def test_identifiers_hold_no_quantity(text: str) -> None:
    assert values(text) == ()


def test_a_measure_is_no_year_and_a_year_no_measure() -> None:
    assert [one.dimension for one in values("1200 g in 2024, 1500 passengers")] == [
        "mass", "date", "count",
    ]  # fmt: skip


@given(st.text(alphabet="0123456789 .,:-–/€$%abhmkgto'half a third of", max_size=60))
def test_offsets_are_exact_for_any_text(text: str) -> None:
    last = 0
    for one in values(text):
        assert text[one.start : one.end] == one.text
        assert last <= one.start < one.end <= len(text)
        last = one.end
