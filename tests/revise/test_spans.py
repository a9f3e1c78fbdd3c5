"""A model is asked about flagged pieces only, and whatever it says the rest stays to the byte."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmground.core.claim import Assessment, Claim, Standing
from firmground.core.evidence import EvidenceSpan
from firmground.revise import flagged, mostly, put_in, read_replacements

SENTENCES = ("The office is in Oslo.", "Staff were happy.", "Sales rose by 24 %.", "It rains.")
ANSWER = " ".join(SENTENCES)


def assessed(text: str, standing: Standing) -> Assessment:
    start = ANSWER.index(text)
    return Assessment(
        claim=Claim(text=text, start=start, end=start + len(text)),
        standing=standing,
        confidence=1.0,
        support=float(standing.stands),
        reason="silent",
        evidence=(EvidenceSpan(evidence_id="s", start=0, end=1),),
    )


def with_flags(flags: tuple[bool, ...]) -> list[Assessment]:
    return [
        assessed(text, Standing.UNGROUNDED if bad else Standing.GROUNDED)
        for text, bad in zip(SENTENCES, flags, strict=True)
    ]


SECOND = with_flags((False, True, False, False))
PIECES = flagged(ANSWER, SECOND)

SAID = st.one_of(
    st.none(), st.booleans(), st.integers(), st.text(max_size=30), st.just("drop"),
    st.fixed_dictionaries({"n": st.integers(-1, 6), "text": st.text(max_size=40)}),
    st.fixed_dictionaries({"n": st.integers(-1, 6), "drop": st.booleans()}),
)  # fmt: skip
REPLIES = st.one_of(
    st.text(max_size=200),
    st.lists(SAID, max_size=6).map(json.dumps),
    st.lists(SAID, max_size=6).map(lambda spans: json.dumps({"spans": spans})),
    st.dictionaries(st.sampled_from("0123456x"), SAID, max_size=6).map(json.dumps),
)


@settings(deadline=None)
@given(st.tuples(*[st.booleans()] * 4), REPLIES)
def test_whatever_a_model_replies_everything_outside_the_flagged_pieces_stays(
    flags: tuple[bool, ...], reply: str
) -> None:
    pieces = flagged(ANSWER, with_flags(flags))
    said = read_replacements(reply, pieces)
    after = ANSWER if said is None else put_in(ANSWER, pieces, said).after
    edges = [0, *(at for piece in pieces for at in piece.cut), len(ANSWER)]
    at = 0
    for start, end in list(pairwise(edges))[::2]:
        found = after.find(ANSWER[start:end], at)
        assert found >= 0
        at = found + (end - start)
    for text, bad in zip(SENTENCES, flags, strict=True):
        assert bad or text in after


@pytest.mark.parametrize(
    "reply",
    [
        '{"spans": [{"n": 1, "text": "Staff number 310."}]}',
        'Here you are:\n```json\n{"spans": [{"n": "1", "text": "Staff number 310."},]}\n```',
        '{"1": "Staff number 310."}',
        '["Staff number 310."]',
        '{"n": 1, "text": " Staff number 310. "}',
    ],
)
def test_a_reply_is_read_in_the_shapes_models_use(reply: str) -> None:
    said = read_replacements(reply, PIECES)
    assert said is not None
    assert put_in(ANSWER, PIECES, said).after == ANSWER.replace(SENTENCES[1], "Staff number 310.")


@pytest.mark.parametrize("reply", ['{"spans": [{"n": 1, "drop": true}]}', '{"1": "drop"}', '[""]'])
def test_a_dropped_piece_goes_with_the_space_that_served_it(reply: str) -> None:
    said = read_replacements(reply, PIECES)
    assert said is not None
    assert put_in(ANSWER, PIECES, said).after == ANSWER.replace(SENTENCES[1] + " ", "")


@pytest.mark.parametrize(
    "reply",
    [
        "", "I would rather not.", "{}", "[]", '{"spans": []}', '{"spans": [{"n": 2, "text": "x"}]}',
        '{"spans": [{"n": true, "text": "x"}]}', '{"spans": [{"n": 1}]}',
        '{"spans": [{"n": 1, "drop": true, "text": "and yet"}]}', '["a", "b"]',
    ],
)  # fmt: skip
def test_a_reply_that_says_nothing_about_a_piece_is_none(reply: str) -> None:
    assert read_replacements(reply, PIECES) is None


@pytest.mark.parametrize("text", ["x" * 5000, "a\u202eb", "a\x00b", "a\x1b[31mb"])
def test_a_replacement_that_is_huge_or_cannot_be_seen_is_not_taken(text: str) -> None:
    assert read_replacements(json.dumps({"1": text}), PIECES) is None
    both = flagged(ANSWER, with_flags((True, True, False, False)))
    said = read_replacements(json.dumps({"1": text, "2": "Fine."}), both)
    assert said is not None
    assert dict(said.texts) == {1: "Fine."}
    assert len(said.refused) == 1


def test_a_piece_given_twice_keeps_its_first_text_and_says_so() -> None:
    twice = {"spans": [{"n": 1, "text": "One."}, {"n": 1, "text": "Two."}]}
    said = read_replacements(json.dumps(twice), PIECES)
    assert said is not None
    assert dict(said.texts) == {0: "One."}
    assert said.refused == ("piece 1 was given twice",)


def test_claims_that_an_objection_names_are_flagged_though_they_stand() -> None:
    found = flagged(ANSWER, with_flags((False,) * 4), frozenset({2}))
    assert [piece.text for piece in found] == [SENTENCES[2]]


def test_an_answer_flagged_for_the_greater_part_is_not_worth_keeping() -> None:
    assert not mostly(ANSWER, PIECES)
    assert mostly(ANSWER, flagged(ANSWER, with_flags((True, False, True, True))))
