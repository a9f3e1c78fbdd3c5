"""Pointer and JSON modes: nine checks, seven statuses, ten violations, five labels."""

from __future__ import annotations

import hashlib
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmground.claims.anchors import Anchor, counts, date_parts, warrants
from firmground.claims.audit import AuditMode, VerifierMethod
from firmground.claims.evidence_map import build_evidence_map
from firmground.claims.jsonclaims import json_claims, read_claims
from firmground.claims.labels import LatticeLabel, Violation, display_label
from firmground.claims.lattice import (
    CHECKS,
    ClaimStatus,
    HardCheck,
    LatticeCase,
    LatticePolicy,
    run_checks,
    status_of,
)
from firmground.claims.lattice_verdict import (
    rejected_verdict,
    verify_json_answer,
    verify_pointer_answer,
)
from firmground.claims.lenient import read_json
from firmground.claims.pointer import LatticeClaim, pointer_claims, pointer_lines
from firmground.claims.render import render_lattice, render_pointer, spotlight
from firmground.core import merkle
from firmground.core.evidence import Evidence

TOWER = Evidence(
    text="The Eiffel Tower was completed in March 1889. Gustave Eiffel ran the company. "
    "It has three floors because visitors wanted restaurants.",
    title="Eiffel Tower",
    origin="tower.txt",
)
MOON = Evidence(
    text="Apollo landed twelve astronauts on the Moon between July 1969 and December 1972.",
    title="Apollo programme",
    role="background",
)
MAP = build_evidence_map([TOWER, MOON])


def _case(text: str, *pointers: str, question: str = "", **policy: object) -> LatticeCase:
    claim = LatticeClaim(text=text, start=0, end=len(text), pointers=pointers)
    return LatticeCase(claim=claim, question=question, map=MAP, policy=LatticePolicy(**policy))  # type: ignore[arg-type]


def _status(case: LatticeCase) -> ClaimStatus:
    return status_of(case, run_checks(case))


# evidence map


def test_evidence_is_named_in_order_with_ids_of_full_length() -> None:
    first, second = MAP.objects
    assert (first.pointer_id, second.pointer_id) == ("E1", "E2")
    leaf = merkle.leaf_hash(TOWER.text.encode()).hex()
    named = hashlib.sha256(f"{leaf}:0:{len(TOWER.text)}".encode()).hexdigest()
    assert first.chunk_root == leaf
    assert first.evidence_id == "E" + named
    assert first.short_id == "E" + named[:8]
    assert first.source_role == "source"
    assert first.text_hash == TOWER.digest
    assert len(MAP.root) == 64


@pytest.mark.parametrize("name", ["E1", "e1", "1", "[E1]", " E1 "])
def test_pointers_resolve_however_they_are_written(name: str) -> None:
    assert MAP.resolve(name) is MAP.objects[0]
    assert MAP.resolve(MAP.objects[1].evidence_id) is MAP.objects[1]
    assert MAP.resolve(MAP.objects[1].short_id) is MAP.objects[1]
    assert MAP.resolve("E3") is None
    assert MAP.resolve("") is None


def test_inside_a_source_what_speaks_of_the_question_comes_first() -> None:
    chunks = [
        Evidence(text="Nothing of note.", origin="a"),
        Evidence(text="Other source about towers.", origin="b"),
        Evidence(text="The tower, a tower of iron.", origin="a"),
        Evidence(text="The tower of iron and steel.", origin="a"),
    ]
    order = [one.span for one in build_evidence_map(chunks, "Which tower is of iron?").objects]
    assert order == [chunks[2].text, chunks[3].text, chunks[0].text, chunks[1].text]


# the nine checks, one by one


def test_check_parser_succeeded() -> None:
    case = _case("The tower is old.", "E1")
    assert CHECKS[HardCheck.PARSER_SUCCEEDED](case) == ""
    broken = LatticeCase(claim=case.claim, question="", map=MAP, policy=case.policy, parsed=False)
    assert CHECKS[HardCheck.PARSER_SUCCEEDED](broken)
    assert _status(broken) is ClaimStatus.SCHEMA_INVALID


def test_check_evidence_id_resolves() -> None:
    check = CHECKS[HardCheck.EVIDENCE_ID_RESOLVES]
    assert check(_case("The tower was completed.", "E1", "E2")) == ""
    assert "E9" in check(_case("The tower was completed.", "E9"))
    assert check(_case("The tower was completed."))
    assert _status(_case("The tower was completed.", "E9")) is ClaimStatus.UNKNOWN_EVIDENCE_ID
    assert _status(_case("The tower was completed.")) is ClaimStatus.NO_EVIDENCE_POINTER


def test_check_source_role_allowed() -> None:
    roles = frozenset({"source"})
    blocked = _case("Apollo landed astronauts.", "E2", allowed_roles=roles)
    assert "background" in CHECKS[HardCheck.SOURCE_ROLE_ALLOWED](blocked)
    assert _status(blocked) is ClaimStatus.SOURCE_ROLE_BLOCKED
    mixed = _case("The tower was completed.", "E1", "E2", allowed_roles=roles)
    assert _status(mixed) is ClaimStatus.EVIDENCE_LINKED_PARTIAL
    assert CHECKS[HardCheck.SOURCE_ROLE_ALLOWED](_case("Apollo landed.", "E2")) == ""


def test_check_claim_text_non_empty() -> None:
    assert CHECKS[HardCheck.CLAIM_TEXT_NON_EMPTY](_case("  ", "E1"))
    assert _status(_case("  ", "E1")) is ClaimStatus.SCHEMA_INVALID


@pytest.mark.parametrize(
    ("text", "passed"),
    [
        ("Tower completed alpha beta gamma delta epsilon", False),  # 2 of 7
        ("Tower completed March alpha beta gamma delta epsilon zeta eta", True),  # 3 of 10
        ("Tower alpha beta", True),  # three words need one
        ("Alpha beta gamma", False),
    ],
)
def test_check_citation_coverage(text: str, passed: bool) -> None:
    case = _case(text, "E1")
    assert (CHECKS[HardCheck.CITATION_COVERAGE](case) == "") is passed
    expected = ClaimStatus.EVIDENCE_LINKED if passed else ClaimStatus.CITATION_MISMATCH
    assert _status(case) is expected


def test_check_pointer_count_within_cap() -> None:
    case = _case("The Eiffel Tower was completed.", "E1", "E2", "E9")
    assert CHECKS[HardCheck.POINTER_COUNT_WITHIN_CAP](case)
    assert [one.pointer_id for one in case.cited] == ["E1", "E2"]
    assert _status(case) is ClaimStatus.EVIDENCE_LINKED


def test_check_anchor_class_warrant() -> None:
    check = CHECKS[HardCheck.ANCHOR_CLASS_WARRANT]
    assert check(_case("The tower was completed in 1889.", "E1")) == ""
    assert "1890" in check(_case("The tower was completed in 1890.", "E1"))
    assert check(_case("The tower was completed in 1890.", "E1", warrant=False)) == ""


def test_check_title_relevance() -> None:
    check = CHECKS[HardCheck.TITLE_RELEVANCE]
    assert check(_case("The towers are high.", "E1")) == ""
    assert check(_case("Bananas are yellow.", "E1"))
    assert check(_case("It is high.", "E1", question="How high is the Eiffel tower?")) == ""


def test_check_subject_tokens_absent() -> None:
    check = CHECKS[HardCheck.SUBJECT_TOKENS_ABSENT]
    question = "Does the purple elephant circus visit the tower?"
    assert check(_case("The purple elephant circus visits the tower.", "E1", question=question))
    assert check(_case("The purple elephant visits the tower.", "E1", question=question)) == ""


# anchors


@pytest.mark.parametrize(
    ("claim", "question", "anchor", "found"),
    [
        ("Gustave Eiffel ran it.", "Who ran the company?", Anchor.PROPER_NOUN, True),
        ("Albert Camus ran it.", "Who ran the company?", Anchor.PROPER_NOUN, False),
        ("It was March 1889.", "", Anchor.DATE, True),
        ("It was April 1889.", "", Anchor.DATE, False),
        ("It was 1889-03-31.", "", Anchor.DATE, True),
        ("It was 1889-04-01.", "", Anchor.DATE, False),
        ("Gustave and Albert.", "List the engineers", Anchor.ENTITY_LIST, True),
        ("Albert and Simone.", "List the engineers", Anchor.ENTITY_LIST, False),
        ("It has 3 floors.", "How many floors has it?", Anchor.COUNT, True),
        ("It has the third floor.", "How many floors has it?", Anchor.COUNT, True),
        ("It has 3 floors and 5 lifts.", "How many floors?", Anchor.COUNT, False),
        ("Since visitors came.", "Why has it floors?", Anchor.CAUSE, True),
        ("Due to gravity.", "Why has it floors?", Anchor.CAUSE, False),
    ],
)
def test_each_anchor_class(claim: str, question: str, anchor: Anchor, found: bool) -> None:
    got = {one.anchor: one.found for one in warrants(claim, question, [TOWER.text])}
    assert got.get(anchor) is found


def test_parts_of_a_date_from_different_sentences_do_not_make_the_date() -> None:
    spans = ["It opened in May. The fair of 1889 was large."]
    claim = "It opened in May 1889."
    assert [one.found for one in warrants(claim, "", spans)] == [False]
    assert [one.found for one in warrants(claim, "", spans, same_sentence=False)] == [True]


def test_dates_and_counts_are_read_as_documented() -> None:
    assert date_parts("In 1499, 2200 and 3.1889 and 12,1889") == frozenset()
    assert date_parts("On 5 Sept 2021 they may march") == {"2021", "september"}
    assert counts("twenty-one, the 3rd, 1,234 and 5.5") == {21, 3, 1234}
    assert counts("once or twice a dozen") == {1, 2, 12}


# pointer mode


def test_pointer_lines_carry_text_and_pointers() -> None:
    answer = (
        "# Answer\n1. The tower is old. [E1,E2]\n\nUntagged line.\n[2] Led by tag\nMid [E1] tag."
    )
    found = pointer_lines(answer)
    assert [(one.text, one.pointers) for one in found] == [
        ("The tower is old.", ("E1", "E2")),
        ("Untagged line.", ()),
        ("Led by tag", ("E2",)),
        ("Mid tag.", ("E1",)),
    ]


@given(st.text(max_size=200))
def test_pointer_claims_of_any_text_are_exact(answer: str) -> None:
    for claim in pointer_claims(answer):
        assert answer[claim.start : claim.end] == claim.text


def test_untagged_lines_count_in_the_denominator() -> None:
    answer = "The Eiffel Tower was completed in March 1889. [E1]\nIt is lovely there."
    verdict = verify_pointer_answer(answer, MAP)
    assert (verdict.n_units, verdict.n_verified) == (2, 1)
    assert verdict.audit_mode is AuditMode.HYBRID
    assert verdict.display == "EVIDENCE-WARRANTED-PARTIAL"
    assert verdict.claims[1].status is ClaimStatus.NO_EVIDENCE_POINTER


def test_a_clean_answer_is_strict_and_evidence_warranted() -> None:
    answer = (
        "The Eiffel Tower was completed in March 1889. [E1]\n"
        "Apollo landed twelve astronauts on the Moon. [E2]"
    )
    verdict = verify_pointer_answer(answer, [TOWER, MOON])
    assert verdict.audit_mode is AuditMode.STRICT
    assert verdict.method is VerifierMethod.CLAIM_LATTICE_POINTER
    assert verdict.display == "EVIDENCE-WARRANTED"
    assert verdict.violations == ()


def _violations(answer: str, question: str = "") -> set[Violation]:
    return {one for one, _ in verify_pointer_answer(answer, MAP, question).violations}


def test_each_violation_has_its_cause() -> None:
    linked = "The Eiffel Tower was completed in March 1889."
    assert _violations(f"{linked} [E1,E2,E3]") == {Violation.POINTER_OVERFLOW_TRIMMED}
    assert _violations("The Eiffel Tower was completed in 1901. [E1]") == {
        Violation.WARRANT_MISSING
    }
    assert _violations("Eiffel Tower [E1]") == {Violation.BARE_NAME_CLAIM}
    assert _violations("Gustave ran the company. [E1]") == {Violation.TITLE_MISMATCH}
    assert _violations(f"{linked} [E1]\n" * 3) == {Violation.LAZY_ANCHOR_DEMOTED}
    assert _violations(f"{linked} [E1]", "Is the tower purple?") == {Violation.DEFLECTION_DETECTED}
    many = "".join(f"{linked} [E{1 + n % 2},E{2 - n % 2}]\n" for n in range(13))
    assert _violations(many) == {Violation.TOO_MANY_CLAIMS}
    assert Violation.FORMAT_COLLAPSED in _violations(f"{linked}\n" * 5)
    assert _violations(f"{linked}\n" * 4) == set()
    subject = "The purple elephant circus tower visit was completed. [E1]"
    question = "When did the purple elephant circus visit?"
    assert Violation.SUBJECT_TOKENS_ABSENT in _violations(subject, question)
    assert rejected_verdict().violations == ((Violation.BROAD_QUANTIFIER_REJECTED, None),)


def test_too_many_claims_are_counted_and_not_cut_off() -> None:
    verdict = verify_pointer_answer("The Eiffel Tower was completed. [E1,E2]\n" * 14, MAP)
    assert verdict.n_units == 14


def test_a_collapsed_format_is_ungrounded() -> None:
    verdict = verify_pointer_answer("The tower is old.\n" * 5, MAP)
    assert (verdict.audit_mode, verdict.label) == (AuditMode.UNGROUNDED, LatticeLabel.UNGROUNDED)


def test_a_soft_violation_makes_a_full_count_hybrid() -> None:
    verdict = verify_pointer_answer("Gustave ran the company. [E1]", MAP)
    assert verdict.n_units == verdict.n_verified == 1
    assert verdict.audit_mode is AuditMode.HYBRID


def test_a_refusal_in_pointer_mode_has_no_units() -> None:
    verdict = verify_pointer_answer("Unable to answer based on given passages.", MAP)
    assert verdict.refused
    assert (verdict.method, verdict.n_units) == (VerifierMethod.NONE, 0)


@pytest.mark.parametrize(
    ("mode", "violations", "label"),
    [
        (AuditMode.UNGROUNDED, set(), LatticeLabel.UNGROUNDED),
        (AuditMode.STRICT, set(), LatticeLabel.EVIDENCE_WARRANTED),
        (AuditMode.STRICT, {Violation.POINTER_OVERFLOW_TRIMMED}, LatticeLabel.EVIDENCE_WARRANTED),
        (AuditMode.HYBRID, {Violation.WARRANT_MISSING}, LatticeLabel.POINTER_LINKED),
        (AuditMode.HYBRID, {Violation.TITLE_MISMATCH}, LatticeLabel.ANCHOR_WARRANTED),
        (
            AuditMode.HYBRID,
            {Violation.TITLE_MISMATCH, Violation.WARRANT_MISSING},
            LatticeLabel.POINTER_LINKED,
        ),
    ],
)
def test_the_ladder(mode: AuditMode, violations: set[Violation], label: LatticeLabel) -> None:
    assert display_label(mode, violations) is label


# JSON mode

_CLEAN = '{"claims": [{"claim": "The Eiffel Tower was completed.", "evidence_ids": ["E1"]}]}'


@pytest.mark.parametrize(
    "reply",
    [
        _CLEAN,
        f"```json\n{_CLEAN}\n```",
        f"Here is the JSON you asked for [E1]:\n\n{_CLEAN}\nHope this helps!",
        _CLEAN.replace('"', "“", 1).replace('"', "”", 1),
        _CLEAN.replace('"}]}', '"},]}').replace('"E1"]', '"E1",],'),
        "{'claims': [{'claim': 'The Eiffel Tower was completed.', 'evidence_ids': ['E1']}]}",
        '[{"text": "The Eiffel Tower was completed.", "pointers": "E1"}]',
        '{"claims": [{"claim_text": "The Eiffel Tower was completed.", "evidence": "[E1]"}]}',
        '{claims: [{claim: "The Eiffel Tower was completed.", citations: [1]}]}',
        '{"claims": [{"claim": "The Eiffel Tower was completed.", "evidence_ids": ["E1"]}',
        '{"claims": [{"claim": "The Eiffel Tower was completed." "evidence_ids": ["E1"]}]}',
        '{"answer": {"claims": [{"claim": "The Eiffel Tower was completed.", "source": "E1"}]}}',
        '{"claims": [{"claim": "The Eiffel Tower was completed.", "refs": [{"id": "E1"}]}]} // ok',
        "{“claims”: [{“claim”: “The Eiffel Tower was completed.”, “evidence_ids”: [“E1”]}]}",
    ],
)
def test_json_is_read_the_way_models_write_it(reply: str) -> None:
    reading = read_claims(reply)
    assert reading.parsed
    assert [(one.text, one.pointers) for one in reading.claims] == [
        ("The Eiffel Tower was completed.", ("E1",))
    ]
    verdict = verify_json_answer(reply, MAP)
    assert (verdict.audit_mode, verdict.method) == (AuditMode.STRICT, VerifierMethod.CLAIM_LATTICE)
    for claim in json_claims(reply):
        assert reply[claim.start : claim.end] == claim.text


def test_marks_inside_strings_are_only_marks() -> None:
    claim = '"It has {braces}, [brackets], commas,} and \\"quotes\\""'
    reply = f'{{"claims": [{{"claim": {claim}, "refs": []}}]}}'
    (read,) = read_claims(reply).claims
    assert read.text == 'It has {braces}, [brackets], commas,} and "quotes"'
    (found,) = json_claims(reply)
    assert reply[found.start : found.end] == found.text


def test_unescaped_quotes_inside_a_string_are_read_through() -> None:
    reply = '{"claims": [{"claim": "He said "yes" to it", "refs": ["E1"]}]}'
    reading = read_claims(reply)
    assert reading.claims[0].text == 'He said "yes" to it'
    assert "inner_quotes" in reading.problems


def test_escapes_are_decoded_in_pairs() -> None:
    reply = '{"claims": [{"claim": "caf\\u00e9 \\ud83d\\ude00 \\n ok", "refs": []}]}'
    assert read_claims(reply).claims[0].text == "café 😀 \n ok"


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "no json here",
        "{",
        "[",
        "[" * 5000,
        '{"a":' * 5000,
        '{"claims": ',
        '{"x": 1}',
        "[1, 2]",
        '{"claims": "none"}',
        '"' * 100,
        "{,}",
        "}{",
        '{"claims": [[[[[[]]]]]]}',
        "\x00{\x00}",
        "{:}",
    ],
)
def test_what_cannot_be_read_is_one_invalid_unit_and_no_exception(reply: str) -> None:
    verdict = verify_json_answer(reply, MAP)
    assert verdict.audit_mode is AuditMode.UNGROUNDED
    assert {one.status for one in verdict.claims} <= {ClaimStatus.SCHEMA_INVALID}
    assert verdict.n_units >= 1


def test_what_was_read_through_is_named() -> None:
    assert set(read_json(f"Sure:\n```json\n{_CLEAN[:-1]},}}\n```").problems) == {
        "fenced",
        "preamble",
        "trailing_comma",
    }


def test_two_thousand_hostile_replies_raise_nothing() -> None:
    rng = random.Random(5)
    bits = (
        *'{}[]",:\\ \n',
        "“",
        "”",
        "'",
        '"claims":',
        '"claim":',
        '"evidence_ids":',
        "E1",
        "[E1]",
        "null",
        "1e999",
        "-",
        "\\u12",
        "\\ud800",
        "```",
        "//",
        "/*",
        "\ud800",
        "٣",
        "text",
        "[E1,E2",
    )
    for _ in range(2500):
        reply = "".join(rng.choice(bits) for _ in range(rng.randrange(1, 60)))
        for claim in (*json_claims(reply), *pointer_claims(reply)):
            assert reply[claim.start : claim.end] == claim.text
        render_lattice(verify_json_answer(reply, MAP, "Who?"))
        render_lattice(verify_pointer_answer(reply, MAP, "Who?"))


# renderer


def test_the_spotlight_falls_where_the_claim_is_spoken_of_most() -> None:
    filler = "Nothing is said here about anything at all. " * 20
    text = filler + "The tower was completed in March. " + filler + "A tower. "
    span = spotlight("The tower was completed in March", text, window=60)
    assert "completed in March." in text[span.start : span.end]
    assert span.end - span.start < 200


def test_the_first_of_equally_dense_places_wins() -> None:
    text = "One tower here." + " Filler goes on." * 30 + " One tower there."
    span = spotlight("tower", text, window=20)
    assert text[span.start : span.end].startswith("One tower here.")


def test_a_text_that_shares_nothing_gives_its_first_sentence() -> None:
    span = spotlight("bananas", TOWER.text)
    assert TOWER.text[span.start : span.end] == "The Eiffel Tower was completed in March 1889."


def test_evidence_is_shown_in_the_parents_format() -> None:
    one = MAP.objects[1]
    shown = render_pointer("Apollo landed astronauts.", one)
    assert shown == f'[E2 | Apollo programme | {one.chunk_root[:8]}: "{MOON.text}"]'


def test_a_rendered_answer_shows_claims_statuses_and_label() -> None:
    answer = "The Eiffel Tower was completed in March 1889. [E1]\nIt is lovely there."
    lines = render_lattice(verify_pointer_answer(answer, MAP)).split("\n")
    assert lines[0].startswith(
        "The Eiffel Tower was completed in March 1889. [E1 | Eiffel Tower | "
    )
    assert lines[1] == "It is lovely there. [NO_EVIDENCE_POINTER]"
    assert lines[2] == "EVIDENCE-WARRANTED-PARTIAL (1/2)"


@given(st.text(max_size=60), st.text(max_size=200))
def test_the_spotlight_is_always_a_stretch_of_the_text(claim: str, text: str) -> None:
    span = spotlight(claim, text)
    assert 0 <= span.start <= span.end <= len(text)
