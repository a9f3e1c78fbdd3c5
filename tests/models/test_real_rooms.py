"""Probe, judge and consensus on a real small model: what it does, whatever that is."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from firmground.adapters.llm_judge import JudgeReport, LlmJudge
from firmground.adapters.openai_model import CallLimits, ModelEndpoint, OpenAIModel
from firmground.adapters.transcript import Recorder, Replay
from firmground.claims.prose import prose_claims
from firmground.consensus import Consensus, ConsensusSettings, Peer, light_check
from firmground.core.claim import Standing
from firmground.core.decision import Step
from firmground.core.evidence import Evidence
from firmground.core.finding import Dependence, Fault, Findings, Prior
from firmground.core.ports import Inquiry
from firmground.core.question import Question
from firmground.decide import decide
from firmground.decide.rules.dependence import BlindDependence
from firmground.probe import DEFAULT, measure_choice, measure_free
from firmground.testing.local_server import LocalServer

AUSTRALIA = Question(text="What is the capital of Australia?")
POISON = (Evidence(text="The capital of Australia is Sydney."),)
PATIENT = CallLimits(timeout_seconds=600, tries=1)
GREEDY = replace(DEFAULT, samples=1, temperature=0.0, max_tokens=12)


def test_a_real_model_that_follows_poison_is_caught_and_the_run_can_be_repeated(
    server: LocalServer, endpoint: ModelEndpoint, tmp_path: Path
) -> None:
    async def run() -> Dependence | Fault:
        async with OpenAIModel(server.model, endpoint=endpoint, limits=PATIENT) as model:
            recorder = Recorder(model, tmp_path / "run.jsonl")
            return await measure_free(recorder, AUSTRALIA, POISON, profile=GREEDY)

    seen = asyncio.run(run())
    assert isinstance(seen, Dependence)
    assert ("Sydney" in seen.answer, "Canberra" in seen.without) == (True, True)
    assert (seen.prior, seen.sensitivity, seen.calls) == (Prior.OPPOSED, 1.0, 2)
    assert decide(Findings(dependence=seen), (BlindDependence(),)).step is Step.ABSTAIN
    again = asyncio.run(
        measure_free(Replay(tmp_path / "run.jsonl"), AUSTRALIA, POISON, profile=GREEDY)
    )
    assert again == seen


def test_a_real_models_logprobs_give_order_corrected_choices(
    server: LocalServer, endpoint: ModelEndpoint
) -> None:
    async def run() -> Dependence | Fault:
        async with OpenAIModel(server.model, endpoint=endpoint, limits=PATIENT) as model:
            return await measure_choice(model, AUSTRALIA, POISON, ("Canberra", "Sydney"))

    seen = asyncio.run(run())
    assert isinstance(seen, Dependence)
    assert seen.calls == 4  # logprobs were offered: no draws
    assert seen.interval[0] <= seen.believed_with - seen.believed_without <= seen.interval[1]
    assert 0.5 <= seen.believed_with <= 1


def test_a_real_model_is_heard_as_a_judge_and_believed_only_with_a_quotation(
    server: LocalServer, endpoint: ModelEndpoint
) -> None:
    answer = "The ferry leaves at 7:40."
    evidence = (Evidence(text="The ferry to the island leaves at 7:40.", id="e"),)
    inquiry = Inquiry(
        question=AUSTRALIA, answer=answer, claims=prose_claims(answer), evidence=evidence
    )

    async def run() -> JudgeReport:
        async with OpenAIModel(server.model, endpoint=endpoint, limits=PATIENT) as model:
            judge = LlmJudge(model, name=server.model, max_tokens=160, canary=False)
            return await judge.report(inquiry)

    report = asyncio.run(run())
    (opinion,) = report.opinions
    if opinion.standing.stands:
        assert opinion.evidence
    if opinion.standing is Standing.UNVERIFIABLE:
        assert report.faults or report.outputs
    assert report.calls == pytest.approx(1)
    assert report.costs[0].tokens > 100


def test_a_real_model_votes_or_the_claims_stay_unchecked(
    server: LocalServer, endpoint: ModelEndpoint
) -> None:
    answer = "Canberra is the capital of Australia."

    async def run() -> Consensus | Fault:
        async with OpenAIModel(server.model, endpoint=endpoint, limits=PATIENT) as model:
            return await light_check(
                AUSTRALIA,
                answer,
                prose_claims(answer),
                peers=(Peer(name=server.model, model=model),),
                generator="gpt-4o",
                settings=ConsensusSettings(reply_tokens=60),
            )

    found = asyncio.run(run())
    assert isinstance(found, Consensus)
    assert found.corrected == answer
    assert bool(found.unchecked) != bool(found.blocks[0].votes)
    assert found.agreement.families in ((), ("huggingface",))
