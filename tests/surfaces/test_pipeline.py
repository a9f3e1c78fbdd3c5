"""The flow of a check keeps its promises whatever the rooms do."""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace

import pytest
from tests.surfaces.scripted import PLAN, found_or_not, outcome_of, scripted_plan

import firmground
from firmground.adapters.evidence import evidence_from_value
from firmground.core.claim import Assessment, Claim, Standing
from firmground.core.decision import Verdict
from firmground.core.evidence import Evidence, EvidenceSpan
from firmground.core.finding import Findings
from firmground.core.ports import Inquiry
from firmground.core.run import Stage
from firmground.decide import decide
from firmground.decide.rules import StaleEvidence, UnreadEvidence
from firmground.errors import InputError, ModelError
from firmground.pipeline import CheckOutcome, CheckPlan, Request
from firmground.pipeline.check import check

ANSWER = "The push came. It stayed."
PIECE = Evidence(text="The push came. Then more.", id="e1")


def run(plan: CheckPlan) -> CheckOutcome:
    return asyncio.run(check(Request(answer=ANSWER, evidence=(PIECE,)), plan))


def test_the_answer_is_there_only_when_it_stands() -> None:
    assert outcome_of("The push came.", PIECE).answer == "The push came."
    fallen = outcome_of(ANSWER, PIECE)
    assert fallen.answer is None
    assert fallen.request.answer == ANSWER
    assert fallen.verdict is Verdict.DOES_NOT_STAND


def test_the_same_inputs_give_the_same_root_and_any_change_another() -> None:
    roots = {
        outcome_of(ANSWER, PIECE).root,
        outcome_of(ANSWER + " ", PIECE).root,
        outcome_of(ANSWER, replace(PIECE, role="background")).root,
        outcome_of(ANSWER, PIECE, question="When?").root,
        run(scripted_plan(name="other")).root,
    }
    assert len(roots) == 5
    assert outcome_of(ANSWER, PIECE).root == run(PLAN).root


def test_the_run_holds_the_stages_of_a_check_and_the_answer_itself() -> None:
    outcome = run(PLAN)
    assert json.loads(outcome.run.payloads(Stage.ANSWER)[0]) == {"text": ANSWER}
    label = json.loads(outcome.run.payloads(Stage.FINAL_LABEL)[0])
    assert label["decision"]["step"] == "regenerate"


def test_a_judge_that_could_not_answer_leaves_every_claim_unverifiable() -> None:
    def fail(inquiry: Inquiry) -> tuple[Assessment, ...]:
        raise ModelError("the judge is out")

    outcome = run(scripted_plan(fail))
    assert {a.standing for a in outcome.assessments} == {Standing.UNVERIFIABLE}
    assert outcome.findings.faults[0].source == "judge"
    assert outcome.verdict is Verdict.COULD_NOT_TELL


@pytest.mark.parametrize(
    "lie",
    [
        lambda found: found[:1],
        lambda found: found[::-1],
        lambda found: (
            replace(found[0], evidence=(EvidenceSpan(evidence_id="e1", start=0, end=99),)),
            found[1],
        ),
        lambda found: (
            replace(found[0], evidence=(EvidenceSpan(evidence_id="e9", start=0, end=1),)),
            found[1],
        ),
    ],
)
def test_a_judge_that_speaks_of_what_is_not_there_is_a_fault(lie: object) -> None:
    def lying(inquiry: Inquiry) -> tuple[Assessment, ...]:
        return lie(found_or_not(inquiry))  # type: ignore[operator,no-any-return]

    outcome = run(scripted_plan(lying))
    assert outcome.findings.faults
    assert not outcome.stands


def test_a_claim_that_is_not_in_the_answer_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(answer: str, question: object) -> tuple[Claim, ...]:
        return (Claim(text="The pull", start=0, end=8),)

    monkeypatch.setattr("firmground.pipeline.check.prose_claims", wrong)
    with pytest.raises(ModelError, match="not what the answer says there"):
        firmground.check(ANSWER, [PIECE], judge="lexical")


def test_the_dictionary_has_the_documented_shape_and_is_json() -> None:
    document = json.loads(json.dumps(run(PLAN).to_dict()))
    assert {"id", "decision", "support", "risk", "claims", "objections", "run"} <= set(document)
    claim = document["claims"][0]
    assert set(claim) >= {
        "start", "end", "text", "standing", "confidence", "reason", "problems", "evidence",
    }  # fmt: skip
    assert ANSWER[claim["start"] : claim["end"]] == claim["text"]
    span = claim["evidence"][0]
    assert PIECE.text[span["start"] : span["end"]] == claim["text"]
    assert document["evidence"][span["index"]]["id"] == span["id"]


def test_a_repr_says_what_matters() -> None:
    text = repr(run(PLAN))
    assert text.startswith(
        "<CheckOutcome regenerate: does not stand; support 0.50, risk 0.50; 1 grounded"
    )
    assert "'It stayed.'" in text


@pytest.mark.parametrize(
    ("answer", "evidence", "message"),
    [
        (" ", (PIECE,), "answer is empty"),
        ("x", (), "nothing the answer could stand on"),
        ("x", (PIECE, replace(PIECE, text="else")), "stands for two different texts"),
        ("x" * (5 << 20), (PIECE,), "answer is longer"),
    ],
)
def test_a_request_that_cannot_be_checked_is_refused(
    answer: str, evidence: tuple[Evidence, ...], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        Request(answer=answer, evidence=evidence)


def test_equal_pieces_count_once() -> None:
    request = Request(answer="x", evidence=(Evidence(text="a"), Evidence(text="a", role="tool")))
    assert len(request.evidence) == 1


def test_spans_lead_back_into_the_original_page() -> None:
    page = "<h1>Log</h1><p>The push\n came.</p>"
    outcome = outcome_of("The push came.", evidence_from_value({"text": page, "kind": "html"}))
    (span,) = outcome.to_dict()["claims"][0]["evidence"]
    assert page[slice(*span["origin"])] == "The push\n came."


def test_an_objection_for_want_of_a_check_alone_is_not_a_no() -> None:
    unread = Findings(unread=("e1",))
    assert decide(unread, [UnreadEvidence()]).verdict is Verdict.COULD_NOT_TELL
    stale = replace(unread, stale=("e1",))
    decision = decide(stale, [UnreadEvidence(), StaleEvidence()])
    assert decision.verdict is Verdict.DOES_NOT_STAND
