"""Selection finds the units a claim stands on, without reading everything for each claim."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmground.verify.select import build_index, select, word_terms
from firmground.verify.units import units


def _pick(claim: str, evidence: str, limit: int = 2) -> list[str]:
    found = units(evidence)
    return [found[i].text for i in select(claim, found, build_index(found), limit=limit)]


def test_a_claim_joining_two_facts_gets_a_unit_for_each() -> None:
    evidence = (
        "The bridge opened in 1932. The bridge opened to crowds. The bridge opened late. "
        "It spans 503 metres over the harbour."
    )
    assert set(_pick("The bridge opened in 1932 and spans 503 metres.", evidence)) == {
        "The bridge opened in 1932.",
        "It spans 503 metres over the harbour.",
    }


def test_a_compound_word_finds_the_record_key_written_apart() -> None:
    record = "{'WiFi': 'free', 'RestaurantsTakeOut': True, 'OutdoorSeating': False}"
    assert _pick("It offers takeout.", record, 1) == ["restaurants take out: True"]
    assert _pick("There is Wi-Fi.", record, 1) == ["wi fi: free"]


def test_a_claim_sharing_no_word_selects_nothing() -> None:
    assert _pick("Zebras graze.", "The bridge opened in 1932.") == []


def test_an_index_of_other_units_is_refused() -> None:
    found = units("One. Two.")
    with pytest.raises(ValueError, match="index holds 1 units"):
        select("one", found, build_index(found[:1]), limit=1)


def test_numbers_meet_across_their_spellings() -> None:
    assert word_terms("1,234") == word_terms("1234")
    assert word_terms("5.0") == word_terms("5")


def test_a_megabyte_of_evidence_is_searched_through_its_postings() -> None:
    evidence = "".join(f"Shelf {i} holds item code{i} in the long hall. " for i in range(20_000))
    assert len(evidence) > 900_000
    assert _pick("Item code17123 lies on quote_sources 17123.", evidence, 1) == [
        "Shelf 17123 holds item code17123 in the long hall."
    ]


@given(st.text(max_size=60), st.text(max_size=200), st.integers(0, 5))
@settings(max_examples=200, deadline=None)
def test_any_claim_gets_distinct_units_of_the_evidence(
    claim: str, evidence: str, limit: int
) -> None:
    found = units(evidence)
    chosen = select(claim, found, build_index(found), limit=limit)
    assert len(chosen) == len(set(chosen)) <= limit
    assert all(0 <= i < len(found) for i in chosen)
