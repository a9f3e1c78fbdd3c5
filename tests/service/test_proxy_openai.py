"""The official ``openai`` client against the proxy, with a scripted model behind it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openai
import pytest
from tests.service.conftest import Server
from tests.service.upstream import MODEL, Plan, UpstreamThread

EVIDENCE = "The Alder bridge opened in 1932. It carries 40,000 cars a day. It is 300 metres long."
TRUE = "The Alder bridge opened in 1932. It carries 40,000 cars a day."
FALSE = "The Alder bridge opened in 1932. It carries 91,777 cars a day. It is 300 metres long."
MESSAGES: Any = [
    {"role": "system", "content": f"Use only this.\n<document>{EVIDENCE}</document>"},
    {"role": "user", "content": "Tell me about the Alder bridge."},
]
TOOLS: Any = [
    {"type": "function", "function": {"name": "look_up", "parameters": {"type": "object"}}}
]


class Behind:
    """A proxy over a scripted upstream, and a client of it."""

    def __init__(self, folder: Path, settings: str = "", server: type[Server] = Server) -> None:
        self.next = Plan(texts=[TRUE])
        self.plans: list[Plan] = []
        self.thread = UpstreamThread(self._plan)
        self.upstream = self.thread.upstream
        table = (
            f'[proxy]\n{settings}\n[[proxy.upstream]]\nname = "up"\n'
            f'base_url = "{self.upstream.url}"\nmodels = ["{MODEL}", "gpt-*"]\n'
            'key_file = "up.key"\n'
        )
        (folder / "up.key").write_text("sk-upstream\n")
        self.server = server(folder, table)
        self.key = self.server.key("check", "read")
        self.client = self.client_with(self.key)

    def _plan(self, body: dict[str, Any]) -> Plan:
        return self.plans.pop(0) if self.plans else self.next

    def client_with(self, key: str) -> openai.OpenAI:
        url = f"http://127.0.0.1:{self.server.port}/v1"
        return openai.OpenAI(base_url=url, api_key=key, max_retries=0, timeout=60)

    def chat(self, **more: Any) -> Any:
        return self.client.chat.completions.create(**{"model": MODEL, "messages": MESSAGES, **more})

    def stream(self, **more: Any) -> list[Any]:
        return list(self.chat(stream=True, **more))

    def run(self, name: str) -> Any:
        return self.server.call("GET", f"/api/v1/runs/{name}", key=self.key).json

    def close(self) -> None:
        self.client.close()
        self.server.stop()
        self.thread.close()


def text_of(chunks: list[Any]) -> str:
    return "".join(c.choices[0].delta.content or "" for c in chunks if c.choices)


def verdict_of(chunks: list[Any]) -> Any:
    return next(c.firmground for c in chunks if getattr(c, "firmground", None))


@pytest.fixture(scope="module")
def hold(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Behind]:
    made = Behind(tmp_path_factory.mktemp("hold"), "breaker = { threshold = 1000 }")
    yield made
    made.close()


@pytest.fixture(scope="module")
def window(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Behind]:
    made = Behind(tmp_path_factory.mktemp("window"), 'mode = "window"')
    yield made
    made.close()


@pytest.fixture(params=["hold", "window"])
def behind(request: pytest.FixtureRequest) -> Behind:
    made: Behind = request.getfixturevalue(request.param)
    made.next, made.plans = Plan(texts=[TRUE]), []
    made.upstream.asked.clear()
    return made


def test_an_answer_that_stands_arrives_whole_with_its_verdict_and_record(behind: Behind) -> None:
    raw = behind.client.chat.completions.with_raw_response.create(model=MODEL, messages=MESSAGES)
    reply: Any = raw.parse()
    assert (reply.choices[0].message.content, reply.choices[0].finish_reason) == (TRUE, "stop")
    assert (reply.usage.prompt_tokens, reply.usage.total_tokens) == (7, 18)
    found = reply.firmground
    assert (found["label"], found["verdict"], found["delivery"]) == ("VERIFIED", "stands", "whole")
    assert (
        raw.headers["x-firmground-record"] == f"{found['run']}; label=VERIFIED; log={found['log']}"
    )
    assert float(raw.headers["x-firmground-overhead-ms"]) >= 0
    kept = behind.run(found["run"])
    assert kept["seq"] == found["log"]
    assert kept["label"]["surface"] == "chat"


def test_an_answer_that_falls_is_replaced_by_a_notice(behind: Behind) -> None:
    behind.next = Plan(texts=[FALSE])
    reply = behind.chat()
    content = reply.choices[0].message.content
    assert "91,777" not in reply.to_json()
    assert "withheld" in content
    assert reply.choices[0].finish_reason == "content_filter"
    assert reply.firmground["label"] == "WITHHELD"


@pytest.mark.parametrize("size", [1, 3, 11, 400])
def test_a_stream_that_stands_arrives_whole(behind: Behind, size: int) -> None:
    behind.next = Plan(texts=[TRUE[at : at + size] for at in range(0, len(TRUE), size)])
    chunks = behind.stream()
    assert text_of(chunks) == TRUE
    assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] == "stop"
    assert verdict_of(chunks)["label"] == "VERIFIED"


def test_a_stream_that_falls_ends_with_a_notice_and_content_filter(behind: Behind) -> None:
    behind.next = Plan(texts=[FALSE[at : at + 4] for at in range(0, len(FALSE), 4)])
    chunks = behind.stream()
    assert "91,777" not in "".join(c.to_json() for c in chunks)
    assert [c.choices[0].finish_reason for c in chunks if c.choices][-1] == "content_filter"
    found = verdict_of(chunks)
    assert (found["label"], found["verdict"]) == ("WITHHELD", "does_not_stand")
    said = text_of(chunks)
    if behind.run(found["run"])["label"]["mode"] == "window":
        assert said.startswith("The Alder bridge opened in 1932. ")
    else:
        assert said.startswith("[firmground")


def test_usage_of_a_stream_comes_when_it_is_asked_for(behind: Behind) -> None:
    chunks = behind.stream(stream_options={"include_usage": True})
    assert chunks[-1].usage.total_tokens == 18
    assert not any(c.usage for c in behind.stream())


def test_several_choices_are_checked_one_by_one(behind: Behind) -> None:
    behind.next = Plan(texts=[TRUE], others=[[FALSE], ["It is 300 metres long."]])
    reply = behind.chat(n=3)
    assert [c.finish_reason for c in reply.choices] == ["stop", "content_filter", "stop"]
    assert reply.choices[2].message.content == "It is 300 metres long."
    assert "91,777" not in reply.to_json()
    labels = [c["label"] for c in reply.firmground["choices"]]
    assert labels == ["VERIFIED", "WITHHELD", "VERIFIED"]
    behind.next = Plan(texts=[TRUE], others=[[FALSE[:50], FALSE[50:]]])
    chunks = behind.stream(n=2)
    first = [
        c.choices[0].delta.content or "" for c in chunks if c.choices and not c.choices[0].index
    ]
    assert "".join(first) == TRUE
    assert "91,777" not in "".join(c.to_json() for c in chunks)


def test_tool_calls_and_their_results_pass(behind: Behind) -> None:
    behind.next = Plan(calls=[("look_up", '{"name": "Alder bridge"}')])
    ask: Any = [{"role": "user", "content": "When did the Alder bridge open?"}]
    for reply in (behind.chat(messages=ask, tools=TOOLS),):
        call = reply.choices[0].message.tool_calls[0]
        assert (call.function.name, reply.choices[0].finish_reason) == ("look_up", "tool_calls")
        assert json.loads(call.function.arguments) == {"name": "Alder bridge"}
        assert reply.firmground["label"] == "TOOL-CALLS"
    chunks = behind.stream(messages=ask, tools=TOOLS)
    parts = [
        c.choices[0].delta.tool_calls[0]
        for c in chunks
        if c.choices and c.choices[0].delta.tool_calls
    ]
    assert [p.function.arguments for p in parts] == ['{"name": "Alder bridge"}']
    made = {"role": "assistant", "content": None, "tool_calls": [call.model_dump()]}
    told = {"role": "tool", "tool_call_id": call.id, "content": EVIDENCE}
    behind.next = Plan(texts=["It opened in 1932."])
    final = behind.chat(messages=[*ask, made, told], tools=TOOLS)
    assert final.choices[0].message.content == "It opened in 1932."
    assert final.firmground["verdict"] == "stands"
    behind.next = Plan(texts=["It opened in 1877."])
    assert "1877" not in behind.chat(messages=[*ask, made, told], tools=TOOLS).to_json()


@pytest.mark.parametrize(
    "calls",
    [
        [("other", "{}")],
        [("look_up", "{")],
        [("look_up", "[1]")],
        [("look_up", '{"say": "The Alder bridge opened in 1877 and is painted blue all over."}')],
    ],
)
def test_tool_calls_that_state_something_or_are_broken_are_withheld(
    behind: Behind, calls: list[tuple[str, str]]
) -> None:
    behind.next = Plan(calls=calls)
    reply = behind.chat(tools=TOOLS)
    assert reply.choices[0].message.tool_calls is None
    assert reply.choices[0].finish_reason == "content_filter"
    assert "1877" not in reply.to_json()


def test_reasoning_is_withheld_and_refusals_are_held_to_the_rule(behind: Behind) -> None:
    behind.next = Plan(texts=[TRUE], reasoning="Perhaps it opened in 1877.")
    assert "1877" not in behind.chat().to_json()
    assert "1877" not in "".join(c.to_json() for c in behind.stream())
    behind.next = Plan(refusal="I'm sorry, but I can't help with that.")
    assert behind.chat().choices[0].message.refusal == "I'm sorry, but I can't help with that."
    behind.next = Plan(refusal="I refuse. The Alder bridge opened in 1877.")
    assert "1877" not in behind.chat().to_json()


def test_no_evidence_is_refused_and_never_silently_fine(behind: Behind) -> None:
    ask: Any = [{"role": "user", "content": "When did the Alder bridge open?"}]
    with pytest.raises(openai.UnprocessableEntityError) as caught:
        behind.chat(messages=ask)
    assert caught.value.code == "no_evidence"
    assert behind.upstream.asked == []
    behind.next = Plan(texts=["It opened in 1932."])
    reply = behind.chat(messages=ask, tools=TOOLS)
    assert reply.firmground["label"] == "WITHHELD"
    assert "1932" not in reply.to_json()


def test_evidence_is_taken_from_the_extension_field_first(behind: Behind) -> None:
    behind.next = Plan(texts=["The Elm tunnel opened in 1990."])
    more = {"firmground": {"evidence": ["The Elm tunnel opened in 1990."]}}
    reply = behind.chat(extra_body=more)
    assert reply.firmground["label"] == "VERIFIED"
    assert "firmground" not in behind.upstream.asked[-1]
    assert behind.chat().firmground["label"] == "WITHHELD"


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"api_base": "http://127.0.0.1:1"}, "api_base"),
        ({"base_url": "http://127.0.0.1:1"}, "base_url"),
        ({"extra_headers": {"a": "b"}}, "extra_headers"),
        ({"logprobs": True}, "logprobs"),
        ({"n": 100}, "n"),
        ({"modalities": ["audio"]}, "modalities"),
        ({"firmground": {"policy": "advisory"}}, "firmground.policy"),
        ({"firmground": {"mode": "annotate"}}, "firmground.mode"),
        ({"firmground": {"evidence": [1]}}, "firmground.evidence"),
        ({"messages": []}, "messages"),
    ],
)
def test_fields_that_would_go_around_the_check_are_refused(
    behind: Behind, more: dict[str, Any], field: str
) -> None:
    with pytest.raises(openai.UnprocessableEntityError) as caught:
        behind.chat(extra_body=more)
    assert caught.value.param == field
    assert behind.upstream.asked == []


def test_keys_of_upstreams_stay_on_the_server(behind: Behind) -> None:
    behind.chat()
    assert behind.upstream.keys[-1] == "bearer sk-upstream"
    assert behind.key.lower() not in " ".join(behind.upstream.keys)
    assert "sk-upstream" not in behind.server.log()


def test_models_are_listed_and_unknown_ones_refused(behind: Behind) -> None:
    assert [m.id for m in behind.client.models.list()] == [MODEL]
    assert behind.client.models.retrieve(MODEL).id == MODEL
    with pytest.raises(openai.NotFoundError) as caught:
        behind.chat(model="claude")
    assert caught.value.code == "unknown_model"
    with pytest.raises(openai.AuthenticationError):
        behind.client_with("fg_wrong").models.list()
    with pytest.raises(openai.PermissionDeniedError):
        behind.client_with(behind.server.key("read")).models.list()


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("plan", "status", "code"),
    [
        (Plan(status=500, raw=b"secret words"), 502, "upstream_failed"),
        (Plan(status=401, raw=b'{"error": {"message": "bad key sk-upstream"}}'), 502,
         "upstream_credentials"),
        (Plan(status=429, raw=b"{}", headers=["Retry-After: 9"]), 429, "rate_limit_exceeded"),
        (Plan(status=400, raw=b'{"error": {"message": "x", "code": "context_length_exceeded"}}'),
         400, "context_length_exceeded"),
        (Plan(raw=b"<html>"), 502, None),
        (Plan(raw=b""), 502, None),
        (Plan(raw=b"{}", headers=["Content-Encoding: gzip"]), 502, "upstream_unreadable"),
        (Plan(raw=b'data: {"error": {"message": "secret words"}}\n\n'), 502, None),
        (Plan(status=302, raw=b"", headers=["Location: /v1/elsewhere"]), 502, "upstream_failed"),
    ],
)  # fmt: skip
def test_errors_of_an_upstream_are_told_without_its_words(
    hold: Behind, plan: Plan, status: int, code: str | None, stream: bool
) -> None:
    hold.plans, hold.next = [], plan
    with pytest.raises(openai.APIStatusError) as caught:
        hold.chat(stream=stream)
    assert caught.value.status_code == status
    assert code in (None, caught.value.code)
    assert "secret" not in str(caught.value)
    assert "sk-" not in str(caught.value)
    if status == 429:
        assert caught.value.response.headers["retry-after"] == "9"
