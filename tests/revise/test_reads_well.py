"""What is left of a repaired answer still reads as language, and says nothing that was not said."""

from __future__ import annotations

import pytest

from firmground.core.claim import Assessment, Claim, ClaimKind, Problem, Standing
from firmground.core.evidence import Evidence, EvidenceSpan
from firmground.core.finding import CitationFinding, CitationStatus
from firmground.core.marking import MARK
from firmground.revise import PatchKind, Unsupported, repair_answer

SOURCE = Evidence(text="Nothing of the kind.", id="s")
REST = EvidenceSpan(evidence_id="s", start=0, end=7)


def said(
    answer: str,
    text: str,
    standing: Standing,
    *flagged: str,
    kind: ClaimKind = ClaimKind.SENTENCE,
) -> Assessment:
    start = answer.index(text)
    spans = [(start + text.index(one), start + text.index(one) + len(one)) for one in flagged]
    return Assessment(
        claim=Claim(text=text, start=start, end=start + len(text), kind=kind),
        standing=standing,
        confidence=1,
        support=1 if standing.stands else 0,
        reason="because",
        evidence=(REST,),
        problems=tuple(Problem(start=a, end=b, standing=standing) for a, b in spans),
    )


def repaired(text: str, *flagged: str) -> str:
    one = said(text, text, Standing.CONTRADICTED, *flagged)
    return repair_answer(text, [one], [SOURCE], correctable=frozenset()).after


@pytest.mark.parametrize(
    ("text", "flagged", "left"),
    [
        (
            "The bar is quiet and has a garden with old trees.",
            ("The bar is quiet",),
            "The bar is […] and has a garden with old trees.",
        ),
        (
            "Although it has no cellar, it offers parking for all the guests.",
            ("it offers parking",),
            "Although it has no cellar, it offers […] for all the guests.",
        ),
        (
            "Dr Weber owns the mill and lives beside it all year.",
            ("Dr Weber owns the mill",),
            "[…] and lives beside it all year.",
        ),
    ],
)  # fmt: skip
def test_a_plain_subject_and_its_verb_stay_where_the_predicate_goes(
    text: str, flagged: tuple[str, ...], left: str
) -> None:
    assert repaired(text, *flagged) == left


@pytest.mark.parametrize(
    ("text", "flagged"),
    [
        ("The room is neither warm nor cosy nor quiet at night.", ("is neither",)),
        ("The hall does not offer meals or rooms for the night.", ("does not offer meals",)),
        ("The hall has no bar, garden or cellar for its guests.", ("has no bar",)),
    ],
)
def test_a_denial_never_goes_without_what_it_denies(text: str, flagged: tuple[str, ...]) -> None:
    assert repaired(text, *flagged) == ""


def test_pieces_with_small_words_between_them_leave_one_sign() -> None:
    text = "Guests can park on the street or in the lot all day long."
    assert repaired(text, "street", "lot") == "Guests can park on the […] all day long."


def test_a_range_of_times_goes_as_one() -> None:
    text = "The shop near the old mill opens from 5:00 PM to 9:00 PM on quiet Fridays."
    found = said(text, text, Standing.UNGROUNDED)
    after = repair_answer(text, [found], [SOURCE], correctable=frozenset()).after
    assert after == f"The shop near the old mill opens from […] on quiet Fridays{MARK}."


def test_a_main_clause_is_not_cut_off_its_fronted_one() -> None:
    text = "While there is no cellar at all, the garden is open."
    found = [said(text, text, Standing.CONTRADICTED, "the garden is open")]
    values: frozenset[str] = frozenset()
    narrow = repair_answer(
        text, found, [SOURCE], correctable=values, unsupported=Unsupported.NARROW
    )
    assert narrow.after == ""
    assert (
        repaired(text, "the garden is open")
        == "While there is no cellar at all, the garden is […]."
    )


def test_a_clause_with_which_a_sentence_begins_leaves_a_sign() -> None:
    text = "Entry is free, but the tour costs money. It is short."
    first = said(text, "Entry is free,", Standing.CONTRADICTED, kind=ClaimKind.CLAUSE)
    rest = said(text, "but the tour costs money.", Standing.GROUNDED, kind=ClaimKind.CLAUSE)
    last = said(text, "It is short.", Standing.GROUNDED)
    after = repair_answer(text, [first, rest, last], [SOURCE], correctable=frozenset()).after
    assert after == "[…], but the tour costs money. It is short."


def test_a_clause_at_the_end_takes_the_comma_before_it_along() -> None:
    text = "There is a garden, takeout, and the mood is calm."
    first = said(text, "There is a garden, takeout,", Standing.UNGROUNDED, kind=ClaimKind.CLAUSE)
    second = said(text, "and the mood is calm.", Standing.CONTRADICTED, kind=ClaimKind.CLAUSE)
    after = repair_answer(text, [first, second], [SOURCE], correctable=frozenset()).after
    assert after == f"There is a garden, takeout{MARK}."


@pytest.mark.parametrize("sign", ["1. ", "* ", "  - "])
def test_an_item_that_goes_takes_its_number_and_its_line_along(sign: str) -> None:
    text = f"{sign}Cats bark.\n{sign}Dogs bark.\nThat is all."
    one = said(text, "Cats bark.", Standing.CONTRADICTED, kind=ClaimKind.LIST_ITEM)
    after = repair_answer(text, [one], [SOURCE], correctable=frozenset()).after
    assert after == f"{sign}Dogs bark.\nThat is all."


def test_an_item_that_says_more_keeps_its_number() -> None:
    text = "1. Cats bark. They also purr.\n2. Dogs bark."
    one = said(text, "Cats bark.", Standing.CONTRADICTED)
    two = said(text, "They also purr.", Standing.GROUNDED)
    after = repair_answer(text, [one, two], [SOURCE], correctable=frozenset()).after
    assert after == "1. They also purr.\n2. Dogs bark."


def test_a_mark_stands_before_the_comma_of_its_clause() -> None:
    text = "There is music, but the garden is shut."
    one = said(text, "There is music,", Standing.UNGROUNDED, kind=ClaimKind.CLAUSE)
    after = repair_answer(text, [one], [SOURCE], correctable=frozenset()).after
    assert after == f"There is music{MARK}, but the garden is shut."


def _quote(answer: str, words: str, status: CitationStatus) -> CitationFinding:
    start = answer.index(words)
    return CitationFinding(start=start, end=start + len(words), status=status, reason="no source")


def test_what_nobody_said_in_these_words_is_no_quotation_and_keeps_its_words() -> None:
    text = 'One guest called it "to die for." It is “small”. We say “cosy”.'
    found = [
        _quote(text, '"to die for."', CitationStatus.FABRICATED),
        _quote(text, "“small”", CitationStatus.STITCHED),
        _quote(text, "“cosy”", CitationStatus.SUPPORTED),
    ]
    first = said(text, 'One guest called it "to die for."', Standing.UNGROUNDED)
    for order in (Unsupported.SPARE, Unsupported.HEDGE):
        revision = repair_answer(
            text, [first], [SOURCE], correctable=frozenset(), unsupported=order, citations=found
        )
        assert (
            revision.after == f"One guest called it to die for{MARK}. It is small. We say “cosy”."
        )
        assert sum(one.kind is PatchKind.UNQUOTE for one in revision.patches) == 4
        assert [revision.after[at:][: len(MARK)] for at in revision.marks()] == [MARK]


@pytest.mark.parametrize("words", ["[E1]", '"half', '""'])
def test_a_citation_that_is_no_quotation_is_left_alone(words: str) -> None:
    text = f'So it is {words} and "half of it.'
    found = [_quote(text, words, CitationStatus.FABRICATED)]
    assert repair_answer(text, [], [SOURCE], correctable=frozenset(), citations=found).after == text
