"""Pydantic AI and Pydantic Evals with function models."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from tests.integrations.pages import block, need, run_page

need("pydantic_ai", "pydantic_evals")

from pydantic import BaseModel  # noqa: E402
from pydantic_ai import Agent, UnexpectedModelBehavior  # noqa: E402
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart  # noqa: E402
from pydantic_ai.models.function import FunctionModel  # noqa: E402
from pydantic_evals import Case, Dataset  # noqa: E402

from firmground.engine import Engine  # noqa: E402
from firmground.errors import AnswerWithheld, InputError  # noqa: E402
from firmground.integrations.pydantic_ai import grounded_output, grounded_stream  # noqa: E402
from firmground.integrations.pydantic_evals import Grounded  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")

RIGHT, WRONG = "The Alder bridge opened in 1932.", "The Alder bridge opened in 1952."
QUESTION = "When did the Alder bridge open?"


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine(judge="lexical") as engine:
        yield engine


def agent(engine: Engine, *replies: str, looked_up: bool = True, **options: Any) -> Any:
    parts: list[Any] = [ToolCallPart("opening_year", {})] if looked_up else []
    parts += [TextPart(reply) for reply in replies]
    asked: list[Any] = []

    def scripted(messages: Any, info: Any) -> ModelResponse:
        asked.append(messages)
        return ModelResponse(parts=[parts.pop(0)])

    made = Agent(FunctionModel(scripted), retries=1)
    made.output_validator(grounded_output(engine=engine, **options))
    made.tool_plain(opening_year)
    return made, asked


def opening_year() -> str:
    """Look up when the bridge opened."""
    return RIGHT


@pytest.mark.parametrize(("number", "text"), [(0, 0), (1, 2)])
def test_the_documented_examples_print_what_the_page_says(number: int, text: int) -> None:
    printed, _ = run_page("pydantic-ai.md", number)
    assert printed == block("pydantic-ai.md", "text", text)


def test_a_wrong_output_is_retried_with_feedback(engine: Engine) -> None:
    made, asked = agent(engine, WRONG, RIGHT)
    assert made.run_sync(QUESTION).output == RIGHT
    assert "Correct or leave out" in repr(asked[-1][-1])


def test_an_output_that_stays_wrong_is_blocked(engine: Engine) -> None:
    made, _ = agent(engine, WRONG, WRONG)
    with pytest.raises(UnexpectedModelBehavior, match="retries"):
        made.run_sync(QUESTION)


def test_without_a_tool_result_a_greeting_passes_and_a_claim_does_not(engine: Engine) -> None:
    made, _ = agent(engine, "Hello! How can I help?", looked_up=False)
    assert made.run_sync("Hi").output.startswith("Hello")
    made, _ = agent(engine, RIGHT, RIGHT, looked_up=False)
    with pytest.raises(UnexpectedModelBehavior):
        made.run_sync(QUESTION)


def test_results_of_an_earlier_turn_are_no_evidence_for_this_one(engine: Engine) -> None:
    made, _ = agent(engine, RIGHT, RIGHT, RIGHT)
    first = made.run_sync(QUESTION)
    with pytest.raises(UnexpectedModelBehavior):
        made.run_sync(QUESTION, message_history=first.all_messages())


def test_evidence_may_be_given_or_taken_from_the_context(engine: Engine) -> None:
    for evidence in ([RIGHT], lambda ctx: [RIGHT]):
        made, _ = agent(engine, RIGHT, looked_up=False, evidence=evidence)
        assert made.run_sync(QUESTION).output == RIGHT


class Summary(BaseModel):
    text: str


def test_a_structured_output_needs_to_say_where_its_text_is(engine: Engine) -> None:
    def scripted(messages: Any, info: Any) -> ModelResponse:
        name = info.output_tools[0].name
        return ModelResponse(parts=[ToolCallPart(name, {"text": RIGHT})])

    for text in (lambda output: output.text, None):
        made = Agent(FunctionModel(scripted), output_type=Summary)
        made.output_validator(grounded_output(engine=engine, evidence=[RIGHT], text=text))
        if text is None:
            with pytest.raises(InputError, match="give grounded_output"):
                made.run_sync(QUESTION)
        else:
            assert made.run_sync(QUESTION).output.text == RIGHT


def test_a_streamed_run_yields_no_sentence_that_fails(engine: Engine) -> None:
    async def words(messages: Any, info: Any) -> AsyncIterator[str]:
        for word in f"{RIGHT} {WRONG} {RIGHT}".split():
            yield word + " "

    released: list[str] = []

    async def main() -> None:
        async with Agent(FunctionModel(stream_function=words)).run_stream(QUESTION) as run:
            deltas = run.stream_text(delta=True)
            async for text in grounded_stream(deltas, [RIGHT], engine=engine):
                released.append(text)

    with pytest.raises(AnswerWithheld):
        asyncio.run(main())
    assert released
    assert "1952" not in "".join(released)


def test_the_evaluator_looks_in_outputs_metadata_and_inputs(engine: Engine) -> None:
    cases = [
        Case(name="inputs", inputs={"context": [RIGHT]}),
        Case(name="metadata", inputs={}, metadata={"context": RIGHT}),
    ]
    dataset: Any = Dataset(name="n", cases=cases, evaluators=[Grounded(engine=engine)])
    for answer, stands in ((RIGHT, True), (WRONG, False)):
        report = dataset.evaluate_sync(lambda inputs, answer=answer: answer, progress=False)
        assert [c.assertions["grounded"].value for c in report.cases] == [stands, stands]
    assert "contradicted" in report.cases[0].assertions["grounded"].reason
    answered = dataset.evaluate_sync(
        lambda inputs: {"answer": RIGHT, "context": RIGHT}, progress=False
    )
    assert answered.cases[0].assertions["grounded"].value


def test_a_dataset_file_can_name_the_evaluator(tmp_path: Any) -> None:
    path = tmp_path / "cases.json"
    dataset: Any = Dataset(
        name="n",
        cases=[Case(name="a", inputs={"context": RIGHT})],
        evaluators=[Grounded(policy="strict")],
    )
    dataset.to_file(path, custom_evaluator_types=[Grounded])
    read: Any = Dataset.from_file(path, custom_evaluator_types=[Grounded])
    report = read.evaluate_sync(lambda inputs: RIGHT, progress=False)
    assert report.cases[0].assertions["grounded"].value
