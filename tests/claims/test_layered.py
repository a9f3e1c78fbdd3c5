"""The parent's layered verifier, rule by rule."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmground.claims.audit import AuditMode, EntityPolicy, VerifierMethod, mode_of
from firmground.claims.diagnose import diagnose_deflection, diagnose_title_relevance
from firmground.claims.layered import InspectClass, inspect_text, inspect_units, layered_verify
from firmground.claims.norm import norm_v1, stem, strip_wikitext
from firmground.claims.strategies import (
    entity_units,
    paraphrase_share,
    quote_units,
    sources_of,
    strip_trailing_citation,
)

CONTEXT = (
    "Marie Curie was born in Warsaw in 1867. She shared the Nobel Prize in Physics with "
    "Pierre Curie and Henri Becquerel. The committee praised their research on radiation.",
)


def _mode(answer: str, **kwargs: EntityPolicy) -> tuple[AuditMode, VerifierMethod]:
    verdict = layered_verify(answer, CONTEXT, **kwargs)
    return verdict.audit_mode, verdict.method


@pytest.mark.parametrize(
    ("n_units", "n_verified", "reserved", "mode"),
    [
        (0, 0, False, AuditMode.UNGROUNDED),
        (3, 0, False, AuditMode.UNGROUNDED),
        (3, 1, False, AuditMode.HYBRID),
        (3, 3, False, AuditMode.STRICT),
        (3, 3, True, AuditMode.HYBRID),
    ],
)
def test_a_mode_is_a_count(n_units: int, n_verified: int, reserved: bool, mode: AuditMode) -> None:
    assert mode_of(n_units, n_verified, reserved=reserved) is mode


def test_quotes_found_word_for_word_are_strict() -> None:
    assert _mode('She was "born in Warsaw" then.') == (AuditMode.STRICT, VerifierMethod.QUOTE)


def test_one_good_and_one_bad_quote_are_hybrid() -> None:
    verdict = layered_verify('"born in Warsaw" and "born in Paris"', CONTEXT)
    assert (verdict.audit_mode, verdict.n_units, verdict.n_verified) == (AuditMode.HYBRID, 2, 1)


def test_quotation_marks_are_paired_as_they_come() -> None:
    answer = 'a "b" c "d" e "f'
    assert [answer[s:e] for s, e in quote_units(answer)] == ["b", "d"]


def test_comparison_ignores_case_and_white_space() -> None:
    assert _mode('"BORN  in\nwarsaw"')[0] is AuditMode.STRICT


def test_sentences_and_bullets_are_looked_for_as_substrings() -> None:
    answer = "- She shared the Nobel Prize in Physics\n- The committee praised their research"
    assert _mode(answer) == (AuditMode.STRICT, VerifierMethod.SPAN)


def test_three_names_close_together_are_strict_under_proximity_only() -> None:
    answer = "Laureates included Marie Curie, Pierre Curie, Henri Becquerel."
    assert _mode(answer) == (AuditMode.STRICT, VerifierMethod.ENTITY)
    assert _mode(answer, entity_policy=EntityPolicy.HYBRID)[0] is AuditMode.HYBRID
    assert _mode(answer, entity_policy=EntityPolicy.STRICT)[0] is AuditMode.STRICT
    assert _mode(answer, entity_policy=EntityPolicy.DROP)[1] is VerifierMethod.NONE


def test_names_far_apart_or_too_few_are_hybrid_under_proximity() -> None:
    two = "Laureates included Marie Curie, Pierre Curie."
    assert _mode(two) == (AuditMode.HYBRID, VerifierMethod.ENTITY)
    far = "Marie Curie" + " x" * 200 + " Pierre Curie" + " x" * 200 + " Henri Becquerel"
    answer = "Laureates included Marie Curie, Pierre Curie, Henri Becquerel."
    assert layered_verify(answer, [far]).audit_mode is AuditMode.HYBRID


def test_entities_are_phrases_of_several_capitalised_words() -> None:
    answer = "The Nobel Prize went to Marie Curie and to Pierre. The Nobel Prize again."
    assert [answer[s:e] for s, e in entity_units(answer)] == ["Nobel Prize", "Marie Curie"]


def test_paraphrase_needs_four_content_words_and_most_of_them_found() -> None:
    found = layered_verify(
        "the committee praised radiation research shared with becquerel", CONTEXT
    )
    assert found.method is VerifierMethod.PARAPHRASE
    assert found.audit_mode is AuditMode.STRICT
    words = sources_of(CONTEXT).words
    assert paraphrase_share("praised research", words) == 0.0
    assert paraphrase_share("committee praised research about bananas", words) < 0.85


def test_an_answer_with_quotes_gets_no_benefit_of_paraphrase() -> None:
    plain = "the committee praised radiation research shared with becquerel"
    verdict = layered_verify(f'{plain} "and bananas"', CONTEXT)
    assert (verdict.audit_mode, verdict.method) == (AuditMode.UNGROUNDED, VerifierMethod.NONE)
    assert verdict.n_units == 1


@pytest.mark.parametrize(
    "refusal",
    [
        "Unable to answer based on given passages.",
        "I cannot answer that. The passages do not mention it.",
        "I'm sorry, but I don't have enough information to answer.",
    ],
)
def test_a_refusal_is_ungrounded_by_no_method_with_no_units(refusal: str) -> None:
    verdict = layered_verify(refusal, CONTEXT)
    assert verdict.refused
    assert (verdict.audit_mode, verdict.method) == (AuditMode.UNGROUNDED, VerifierMethod.NONE)
    assert verdict.n_units == 0


def test_a_refusal_that_goes_on_to_assert_is_no_refusal() -> None:
    assert not layered_verify("I cannot answer that. She was born in 1867.", CONTEXT).refused


@pytest.mark.parametrize(
    ("text", "stripped"),
    [
        ("It is old (Source: guide)", "It is old"),
        ("It is old (see page 3).", "It is old"),
        ("It is old (citing Smith)", "It is old"),
        ("It is old (ref 3)", "It is old"),
        ("It is old (from the guide)", "It is old"),
        ("It is old (https://example.org/x)", "It is old"),
        ("It is old (very old)", "It is old (very old)"),
        ("It is old (Source: a) (Source: b)", "It is old (Source: a)"),
        ("It is old (seen from here)", "It is old (seen from here)"),
    ],
)
def test_one_trailing_citation_is_stripped(text: str, stripped: str) -> None:
    assert strip_trailing_citation(text) == stripped


_LONG = "the committee praised their research on radiation for the common good of all"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("born in Warsaw", InspectClass.VERBATIM_IN_BASE),
        ("born in [[Warsaw]]", InspectClass.VERBATIM_IN_BASE),
        ("the '''old''' town", InspectClass.VERBATIM_IN_RAW_ONLY),
        ("ignored {{template}} here", InspectClass.VERBATIM_IN_RAW_ONLY),
        (_LONG + ", says somebody else", InspectClass.TRAILING_ARTIFACT),
        ("radiation research praised by committee", InspectClass.PARAPHRASE),
        ("radiation research about bananas elsewhere", InspectClass.PARTIAL_PARAPHRASE),
        ("bananas grow quickly elsewhere", InspectClass.NO_OVERLAP),
    ],
)
def test_the_sidecar_classes_are_the_parents(text: str, kind: InspectClass) -> None:
    contexts = (*CONTEXT, "Ignored {{template}} here: the '''old''' town.", _LONG + ".")
    assert inspect_text(text, contexts) is kind


def test_units_can_be_inspected_together() -> None:
    verdict = layered_verify('"born in Warsaw" and "born in Paris, on the moon"', CONTEXT)
    kinds = [kind for _, kind in inspect_units(verdict.units, CONTEXT)]
    assert kinds == [InspectClass.VERBATIM_IN_BASE, InspectClass.NO_OVERLAP]


@pytest.mark.parametrize(
    ("question", "answer", "deflected"),
    [
        ("What is the capital of France?", "It is a lovely country.", True),
        ("What is the capital of France?", "Paris is the capital of France.", False),
        ("Who approved the budgets?", "The council approved the budget.", False),
        ("When was the tower built?", "In 1889.", False),
        ("What year did it open?", "1889.", False),
        ("How many people live there?", "Two million.", False),
        ("Why did the bridge collapse?", "Because of rust.", False),
    ],
)
def test_deflection_is_the_last_word_of_the_question_left_out(
    question: str, answer: str, deflected: bool
) -> None:
    assert (diagnose_deflection(question, answer) is not None) is deflected


def test_title_relevance_needs_one_shared_stem() -> None:
    assert diagnose_title_relevance("the tower was approved", ["Approving towers"])
    assert not diagnose_title_relevance("the tower is old", ["Bananas"])
    assert diagnose_title_relevance("the tower is old", ["", "the"])


@pytest.mark.parametrize(
    ("wiki", "plain"),
    [
        ("a [[target|label]] b", "a label b"),
        ("a [[target]] b", "a target b"),
        ("'''bold''' and ''italic''", "bold and italic"),
        ("a {{cite|{{inner}}}} b", "a  b"),
        ("a<ref>note</ref> b", "a b"),
        ("a<ref name=x /> b", "a b"),
        ("a <!-- hidden --> b", "a  b"),
        ("== Title ==\ntext", "Title\ntext"),
        ("3 < 4 and {{open", "3 < 4 and {{open"),
        ("plain text", "plain text"),
    ],
)
def test_wiki_markup_is_stripped(wiki: str, plain: str) -> None:
    assert strip_wikitext(wiki) == plain


def test_stems_meet() -> None:
    assert stem("approved") == stem("approve") == stem("approving") == stem("approves")
    assert norm_v1("  a\u00a0 e\u0301\n") == "a é"


@given(st.text(max_size=150), st.lists(st.text(max_size=100), max_size=3))
def test_any_input_gives_a_verdict_with_exact_units(answer: str, contexts: list[str]) -> None:
    verdict = layered_verify(answer, contexts)
    for unit in verdict.units:
        assert answer[unit.start : unit.end] == unit.text
    assert verdict.n_verified == sum(unit.verified for unit in verdict.units)
    assert (verdict.audit_mode is AuditMode.UNGROUNDED) == (verdict.n_verified == 0)
    inspect_units(verdict.units, contexts)
    strip_wikitext(answer)


def test_its_ceiling_is_what_the_docs_say() -> None:
    contexts = ["The bridge is not safe for lorries. It was closed in March."]
    assert layered_verify('It is "safe for lorries".', contexts).audit_mode is AuditMode.STRICT
