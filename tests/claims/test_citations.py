"""Quotations and markers: supported, misattributed, fabricated, stitched, repaired, unresolved."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmground.claims.citations import check_citations
from firmground.claims.prose import prose_claims
from firmground.claims.quotes import quotations, quote_claims
from firmground.claims.repair import ClaimPatch, RepairKind, apply_patches, repair_quotes
from firmground.claims.sources import QuoteSources
from firmground.core.claim import Assessment, Standing
from firmground.core.evidence import Evidence, EvidenceSpan
from firmground.core.finding import CitationStatus
from firmground.errors import InputError

TOWER = Evidence(
    text="The tower was completed in March 1889. It is not open on public holidays. "
    "Visitors may climb the stairs as far as the second floor, and lifts go to the top.",
    id="tower",
    title="Tower guide",
)
CITY = Evidence(
    text="The city has two million inhabitants. Its mayor wants fewer cars in the old centre.",
    id="city",
    origin="reports/city.txt",
)
BOTH = (TOWER, CITY)


def _statuses(answer: str) -> list[CitationStatus]:
    return [one.status for one in check_citations(answer, BOTH)]


def test_a_verbatim_quotation_is_supported_and_names_its_source() -> None:
    (found,) = check_citations('It says "The tower was completed in March 1889."', BOTH)
    assert (found.status, found.evidence_id) == (CitationStatus.SUPPORTED, "tower")
    assert (found.start, found.end) == (8, 48)


@pytest.mark.parametrize(
    ("answer", "status"),
    [
        ('"two million inhabitants" [2].', CitationStatus.SUPPORTED),
        ('"two million inhabitants" [1].', CitationStatus.MISATTRIBUTED),
        ('He said "two million inhabitants." [1]', CitationStatus.MISATTRIBUTED),
        ('"two million inhabitants" (Source: Tower guide)', CitationStatus.MISATTRIBUTED),
        ('It says "The tower fell over in a storm"', CitationStatus.FABRICATED),
        ('"The tower was completed ... in the old centre"', CitationStatus.STITCHED),
        ('"The tower was completed … It is not open"', CitationStatus.SUPPORTED),
        ('"The tower was completed its mayor wants fewer cars"', CitationStatus.STITCHED),
        ('It says "The tower was completed in [early] 1889"', CitationStatus.SUPPORTED),
        ('It says "The tower was completed by [the] mayor"', CitationStatus.FABRICATED),
        ('It says "climb the stairs as-far-as the second"', CitationStatus.REPAIRED),
        ('He told us: "The tower fell over in a storm"', CitationStatus.FABRICATED),
        ('It says "THE TOWER WAS COMPLETED"', CitationStatus.REPAIRED),
        ('"The tower was cоmpleted in March"', CitationStatus.REPAIRED),
        ('It says "open on public holi"', CitationStatus.FABRICATED),
        ("„two million inhabitants“", CitationStatus.SUPPORTED),
        ("«two million inhabitants»", CitationStatus.SUPPORTED),
    ],
)
def test_each_fate_of_a_quotation_is_told_apart(answer: str, status: CitationStatus) -> None:
    assert _statuses(answer) == [status]


def test_a_capital_at_the_head_of_a_quotation_does_no_harm() -> None:
    (found,) = check_citations('"the tower was completed" it says.', BOTH)
    assert found.status is CitationStatus.SUPPORTED
    assert "capital" in found.reason


def test_words_of_the_question_are_no_quotation_of_a_source() -> None:
    answer = 'To the point "who paid for all of this?" nothing is said.'
    assert check_citations(answer, BOTH, question="Who paid for all of this?") == ()
    assert _statuses(answer) == [CitationStatus.FABRICATED]


def test_speech_interrupted_by_who_speaks_is_not_stitched() -> None:
    speech = Evidence(text='"They got it wrong," Hernandez said as he left. "I did not do it."')
    other = Evidence(text="They got it wrong in the first report. I did not do it well enough.")
    answer = 'He said "They got it wrong. I did not do it."'
    assert [one.status for one in check_citations(answer, [speech])] == [CitationStatus.SUPPORTED]
    assert [one.status for one in check_citations(answer, [other])] == [CitationStatus.STITCHED]


def test_a_paragraph_put_in_quotation_marks_is_judged_as_prose() -> None:
    answer = 'The answer is:\n\n"The tower is painted in bright blue these days."\n'
    assert _statuses(answer) == []
    assert any(claim.checkable and "blue" in claim.text for claim in prose_claims(answer))


def test_an_elision_in_reverse_order_is_a_splice() -> None:
    assert _statuses('"It is not open … The tower was completed"') == [CitationStatus.STITCHED]


def test_a_quotation_torn_from_its_negation_says_so() -> None:
    (found,) = check_citations('It is "open on public holidays".', BOTH)
    assert "denies" in found.reason


def test_a_term_in_quotation_marks_is_no_quotation_unless_somebody_said_it() -> None:
    assert _statuses('The so-called "iron lady" is tall.') == []
    assert _statuses('The mayor called it "total nonsense".') == [CitationStatus.FABRICATED]


def test_a_marker_that_names_no_evidence_is_unresolved() -> None:
    assert _statuses("The tower is tall [3].") == [CitationStatus.UNRESOLVED]
    assert _statuses("The tower is tall [E0].") == [CitationStatus.UNRESOLVED]
    assert _statuses("The tower is tall (Source: Nobody).") == [CitationStatus.UNRESOLVED]
    assert _statuses("The tower is tall [1].") == []


@pytest.mark.parametrize(
    ("label", "position"),
    [
        ("1", 0),
        ("E2", 1),
        ("tower", 0),
        ("Tower guide", 0),
        ("the tower guide, p. 3", 0),
        ("reports/city.txt", 1),
        ("3", None),
        ("0", None),
        ("guide to nothing", None),
        ("", None),
    ],
)
def test_labels_resolve_by_number_id_title_and_origin(label: str, position: int | None) -> None:
    assert QuoteSources(BOTH).resolve(label) == position


def test_numbers_that_evidence_gives_to_its_own_parts_resolve() -> None:
    whole = Evidence(text="passage 1: Cats sleep.\n\npassage 2: Dogs bark.\n")
    assert QuoteSources([whole]).resolve("2") == 0
    assert QuoteSources([whole]).resolve("3") is None
    assert check_citations("Dogs bark (Passage 2).", [whole]) == ()
    joined = Evidence(text="Cats sleep.\n\nDogs bark.\n \n\nBirds sing.")
    assert [QuoteSources([joined]).resolve(n) for n in ("1", "3", "4")] == [0, 0, None]


def test_two_sources_of_one_title_resolve_to_neither() -> None:
    twins = (Evidence(text="a", title="Annual report"), Evidence(text="b", title="Annual report"))
    assert QuoteSources(twins).resolve("Annual report") is None


def _assessed(answer: str, standing: Standing, home: str | None) -> tuple[Assessment, ...]:
    spans = (EvidenceSpan(evidence_id=home, start=0, end=37),) if home else ()
    return tuple(
        Assessment(
            claim=claim, standing=standing, confidence=0.9, support=0.9, reason="r", evidence=spans
        )
        for claim in prose_claims(answer)
    )


@pytest.mark.parametrize(
    ("standing", "home", "status"),
    [
        (Standing.GROUNDED, "tower", CitationStatus.SUPPORTED),
        (Standing.GROUNDED, "city", CitationStatus.MISATTRIBUTED),
        (Standing.CONTRADICTED, "tower", CitationStatus.MISATTRIBUTED),
        (Standing.UNGROUNDED, None, CitationStatus.MISATTRIBUTED),
        (Standing.UNVERIFIABLE, None, CitationStatus.UNRESOLVED),
    ],
)
def test_a_marker_is_judged_by_what_its_claim_rests_on(
    standing: Standing, home: str | None, status: CitationStatus
) -> None:
    answer = "The tower was finished in 1889 [1]."
    (found,) = check_citations(answer, BOTH, _assessed(answer, standing, home))
    assert found.status is status
    assert answer[found.start : found.end] == "[1]"


def test_a_cited_source_that_says_the_same_is_no_misattribution() -> None:
    twin = Evidence(text=TOWER.text, id="twin")
    answer = "The tower was finished in 1889 [2]."
    (found,) = check_citations(
        answer, (TOWER, twin, CITY), _assessed(answer, Standing.GROUNDED, "tower")
    )
    assert (found.status, found.evidence_id) == (CitationStatus.SUPPORTED, "twin")


@pytest.mark.parametrize(
    ("answer", "repaired", "kind"),
    [
        (
            'See "The tower was completed in March 1889 (Source: guide)" here.',
            'See "The tower was completed in March 1889" (Source: guide) here.',
            RepairKind.CITATION_TAIL,
        ),
        (
            'See "The TOWER was completed in March 1889" here.',
            'See "The tower was completed in March 1889" here.',
            RepairKind.RESTORED,
        ),
        (
            'See "The tower was completed in March 1889 by giants" here.',
            'See "The tower was completed in March 1889" by giants here.',
            RepairKind.TRIMMED,
        ),
        (
            'See "They said The tower was completed in March 1889" here.',
            'See They said "The tower was completed in March 1889" here.',
            RepairKind.TRIMMED,
        ),
        (
            'See "visitors climb stairs as far as second floor" here.',
            "See visitors climb stairs as far as second floor here.",
            RepairKind.UNQUOTED,
        ),
    ],
)
def test_quotes_are_repaired_mechanically_and_the_diff_is_kept(
    answer: str, repaired: str, kind: RepairKind
) -> None:
    repair = repair_quotes(answer, BOTH)
    assert repair.answer == repaired
    (patch,) = repair.patches
    assert (patch.kind, patch.evidence_id) == (kind, "tower")
    assert answer[patch.start : patch.end] == patch.old
    assert apply_patches(answer, repair.patches) == repaired


def test_verbatim_and_hopeless_quotations_are_left_alone() -> None:
    for answer in ('"The tower was completed"', '"nothing of this kind is anywhere"'):
        assert repair_quotes(answer, BOTH).answer == answer


def test_a_patch_that_does_not_fit_is_refused() -> None:
    patch = ClaimPatch(start=0, end=2, old="ab", new="c", kind=RepairKind.TRIMMED, reason="r")
    with pytest.raises(InputError, match=r"\[0:2\]"):
        apply_patches("xy", (patch,))


@given(st.text(alphabet='abc "“”.,[1]\n…Tower', max_size=120))
def test_repair_never_touches_anything_outside_the_marks(answer: str) -> None:
    repair = repair_quotes(answer, BOTH)
    at, rest = 0, repair.answer
    for patch in repair.patches:
        same = answer[at : patch.start]
        assert rest.startswith(same + patch.new)
        rest, at = rest[len(same) + len(patch.new) :], patch.end
    assert rest == answer[at:]


@given(st.text(max_size=120))
def test_quotations_and_findings_of_any_text_have_exact_places(answer: str) -> None:
    for one in quotations(answer):
        assert answer[one.inner : one.inner_end] == one.text
    for claim in quote_claims(answer):
        assert answer[claim.start : claim.end] == claim.text
    for found in check_citations(answer, BOTH):
        assert 0 <= found.start < found.end <= len(answer)


def test_random_patchworks_are_never_called_supported() -> None:
    rng = random.Random(3)
    words = (TOWER.text + " " + CITY.text).split()
    for _ in range(300):
        a, b = rng.sample(range(len(words) - 6), 2)
        if abs(a - b) < 8:
            continue
        quote = " ".join([*words[a : a + 5], *words[b : b + 5]]).strip(".,")
        assert CitationStatus.SUPPORTED not in _statuses(f'It says "{quote}".')


def test_inches_open_no_quotation() -> None:
    assert quotations('A 27" screen and a 6\'2" man') == ()
