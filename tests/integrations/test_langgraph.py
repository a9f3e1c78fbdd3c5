"""LangGraph: the node, its routes, and a person's ruling through an interrupt."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, TypedDict

import pytest
from tests.integrations.pages import need, run_page

need("langgraph")

from langgraph.checkpoint.memory import InMemorySaver  # noqa: E402
from langgraph.graph import END, START, StateGraph  # noqa: E402
from langgraph.types import Command  # noqa: E402

from firmground.engine import Engine  # noqa: E402
from firmground.integrations.langgraph import ask_person, grounding_node, route  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")

RIGHT, WRONG = "The Alder bridge opened in 1932.", "The Alder bridge opened in 1952."


class State(TypedDict, total=False):
    question: str
    context: list[Any]
    answer: str | None
    grounding: dict[str, Any]


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine(judge="lexical") as engine:
        yield engine


def application(engine: Engine) -> Any:
    graph = StateGraph(State)
    graph.add_node("check", grounding_node(engine=engine))
    graph.add_node("person", ask_person)
    graph.add_edge(START, "check")
    graph.add_conditional_edges("check", route, {"released": END, "withheld": "person"})
    graph.add_edge("person", END)
    return graph.compile(checkpointer=InMemorySaver())


def test_the_documented_example_prints_what_the_page_says() -> None:
    printed, expected = run_page("langgraph.md", 0)
    assert printed == expected


def test_an_answer_that_stands_goes_through_in_both_worlds(engine: Engine) -> None:
    given = {"answer": RIGHT, "context": [RIGHT]}
    thread = {"configurable": {"thread_id": "1"}}
    state = application(engine).invoke(given, thread)
    assert state["grounding"]["route"] == "released"
    assert "__interrupt__" not in state
    state = asyncio.run(application(engine).ainvoke(given, thread))
    assert state["grounding"]["result"]["verdict"] == "stands"


@pytest.mark.parametrize(("choice", "answer"), [("skip", WRONG), ("abort", None)])
def test_a_person_rules_on_what_fails(engine: Engine, choice: str, answer: str | None) -> None:
    graph, thread = application(engine), {"configurable": {"thread_id": choice}}
    state = graph.invoke({"answer": WRONG, "context": [RIGHT]}, thread)
    case = state["__interrupt__"][0].value
    assert case["problems"][0]["standing"] == "contradicted"
    assert any(one.startswith("contradiction: ") for one in case["objections"])
    state = graph.invoke(Command(resume=choice), thread)
    assert state["answer"] == answer
    assert state["grounding"]["ruling"]["choice"] == choice
    assert state["grounding"]["attempts"] == 1  # the check was not made again


def test_a_ruling_that_is_none_is_an_error(engine: Engine) -> None:
    graph, thread = application(engine), {"configurable": {"thread_id": "1"}}
    graph.invoke({"answer": WRONG, "context": [RIGHT]}, thread)
    with pytest.raises(ValueError, match="skip or abort"):
        graph.invoke(Command(resume="retry"), thread)
