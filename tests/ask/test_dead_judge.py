"""A judge that cannot be asked costs neither a new search nor a new answer, and never a pass."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmground.adapters.openai_model import ModelEndpoint, OpenAIModel
from firmground.compat.pipeline import Pipeline
from firmground.core.claim import Assessment, Claim, Standing
from firmground.core.decision import Step, Verdict
from firmground.core.escalation import Choice, Escalation, Ruling
from firmground.core.evidence import Evidence
from firmground.core.finding import Findings, Support
from firmground.core.ports import Inquiry
from firmground.core.question import Question
from firmground.core.run import AttemptReason
from firmground.decide import ADVISORY, BALANCED, STRICT, Policy, decide
from firmground.decide.rules.answer import ThinSupport
from firmground.decide.rules.calibrated import Calibrated
from firmground.engine.model_checks import model_checks
from firmground.errors import ModelError
from firmground.testing import FunctionModel
from firmground.verify.judge import LexicalJudge

QUESTION = "What is the capital of France?"
TRUE = "The capital of France is Paris."


@pytest.fixture
def dead_url() -> Iterator[str]:
    """An address on loopback at which nobody listens, held so that nobody else can."""
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        yield f"http://127.0.0.1:{held.getsockname()[1]}/v1"


class Counting:
    """Finds the same every time, and counts how often it was asked."""

    def __init__(self) -> None:
        self.searches = 0

    async def retrieve(self, question: Question) -> tuple[Evidence, ...]:
        self.searches += 1
        return (Evidence(text=TRUE),)


@pytest.mark.parametrize("policy", [STRICT, BALANCED], ids=lambda one: one.name)
def test_a_judge_nobody_can_reach_costs_one_search_and_one_answer(
    policy: Policy, dead_url: str
) -> None:
    pytest.importorskip("openai", reason="the extra 'llm' is not installed")
    dead = OpenAIModel("other", endpoint=ModelEndpoint(base_url=dead_url, api_key="k"))
    writer, found = FunctionModel(function=lambda request: TRUE), Counting()
    asked = Pipeline(
        model=writer,
        retriever=found,
        judge="lexical",
        policy=policy,
        models=model_checks([("other", dead)], judge=True),
    ).ask(QUESTION)
    assert found.searches == 1
    assert asked.run.attempts == (AttemptReason.FIRST,)
    assert asked.findings.spent.replans == asked.findings.spent.regenerations == 0
    assert not asked.degraded
    assert asked.verdict is Verdict.COULD_NOT_TELL
    assert asked.answer is None
    assert asked.escalation is not None


def test_the_command_says_that_it_could_not_tell(dead_url: str, tmp_path: Path) -> None:
    pytest.importorskip("openai", reason="the extra 'llm' is not installed")
    (tmp_path / "france.txt").write_text(TRUE)
    told = subprocess.run(
        [sys.executable, "-m", "firmground", "check", "-a", TRUE, "-e", str(tmp_path), "--judge", "llm",
         "--model", f"other={dead_url}"],
        capture_output=True, text=True, timeout=300, check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "src")},
    )  # fmt: skip
    assert told.returncode == 2, told.stderr
    assert "COULD NOT TELL" in told.stdout


def _claim(standing: Standing, code: str) -> Assessment:
    return Assessment(
        claim=Claim(text="It is.", start=0, end=6),
        standing=standing,
        confidence=0.0,
        support=0.0,
        reason="because",
        code=code,
    )


UNHEARD = _claim(Standing.UNVERIFIABLE, "judge_failed")
SILENT = _claim(Standing.UNGROUNDED, "not_supported")
LOW = Support(profile="", score=0.1, risk=0.9, coverage=1.0)
SCORED = (
    ThinSupport(),
    Calibrated(score="support", threshold=0.8, regenerate=0.5),
    Calibrated(score="risk", threshold=0.2),
)


@pytest.mark.parametrize("rule", SCORED, ids=lambda one: f"{one.name}-{getattr(one, 'score', '')}")
def test_a_score_that_is_low_for_want_of_a_checker_asks_for_no_new_search(
    rule: ThinSupport | Calibrated,
) -> None:
    (all_unheard,) = rule.object_to(Findings(assessments=(UNHEARD,), support=LOW))
    assert (all_unheard.step, all_unheard.could_not_check) == (Step.REGENERATE, True)
    (one_unheard,) = rule.object_to(Findings(assessments=(UNHEARD, SILENT), support=LOW))
    assert (one_unheard.step, one_unheard.could_not_check) == (Step.REGENERATE, False)
    (heard,) = rule.object_to(Findings(assessments=(SILENT,), support=LOW))
    assert not heard.could_not_check
    assert heard.step is (Step.REGENERATE if getattr(rule, "score", "") == "risk" else Step.REPLAN)


def test_a_risk_that_nobody_could_measure_is_told_as_such() -> None:
    findings = Findings(assessments=(UNHEARD,), support=LOW)
    told = {one.rule: one.could_not_check for one in decide(findings, BALANCED).objections}
    assert told["high_risk"]
    assert told["thin_support"]
    silent = decide(Findings(assessments=(SILENT,), support=LOW), BALANCED)
    assert not any(one.could_not_check for one in silent.objections)


def test_no_policy_lets_an_unheard_claim_pass_in_silence() -> None:
    findings = Findings(assessments=(UNHEARD,), support=LOW)
    for policy in (STRICT, BALANCED):
        assert decide(findings, policy).step is not Step.PROCEED
    assert decide(findings, ADVISORY).waived


def test_a_person_who_says_retry_has_the_checks_made_again_and_nothing_written() -> None:
    writer, found = FunctionModel(function=lambda request: TRUE), Counting()
    cases: list[Escalation] = []

    class Waking:
        """Fails the first time it is asked, and judges from then on."""

        name = "waking"
        calls = 0

        async def assess(self, inquiry: Inquiry) -> tuple[Assessment, ...]:
            self.calls += 1
            if self.calls == 1:
                raise ModelError("not yet awake")
            return await LexicalJudge().assess(inquiry)

    def ruled(case: Escalation) -> Ruling:
        cases.append(case)
        return Ruling(choice=Choice.RETRY)

    judge = Waking()
    asked = Pipeline(model=writer, retriever=found, judge=judge, escalate=ruled).ask(QUESTION)
    assert asked.answer == TRUE
    assert (judge.calls, found.searches, asked.findings.spent.model_calls) == (2, 1, 1)
    assert [case.reasons[0].rule for case in cases] == ["faults"]
