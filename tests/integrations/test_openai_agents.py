"""OpenAI Agents SDK with its own scripted model."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from tests.integrations.pages import need, run_page

need("agents")

from agents import (  # noqa: E402
    Agent,
    AgentHooks,
    OutputGuardrailTripwireTriggered,
    Runner,
    function_tool,
    set_tracing_disabled,
)
from agents.testing import ScriptedModel, assistant_message, function_call  # noqa: E402
from pydantic import BaseModel  # noqa: E402

from firmground.engine import Engine  # noqa: E402
from firmground.errors import AnswerWithheld  # noqa: E402
from firmground.integrations.openai_agents import Grounding, tripwire_result  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")
set_tracing_disabled(True)

RIGHT, WRONG = "The Alder bridge opened in 1932.", "The Alder bridge opened in 1952."
QUESTION = "When did the Alder bridge open?"
LOOKED_UP = [function_call("opening_year", {}, call_id="1")]


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine(judge="lexical") as engine:
        yield engine


@function_tool
def opening_year() -> str:
    """Look up when the bridge opened."""
    return RIGHT


def agent(*steps: Any, **options: Any) -> tuple[Agent[Any], ScriptedModel]:
    script = [[assistant_message(one)] if isinstance(one, str) else one for one in steps]
    model = ScriptedModel(script)
    return Agent(name="guide", model=model, tools=[opening_year], **options), model


def test_the_documented_example_prints_what_the_page_says() -> None:
    printed, expected = run_page("openai-agents.md", 0)
    assert printed == expected


def test_an_answer_that_stands_passes_and_a_wrong_one_trips(engine: Engine) -> None:
    grounding = Grounding(engine=engine)
    made, _ = agent(LOOKED_UP, RIGHT)
    assert asyncio.run(Runner.run(grounding.protect(made), QUESTION)).final_output == RIGHT
    made, _ = agent(LOOKED_UP, WRONG)
    with pytest.raises(OutputGuardrailTripwireTriggered) as caught:
        asyncio.run(Runner.run(grounding.protect(made), QUESTION))
    result = tripwire_result(caught.value)
    assert result is not None
    assert [(c.start, c.end) for c in result.problems] == [(0, len(WRONG))]


def test_a_wrong_answer_goes_back_to_the_model_with_its_tool_results(engine: Engine) -> None:
    grounding = Grounding(engine=engine)
    made, model = agent(LOOKED_UP, WRONG, RIGHT)
    result = asyncio.run(grounding.run(grounding.protect(made), QUESTION))
    assert result.final_output == RIGHT
    assert model.last_call is not None
    shown = json.dumps(model.last_call.input, default=str)
    assert "Correct or leave out" in shown
    assert RIGHT in shown
    made, _ = agent(LOOKED_UP, WRONG, WRONG, WRONG)
    with pytest.raises(OutputGuardrailTripwireTriggered):
        asyncio.run(grounding.run(grounding.protect(made), QUESTION, max_retries=2))


def test_without_a_tool_result_a_greeting_passes_and_a_claim_trips(engine: Engine) -> None:
    grounding = Grounding(engine=engine)
    made, _ = agent("Hello! How can I help?")
    assert asyncio.run(Runner.run(grounding.protect(made), "Hi")).final_output.startswith("Hello")
    made, _ = agent(RIGHT)
    with pytest.raises(OutputGuardrailTripwireTriggered):
        asyncio.run(Runner.run(grounding.protect(made), QUESTION))


def test_results_of_an_earlier_turn_are_no_evidence_for_this_one(engine: Engine) -> None:
    grounding = Grounding(engine=engine)
    made, _ = agent(LOOKED_UP, RIGHT, RIGHT)
    first = asyncio.run(Runner.run(grounding.protect(made), QUESTION))
    again = [*first.to_input_list(), {"role": "user", "content": "And?"}]
    with pytest.raises(OutputGuardrailTripwireTriggered):
        asyncio.run(Runner.run(grounding.protect(made), again))


def test_runs_side_by_side_do_not_share_evidence(engine: Engine) -> None:
    grounding = Grounding(engine=engine)

    async def main() -> list[Any]:
        known = grounding.protect(agent(LOOKED_UP, RIGHT)[0])
        unknown = grounding.protect(agent(RIGHT)[0])
        runs = [Runner.run(one, QUESTION) for one in (known, unknown)]
        return await asyncio.gather(*runs, return_exceptions=True)

    known, unknown = asyncio.run(main())
    assert known.final_output == RIGHT
    assert isinstance(unknown, OutputGuardrailTripwireTriggered)


def test_evidence_may_be_given_or_taken_from_the_context(engine: Engine) -> None:
    for evidence in ([RIGHT], lambda context: context.context["documents"]):
        grounding = Grounding(engine=engine, evidence=evidence)
        run = Runner.run(grounding.protect(agent(RIGHT)[0]), QUESTION, context={"documents": RIGHT})
        assert asyncio.run(run).final_output == RIGHT


class Noted(AgentHooks[Any]):
    def __init__(self) -> None:
        self.seen: list[str] = []

    async def on_llm_start(self, *args: Any) -> None:
        self.seen.append("llm_start")

    async def on_llm_end(self, *args: Any) -> None:
        self.seen.append("llm_end")

    async def on_start(self, *args: Any) -> None:
        self.seen.append("start")

    async def on_tool_start(self, *args: Any) -> None:
        self.seen.append("tool_start")

    async def on_tool_end(self, *args: Any) -> None:
        self.seen.append("tool_end")

    async def on_end(self, *args: Any) -> None:
        self.seen.append("end")


def test_the_agents_own_hooks_are_still_called(engine: Engine) -> None:
    hooks = Noted()
    made, _ = agent(LOOKED_UP, RIGHT, hooks=hooks)
    asyncio.run(Runner.run(Grounding(engine=engine).protect(made), QUESTION))
    assert hooks.seen == [
        "start", "llm_start", "llm_end", "tool_start", "tool_end", "llm_start", "llm_end", "end",
    ]  # fmt: skip


class Summary(BaseModel):
    text: str


def test_a_structured_output_is_checked_by_its_text(engine: Engine) -> None:
    for text, wrong in ((RIGHT, False), (WRONG, True)):
        made, _ = agent(LOOKED_UP, Summary(text=text).model_dump_json(), output_type=Summary)
        grounding = Grounding(engine=engine, text=lambda output: output.text)
        run = Runner.run(grounding.protect(made), QUESTION)
        if wrong:
            with pytest.raises(OutputGuardrailTripwireTriggered):
                asyncio.run(run)
        else:
            assert asyncio.run(run).final_output.text == RIGHT


def test_a_streamed_run_yields_no_sentence_that_fails(engine: Engine) -> None:
    grounding = Grounding(engine=engine)

    async def collected(text: str) -> list[str]:
        made, _ = agent(LOOKED_UP, text)
        run = Runner.run_streamed(made, QUESTION)
        released: list[str] = []
        try:
            async for sentence in grounding.stream(run, question=QUESTION):
                released.append(sentence)
        except AnswerWithheld:
            released.append("withheld")
        return released

    assert asyncio.run(collected(RIGHT)) == [RIGHT]
    assert asyncio.run(collected(f"{RIGHT} {WRONG}")) == [f"{RIGHT} ", "withheld"]
