"""The nouns refuse to be made wrong."""

from __future__ import annotations

import dataclasses
import hashlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmground.core.claim import Assessment, Claim, Problem, Standing
from firmground.core.decision import Step
from firmground.core.evidence import Evidence, EvidenceSpan, Trust
from firmground.core.finding import Findings, HookReply, Preflight, PreflightStatus, Support
from firmground.core.ports import Hook, Judge, Model, Retriever
from firmground.core.question import Question
from firmground.errors import InputError, MissingExtra
from firmground.testing import FixedRetriever, FunctionHook, FunctionJudge, FunctionModel

CLAIM = Claim(text="Rain fell.", start=4, end=14)
SPAN = EvidenceSpan(evidence_id="e1", start=0, end=4)


def assess(**changes: Any) -> Assessment:
    values: dict[str, Any] = {
        "claim": CLAIM,
        "standing": Standing.GROUNDED,
        "confidence": 0.9,
        "support": 0.9,
        "reason": "the source says so",
        "evidence": (SPAN,),
    }
    return Assessment(**{**values, **changes})


def test_an_empty_question_is_refused() -> None:
    with pytest.raises(InputError, match=r"question\.text"):
        Question(text=" \n ")


def test_a_claim_whose_span_does_not_fit_its_text_is_refused() -> None:
    with pytest.raises(InputError, match="does not fit"):
        Claim(text="abc", start=0, end=4)
    with pytest.raises(InputError, match="does not fit"):
        Claim(text="abc", start=-1, end=2)


def test_a_claim_without_text_is_refused() -> None:
    with pytest.raises(InputError, match="empty"):
        Claim(text="", start=3, end=3)


def test_a_grounded_claim_without_evidence_is_refused() -> None:
    with pytest.raises(InputError, match="evidence"):
        assess(evidence=())


@pytest.mark.parametrize("value", [-0.1, 1.1, float("nan"), float("inf")])
def test_a_probability_outside_zero_and_one_is_refused(value: float) -> None:
    with pytest.raises(InputError, match="confidence"):
        assess(confidence=value)
    with pytest.raises(InputError, match="support"):
        assess(support=value)
    with pytest.raises(InputError, match="confidence"):
        HookReply(source="s", passed=True, message="", confidence=value)
    with pytest.raises(InputError, match="confidence"):
        Preflight(status=PreflightStatus.OK, confidence=value)
    with pytest.raises(InputError, match="risk"):
        Support(score=0.5, profile="p", risk=value, coverage=1.0)


def test_a_problem_outside_its_claim_is_refused() -> None:
    with pytest.raises(InputError, match="outside its claim"):
        assess(problems=(Problem(start=3, end=6, standing=Standing.UNGROUNDED),))


def test_a_piece_that_stands_is_not_a_problem() -> None:
    with pytest.raises(InputError, match="cannot be grounded"):
        Problem(start=0, end=1, standing=Standing.GROUNDED)


def test_an_evidence_span_runs_forward() -> None:
    with pytest.raises(InputError, match="start <= end"):
        EvidenceSpan(evidence_id="e", start=3, end=2)


def test_what_could_not_be_checked_does_not_stand() -> None:
    assert not Standing.UNVERIFIABLE.stands
    assert not Standing.UNGROUNDED.stands
    assert not Standing.CONTRADICTED.stands


@given(st.text())
def test_evidence_is_named_by_its_content_even_when_it_is_not_well_formed(text: str) -> None:
    evidence = Evidence(text=text)
    raw = text.encode("utf-8", "surrogatepass")
    assert evidence.id == "e" + hashlib.sha256(raw).hexdigest()
    assert Evidence(text=text, id="mine").id == "mine"


def test_lone_surrogates_still_give_evidence_a_name() -> None:
    assert Evidence(text="\ud800").id != Evidence(text="\udc00").id


def test_pages_count_from_one() -> None:
    with pytest.raises(InputError, match="page"):
        Evidence(text="x", page=0)


def test_an_unknown_trust_names_the_known_ones() -> None:
    with pytest.raises(InputError, match="vouched"):
        Trust.parse("certain")
    assert Trust.parse("vouched") is Trust.VOUCHED


def test_steps_are_ordered_from_mild_to_harsh() -> None:
    assert Step.PROCEED < Step.REGENERATE < Step.REPLAN < Step.ABSTAIN


def test_no_finding_says_what_should_be_done() -> None:
    for field in dataclasses.fields(Findings):
        assert not field.name.startswith(("should", "decision", "action"))


def test_the_public_doubles_answer_the_ports() -> None:
    assert isinstance(FunctionModel(function=lambda request: "yes"), Model)
    assert isinstance(FixedRetriever(evidence=()), Retriever)
    assert isinstance(FunctionJudge(function=lambda inquiry: ()), Judge)
    hook = FunctionHook(
        name="h", function=lambda case: HookReply(source="h", passed=True, message="")
    )
    assert isinstance(hook, Hook)


def test_a_missing_extra_says_what_to_type() -> None:
    error = MissingExtra(package="pypdf", extra="pdf", purpose="reading PDF files")
    assert "pip install 'firmground[pdf]'" in str(error)
    assert isinstance(error, ImportError)
