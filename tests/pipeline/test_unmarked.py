"""A mark speaks to the reader; what is judged is what was there before it."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from firmground.core.claim import Assessment, Claim, NotCheckable, Standing
from firmground.core.evidence import Evidence, EvidenceSpan
from firmground.core.finding import Findings, SuspiciousText
from firmground.core.marking import MARK
from firmground.core.ports import Inquiry
from firmground.core.unmarked import unmarked
from firmground.engine.plans import plan_for
from firmground.pipeline import Request
from firmground.pipeline.check import examine

SOURCE = Evidence(
    text="The inn offers takeout. The inn takes reservations. The inn was built in 1912 by masons."
)
ANSWER = "The inn sold volcanic pottery to astronauts, and the inn takes reservations. The inn offers takeout."


class Reader:
    """Believes what the source has word for word, and reads a claim as it stands."""

    name = "reader"

    async def assess(self, inquiry: Inquiry) -> tuple[Assessment, ...]:
        return tuple(self._one(claim, inquiry) for claim in inquiry.claims)

    def _one(self, claim: Claim, inquiry: Inquiry) -> Assessment:
        words = claim.text.removeprefix("and ").strip(" .,").lower()
        at = inquiry.evidence[0].text.lower().find(words)
        span = EvidenceSpan(
            evidence_id=inquiry.evidence[0].id, start=max(at, 0), end=at + len(words)
        )
        return Assessment(
            claim=claim,
            standing=Standing.UNGROUNDED if at < 0 else Standing.GROUNDED,
            confidence=1,
            support=float(at >= 0),
            reason="because",
            evidence=() if at < 0 else (span,),
        )


def _found(answer: str, marks: tuple[int, ...] = ()) -> Findings:
    request = Request(answer=answer, evidence=(SOURCE,), marks=marks)
    return asyncio.run(examine(request, plan_for(judge=Reader())))


def test_a_mark_changes_nothing_of_what_is_found_beside_it() -> None:
    at = ANSWER.index(",")
    marked = ANSWER[:at] + MARK + ANSWER[at:]
    before, after = _found(ANSWER), _found(marked, (at,))
    assert before.assessments[0].standing is Standing.UNGROUNDED
    assert after.assessments[0].claim.not_checkable is NotCheckable.MARKED
    for old, new in zip(before.assessments[1:], after.assessments[1:], strict=True):
        assert (new.standing, new.support, new.code) == (old.standing, old.support, old.code)
        assert marked[new.claim.start : new.claim.end] == new.claim.text == old.claim.text
    one = after.assessments[0].claim
    assert (
        marked[one.start : one.end]
        == one.text
        == f"The inn sold volcanic pottery to astronauts{MARK},"
    )


def test_a_sentence_behind_a_mark_begins_anew() -> None:
    text = 'They call it "a hidden gem." The inn offers takeout.'
    at = text.index(" The inn")
    claims = [one.claim.text for one in _found(text[:at] + MARK + text[at:], (at,)).assessments]
    assert claims == [f'They call it "a hidden gem."{MARK}', "The inn offers takeout."]


def test_words_that_only_look_like_our_mark_are_judged() -> None:
    at = ANSWER.index(",")
    marked = ANSWER[:at] + MARK + ANSWER[at:]
    assert unmarked(marked, ()).text == marked
    assert unmarked(marked, (at - 1, at + 1)).text == marked
    assert all(
        one.claim.not_checkable is not NotCheckable.MARKED for one in _found(marked).assessments
    )


@given(
    pieces=st.lists(st.text(alphabet="ab .…]", max_size=8), min_size=1, max_size=5),
    chosen=st.sets(st.integers(0, 4)),
)
def test_every_place_leads_back_to_the_same_character(pieces: list[str], chosen: set[int]) -> None:
    answer, marks = "", []
    for number, piece in enumerate(pieces):
        answer += piece
        if number in chosen:
            marks.append(len(answer))
            answer += MARK
    plain = unmarked(answer, marks)
    assert plain.text == "".join(pieces)
    for at, sign in enumerate(plain.text):
        found = SuspiciousText(where="answer", start=at, end=at + 1, code="c", reason="r")
        moved = plain.suspicious(found)
        assert (answer[moved.start], moved.end - moved.start) == (sign, 1)


def test_text_of_the_evidence_does_not_move() -> None:
    found = SuspiciousText(where="s", start=9, end=12, code="c", reason="r")
    assert unmarked("a" + MARK + "b", (1,)).suspicious(found) is found
