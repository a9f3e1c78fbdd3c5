"""Responses and messages: the official clients against the same checks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import openai
import pytest
from tests.service.conftest import ThreadServer
from tests.service.test_proxy_openai import EVIDENCE, FALSE, TRUE, Behind
from tests.service.upstream import MODEL, Plan

INPUT: Any = [
    {"role": "developer", "content": f"Use only this.\n<document>{EVIDENCE}</document>"},
    {"role": "user", "content": "Tell me about the Alder bridge."},
]
TOOL: Any = {
    "type": "function",
    "name": "look_up",
    "parameters": {"type": "object"},
    "strict": None,
}


@pytest.fixture(scope="module", params=["hold", "window"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    one = Behind(tmp_path_factory.mktemp("p"), f'mode = "{request.param}"', ThreadServer)
    yield one
    one.close()


def pieces(text: str, size: int = 6) -> Plan:
    return Plan(texts=[text[at : at + size] for at in range(0, len(text), size)])


def test_a_response_that_stands_arrives_whole(made: Behind) -> None:
    made.next = pieces(TRUE)
    reply: Any = made.client.responses.create(model=MODEL, input=INPUT)
    assert (reply.output_text, reply.status) == (TRUE, "completed")
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (7, 11)
    assert reply.firmground["label"] == "VERIFIED"
    asked = made.upstream.asked[-1]["messages"]
    assert [m["role"] for m in asked] == ["system", "user"]
    assert made.run(reply.firmground["run"])["label"]["surface"] == "responses"


def test_a_streamed_response_has_the_events_of_the_protocol(made: Behind) -> None:
    made.next = pieces(TRUE)
    events: list[Any] = list(made.client.responses.create(model=MODEL, input=INPUT, stream=True))
    assert [e.sequence_number for e in events] == list(range(len(events)))
    kinds = list(dict.fromkeys(e.type for e in events))
    assert kinds == [
        "response.created", "response.in_progress", "response.output_item.added",
        "response.content_part.added", "response.output_text.delta", "response.output_text.done",
        "response.content_part.done", "response.output_item.done", "response.completed",
    ]  # fmt: skip
    assert "".join(e.delta for e in events if e.type == "response.output_text.delta") == TRUE
    assert events[-1].response.output_text == TRUE
    with made.client.responses.stream(model=MODEL, input=INPUT) as stream:
        assert stream.get_final_response().output_text == TRUE


def test_a_response_that_falls_is_incomplete(made: Behind) -> None:
    made.next = pieces(FALSE)
    reply: Any = made.client.responses.create(model=MODEL, input=INPUT)
    assert (reply.status, reply.incomplete_details.reason) == ("incomplete", "content_filter")
    events: list[Any] = list(made.client.responses.create(model=MODEL, input=INPUT, stream=True))
    assert events[-1].type == "response.incomplete"
    assert "91,777" not in reply.to_json() + "".join(e.to_json() for e in events)


def test_a_response_calls_tools_and_takes_their_results(made: Behind) -> None:
    made.next = Plan(calls=[("look_up", '{"name": "Alder"}')])
    ask: Any = [{"role": "user", "content": "When did the Alder bridge open?"}]
    reply: Any = made.client.responses.create(model=MODEL, input=ask, tools=[TOOL])
    (call,) = reply.output
    assert (call.type, call.name, call.arguments) == (
        "function_call",
        "look_up",
        '{"name": "Alder"}',
    )
    events: list[Any] = list(
        made.client.responses.create(model=MODEL, input=ask, tools=[TOOL], stream=True)
    )
    assert "response.function_call_arguments.done" in [e.type for e in events]
    made.next = Plan(texts=["It opened in 1932."])
    told: Any = {"type": "function_call_output", "call_id": call.call_id, "output": EVIDENCE}
    again: Any = made.client.responses.create(
        model=MODEL, input=[*ask, call.model_dump(), told], tools=[TOOL]
    )
    assert (again.output_text, again.firmground["label"]) == ("It opened in 1932.", "VERIFIED")
    assert [m["role"] for m in made.upstream.asked[-1]["messages"]] == ["user", "assistant", "tool"]


@pytest.mark.parametrize(
    ("more", "field"),
    [
        ({"previous_response_id": "resp_1"}, "previous_response_id"),
        ({"background": True}, "background"),
        ({"include": ["reasoning.encrypted_content"]}, "include"),
        ({"tools": [{"type": "web_search"}]}, "tools"),
        ({"base_url": "http://x"}, "base_url"),
        ({"input": [{"type": "computer_call"}]}, "input"),
    ],
)
def test_what_a_response_cannot_do_here_is_refused(
    made: Behind, more: dict[str, Any], field: str
) -> None:
    with pytest.raises(openai.UnprocessableEntityError) as caught:
        made.client.responses.create(model=MODEL, input="x", extra_body=more)
    assert caught.value.param == field


def test_messages_are_checked_in_the_same_way(made: Behind) -> None:
    anthropic = pytest.importorskip("anthropic")
    client = anthropic.Anthropic(
        base_url=f"http://127.0.0.1:{made.server.port}", api_key=made.key, max_retries=0
    )
    source = {"type": "text", "media_type": "text/plain", "data": EVIDENCE}
    content = [{"type": "document", "source": source}, {"type": "text", "text": "What is known?"}]
    asked: Any = {
        "model": MODEL,
        "max_tokens": 99,
        "messages": [{"role": "user", "content": content}],
    }
    made.next = pieces(TRUE)
    reply = client.messages.create(**asked)
    assert (reply.content[0].text, reply.stop_reason) == (TRUE, "end_turn")
    assert (reply.usage.input_tokens, reply.firmground["label"]) == (7, "VERIFIED")
    with client.messages.stream(**asked) as stream:
        assert "".join(stream.text_stream) == TRUE
        assert stream.get_final_message().stop_reason == "end_turn"
    made.next = pieces(FALSE)
    reply = client.messages.create(**asked)
    with client.messages.stream(**asked) as stream:
        final = stream.get_final_message()
    assert (reply.stop_reason, final.stop_reason) == ("refusal", "refusal")
    assert "91,777" not in reply.to_json() + final.to_json()
    tool = {"name": "look_up", "input_schema": {"type": "object"}}
    made.next = Plan(calls=[("look_up", '{"name": "Alder"}')])
    first = client.messages.create(**asked, tools=[tool])
    (block,) = first.content
    assert (block.type, block.input, first.stop_reason) == (
        "tool_use",
        {"name": "Alder"},
        "tool_use",
    )
    result = {"type": "tool_result", "tool_use_id": block.id, "content": "It cost 7 crowns."}
    made.next = Plan(texts=["It cost 7 crowns."])
    both = [*asked["messages"], {"role": "assistant", "content": [block.model_dump()]},
            {"role": "user", "content": [result]}]  # fmt: skip
    again = client.messages.create(**{**asked, "messages": both}, tools=[tool])
    assert again.firmground["label"] == "VERIFIED"
    with pytest.raises(anthropic.AuthenticationError):
        client.with_options(api_key="fg_x").messages.create(**asked)
    client.close()
