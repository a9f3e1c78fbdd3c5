"""The adapter's own promises, over real HTTP with scripted replies."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable, Coroutine
from dataclasses import replace
from datetime import UTC, datetime
from math import nan
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.models.wire_server import Answer, completion, refusal, wire

from firmground.adapters.llm_judge import JudgePanel, LlmJudge
from firmground.adapters.model_cache import CachedModel
from firmground.adapters.openai_model import (
    CallLimits,
    Meter,
    ModelEndpoint,
    OpenAIModel,
    SpendLimit,
)
from firmground.adapters.openai_model.pace import Pacer, backoff_seconds, retry_after_seconds
from firmground.adapters.transcript import Recorder, Replay
from firmground.consensus import Peer, cross_check
from firmground.core.claim import Claim
from firmground.core.evidence import Evidence
from firmground.core.ports import Inquiry, Model, ModelReply, ModelRequest
from firmground.core.question import Question
from firmground.core.request import reply_from_value, reply_value, request_key
from firmground.errors import ConfigError, InputError, MissingExtra, ModelError
from firmground.probe import measure_choice, measure_claims, measure_free
from firmground.testing import FunctionModel, local_server

pytest.importorskip("openai", reason="the extra 'llm' is not installed")

HELLO = ModelRequest(messages=(("user", "hello"),), max_tokens=5)
SCHEMA = json.dumps({"type": "object", "properties": {"a": {"type": "integer"}}})


def asked(
    url: str, request: ModelRequest = HELLO, *, limits: CallLimits | None = None
) -> tuple[ModelReply, OpenAIModel, list[float]]:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    async def run() -> tuple[ModelReply, OpenAIModel]:
        async with OpenAIModel(
            "m", endpoint=ModelEndpoint(base_url=url), limits=limits, sleep=sleep
        ) as model:
            return await model.complete(request), model

    reply, model = asyncio.run(run())
    return reply, model, waits


def test_a_busy_server_is_asked_again_when_it_says_so() -> None:
    def answer(body: dict[str, Any], number: int) -> Answer:
        if number == 1:
            return refusal(429, "slow down", retry_after="7")
        if number == 2:
            return refusal(503, "loading")
        return 200, {}, completion("hi")

    with wire(answer) as server:
        reply, model, waits = asked(server.base_url)
    assert reply.texts == ("hi",)
    assert waits[0] == 7.0
    assert 0 < waits[1] <= 1.0
    assert (model.meter.usage.calls, model.meter.usage.retries) == (1, 2)


def test_a_server_that_asks_for_too_long_a_wait_is_given_up_on() -> None:
    with (
        wire(
            lambda body, number: refusal(429, "come back tomorrow", retry_after="86400")
        ) as server,
        pytest.raises(ModelError, match="come back tomorrow") as caught,
    ):
        asked(server.base_url)
    assert caught.value.kind == "limit"
    assert len(server.seen) == 1


def test_a_bad_request_is_not_sent_twice() -> None:
    with (
        wire(lambda body, number: refusal(400, "no such thing")) as server,
        pytest.raises(ModelError, match="no such thing"),
    ):
        asked(server.base_url)
    assert len(server.seen) == 1


@pytest.mark.parametrize(
    "document",
    [
        completion(None),
        completion("  \n"),
        completion("x") | {"choices": []},
        completion("x") | {"choices": None},
        b"<html>gateway</html>",
        b"[]",
        b"null",
        b"{}",
    ],
)
def test_a_reply_without_text_is_a_failure_never_an_empty_answer(document: Any) -> None:
    with wire(lambda body, number: (200, {}, document)) as server, pytest.raises(ModelError):
        asked(server.base_url, limits=CallLimits(tries=1))


def test_a_refusal_of_the_model_is_said_to_be_one() -> None:
    document = completion("x")
    document["choices"][0]["message"] = {"role": "assistant", "content": None, "refusal": "No."}
    with (
        wire(lambda body, number: (200, {}, document)) as server,
        pytest.raises(ModelError, match="refused") as caught,
    ):
        asked(server.base_url)
    assert caught.value.kind == "refused"


def test_a_schema_steps_down_to_json_and_then_to_words_and_the_reply_says_so() -> None:
    def answer(body: dict[str, Any], number: int) -> Answer:
        kind = body.get("response_format", {}).get("type")
        if kind == "json_schema":
            return refusal(400, "response_format json_schema is not supported")
        if kind == "json_object":
            return refusal(400, "'response_format' is an unknown field")
        return 200, {}, completion('{"a": 1}')

    request = ModelRequest(messages=HELLO.messages, json_schema=SCHEMA)
    with wire(answer) as server:
        reply, model, _ = asked(server.base_url, request)
    assert reply.schema == "asked"
    assert model.ability.schema == "asked"
    assert [body.get("response_format", {}).get("type") for body in server.seen] == [
        "json_schema",
        "json_object",
        None,
    ]


def test_logprobs_that_an_endpoint_does_not_offer_are_absent_not_invented() -> None:
    def answer(body: dict[str, Any], number: int) -> Answer:
        if body.get("logprobs"):
            return refusal(400, "logprobs are not supported by this model")
        return 200, {}, completion("B")

    request = ModelRequest(messages=HELLO.messages, top_logprobs=5)
    with wire(answer) as server:
        reply, model, _ = asked(server.base_url, request)
    assert reply.logprobs is None
    assert not model.ability.logprobs


def test_silently_ignored_logprobs_are_absent_too() -> None:
    request = ModelRequest(messages=HELLO.messages, top_logprobs=5)
    with wire(lambda body, number: (200, {}, completion("B"))) as server:
        assert asked(server.base_url, request)[0].logprobs is None


def test_models_that_want_another_name_for_the_token_limit_get_it() -> None:
    def answer(body: dict[str, Any], number: int) -> Answer:
        if "max_tokens" in body:
            return refusal(400, "use 'max_completion_tokens' instead")
        return 200, {}, completion("hi")

    with wire(answer) as server:
        asked(server.base_url)
    assert server.seen[-1]["max_completion_tokens"] == 5


def test_azure_is_reached_by_deployment_and_version() -> None:
    async def run(url: str) -> ModelReply:
        endpoint = ModelEndpoint(base_url=url, api_key="k", azure_api_version="2026-01-01")
        async with OpenAIModel("my-deployment", endpoint=endpoint) as model:
            return await model.complete(HELLO)

    with wire(lambda body, number: (200, {}, completion("hi"))) as server:
        assert asyncio.run(run(server.base_url.removesuffix("/v1"))).texts == ("hi",)
    assert "/openai/deployments/my-deployment/" in server.paths[0]
    assert "api-version=2026-01-01" in server.paths[0]


def test_the_environment_names_what_is_missing() -> None:
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        ModelEndpoint.from_environment(environ={})
    with pytest.raises(ConfigError, match="OPENAI_API_VERSION"):
        ModelEndpoint.from_environment(
            environ={"AZURE_OPENAI_ENDPOINT": "https://x", "AZURE_OPENAI_API_KEY": "k"}
        )
    local = ModelEndpoint.from_environment(environ={"OPENAI_BASE_URL": "http://127.0.0.1:1/v1/"})
    assert local.base_url == "http://127.0.0.1:1/v1"
    with pytest.raises(ConfigError, match="http"):
        ModelEndpoint(base_url="127.0.0.1:8080")


KEYED = {"OPENAI_API_KEY": "sk-openai"}


@pytest.mark.parametrize(
    "url",
    [
        "https://api.third-party.example/v1",
        "https://api.openai.com.evil.example/v1",
        "https://notopenai.com/v1",
        "http://api.openai.com/v1",
        "https://localhost.evil.example/v1",
        "http://10.0.0.7:8000/v1",
        "https://api.openai.com@evil.example/v1",
        "https://evil.example\\.openai.com/v1",
        "https://evil.example#@api.openai.com/v1",
        "https://evil.example\\@api.openai.com/v1",
    ],
)
def test_the_openai_key_goes_to_no_third_party(url: str) -> None:
    try:
        made = ModelEndpoint.from_environment(base_url=url, environ=KEYED)
    except ConfigError:
        return
    assert made.api_key != "sk-openai"


@pytest.mark.parametrize(
    "url",
    [
        "https://api.openai.com/v1",
        "https://eu.api.openai.com/v1",
        "http://127.0.0.1:8080/v1",
        "http://[::1]:8080/v1",
        "http://localhost:8080/v1",
    ],
)
def test_the_openai_key_goes_to_openai_and_to_this_machine(url: str) -> None:
    assert ModelEndpoint.from_environment(base_url=url, environ=KEYED).api_key == "sk-openai"


def test_the_openai_key_goes_where_the_user_pointed_the_environment_and_to_no_neighbour() -> None:
    env = {**KEYED, "OPENAI_BASE_URL": "https://gateway.example/v1"}
    assert ModelEndpoint.from_environment(environ=env).api_key == "sk-openai"
    same = ModelEndpoint.from_environment(base_url="https://gateway.example/v2", environ=env)
    assert same.api_key == "sk-openai"
    for other in ("https://gateway.example:8443/v1", "http://gateway.example/v1"):
        made = ModelEndpoint.from_environment(base_url=other, environ=env)
        assert made.api_key != "sk-openai"


def test_a_key_is_read_from_the_variable_that_is_named_and_from_no_other() -> None:
    env = {**KEYED, "THEIRS": "sk-theirs"}
    url = "https://api.third-party.example/v1"
    assert ModelEndpoint.with_key_from("THEIRS", base_url=url, environ=env).api_key == "sk-theirs"
    with pytest.raises(ConfigError, match="MINE is not set"):
        ModelEndpoint.with_key_from("MINE", base_url=url, environ=env)


def test_a_redirect_is_not_followed_with_key_and_question() -> None:
    with (
        wire(lambda body, number: (200, {}, completion("caught"))) as other,
        wire(
            lambda body, number: (307, {"location": f"{other.base_url}/chat/completions"}, {})
        ) as server,
    ):

        async def run() -> None:
            async with OpenAIModel("m", endpoint=ModelEndpoint(base_url=server.base_url)) as model:
                await model.complete(HELLO)

        with pytest.raises(ModelError, match="307"):
            asyncio.run(run())
    assert not other.seen


def test_a_refusal_of_a_call_without_key_says_where_keys_come_from() -> None:
    async def run(url: str) -> None:
        async with OpenAIModel("m", endpoint=ModelEndpoint(base_url=url)) as model:
            await model.complete(HELLO)

    with (
        wire(lambda body, number: refusal(401, "who are you?")) as server,
        pytest.raises(ModelError, match="api_key_env") as caught,
    ):
        asyncio.run(run(server.base_url))
    assert caught.value.kind == "refused"


def test_one_model_serves_several_event_loops() -> None:
    with wire(lambda body, number: (200, {}, completion("hi"))) as server:
        model = OpenAIModel("m", endpoint=ModelEndpoint(base_url=server.base_url))

        async def once() -> str:
            try:
                return (await model.complete(HELLO)).texts[0]
            finally:
                await model.aclose()

        assert asyncio.run(once()) == asyncio.run(once()) == "hi"


def test_no_more_calls_run_at_once_than_allowed() -> None:
    active = most = 0
    import threading
    import time

    lock = threading.Lock()

    def answer(body: dict[str, Any], number: int) -> Answer:
        nonlocal active, most
        with lock:
            active += 1
            most = max(most, active)
        time.sleep(0.02)
        with lock:
            active -= 1
        return 200, {}, completion("hi")

    async def run(url: str) -> None:
        endpoint = ModelEndpoint(base_url=url)
        async with (
            OpenAIModel("m", endpoint=endpoint, limits=CallLimits(concurrency=2)) as model,
            asyncio.TaskGroup() as group,
        ):
            for _ in range(8):
                group.create_task(model.complete(HELLO))

    with wire(answer) as server:
        asyncio.run(run(server.base_url))
    assert most == 2


def test_zero_calls_is_a_budget_and_not_the_absence_of_one() -> None:
    meter = Meter(SpendLimit(calls=0))
    with pytest.raises(ModelError, match="budget of calls"):
        meter.start_call()
    Meter(SpendLimit()).start_call()
    with pytest.raises(ConfigError, match=r"budget\.tokens"):
        SpendLimit(tokens=-1)


def test_calls_are_spaced_under_a_rate_limit() -> None:
    pacer = Pacer(per_minute=60)
    assert [pacer.wait_seconds(now) for now in (100.0, 100.0, 100.5, 200.0)] == [0, 1, 1.5, 0]
    assert Pacer(per_minute=None).wait_seconds(5.0) == 0


def test_retry_after_is_read_as_seconds_or_as_a_date() -> None:
    now = datetime(2026, 1, 1, tzinfo=UTC)
    assert retry_after_seconds("3", now=now) == 3
    assert retry_after_seconds("Thu, 01 Jan 2026 00:00:09 GMT", now=now) == 9
    assert retry_after_seconds("soon", now=now) is None
    assert retry_after_seconds("nan", now=now) is None
    assert retry_after_seconds(None) is None


@settings(deadline=None)
@given(st.integers(0, 40), st.floats(0, 0.999))
def test_waits_grow_stay_bounded_and_never_undercut_the_server(attempt: int, jitter: float) -> None:
    wait = backoff_seconds(attempt, retry_after=None, base=0.5, most=20, jitter=jitter)
    assert 0 < wait <= 20
    assert backoff_seconds(attempt, retry_after=33.0, base=0.5, most=20, jitter=jitter) == 33.0


BASE = ModelRequest(messages=(("user", "q"),), temperature=0.5, max_tokens=3, seed=1, samples=2)


@pytest.mark.parametrize(
    "other",
    [
        {"messages": (("user", "q "),)},
        {"messages": (("system", "q"),)},
        {"temperature": 0.6},
        {"max_tokens": 4},
        {"max_tokens": None},
        {"seed": 2},
        {"seed": None},
        {"samples": 3},
        {"top_logprobs": 1},
        {"json_schema": "{}"},
    ],
)
def test_everything_that_could_change_a_reply_changes_the_name_of_the_call(
    other: dict[str, Any],
) -> None:
    from dataclasses import fields, replace

    key = request_key(BASE, endpoint="e", model="m")
    assert request_key(replace(BASE, **other), endpoint="e", model="m") != key
    assert request_key(BASE, endpoint="f", model="m") != key
    assert request_key(BASE, endpoint="e", model="n") != key
    assert {f.name for f in fields(ModelRequest)} == {
        "messages", "temperature", "max_tokens", "seed", "samples", "top_logprobs", "json_schema",
        "prompts",
    }  # fmt: skip
    # Where the words come from is not sent, and so cannot change a reply.
    assert request_key(replace(BASE, prompts=(("p", "d"),)), endpoint="e", model="m") == key
    assert request_key(BASE, endpoint="e", model="m", owner="somebody") != key


class Named(FunctionModel):
    where = "here"


def test_a_damaged_cache_entry_is_asked_again(tmp_path: Path) -> None:
    said = iter(["one", "two", "three"])
    model = CachedModel(inner=Named(function=lambda request: next(said)), folder=tmp_path)
    assert isinstance(model, Model)
    assert asyncio.run(model.complete(BASE)).texts == ("one",)
    (entry,) = tmp_path.rglob("*.json")
    entry.write_bytes(entry.read_bytes()[:-3])
    assert asyncio.run(model.complete(BASE)).texts == ("two",)
    assert asyncio.run(model.complete(BASE)).texts == ("two",)


def test_failures_are_recorded_and_replayed_as_failures(tmp_path: Path) -> None:
    def fail(request: ModelRequest) -> str:
        raise ModelError("gone", kind="timeout")

    recorder = Recorder(Named(function=fail), tmp_path / "t.jsonl")
    with pytest.raises(ModelError):
        asyncio.run(recorder.complete(BASE))
    with pytest.raises(ModelError, match="gone") as caught:
        asyncio.run(Replay(tmp_path / "t.jsonl").complete(BASE))
    assert caught.value.kind == "timeout"


def test_a_replay_answers_in_order_and_refuses_what_was_never_asked(tmp_path: Path) -> None:
    said = iter(["one", "two"])
    recorder = Recorder(Named(function=lambda request: next(said)), tmp_path / "t.jsonl")
    for _ in range(2):
        asyncio.run(recorder.complete(BASE))
    replay = Replay(tmp_path / "t.jsonl")
    assert [asyncio.run(replay.complete(BASE)).texts[0] for _ in range(2)] == ["one", "two"]
    with pytest.raises(ModelError, match="no further reply"):
        asyncio.run(replay.complete(BASE))
    with pytest.raises(ModelError, match="no further reply"):
        asyncio.run(replay.complete(HELLO))


def test_a_broken_transcript_names_the_line(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text("{}\n")
    with pytest.raises(InputError, match=r"t\.jsonl:1"):
        Replay(path)
    path.write_text("not json\n")
    with pytest.raises(InputError, match=r"t\.jsonl:1"):
        Replay(path)


@settings(max_examples=50, deadline=None)
@given(st.text(), st.lists(st.tuples(st.text(), st.floats(-100, 0)), max_size=4))
def test_a_reply_survives_being_written_down(text: str, places: list[tuple[str, float]]) -> None:
    reply = ModelReply(texts=(text,), model="m", logprobs=(tuple(places),), cost=0.1)
    assert reply_from_value(reply_value(reply), where="x") == reply


def test_a_lone_surrogate_reaches_the_endpoint_as_one_replacement_character() -> None:
    with wire(lambda body, number: (200, {}, completion("ok"))) as server:
        asked(server.base_url, ModelRequest(messages=(("user", "a\ud800b"),)))
    assert server.seen[0]["messages"][0]["content"] == "a\ufffdb"


def test_without_the_client_the_error_says_what_to_type(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    with pytest.raises(MissingExtra, match=r"firmground\[llm\]"):
        asked("http://127.0.0.1:9/v1")


def test_without_the_client_every_room_says_what_to_type_and_wraps_it_in_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "openai", None)
    model = OpenAIModel("m", endpoint=ModelEndpoint(base_url="http://127.0.0.1:9/v1"))
    question, evidence = Question(text="q?"), (Evidence(text="It is so."),)
    claim = Claim(text="It is so.", start=0, end=9)
    inquiry = Inquiry(question=question, answer="It is so.", claims=(claim,), evidence=evidence)
    rooms: tuple[Callable[[], Coroutine[Any, Any, Any]], ...] = (
        lambda: measure_free(model, question, evidence),
        lambda: measure_choice(model, question, evidence, ("yes", "no")),
        lambda: measure_claims(model, question, (claim,), evidence),
        lambda: cross_check(question, "It is so.", (claim,), peers=(Peer(name="m", model=model),)),
        lambda: JudgePanel([LlmJudge(model, name="m")]).report(inquiry),
        lambda: model.complete(replace(HELLO, samples=3)),
    )
    for asking in rooms:
        with pytest.raises(MissingExtra, match=r"firmground\[llm\]"):
            asyncio.run(asking())


def test_an_ill_formed_request_is_refused_as_such_also_where_samples_come_singly() -> None:
    async def run() -> None:
        model = OpenAIModel("m", endpoint=ModelEndpoint(base_url="http://127.0.0.1:9/v1"))
        model.ability = replace(model.ability, many=False)
        await model.complete(ModelRequest(messages=(), samples=2))

    with pytest.raises(InputError, match="at least one message"):
        asyncio.run(run())


def test_samples_that_had_to_be_asked_for_singly_are_so_many_calls() -> None:
    def answer(body: dict[str, Any], number: int) -> Answer:
        if body.get("n", 1) > 1:
            return refusal(400, "n > 1 is not supported")
        return 200, {}, completion("hi")

    with wire(answer) as server:
        reply, _, _ = asked(server.base_url, replace(HELLO, samples=3, seed=0))
    assert (len(reply.texts), reply.calls) == (3, 3)
    assert reply_from_value(reply_value(reply), where="x").calls == 3
    with wire(lambda body, number: (200, {}, completion("hi", n=body.get("n", 1)))) as server:
        assert asked(server.base_url, replace(HELLO, samples=3))[0].calls == 1


def test_without_the_server_package_the_tests_say_why_they_are_skipped(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(local_server, "find_spec", lambda name: None)
    assert "pip install xllamacpp" in (local_server.missing() or "")
    with pytest.raises(MissingExtra), local_server.local_server():
        pass


def test_a_logprob_that_is_no_number_is_left_out_of_the_reply() -> None:
    ranked = [{"token": t, "logprob": p, "bytes": None} for t, p in (("A", nan), ("B", -0.5))]
    place = {**ranked[0], "top_logprobs": ranked}
    body = completion("A")
    body["choices"][0]["logprobs"] = {"content": [place], "refusal": None}

    async def run(url: str) -> ModelReply:
        async with OpenAIModel("m", endpoint=ModelEndpoint(base_url=url)) as model:
            return await model.complete(replace(HELLO, top_logprobs=2))

    with wire(lambda asked, number: (200, {}, body)) as server:
        assert asyncio.run(run(server.base_url)).logprobs == ((("B", -0.5),),)
