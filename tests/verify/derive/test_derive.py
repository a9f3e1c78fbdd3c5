"""Each quantity of a statement is stated, derived with its working, in conflict, or unknown."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import GrowsStraight

from firmground.core.evidence import Evidence
from firmground.verify.derive import (
    FEATURE_NAMES,
    Derivation,
    DerivationOutcome,
    derive,
    read_facts,
    summary_features,
    values,
)
from firmground.verify.reading import read
from firmground.verify.units import units


def _derive(statement: str, *evidence: str) -> tuple[Derivation, ...]:
    return derive(statement, read([Evidence(text=text) for text in evidence]).passages)


@pytest.mark.parametrize(
    ("statement", "evidence"),
    [
        ("Refunds take 14 days.", "Money is paid back within two weeks."),
        ("The parcel weighs 1.2 kg.", "Weight of the parcel: 1200 g."),
        ("It closes at 6 pm.", "The shop closes at 18:00."),
        ("Half of them left.", "50 % of them left."),
        ("It lasts 90 minutes.", "It lasts an hour and a half."),
        ("It costs 75 cents.", "It costs $0.75."),
        ("About 3.7 million came.", "3,712,400 came."),
        ("The meeting is on 3 May 2024.", "Meeting: 2024-05-03."),
    ],
)
def test_stated_after_conversion(statement: str, evidence: str) -> None:
    assert [one.outcome for one in _derive(statement, evidence)] == [DerivationOutcome.STATED]


@pytest.mark.parametrize(
    ("statement", "evidence", "working"),
    [
        ("The outage lasted 38 minutes.", "Down from 09:14 until 09:52.", "09:52 − 09:14 = 38 minutes"),
        ("The shift took 7 hours.", "He began at 23:30 and stopped at 06:30.", "06:30 − 23:30 = 7 hours"),
        ("In total it cost €591.00.", "Travel €214.00, food €18.50, hotel €262.00, taxi €96.50.",
         "€214.00 + €18.50 + €262.00 + €96.50 = €591.00"),
        ("Turnover grew by 20 percent.", "Turnover rose from 10 to 12 million.",
         "12 million / 10 − 1 = 20 percent"),
        ("The yearly plan is €29 cheaper.", "Monthly plan: €168 a year. Yearly plan: €139.",
         "€168 − €139 = €29"),
        ("Six months of pausing cost €18.", "A paused account costs €3 per month for at most six months.",
         "€3 × six months = €18"),
        ("A £240 kit brings back £204.", "We deduct a 15% charge.", "£240 − 15% = £204"),
        ("The new limit is one eighth of the old one.", "The limit falls from 128 MiB to 16 MiB.",
         "16 MiB / 128 MiB = one eighth"),
        ("The film ends at 15:44.", "14:00 The Salt Ledger, 104 min.", "14:00 + 104 min = 15:44"),
        ("The letter came 56 days later.", "Posted on 6 January. Letter of 3 March.",
         "3 March − 6 January = 56 days"),
    ],
)  # fmt: skip
def test_derived_with_working(statement: str, evidence: str, working: str) -> None:
    found = [
        one for one in _derive(statement, evidence) if one.outcome is DerivationOutcome.DERIVED
    ]
    assert working in [one.working for one in found]


def test_a_premise_is_no_gap() -> None:
    found = _derive("A £240 kit brings back £204.", "We deduct a 15% charge.")
    assert [one.code for one in found] == ["premise", "percent"]


def test_a_column_total_of_csv_lines() -> None:
    table = (
        "costs.csv\nteam,month,cost_usd\nred,July,28700\nred,August,28100\nred,September,30200\n"
    )
    (found,) = _derive("Over the quarter red spent 87,000 US dollars in total.", table)
    assert found.outcome is DerivationOutcome.DERIVED
    assert [table[one.start : one.end] for one in found.operands] == ["28700", "28100", "30200"]


def test_a_copied_sentence_with_another_number_is_a_conflict() -> None:
    source = "The standard kit runs 32 cycles of heating. The extended kit lasts 24 months."
    (found,) = _derive("The standard kit runs 39 cycles of heating.", source)
    assert found.outcome is DerivationOutcome.CONFLICTS
    assert [source[one.start : one.end] for one in found.operands] == ["32"]


def test_a_number_of_the_other_heading_is_told_so() -> None:
    found = _derive(
        "Flat-pack furniture can be returned within 14 days of delivery.",
        "Flat-pack furniture\nItems can be returned within 45 days of delivery.",
        "Outlet corner\nItems can be returned within 14 days of delivery.",
    )
    assert found[0].other_subject


def test_what_is_merely_absent_is_unknown() -> None:
    (found,) = _derive("The tower is 93 m tall.", "The harbour is deep and old.")
    assert (found.outcome, found.code) == (DerivationOutcome.UNKNOWN, "absent")


def test_small_numbers_are_risky_and_precise_ones_are_not() -> None:
    parts = "Travel €214.00, food €18.50, hotel €262.00, taxi €96.50."
    (precise,) = _derive("In total it cost €591.00.", parts)
    evidence = "8 arrived, 5 left, 4 sat, 7 ate, 9 ran, 2 hid."
    (small,) = _derive("Only 3 more guests turned up.", evidence)
    assert precise.coincidence_risk < 0.01 < 0.5 < small.coincidence_risk


def test_operands_have_exact_places_in_records() -> None:
    text = '{"plan": "Pro", "monthly_eur": 14, "yearly_eur": 139}'
    found = _derive("Twelve months of Pro cost 168 euros.", text)
    places = [text[o.start : o.end] for one in found for o in one.operands if o.passage >= 0]
    assert "14" in places


def test_features_have_their_names() -> None:
    found = _derive("It took 38 minutes.", "From 09:14 to 09:52.")
    row = dict(zip(FEATURE_NAMES, summary_features(found), strict=True))
    assert row["duration_derived"] == row["share_explained"] == 1.0
    assert summary_features(()) == (0.0,) * len(FEATURE_NAMES)


@given(st.integers(1, 5000), st.sampled_from([("kg", "g", 1000), ("km", "m", 1000), ("hours", "minutes", 60), ("weeks", "days", 7)]))  # fmt: skip
def test_conversions_go_both_ways(count: int, pair: tuple[str, str, int]) -> None:
    big, small, factor = pair
    one, other = f"It was {count} {big}.", f"It was {count * factor} {small}."
    assert _derive(one, other)[0].outcome is DerivationOutcome.STATED
    assert _derive(other, one)[0].outcome is DerivationOutcome.STATED


@given(st.integers(0, 1439), st.integers(1, 1439))
def test_time_between_any_two_times(first: int, gap: int) -> None:
    second = (first + gap) % 1440
    source = f"It began at {first // 60:02d}:{first % 60:02d} and ended at {second // 60:02d}:{second % 60:02d}."
    found = _derive(f"It lasted {gap} minutes.", source)
    assert found[0].outcome is DerivationOutcome.DERIVED


_REPEATED = ["from 1 to 2 ", "more than 5 ", "09:14 to 09:52, ", "12 May 2024 and ", "5-9 pm ", "1 h 45 min ", "€5 per month, ", "a third of "]  # fmt: skip


@pytest.mark.parametrize("piece", _REPEATED)
def test_reading_costs_in_proportion(piece: str, grows_straight: GrowsStraight) -> None:
    assert grows_straight(lambda size: values(piece * size), 64_000 // len(piece))


@pytest.mark.parametrize("piece", _REPEATED)
def test_deriving_costs_in_proportion(piece: str, grows_straight: GrowsStraight) -> None:
    def work(size: int) -> object:
        return derive("It took 3 of 4 months and €7.", read_facts(units(piece * size)))

    assert grows_straight(work, 32_000 // len(piece))


_HOSTS = (
    "Host | CPU\n\n| Host | CPU |\n|---|---|\n| web1 | 91 % |\n| web2 | 42 % |\n| db1 | 88 % |\n"
    "| db2 | 17 % |\n| cache | 97 % |\n"
)


def test_rows_above_a_bound_are_counted() -> None:
    three, five, bound = _derive("Three of the five hosts are above 85 %.", _HOSTS)
    assert three.working == "3 of 5 are over 85 % = Three"
    assert five.working == "5 rows = five"
    assert bound.outcome is DerivationOutcome.DERIVED


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        ("The Harbour ferry is cheaper than the Island ferry.", "comparison_holds"),
        ("The Island ferry is cheaper than the Harbour ferry.", "comparison_fails"),
    ],
)
def test_two_rows_are_compared(statement: str, code: str) -> None:
    table = "| Route | Price |\n|---|---|\n| Harbour | €12 |\n| Island | €19 |\n| Lagoon | €25 |\n"
    assert [one.code for one in _derive(statement, table)] == [code]
