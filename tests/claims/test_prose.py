"""An answer becomes claims that are exact pieces of it, and nothing of it is lost."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmground.claims.prose import coverage, prose_claims
from firmground.core.claim import Claim, ClaimKind, NotCheckable
from firmground.core.question import Question


def _texts(answer: str) -> list[str]:
    return [claim.text for claim in prose_claims(answer)]


def _check(answer: str, claims: tuple[Claim, ...]) -> None:
    last = 0
    for claim in claims:
        assert answer[claim.start : claim.end] == claim.text
        assert claim.start >= last
        last = claim.end
    assert coverage(answer, claims) == pytest.approx(1.0)


@given(st.text(max_size=300))
@settings(max_examples=400)
def test_claims_of_any_text_are_exact_ordered_and_cover_it(answer: str) -> None:
    _check(answer, prose_claims(answer))


_SHARDS = (
    "The Eiffel Tower is 330 m tall",
    "it was built in 1889",
    "Москва — столица России",
    "東京は日本の首都です。",
    "القاهرة عاصمة مصر",
    "[1]",
    "[E1, E2]",
    "(Source: report)",
    "- ",
    "1. ",
    "# Heading",
    "| a | b |",
    "|---|---|",
    "\n",
    "\n\n",
    ". ",
    ", and it has a park",
    "; they are open",
    '"quoted, and it is odd"',
    "“curly",
    "Sure! ",
    "Here is a summary:",
    "?",
    "I cannot answer that.",
    "e\u0301\u0301",
    "\u200b",
    "👩‍👩‍👧",
    "\ud800",
    "```",
    "**bold**",
    "Step 2: ",
    "¹",
    "【3†x】",
    " \u00a0 ",
    "\u2028",
    "passage 2",
    "which is nice",
    "\x00",
    "क्षि",
    "ไทย",
    "한국어 문장이다",
    "\t",
    "***",
    "İıẞ",
)


def test_two_thousand_answers_in_any_script_neither_crash_nor_slip() -> None:
    rng = random.Random(11)
    for _ in range(2500):
        answer = "".join(
            rng.choice(_SHARDS) + rng.choice(("", " ")) for _ in range(rng.randrange(1, 25))
        )
        _check(answer, prose_claims(answer, Question(text="What is the Eiffel Tower?")))


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("Here is a summary of the article in 75 words:", NotCheckable.LEAD_IN),
        ("Based on the provided passages, here are the steps:", NotCheckable.LEAD_IN),
        ("Sure!", NotCheckable.GREETING),
        ("Thank you for asking!", NotCheckable.GREETING),
        ("I hope this helps!", NotCheckable.GREETING),
        ("Would you like to know more?", NotCheckable.QUESTION),
        ("Let me know if you have further questions.", NotCheckable.INSTRUCTION),
        ("Unable to answer based on given passages.", NotCheckable.REFUSAL),
        ("I cannot answer based on the given passages.", NotCheckable.REFUSAL),
        ("I'm sorry, but I don't have enough information to say.", NotCheckable.REFUSAL),
        ("As an AI, I do not have opinions.", NotCheckable.REFUSAL),
        ("# Summary", NotCheckable.LEAD_IN),
        ("**Key points**", NotCheckable.LEAD_IN),
    ],
)
def test_what_asserts_nothing_is_marked_with_its_reason(
    sentence: str, reason: NotCheckable
) -> None:
    assert [claim.not_checkable for claim in prose_claims(sentence)] == [reason]


@pytest.mark.parametrize(
    "sentence",
    [
        "To plant a tree, follow these steps:",
        "The common symptoms are:",
        "Please consult a professional.",
        "I would recommend the smaller one.",
        "# Opening hours",
        "The passage does not mention a price.",
        "It may rain tomorrow.",
        "# Revenue rose by 40 %",
        "**The tower was built in 1889**",
        "Preheat the oven to 350 degrees.",
        "Yes.",
        "The company cannot find buyers.",
        "Here are 12 dead and 40 injured:",
        "Ok is the name of a river in Papua New Guinea.",
    ],
)
def test_a_fact_in_disguise_is_still_checked(sentence: str) -> None:
    assert prose_claims(sentence)
    assert all(claim.checkable for claim in prose_claims(sentence))


@pytest.mark.parametrize(
    ("sentence", "statement"),
    [
        ("I think the dose is 500 mg.", "The dose is 500 mg."),
        ("In my opinion, that is a good choice.", "That is a good choice."),
        ("In my opinion, Paris is the best capital.", "Paris is the best capital."),
        ("Did you know that honey never spoils?", "Honey never spoils."),
        ("It opened in 1889, didn't it?", "It opened in 1889."),
        ("Please note that the shop is closed.", "The shop is closed."),
        ("Feel free to double the dose.", "You can double the dose."),
    ],
)
def test_talk_around_a_statement_is_cut_off(sentence: str, statement: str) -> None:
    assert [claim.statement for claim in prose_claims(sentence) if claim.checkable] == [statement]


def test_a_lead_in_is_cut_from_the_assertion_behind_it() -> None:
    head, rest = prose_claims("Based on the given passages, the tower is 330 m tall.")
    assert (head.text, head.not_checkable) == ("Based on the given passages,", NotCheckable.LEAD_IN)
    assert rest.text == "the tower is 330 m tall."
    assert rest.checkable


def test_a_polite_word_is_cut_from_the_assertion_behind_it() -> None:
    head, rest = prose_claims("Sure, the tower is 330 m tall.")
    assert head.not_checkable is NotCheckable.GREETING
    assert rest.text == "the tower is 330 m tall."


def test_the_grounds_of_a_refusal_are_checked() -> None:
    refusal, grounds = prose_claims("I cannot answer this because the records end in 1990.")
    assert refusal.not_checkable is NotCheckable.REFUSAL
    assert grounds.checkable
    assert grounds.text == "because the records end in 1990."


@pytest.mark.parametrize(
    ("sentence", "pieces"),
    [
        (
            "The bill passed on Monday, but the Senate has ignored it so far.",
            ["The bill passed on Monday,", "but the Senate has ignored it so far."],
        ),
        (
            "Some customers are happy, while others have complained.",
            ["Some customers are happy,", "while others have complained."],
        ),
        (
            "The cafe offers outdoor seating, and is suitable for groups.",
            ["The cafe offers outdoor seating,", "and is suitable for groups."],
        ),
        (
            "The plant is old; it was built in 1950.",
            ["The plant is old;", "it was built in 1950."],
        ),
        (
            "It is located in the Funk Zone, which could attract a crowd.",
            ["It is located in the Funk Zone,", "which could attract a crowd."],
        ),
        (
            "The house has a garden and it is open on Sundays.",
            ["The house has a garden", "and it is open on Sundays."],
        ),
    ],
)
def test_assertions_that_can_be_judged_apart_are_cut_apart(
    sentence: str, pieces: list[str]
) -> None:
    claims = prose_claims(sentence)
    assert [claim.text for claim in claims] == pieces
    assert {claim.kind for claim in claims} == {ClaimKind.CLAUSE}


@pytest.mark.parametrize(
    "sentence",
    [
        "If the valve is open, and the pump is running, the tank is filling.",
        "When the doors are open, the hall is cold, and the staff are unhappy.",
        "The outage happened because the config was pushed.",
        "He said that the bank is safe, and the savings are insured.",
        "According to the minister, taxes are high, and wages are low.",
        "The menu includes pizza, pasta, and salads.",
        'She said "the roof is red, and the door is blue" last week.',
        "The tower (it is tall, and it is old) stands in Paris.",
        "You can pay now, or you can pay later.",
        "The dog, which is brown, is asleep.",
        "It is a bar, a restaurant, and American business located at 5 State St.",
        "It offers seating, music, and a bar area where customers can enjoy drinks.",
        "It is open from 7 AM to 9 PM on Mondays, and 8 AM to 9 PM on Sundays.",
    ],
)
def test_a_sentence_whose_parts_hang_together_stays_whole(sentence: str) -> None:
    assert _texts(sentence) == [sentence]


def test_list_items_lose_their_mark_and_keep_their_lead_in() -> None:
    answer = "The common symptoms of flu are:\n\n1. Fever\n2. Chills\n- Headache\n"
    claims = prose_claims(answer)
    assert [claim.text for claim in claims[1:]] == ["Fever", "Chills", "Headache"]
    assert {claim.kind for claim in claims[1:]} == {ClaimKind.LIST_ITEM}
    assert {claim.context for claim in claims[1:]} == {"The common symptoms of flu are"}


def test_step_labels_are_no_numbers_of_the_claim() -> None:
    assert _texts("Step 1: Preheat the oven.\nStep 2: Bake the bread.") == [
        "Preheat the oven.",
        "Bake the bread.",
    ]


def test_table_rows_are_claims_and_the_head_is_their_context() -> None:
    answer = "Prices:\n\n| Item | Price |\n|------|-------|\n| Tea | 3 EUR |\n| Cake | 5 EUR |\n"
    head, tea, cake = prose_claims(answer)[1:]
    assert (head.statement, head.kind) == (tea.statement, ClaimKind.TABLE_ROW)
    assert (tea.text, tea.context) == ("Tea | 3 EUR", "Item | Price")
    assert tea.statement == "Item: Tea; Price: 3 EUR"
    assert cake.kind is ClaimKind.TABLE_ROW
    assert tea.checkable


def test_a_pronoun_gets_the_nearest_named_subject() -> None:
    answer = (
        "Marie Curie was born in Warsaw. She won two Nobel Prizes. Her husband was a physicist."
    )
    claims = prose_claims(answer)
    assert [claim.context for claim in claims] == ["", "Marie Curie", "Marie Curie"]


def test_a_clause_without_subject_gets_the_subject_of_its_sentence() -> None:
    last = prose_claims("The old cafe offers seating, and is good for groups.")[-1]
    assert last.context == "The old cafe"


def test_a_relative_clause_gets_the_clause_before_it() -> None:
    last = prose_claims("One reviewer enjoyed the lemon tart, which had a perfect crust.")[-1]
    assert last.text == "which had a perfect crust."
    assert last.context == "One reviewer enjoyed the lemon tart"


def test_a_bare_answer_gets_the_question_as_context() -> None:
    (claim,) = prose_claims("330 metres.", Question(text="How tall is the Eiffel Tower?"))
    assert claim.context.startswith("How tall is the Eiffel Tower?")


def test_without_a_name_in_the_answer_the_question_names_the_subject() -> None:
    (claim,) = prose_claims(
        "It is about 330 metres tall today.", Question(text="How tall is the Eiffel Tower?")
    )
    assert claim.context == "Eiffel Tower"


@pytest.mark.parametrize(
    ("answer", "cited"),
    [
        ("Cats sleep a lot [1]. Dogs bark [2, 3].", [("1",), ("2", "3")]),
        ("Cats sleep a lot. [1] Dogs bark. [2]", [("1",), ("2",)]),
        ("Cats sleep a lot [E1,E2].", [("E1", "E2")]),
        ("Cats sleep a lot [1-3].", [("1", "2", "3")]),
        ("Cats sleep a lot (Source: Cat Monthly).", [("Cat Monthly",), ()]),
        ("Cats sleep a lot (Passage 2).", [("2",)]),
        ("Cats sleep a lot.¹", [("1",)]),
        ("Cats sleep a lot[^4].", [("4",)]),
        ("Cats sleep a lot【2†source】.", [("2",)]),
        ("[1] Cats sleep a lot.", [("1",)]),
        ("Cats are small, but they are fast [2].", [("2",), ("2",)]),
        ("As passage 3 explains, cats sleep a lot.", [("3",)]),
        ("Cats sleep a lot.", [()]),
    ],
)
def test_citations_belong_to_the_claim_they_stand_with(
    answer: str, cited: list[tuple[str, ...]]
) -> None:
    claims = prose_claims(answer)
    assert [claim.cited for claim in claims] == cited
    assert not any("[" in claim.text for claim in claims)


def test_markers_alone_make_no_claim() -> None:
    assert all(claim.not_checkable is NotCheckable.EMPTY for claim in prose_claims("[1] [E2]."))


def test_an_answer_of_signs_alone_is_said_to_be_empty() -> None:
    (claim,) = prose_claims(" 👍 ")
    assert claim.not_checkable is NotCheckable.EMPTY
    assert prose_claims(" \n ") == ()


def test_coverage_counts_what_was_left_out() -> None:
    answer = "Cats sleep. Dogs bark."
    assert coverage(answer, prose_claims(answer)[:1]) == pytest.approx(9 / 17)
    assert coverage(answer, ()) == 0.0


def test_wrapped_lines_are_one_sentence() -> None:
    assert _texts("The tower is\ntall and old.") == ["The tower is\ntall and old."]


def test_a_long_answer_costs_no_more_than_its_length(grows_straight: Any) -> None:
    unit = "Cats sleep a lot, but they are fast [1]. "
    assert grows_straight(lambda times: prose_claims(unit * times), 2_000)
