"""LangChain: chains, agents and experiments with real runnables and scripted models."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from tests.integrations.pages import need, run_page

need("langchain", "langchain_core")

from langchain.agents import create_agent  # noqa: E402
from langchain_core.documents import Document  # noqa: E402
from langchain_core.messages import AIMessage  # noqa: E402
from langchain_core.output_parsers import StrOutputParser  # noqa: E402
from langchain_core.runnables import RunnableLambda, RunnablePassthrough  # noqa: E402
from tests.integrations.scripted_chat import ScriptedChat  # noqa: E402

from firmground.engine import Engine  # noqa: E402
from firmground.errors import AnswerWithheld  # noqa: E402
from firmground.integrations.langchain import (  # noqa: E402
    MESSAGE,
    GroundingGuard,
    GroundingMiddleware,
    evidence_of,
)

pytestmark = pytest.mark.filterwarnings("default")

RIGHT, WRONG = "The Alder bridge opened in 1932.", "The Alder bridge opened in 1952."
CALL = {"name": "opening_year", "args": {}, "id": "1"}
ASKED = {"messages": [("user", "When did the Alder bridge open?")]}
DOCUMENT = Document(RIGHT, metadata={"source": "guide.txt", "start_index": 100}, id="d1")


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine(judge="lexical") as engine:
        yield engine


def chain(engine: Engine, *answers: str, **options: Any) -> Any:
    model = ScriptedChat(replies=[AIMessage(answer) for answer in answers])
    retrieve = RunnableLambda(lambda question: [DOCUMENT])
    return (
        {"context": retrieve, "question": RunnablePassthrough()}
        | RunnablePassthrough.assign(
            answer=RunnableLambda(lambda known: known["question"]) | model | StrOutputParser()
        )
        | GroundingGuard(engine=engine, **options)
    )


@pytest.mark.parametrize("number", range(3))
def test_the_documented_examples_print_what_the_page_says(
    monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    monkeypatch.setenv("LANGSMITH_ENDPOINT", "http://127.0.0.1:9")  # nothing is uploaded
    printed, expected = run_page("langchain.md", number)
    lines = [line for line in printed.splitlines() if not line.startswith("Starting evaluation")]
    assert lines == expected.splitlines()


def test_a_chain_releases_what_stands_and_raises_for_the_rest(engine: Engine) -> None:
    assert chain(engine, RIGHT).invoke("When?") == RIGHT
    with pytest.raises(AnswerWithheld, match="answer\\[0:32\\] contradicted") as caught:
        chain(engine, WRONG).invoke("When?")
    (claim,) = caught.value.result.to_dict()["claims"]  # type: ignore[attr-defined]
    assert claim["evidence"][0]["origin"] == [127, 131]
    assert claim["evidence"][0]["id"] == "d1"


def test_a_chain_can_answer_with_a_message(engine: Engine) -> None:
    assert chain(engine, WRONG, on_fail="message").invoke("When?") == MESSAGE
    assert asyncio.run(chain(engine, WRONG, on_fail="message").ainvoke("When?")) == MESSAGE


def test_a_chain_has_the_answer_corrected_with_feedback(engine: Engine) -> None:
    given: list[dict[str, Any]] = []

    def revise(known: dict[str, Any]) -> str:
        given.append(known)
        return RIGHT

    guarded = chain(engine, WRONG, revise=RunnableLambda(revise))
    assert guarded.invoke("When?") == RIGHT
    assert WRONG in given[0]["feedback"]
    guarded = chain(engine, WRONG, revise=RunnableLambda(revise))
    assert asyncio.run(guarded.ainvoke("When?")) == RIGHT
    never = chain(engine, WRONG, revise=RunnableLambda(lambda known: WRONG), max_retries=2)
    with pytest.raises(AnswerWithheld):
        never.invoke("When?")


def test_a_streamed_chain_yields_no_sentence_that_fails(engine: Engine) -> None:
    text = f"{RIGHT} {WRONG} {RIGHT}"
    pieces = list(chain(engine, text, on_fail="message").stream("When?"))
    assert len(pieces) >= 2
    assert "1952" not in "".join(pieces)
    assert pieces[-1] == MESSAGE

    async def collected() -> list[str]:
        return [one async for one in chain(engine, text, on_fail="message").astream("When?")]

    assert asyncio.run(collected()) == pieces
    with pytest.raises(AnswerWithheld):
        list(chain(engine, text).stream("When?"))


def test_sync_streaming_works_inside_a_running_loop(engine: Engine) -> None:
    async def inside() -> list[str]:
        return list(chain(engine, RIGHT).stream("When?"))

    assert "".join(asyncio.run(inside())).strip() == RIGHT


def opening_year() -> str:
    """Look up when the bridge opened."""
    return RIGHT


def agent(engine: Engine, *answers: str, **options: Any) -> tuple[Any, ScriptedChat]:
    replies = [AIMessage("", tool_calls=[CALL]), *(AIMessage(answer) for answer in answers)]
    model = ScriptedChat(replies=replies, asked=[])
    middleware = GroundingMiddleware(engine=engine, **options)
    return create_agent(model, tools=[opening_year], middleware=[middleware]), model


def test_an_agents_wrong_answer_goes_back_to_the_model_and_never_enters_the_state(
    engine: Engine,
) -> None:
    made, model = agent(engine, WRONG, RIGHT)
    state = made.invoke(ASKED)
    assert [one.type for one in state["messages"]] == ["human", "ai", "tool", "ai"]
    assert state["messages"][-1].text == RIGHT
    assert state["messages"][-1].response_metadata["firmground"]["verdict"] == "stands"
    assert "Correct or leave out" in model.asked[-1][-1].text


def test_an_agent_that_stays_wrong_is_blocked(engine: Engine) -> None:
    made, model = agent(engine, WRONG, WRONG)
    last = made.invoke(ASKED)["messages"][-1]
    assert last.text == MESSAGE
    assert last.response_metadata["firmground"]["verdict"] == "does_not_stand"
    assert len(model.asked) == 3
    made, _ = agent(engine, WRONG, on_fail="raise", max_retries=0)
    with pytest.raises(AnswerWithheld):
        asyncio.run(made.ainvoke(ASKED))


def test_no_token_is_streamed_before_the_answer_was_checked(engine: Engine) -> None:
    made, _ = agent(engine, WRONG, RIGHT)
    seen = [*made.stream(ASKED, stream_mode=["messages", "updates", "values"])]
    assert "1952" not in repr(seen)
    texts = [part[0].text for mode, part in seen if mode == "messages"]
    assert RIGHT in [text.strip() for text in texts]


def test_an_agent_that_looked_nothing_up_may_greet_but_not_claim(engine: Engine) -> None:
    middleware = GroundingMiddleware(engine=engine, max_retries=0)
    for answer, said in (("Hello! How can I help?", None), (WRONG, MESSAGE)):
        model = ScriptedChat(replies=[AIMessage(answer)])
        made = create_agent(model, tools=[], middleware=[middleware])
        assert made.invoke(ASKED)["messages"][-1].text == (said or answer)


def test_evidence_may_be_given_or_taken_from_the_state(engine: Engine) -> None:
    for evidence in ([RIGHT], lambda state: [RIGHT]):
        made, _ = agent(engine, RIGHT, evidence=evidence)
        assert made.invoke(ASKED)["messages"][-1].text == RIGHT
    made, _ = agent(engine, RIGHT, evidence=["The Alder bridge is green."], max_retries=0)
    assert made.invoke(ASKED)["messages"][-1].text == MESSAGE


def test_only_results_since_the_last_question_count_and_errors_do_not() -> None:
    from langchain_core.messages import HumanMessage, ToolMessage

    messages = [
        ToolMessage("old", tool_call_id="1"),
        HumanMessage("now?"),
        ToolMessage("failed", tool_call_id="2", status="error"),
        ToolMessage("new", tool_call_id="3", name="search"),
        ToolMessage("shown", tool_call_id="4", artifact=[DOCUMENT]),
    ]
    assert evidence_of(messages) == [
        {"text": "new", "kind": "tool", "origin": "search"},
        DOCUMENT,
    ]
