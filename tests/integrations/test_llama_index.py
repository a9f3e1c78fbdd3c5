"""LlamaIndex with real indexes and a scripted LLM."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from tests.integrations.pages import need, run_page

need("llama_index.core")

from llama_index.core import SummaryIndex  # noqa: E402
from llama_index.core.evaluation import BatchEvalRunner  # noqa: E402
from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata  # noqa: E402
from llama_index.core.llms.callbacks import llm_completion_callback  # noqa: E402
from llama_index.core.schema import TextNode  # noqa: E402

from firmground.engine import Engine  # noqa: E402
from firmground.errors import AnswerWithheld  # noqa: E402
from firmground.integrations.llama_index import (  # noqa: E402
    MESSAGE,
    GroundedQueryEngine,
    GroundingEvaluator,
)

pytestmark = pytest.mark.filterwarnings("default")

RIGHT, WRONG = "The Alder bridge opened in 1932.", "The Alder bridge opened in 1952."
QUESTION = "When did the Alder bridge open?"


class ScriptedLLM(CustomLLM):
    replies: list[str]
    asked: list[str] = []  # noqa: RUF012

    @property
    def metadata(self) -> LLMMetadata:
        return LLMMetadata()

    @llm_completion_callback()
    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        self.asked.append(prompt)
        return CompletionResponse(text=self.replies.pop(0))

    @llm_completion_callback()
    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> Any:
        text = ""
        for word in self.replies.pop(0).split():
            text += word + " "
            yield CompletionResponse(text=text, delta=word + " ")


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine(judge="lexical") as engine:
        yield engine


def guarded(engine: Engine, *replies: str, streaming: bool = False, **options: Any) -> Any:
    llm = ScriptedLLM(replies=list(replies), asked=[])
    index = SummaryIndex(nodes=[TextNode(text=RIGHT, id_="n1", start_char_idx=800)])
    inner = index.as_query_engine(llm=llm, streaming=streaming, response_mode="simple_summarize")
    return GroundedQueryEngine(inner, engine=engine, **options), llm


@pytest.mark.parametrize("number", range(2))
def test_the_documented_examples_print_what_the_page_says(number: int) -> None:
    printed, expected = run_page("llama-index.md", number)
    assert printed == expected


def test_a_response_is_synthesized_again_with_feedback(engine: Engine) -> None:
    made, llm = guarded(engine, WRONG, RIGHT)
    response = made.query(QUESTION)
    assert str(response) == RIGHT
    assert "Correct or leave out" in llm.asked[-1]
    made, llm = guarded(engine, WRONG, RIGHT)
    assert str(asyncio.run(made.aquery(QUESTION))) == RIGHT


def test_a_response_that_stays_wrong_is_blocked(engine: Engine) -> None:
    made, _ = guarded(engine, WRONG, WRONG)
    response = made.query(QUESTION)
    assert str(response) == MESSAGE
    assert response.metadata["firmground"]["verdict"] == "does_not_stand"
    made, _ = guarded(engine, WRONG, max_retries=0, on_fail="raise")
    with pytest.raises(AnswerWithheld):
        asyncio.run(made.aquery(QUESTION))


def test_quotes_have_their_offsets_in_the_original_document(engine: Engine) -> None:
    made, _ = guarded(engine, RIGHT)
    (claim,) = made.query(QUESTION).metadata["firmground"]["claims"]
    (quote,) = claim["evidence"]
    assert quote["id"] == "n1"
    assert quote["origin"] == [800 + quote["start"], 800 + quote["end"]]


def test_a_streamed_response_yields_no_sentence_that_fails(engine: Engine) -> None:
    text = f"{RIGHT} {WRONG} {RIGHT}"
    made, _ = guarded(engine, text, streaming=True)
    pieces = list(made.query(QUESTION).response_gen)
    assert "1952" not in "".join(pieces)
    assert pieces[0].strip() == RIGHT
    assert pieces[-1] == MESSAGE
    made, _ = guarded(engine, text, streaming=True, on_fail="raise")
    with pytest.raises(AnswerWithheld):
        list(made.query(QUESTION).response_gen)

    async def collected() -> list[str]:
        made, _ = guarded(engine, text, streaming=True)
        response = await made.aquery(QUESTION)
        return [one async for one in response.response_gen]

    assert asyncio.run(collected()) == pieces


def test_the_evaluator_passes_what_stands_and_works_in_batches(engine: Engine) -> None:
    evaluator = GroundingEvaluator(engine=engine)
    found = evaluator.evaluate(QUESTION, WRONG, [RIGHT])
    assert found.passing is False
    assert found.score == 0
    assert "contradicted" in (found.feedback or "")
    assert not found.invalid_result
    runner = BatchEvalRunner({"grounded": evaluator})
    batch = asyncio.run(
        runner.aevaluate_response_strs([QUESTION] * 2, [RIGHT, WRONG], [[RIGHT], [RIGHT]])
    )
    assert [one.passing for one in batch["grounded"]] == [True, False]
