"""Repair touches what was flagged and nothing else."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmground.core.claim import (
    Assessment,
    CheckNote,
    Claim,
    ClaimKind,
    NotCheckable,
    Problem,
    Standing,
)
from firmground.core.evidence import Evidence, EvidenceSpan
from firmground.core.marking import MARK, with_marks
from firmground.errors import InputError
from firmground.revise import Patch, PatchKind, Unsupported, apply, repair_answer
from firmground.revise.piece import _ACTED_ON

ANSWER = "Sales rose by 42 %. The office is in Oslo. Staff were happy."
SOURCE = Evidence(text="Sales rose by 24 % last year. The office is in Oslo.", id="s")
VALUES = frozenset({"number_differs"})


def assessed(text: str, standing: Standing, **more: object) -> Assessment:
    start = ANSWER.index(text)
    claim = Claim(text=text, start=start, end=start + len(text))
    values: dict[str, object] = {
        "confidence": 0.9,
        "support": 0.9 if standing.stands else 0.1,
        "reason": "because",
        "evidence": (EvidenceSpan(evidence_id="s", start=0, end=5),),
    }
    return Assessment(claim=claim, standing=standing, **{**values, **more})  # type: ignore[arg-type]


WRONG_NUMBER = assessed(
    "Sales rose by 42 %.",
    Standing.CONTRADICTED,
    problems=(Problem(start=14, end=18, standing=Standing.CONTRADICTED),),
    notes=(
        CheckNote(
            check="numbers",
            code="number_differs",
            standing=Standing.CONTRADICTED,
            reason="says 42 %, source says 24 %",
            start=14,
            end=18,
            evidence=(EvidenceSpan(evidence_id="s", start=14, end=18),),
        ),
    ),
)
OFFICE = assessed("The office is in Oslo.", Standing.GROUNDED)
STAFF = assessed("Staff were happy.", Standing.UNGROUNDED)


def test_a_wrong_number_becomes_what_the_source_says_and_the_rest_stays() -> None:
    revision = repair_answer(ANSWER, [WRONG_NUMBER, OFFICE], [SOURCE], correctable=VALUES)
    assert revision.after == "Sales rose by 24 %. The office is in Oslo. Staff were happy."
    assert "says 42 %, source says 24 %" in revision.diff[0]


def test_a_claim_nobody_bears_out_is_dropped_whole_when_told_so() -> None:
    revision = repair_answer(
        ANSWER, [OFFICE, STAFF], [SOURCE], correctable=VALUES, unsupported=Unsupported.DROP
    )
    assert revision.after == "Sales rose by 42 %. The office is in Oslo."


def test_a_hedge_is_an_insertion_that_leaves_every_character() -> None:
    revision = repair_answer(
        ANSWER, [STAFF], [SOURCE], correctable=VALUES, unsupported=Unsupported.HEDGE
    )
    assert revision.after.startswith(ANSWER[:-1])
    assert revision.after.endswith("(not supported by the sources).")


def test_a_value_that_cannot_be_placed_is_dropped_rather_than_half_corrected() -> None:
    more = Problem(start=0, end=5, standing=Standing.UNGROUNDED)
    both = assessed(
        "Sales rose by 42 %.",
        Standing.CONTRADICTED,
        problems=(more, *WRONG_NUMBER.problems),
        notes=WRONG_NUMBER.notes,
    )
    revision = repair_answer(ANSWER, [both], [SOURCE], correctable=VALUES)
    assert revision.after == "The office is in Oslo. Staff were happy."


def test_a_claim_of_words_alone_is_marked_and_keeps_every_character() -> None:
    revision = repair_answer(ANSWER, [OFFICE, STAFF], [SOURCE], correctable=VALUES)
    assert revision.after == ANSWER[:-1] + MARK + "."
    assert [revision.after[at:][: len(MARK)] for at in revision.marks()] == [MARK]


def test_a_figure_is_read_even_when_it_is_doubted_so_it_is_dropped() -> None:
    invented = assessed("Sales rose by 42 %.", Standing.UNGROUNDED)
    revision = repair_answer(
        ANSWER, [invented, OFFICE], [SOURCE], correctable=VALUES, unsupported=Unsupported.NARROW
    )
    assert revision.after == "The office is in Oslo. Staff were happy."


def test_a_sparing_patch_takes_the_figure_and_marks_the_rest() -> None:
    invented = assessed("Sales rose by 42 %.", Standing.UNGROUNDED)
    revision = repair_answer(ANSWER, [invented, OFFICE], [SOURCE], correctable=VALUES)
    assert revision.after == (
        f"Sales rose by […] %{MARK}. The office is in Oslo. Staff were happy."
    )
    assert [revision.after[at:][: len(MARK)] for at in revision.marks()] == [MARK]


def flawed(text: str, *pieces: str, standing: Standing = Standing.CONTRADICTED) -> Assessment:
    return Assessment(
        claim=Claim(text=text, start=0, end=len(text)),
        standing=standing,
        confidence=1,
        support=0,
        reason="because",
        problems=tuple(
            Problem(start=text.index(one), end=text.index(one) + len(one), standing=standing)
            for one in pieces
        ),
    )


@pytest.mark.parametrize(
    ("text", "pieces", "left"),
    [
        ("The inn has a garden and free parking.", ["free park"], "The inn has a garden and […]."),
        ("The inn, run by elves, has a garden.", ["run by elves"], "The inn has a garden."),
        ("The inn, famously run by elves, has a garden.", ["elves"],
         "The inn, famously run by […], has a garden."),
        ("The inn has a garden and two old cats.", ["two ", "old"],
         "The inn has a garden and […] cats."),
        ("The south pump of the inn failed at 04:12.", ["south"],
         "The […] pump of the inn failed at […]."),
        ("The inn has elves.", ["elves"], ""),
        ("The inn has a garden […] and free parking.", ["free parking"], ""),
    ],
)  # fmt: skip
def test_a_contradicted_piece_goes_and_the_words_around_it_stay(
    text: str, pieces: list[str], left: str
) -> None:
    assert repair_answer(text, [flawed(text, *pieces)], [SOURCE], correctable=VALUES).after == left


@pytest.mark.parametrize(
    ("text", "standing", "left"),
    [
        ("Choose a pot of 5 gallons, or a_b.", Standing.UNGROUNDED,
         f"Choose a pot of […] gallons, or […]{MARK}."),
        ("It costs $5.50 or 4,10 € here.", Standing.UNGROUNDED,
         f"It costs […] € here{MARK}."),
        ("Choose a pot of 5 gallons.", Standing.CONTRADICTED, ""),
        (f"Choose a pot of 5 gallons{MARK}.", Standing.UNGROUNDED, ""),
    ],
)  # fmt: skip
def test_what_one_would_act_on_goes_and_only_where_the_evidence_is_silent_is_the_rest_marked(
    text: str, standing: Standing, left: str
) -> None:
    assert (
        repair_answer(text, [flawed(text, standing=standing)], [SOURCE], correctable=VALUES).after
        == left
    )


@settings(max_examples=150, deadline=None)
@given(text=st.text(alphabet="ab1 .,$_@é(", min_size=1, max_size=60), data=st.data())
def test_no_letter_outside_the_flagged_words_is_lost_unless_the_whole_claim_is(
    text: str, data: st.DataObject
) -> None:
    low = data.draw(st.integers(0, len(text) - 1))
    high = data.draw(st.integers(low + 1, len(text)))
    standing = data.draw(st.sampled_from([Standing.UNGROUNDED, Standing.CONTRADICTED]))
    one = replace(
        flawed(text, standing=standing), problems=(Problem(start=low, end=high, standing=standing),)
    )
    revision = repair_answer(text, [one], [SOURCE], correctable=VALUES)
    if revision.after.strip():
        outside = [at for at in range(len(text)) if text[at].isalnum() and not low <= at < high]
        lost = [at for at in outside if revision.position(at) is None]
        figures = {at for m in _ACTED_ON.finditer(text) for at in range(*m.span())}
        assert all(at in figures or _one_word(text, at, low, high) for at in lost)


def _one_word(text: str, at: int, low: int, high: int) -> bool:
    """True when nothing but letters and digits lies between a place and the flagged piece."""
    between = text[at:low] if at < low else text[high : at + 1]
    return between.isalnum()


def test_what_the_evidence_contradicts_is_never_merely_marked() -> None:
    denied = assessed("Staff were happy.", Standing.CONTRADICTED)
    assert repair_answer(ANSWER, [denied], [SOURCE], correctable=VALUES).after == ANSWER[:-18]


def test_a_mark_the_answer_came_with_is_no_excuse() -> None:
    answer = f"Staff were happy{MARK}."
    claim = Claim(text=answer, start=0, end=len(answer))
    own = Assessment(
        claim=claim, standing=Standing.UNGROUNDED, confidence=1, support=0, reason="silent"
    )
    assert with_marks(answer, [own], ()) == (own,)
    assert repair_answer(answer, [own], [SOURCE], correctable=VALUES).after == ""


def test_a_mark_of_ours_counts_for_the_claim_it_closes_and_for_no_other() -> None:
    answer = f"Staff were happy{MARK}, and the roof was blue. The office is in Oslo."
    office = replace(
        OFFICE, claim=Claim(text=answer[-22:], start=len(answer) - 22, end=len(answer))
    )
    long, short = answer[:-23], answer[: 16 + len(MARK)]
    more = Assessment(
        claim=Claim(text=long, start=0, end=len(long)),
        standing=Standing.UNGROUNDED,
        confidence=1,
        support=0,
        reason="silent",
    )
    assert with_marks(answer, [more, office], (16,)) == (more, office)
    whole = replace(more, claim=Claim(text=short, start=0, end=len(short)))
    told, same = with_marks(answer, [whole, office], (16,))
    assert told.claim.not_checkable is NotCheckable.MARKED
    assert same == office
    assert with_marks(answer, [whole, office], (15,)) == (whole, office)
    for standing in set(Standing) - {Standing.UNGROUNDED}:
        span = (EvidenceSpan(evidence_id="s", start=0, end=1),)
        one = replace(whole, standing=standing, evidence=span)
        assert with_marks(answer, [one, office], (16,)) == (one, office), standing


def test_an_answer_of_which_less_stands_than_is_marked_is_none() -> None:
    answer = f"Staff were happy{MARK}."
    own = Assessment(
        claim=Claim(text=answer, start=0, end=len(answer)),
        standing=Standing.UNGROUNDED,
        confidence=1,
        support=0,
        reason="silent",
    )
    assert with_marks(answer, [own], (16,)) == (own,)


@pytest.mark.parametrize(
    ("text", "problem", "left"),
    [
        ("The shop sells good bread, baked by elves.", "baked by elves",
         "The shop sells good bread."),
        ("The shop (run by elves) sells good bread.", "run by elves",
         "The shop sells good bread."),
        ("The shop, run by elves, sells good bread.", "run by elves",
         "The shop sells good bread."),
        ("The shop sells good bread, cakes, and elves.", "elves", None),
        ("The shop sells elves, good bread and cakes.", "sells elves", None),
        ("Bread, baked by elves.", "baked by elves", None),
    ],
)  # fmt: skip
def test_a_piece_is_cut_out_only_where_a_sentence_is_left(
    text: str, problem: str, left: str | None
) -> None:
    at = text.index(problem)
    one = Assessment(
        claim=Claim(text=text, start=0, end=len(text)),
        standing=Standing.UNGROUNDED,
        confidence=1,
        support=0,
        reason="silent",
        problems=(Problem(start=at, end=at + len(problem), standing=Standing.UNGROUNDED),),
    )
    after = repair_answer(
        text, [one], [SOURCE], correctable=VALUES, unsupported=Unsupported.NARROW
    ).after
    assert after == (left if left is not None else f"{text[:-1]}{MARK}.")


def test_dropping_a_later_clause_takes_its_joint_and_leaves_the_full_stop() -> None:
    answer = "The shop opened in 1999, and it sells bread."
    good = Claim(text="The shop opened in 1999", start=0, end=23, kind=ClaimKind.CLAUSE)
    bad = Claim(text="it sells bread.", start=29, end=44, kind=ClaimKind.CLAUSE)
    span = (EvidenceSpan(evidence_id="s", start=0, end=1),)
    revision = repair_answer(
        answer,
        [
            Assessment(claim=good, standing=Standing.GROUNDED, confidence=1, support=1, reason="",
                       evidence=span),
            Assessment(claim=bad, standing=Standing.UNGROUNDED, confidence=1, support=0, reason=""),
        ],
        [SOURCE],
        correctable=VALUES,
        unsupported=Unsupported.DROP,
    )  # fmt: skip
    assert revision.after == "The shop opened in 1999."


def test_an_answer_that_stands_is_not_touched() -> None:
    assert repair_answer(ANSWER, [OFFICE], [SOURCE], correctable=VALUES).after == ANSWER


def test_patches_that_overlap_are_refused() -> None:
    one = Patch(start=0, end=3, replacement="", kind=PatchKind.DROP, reason="")
    two = Patch(start=2, end=5, replacement="", kind=PatchKind.DROP, reason="")
    with pytest.raises(InputError, match="overlap"):
        apply("abcdef", [one, two])
    with pytest.raises(InputError, match="ends at"):
        apply("ab", [Patch(start=0, end=3, replacement="", kind=PatchKind.DROP, reason="")])


@settings(deadline=None)
@given(st.text(min_size=1, max_size=60), st.data())
def test_every_character_outside_a_patch_is_found_where_it_is_said_to_be(
    answer: str, data: st.DataObject
) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(answer)), min_size=0, max_size=6)))
    patches = [
        Patch(start=a, end=b, replacement=data.draw(st.text(max_size=5)),
              kind=PatchKind.REWRITE, reason="")
        for a, b in zip(cuts[::2], cuts[1::2], strict=False)
    ]  # fmt: skip
    revision = apply(answer, patches)
    covered = {i for p in patches for i in range(p.start, p.end)}
    for offset, character in enumerate(answer):
        moved = revision.position(offset)
        assert (moved is None) == (offset in covered)
        if moved is not None:
            assert revision.after[moved] == character
