"""Answers that quote, point or come as JSON are cut and recorded in their own way."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from firmground.cli.main import cli
from firmground.compat.audit import audit_verdict
from firmground.core.claim import ClaimKind
from firmground.core.run import Shape, Stage
from firmground.engine import check
from firmground.errors import InputError

SOURCES = [
    {"text": "The capital of France is Paris. It has 2 million people.", "title": "France"},
    {"text": "Berlin is in Germany.", "title": "Germany"},
]
POINTING = "The capital of France is Paris. [E1]\nBerlin is in Germany. [E2]\n"
AS_JSON = json.dumps(
    {"claims": [{"text": "The capital of France is Paris.", "evidence_ids": ["E1"]}]}
)


def test_a_pointing_answer_leaves_a_run_of_nine_stages() -> None:
    outcome = check(POINTING, SOURCES, mode="pointer")
    assert outcome.stands
    assert outcome.run.shape is Shape.POINTER
    assert len(outcome.run.nodes) == 9
    assert {a.claim.kind for a in outcome.assessments} == {ClaimKind.POINTER}
    rendered = json.loads(outcome.run.payloads(Stage.RENDER)[0])["text"]
    assert "[E1 | France | " in rendered
    assert audit_verdict(outcome.request).label == "EVIDENCE-WARRANTED"


def test_a_json_answer_is_covered_by_its_claims() -> None:
    outcome = check(AS_JSON, SOURCES, mode="json")
    assert outcome.stands
    assert outcome.claims[0].text == "The capital of France is Paris."
    assert AS_JSON[outcome.claims[0].start : outcome.claims[0].end] == outcome.claims[0].text


def test_a_json_answer_that_says_more_than_its_claims_is_not_covered() -> None:
    more = json.dumps(
        {
            "claims": [{"text": "The capital of France is Paris.", "evidence_ids": ["E1"]}],
            "summary": "Besides, everybody in France drinks wine from the age of three.",
        }
    )
    outcome = check(more, SOURCES, mode="json")
    assert not outcome.stands
    assert "uncovered_answer" in {o.rule for o in outcome.decision.objections}


def test_a_json_claim_that_points_nowhere_is_found_out() -> None:
    lost = AS_JSON.replace("E1", "E9")
    outcome = check(lost, SOURCES, mode="json")
    assert [str(c.status) for c in outcome.findings.citations] == ["unresolved"]
    assert audit_verdict(outcome.request).audit_mode == "UNGROUNDED"


def test_a_reply_that_is_no_json_has_no_claims_and_does_not_stand() -> None:
    assert not check("not json at all", SOURCES, mode="json").stands


def test_the_predecessors_verdict_can_be_had_and_is_no_part_of_a_check() -> None:
    outcome = check("The capital of France is Paris.", SOURCES)
    assert "audit" not in outcome.to_dict()
    found = audit_verdict(outcome.request)
    assert (found.audit_mode, found.method) == ("STRICT", "span")
    swapped = check("The capital of France is not Paris.", SOURCES).to_dict()
    assert swapped["decision"] != "proceed"


def test_an_unknown_mode_lists_the_known_ones() -> None:
    with pytest.raises(InputError, match="pointer"):
        check("x", ["y"], mode="verse")


def test_the_command_takes_the_mode_and_prints_the_lexical_audit() -> None:
    words = ["check", "--all", "--mode", "pointer", "-a", POINTING]
    result = CliRunner().invoke(
        cli, [*words, "-e", "The capital of France is Paris.", "-e", "Berlin is in Germany."]
    )
    assert result.exit_code == 0
    assert "lexical audit: STRICT by claim_lattice_pointer, 2 of 2 units" in result.stdout
