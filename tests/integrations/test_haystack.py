"""Haystack with real pipelines and its own mock generator."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from tests.integrations.pages import need, run_page

need("haystack")

from haystack import Document, Pipeline  # noqa: E402
from haystack.components.generators.chat import MockChatGenerator  # noqa: E402
from haystack.dataclasses import ChatMessage, ToolCall  # noqa: E402
from haystack.tools import Tool  # noqa: E402

from firmground.integrations.haystack import (  # noqa: E402
    GroundedChatGenerator,
    GroundingEvaluator,
    GroundingGuard,
)

pytestmark = pytest.mark.filterwarnings("default")

RIGHT, WRONG = "The Alder bridge opened in 1932.", "The Alder bridge opened in 1952."
DOCUMENTS = [Document(content=RIGHT, meta={"split_idx_start": 100}, id="d1", score=0.5)]


@pytest.mark.parametrize("number", range(2))
def test_the_documented_examples_print_what_the_page_says(number: int) -> None:
    printed, expected = run_page("haystack.md", number)
    assert printed == expected


def test_a_reply_that_fails_is_replaced_and_the_others_stay() -> None:
    guard = GroundingGuard(judge="lexical", message="no")
    found = guard.run([WRONG], DOCUMENTS)
    assert found["replies"] == ["no"]
    assert found["withheld"] == [WRONG]
    (quote,) = found["results"][0]["claims"][0]["evidence"]
    assert (quote["id"], quote["origin"]) == ("d1", [127, 131])
    messages = [ChatMessage.from_assistant(WRONG), ChatMessage.from_assistant(RIGHT)]
    found = asyncio.run(guard.run_async(messages, DOCUMENTS))
    assert [one.text for one in found["replies"]] == [RIGHT]
    assert guard.run(messages[:1], DOCUMENTS)["replies"][0].text == "no"


def test_without_documents_a_greeting_passes_and_a_claim_does_not() -> None:
    guard = GroundingGuard(judge="lexical", message="no")
    assert guard.run(["Hello! How can I help?"], [])["replies"] == ["Hello! How can I help?"]
    assert guard.run([RIGHT], [])["replies"] == ["no"]


def generator(*responses: Any, **options: Any) -> tuple[GroundedChatGenerator, list[Any]]:
    replies: list[Any] = [*responses]
    asked: list[Any] = []

    def respond(messages: list[ChatMessage]) -> Any:
        asked.append(messages)
        return replies.pop(0)

    inner = MockChatGenerator(response_fn=respond)
    return GroundedChatGenerator(inner, judge="lexical", **options), asked


ASKED = [ChatMessage.from_user("When did the Alder bridge open?")]


def test_a_reply_goes_back_to_the_generator_with_feedback() -> None:
    made, asked = generator(WRONG, RIGHT)
    told: list[str] = []
    found = made.run(ASKED, DOCUMENTS, streaming_callback=lambda chunk: told.append(chunk.content))
    assert found["replies"][0].text == RIGHT
    assert "Correct or leave out" in asked[-1][-1].text
    assert told == [RIGHT]


def test_a_reply_that_stays_wrong_is_blocked() -> None:
    made, asked = generator(WRONG, WRONG, WRONG, max_retries=2, message="no")
    (reply,) = made.run(ASKED, DOCUMENTS)["replies"]
    assert reply.text == "no"
    assert reply.meta["firmground"]["verdict"] == "does_not_stand"
    assert len(asked) == 3


def test_the_generator_of_an_agent_is_checked_against_tool_results() -> None:
    from haystack.components.agents import Agent

    tool = Tool(
        name="opening_year",
        description="When a bridge opened.",
        parameters={"type": "object", "properties": {}},
        function=lambda: RIGHT,
    )
    call = ChatMessage.from_assistant(tool_calls=[ToolCall(tool_name="opening_year", arguments={})])
    made, _ = generator(call, WRONG, RIGHT)
    agent = Agent(chat_generator=made, tools=[tool])
    agent.warm_up()
    assert agent.run(messages=ASKED)["last_message"].text == RIGHT
    made, _ = generator(RIGHT, RIGHT, message="no")
    assert made.run(ASKED)["replies"][0].text == "no"  # it looked nothing up


def test_a_pipeline_file_keeps_guard_and_generator() -> None:
    made = Pipeline()
    grounded = GroundedChatGenerator(
        MockChatGenerator(responses=WRONG), judge="lexical", max_retries=0, message="no"
    )
    made.add_component("generator", grounded)
    made.add_component("guard", GroundingGuard(judge="lexical", policy="strict", message="never"))
    made.connect("generator.replies", "guard.replies")
    read = Pipeline.loads(made.dumps(), allowed_modules=["firmground.*", "haystack.*"])
    asked: dict[str, Any] = {
        "generator": {"messages": ASKED, "documents": DOCUMENTS},
        "guard": {"documents": DOCUMENTS},
    }
    found = read.run(asked, include_outputs_from={"generator"})
    assert found["generator"]["replies"][0].text == "no"
    assert "replies" in found["guard"]


def test_the_evaluator_scores_each_answer() -> None:
    evaluator = GroundingEvaluator(judge="lexical")
    found = evaluator.run([RIGHT, WRONG], [[RIGHT], DOCUMENTS])
    assert found["individual_scores"] == [1.0, 0.0]
    assert "contradicted" in found["results"][1]["explanation"]
    with pytest.raises(ValueError, match="shorter"):
        evaluator.run([RIGHT, WRONG], [[RIGHT]])
    assert GroundingEvaluator.from_dict(evaluator.to_dict()).to_dict() == evaluator.to_dict()
