"""The adapter against a real llama.cpp server and a real model."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path

import pytest

from firmground.adapters.model_cache import CachedModel
from firmground.adapters.openai_model import (
    CallLimits,
    Meter,
    ModelEndpoint,
    OpenAIModel,
    Price,
    SpendLimit,
)
from firmground.adapters.transcript import Recorder, Replay
from firmground.core.loose_json import find_object
from firmground.core.ports import ModelReply, ModelRequest
from firmground.errors import ModelError
from firmground.testing.local_server import LocalServer, local_server

PATIENT = CallLimits(timeout_seconds=600, tries=1)
CAPITAL = (("user", "What is the capital of France? Answer with one word."),)
SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"city": {"type": "string"}, "sure": {"type": "boolean"}},
        "required": ["city", "sure"],
        "additionalProperties": False,
    }
)


def ask(
    endpoint: ModelEndpoint, request: ModelRequest, *, model: str, meter: Meter | None = None
) -> ModelReply:
    async def run() -> ModelReply:
        async with OpenAIModel(
            model,
            endpoint=endpoint,
            meter=meter,
            price=Price(per_million_in=1.0, per_million_out=2.0),
            limits=PATIENT,
        ) as asked:
            return await asked.complete(request)

    return asyncio.run(run())


def test_a_reply_carries_text_tokens_cost_and_logprobs(
    server: LocalServer, endpoint: ModelEndpoint
) -> None:
    meter = Meter()
    request = ModelRequest(messages=CAPITAL, max_tokens=6, top_logprobs=5)
    reply = ask(endpoint, request, model=server.model, meter=meter)
    assert reply.texts[0].strip()
    assert reply.model == server.model
    assert reply.finish[0] in ("stop", "length")
    assert reply.logprobs is not None
    assert all(len(place) == 5 for place in reply.logprobs)
    assert all(lp <= 0 for place in reply.logprobs for _, lp in place)
    assert reply.cost == pytest.approx((reply.tokens_in + 2 * reply.tokens_out) / 1e6)
    assert meter.usage.calls == 1
    assert meter.usage.tokens == reply.tokens_in + reply.tokens_out > 0


def test_logprobs_that_nobody_asked_for_are_absent(
    server: LocalServer, endpoint: ModelEndpoint
) -> None:
    reply = ask(endpoint, ModelRequest(messages=CAPITAL, max_tokens=2), model=server.model)
    assert reply.logprobs is None


def test_a_schema_is_enforced_by_the_server(server: LocalServer, endpoint: ModelEndpoint) -> None:
    request = ModelRequest(messages=CAPITAL, max_tokens=40, json_schema=SCHEMA)
    reply = ask(endpoint, request, model=server.model)
    assert reply.schema == "enforced"
    found = find_object(reply.texts[0])
    assert found is not None
    assert set(found) == {"city", "sure"}
    assert isinstance(found["sure"], bool)


def test_several_samples_come_in_one_call_and_a_seed_repeats_them(
    server: LocalServer, endpoint: ModelEndpoint
) -> None:
    request = ModelRequest(messages=CAPITAL, max_tokens=5, samples=3, seed=7, temperature=1.0)
    first = ask(endpoint, request, model=server.model)
    assert len(first.texts) == 3
    one = ModelRequest(messages=CAPITAL, max_tokens=5, seed=11, temperature=1.0)
    assert (
        ask(endpoint, one, model=server.model).texts == ask(endpoint, one, model=server.model).texts
    )


def test_more_samples_than_the_server_gives_at_once_are_asked_for_one_by_one(
    server: LocalServer, endpoint: ModelEndpoint
) -> None:
    async def run() -> tuple[ModelReply, bool, int]:
        async with OpenAIModel(server.model, endpoint=endpoint, limits=PATIENT) as model:
            request = ModelRequest(
                messages=CAPITAL, max_tokens=2, samples=6, seed=1, temperature=1.0
            )
            reply = await model.complete(request)
            return reply, model.ability.many, model.meter.usage.calls

    reply, many, calls = asyncio.run(run())
    assert len(reply.texts) == 6
    assert not many
    assert calls == 1 + 6


def test_streamed_pieces_join_to_the_whole_answer(
    server: LocalServer, endpoint: ModelEndpoint
) -> None:
    async def run() -> tuple[str, str]:
        # The server may close the connection after a stream; the next call is tried again.
        limits = CallLimits(timeout_seconds=600, tries=3)
        async with OpenAIModel(server.model, endpoint=endpoint, limits=limits) as model:
            request = ModelRequest(messages=CAPITAL, max_tokens=8)
            pieces = [piece async for piece in model.stream(request)]
            return "".join(pieces), (await model.complete(request)).texts[0]

    streamed, whole = asyncio.run(run())
    assert streamed == whole


def test_a_wrong_key_is_a_refusal_and_is_not_tried_again(
    server: LocalServer, endpoint: ModelEndpoint
) -> None:
    meter = Meter()
    wrong = ModelEndpoint(base_url=endpoint.base_url, api_key="wrong")
    with pytest.raises(ModelError, match="401") as caught:
        ask(wrong, ModelRequest(messages=CAPITAL), model=server.model, meter=meter)
    assert caught.value.kind == "refused"
    assert meter.usage.retries == 0
    assert "wrong" not in repr(wrong)


def test_a_prompt_longer_than_the_window_is_an_error_not_a_shorter_prompt(
    server: LocalServer, endpoint: ModelEndpoint
) -> None:
    long = ModelRequest(messages=(("user", "word " * 4000),), max_tokens=2)
    with pytest.raises(ModelError, match="context"):
        ask(endpoint, long, model=server.model)


def test_a_server_that_is_too_slow_is_a_time_out(
    server: LocalServer, endpoint: ModelEndpoint
) -> None:
    async def run() -> None:
        limits = CallLimits(timeout_seconds=0.004, tries=2, backoff_seconds=0.0)
        async with OpenAIModel(server.model, endpoint=endpoint, limits=limits) as model:
            try:
                await model.complete(ModelRequest(messages=CAPITAL, max_tokens=400))
            finally:
                assert model.meter.usage.retries == 1

    with pytest.raises(ModelError, match="in time") as caught:
        asyncio.run(run())
    assert caught.value.kind == "timeout"


def test_a_budget_that_is_spent_stops_the_next_call(
    server: LocalServer, endpoint: ModelEndpoint
) -> None:
    meter = Meter(SpendLimit(tokens=1))
    request = ModelRequest(messages=CAPITAL, max_tokens=2)
    ask(endpoint, request, model=server.model, meter=meter)
    with pytest.raises(ModelError, match="budget of tokens") as caught:
        ask(endpoint, request, model=server.model, meter=meter)
    assert caught.value.kind == "limit"
    assert meter.usage.calls == 1


def test_a_call_is_paid_for_once_and_a_run_can_be_replayed_without_the_server(
    server: LocalServer, endpoint: ModelEndpoint, tmp_path: Path
) -> None:
    request = ModelRequest(messages=CAPITAL, max_tokens=3, top_logprobs=3)

    async def run() -> tuple[ModelReply, ModelReply, int]:
        async with OpenAIModel(server.model, endpoint=endpoint, limits=PATIENT) as bare:
            model = CachedModel(
                inner=Recorder(bare, tmp_path / "run.jsonl"), folder=tmp_path / "cache"
            )
            return (
                await model.complete(request),
                await model.complete(request),
                bare.meter.usage.calls,
            )

    first, second, calls = asyncio.run(run())
    assert calls == 1
    assert second.cached
    assert (first.texts, first.logprobs) == (second.texts, second.logprobs)
    replayed = asyncio.run(Replay(tmp_path / "run.jsonl").complete(request))
    assert (replayed.texts, replayed.logprobs) == (first.texts, first.logprobs)


def test_a_server_that_dies_in_the_middle_of_an_answer_is_a_failure_not_a_short_answer(
    server: LocalServer,
) -> None:
    async def run() -> str:
        with local_server(n_ctx=2048, slots=1) as doomed:
            where = ModelEndpoint(base_url=doomed.base_url, api_key=doomed.api_key)
            async with OpenAIModel(doomed.model, endpoint=where, limits=PATIENT) as model:
                text = ""
                request = ModelRequest(
                    messages=(("user", "Write a long story about the sea."),), max_tokens=600
                )
                async for piece in model.stream(request):
                    text += piece
                    if len(text) > 20:
                        doomed.kill()
                return text

    with pytest.raises(ModelError) as caught:
        asyncio.run(run())
    assert caught.value.kind == "unreachable"


def test_nobody_listening_is_unreachable(endpoint: ModelEndpoint) -> None:
    nowhere = ModelEndpoint(base_url="http://127.0.0.1:9/v1")
    with pytest.raises(ModelError) as caught:
        ask(nowhere, ModelRequest(messages=CAPITAL), model="m")
    assert caught.value.kind == "unreachable"


def test_the_server_can_be_started_from_a_shell_and_says_how_to_reach_it(
    server: LocalServer,
) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "firmground.testing.local_server"],
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    ) as process:
        try:
            assert process.stdout is not None
            told = process.stdout.readline().split()
            url = told[1].removeprefix("OPENAI_BASE_URL=")
            key = told[2].removeprefix("OPENAI_API_KEY=")
            request = ModelRequest(messages=CAPITAL, max_tokens=4)
            reply = ask(ModelEndpoint(base_url=url, api_key=key), request, model=server.model)
        finally:
            process.terminate()
    assert reply.texts[0]
