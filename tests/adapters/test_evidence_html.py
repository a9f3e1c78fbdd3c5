"""Whatever the page, every character of its text leads back to the page."""

from __future__ import annotations

import html
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmground.adapters.evidence import load_text
from firmground.adapters.evidence.htmltext import read_page
from firmground.adapters.evidence.limits import SourceLabel
from firmground.core.evidence import EvidenceKind
from firmground.errors import InputError

MARKUP = st.sampled_from(
    ["<p>", "</p>", "<b>", "</b>", "<br/>", "<td>", "<script>", "</script>", "<!--", "-->", "<",
     ">", "&amp;", "&#x41;", "&bogus;", "&lt", "&", "<pre>", "</pre>", "<p hidden>", "<div style='",
     "display:none'>", "</div>", "<title>", "</title>", '<a href="', '">', "</", "<?", "\n", "  "]
)  # fmt: skip
PAGES = st.lists(MARKUP | st.text(max_size=6), max_size=40).map("".join)


@settings(max_examples=400, deadline=None)
@given(PAGES)
def test_every_visible_character_leads_back_to_the_place_it_came_from(page: str) -> None:
    try:
        (piece,) = load_text(page, "p.html", SourceLabel(kind=EvidenceKind.HTML))
    except InputError:
        return
    previous = 0
    for position, character in enumerate(piece.text):
        there = piece.in_original(position, position + 1)
        assert there is not None
        start, end = there
        assert previous <= start < end <= len(page)
        previous = start
        if not character.isspace():
            assert character in html.unescape(page[start:end])
    assert piece.origin_runs[0][0] == 0
    assert piece.origin_runs[-1][1] == len(piece.text)


@pytest.mark.parametrize(
    "piece",
    ["<!--", "<a ", '<a href="', "&#", "<script>", "</", "<p hidden>", "<![", "<a b='"],
)
def test_a_hostile_page_costs_no_more_than_in_proportion(piece: str, grows_straight: Any) -> None:
    assert grows_straight(lambda times: read_page(piece * times), 20_000)
