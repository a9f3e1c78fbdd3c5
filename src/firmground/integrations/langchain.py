"""LangChain: a runnable for chains, a middleware for agents, an evaluator for experiments."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from langchain.agents.middleware import AgentMiddleware
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.runnables import Runnable, RunnableConfig
from langchain_core.runnables.utils import Input, Output

from firmground.errors import AnswerWithheld
from firmground.integrations.guard import (
    Guard,
    explain,
    feedback,
    iterate,
    require_released,
)

if TYPE_CHECKING:
    from langchain.agents.middleware.types import ModelRequest, ModelResponse

    from firmground.decide import Policy
    from firmground.engine import Engine, Result

MESSAGE = "I cannot answer this from the documents I have."
OnFail = Literal["raise", "message"]


class GroundingGuard(Runnable[Input, Output]):
    """Releases an answer of a chain only if it stands on the documents of the chain.

    Put it after a step that yields a mapping with ``answer``, ``context`` (documents or texts) and
    ``question``. Its output is the answer; ``on_fail`` says what happens to one that is not
    released: ``raise`` raises ``AnswerWithheld``, ``message`` returns ``message`` in its place.
    ``revise`` is a runnable that gets the same mapping with ``feedback`` and returns another
    answer, tried up to ``max_retries`` times. Streamed input is released sentence by sentence.
    """

    def __init__(
        self,
        *,
        engine: Engine | None = None,
        policy: str | Policy | None = None,
        revise: Runnable[Any, Any] | None = None,
        max_retries: int = 1,
        on_fail: OnFail = "raise",
        message: str = MESSAGE,
        answer_key: str = "answer",
        evidence_key: str = "context",
        question_key: str = "question",
    ) -> None:
        self._guard = Guard(engine=engine, policy=policy)
        self._revise = revise
        self._retries = max_retries if revise is not None else 0
        self._on_fail, self._message = on_fail, message
        self._keys = (answer_key, evidence_key, question_key)

    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Check the answer of one input and return it."""
        return self._call_with_config(self._invoke, input, config, **kwargs)

    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Check the answer of one input without holding up the event loop."""
        return await self._acall_with_config(self._ainvoke, input, config, **kwargs)

    def transform(
        self, input: Iterator[Any], config: RunnableConfig | None = None, **kwargs: Any
    ) -> Iterator[Any]:
        """Release a streamed answer sentence by sentence, each after it was checked."""
        chunks = _Chunks(self._keys)
        deltas = chunks.deltas(input)
        first = next(deltas, "")
        yield from iterate(self._released(chunks, _chained(first, deltas)))

    async def atransform(
        self, input: AsyncIterator[Any], config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[Any]:
        """Release a streamed answer in an event loop."""
        chunks = _Chunks(self._keys)
        deltas = chunks.adeltas(input)
        first = await anext(deltas, "")
        async for text in self._released(chunks, _achained(first, deltas)):
            yield text

    async def _released(self, chunks: _Chunks, deltas: Any) -> AsyncIterator[str]:
        try:
            async for text in self._guard.released(deltas, chunks.evidence, chunks.question):
                yield text
        except AnswerWithheld:
            if self._on_fail == "raise":
                raise
            yield self._message

    def _parts(self, input: Mapping[str, Any]) -> tuple[str, Any, str | None]:
        answer, evidence, question = (input.get(key) for key in self._keys)
        return text_of(answer), evidence, question

    def _invoke(self, input: Mapping[str, Any], config: RunnableConfig) -> str:
        for left in range(self._retries, -1, -1):
            answer, evidence, question = self._parts(input)
            result = self._guard.check(answer, evidence, question)
            if result.decision.released or not left or self._revise is None:
                break
            again = self._revise.invoke({**input, "feedback": feedback(result)}, config)
            input = {**input, self._keys[0]: again}
        return answer if result.decision.released else self._withheld(result)

    async def _ainvoke(self, input: Mapping[str, Any], config: RunnableConfig) -> str:
        for left in range(self._retries, -1, -1):
            answer, evidence, question = self._parts(input)
            result = await self._guard.acheck(answer, evidence, question)
            if result.decision.released or not left or self._revise is None:
                break
            again = await self._revise.ainvoke({**input, "feedback": feedback(result)}, config)
            input = {**input, self._keys[0]: again}
        return answer if result.decision.released else self._withheld(result)

    def _withheld(self, result: Result) -> str:
        if self._on_fail == "raise":
            require_released(result)
        return self._message


class _Chunks:
    """The parts of a streamed mapping; everything but the answer arrives before the answer."""

    def __init__(self, keys: tuple[str, str, str]) -> None:
        self._keys = keys
        self.evidence: Any = None
        self.question: str | None = None

    def take(self, chunk: Mapping[str, Any]) -> str:
        """Keep evidence and question of a chunk; return its piece of the answer."""
        answer, evidence, question = self._keys
        self.evidence = chunk.get(evidence, self.evidence)
        self.question = chunk.get(question, self.question)
        return text_of(chunk.get(answer) or "")

    def deltas(self, chunks: Iterator[Any]) -> Iterator[str]:
        """Yield the pieces of the answer."""
        return (text for text in map(self.take, chunks) if text)

    async def adeltas(self, chunks: AsyncIterator[Any]) -> AsyncIterator[str]:
        """Yield the pieces of the answer in an event loop."""
        async for chunk in chunks:
            if text := self.take(chunk):
                yield text


def _chained(first: str, rest: Iterator[str]) -> Iterator[str]:
    yield first
    yield from rest


async def _achained(first: str, rest: AsyncIterator[str]) -> AsyncIterator[str]:
    yield first
    async for one in rest:
        yield one


def text_of(value: Any) -> str:
    """Return the text of an answer: a string, a message, or blocks of content."""
    text = value if isinstance(value, str) else getattr(value, "text", value)
    return str(text or "")  # a message's text is of a class derived from str


def evidence_of(messages: Sequence[AnyMessage]) -> list[Any]:
    """Return what tools answered since the person last wrote: documents, or the tool's text."""
    start = next((n for n in range(len(messages), 0, -1) if _is_human(messages[n - 1])), 0)
    found: list[Any] = []
    for message in messages[start:]:
        if isinstance(message, ToolMessage) and message.status != "error":
            found += _documents(message.artifact) or [
                {"text": text_of(message), "kind": "tool", "origin": message.name or ""}
            ]
    return [one for one in found if not isinstance(one, dict) or one["text"].strip()]


def _is_human(message: AnyMessage) -> bool:
    return isinstance(message, HumanMessage)


def _documents(artifact: Any) -> list[Any]:
    """The documents of a retriever tool (``response_format="content_and_artifact"``)."""
    if isinstance(artifact, list) and artifact:
        return artifact if all(hasattr(one, "page_content") for one in artifact) else []
    return []


def question_of(messages: Sequence[AnyMessage]) -> str | None:
    """Return what the person last wrote."""
    return next((text_of(one) for one in reversed(messages) if _is_human(one)), None)


class GroundingMiddleware(AgentMiddleware):
    """Checks an agent's final answer against what its tools returned, before anyone sees it.

    An answer that is not released goes back to the model with what to change, up to ``max_retries``
    times; then ``on_fail`` decides: ``message`` replaces it, ``raise`` raises ``AnswerWithheld``.
    ``evidence`` may be given as a value, or as a function of the agent's state; by default it is
    what tools returned since the person last wrote. The result is kept in the message's
    ``response_metadata["firmground"]``. The model's tokens are not streamed: the checked message
    is.
    """

    def __init__(
        self,
        *,
        engine: Engine | None = None,
        policy: str | Policy | None = None,
        evidence: Any = None,
        max_retries: int = 1,
        on_fail: OnFail = "message",
        message: str = MESSAGE,
    ) -> None:
        super().__init__()
        self._guard = Guard(engine=engine, policy=policy)
        self._evidence = evidence
        self._retries = max_retries
        self._on_fail, self._message = on_fail, message

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> Any:
        """Call the model, check a final answer, and have it corrected."""
        asked = _unstreamed(request)
        for left in range(self._retries, -1, -1):
            response = handler(asked)
            final = _final(response)
            if final is None:
                return response
            evidence, question = self._known(request)
            result = self._guard.check(text_of(final), evidence, question)
            if result.decision.released or not left:
                break
            asked = _again(asked, final, result)
        return self._settled(response, final, result)

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> Any:
        """Call the model, check a final answer, and have it corrected, in an event loop."""
        asked = _unstreamed(request)
        for left in range(self._retries, -1, -1):
            response = await handler(asked)
            final = _final(response)
            if final is None:
                return response
            evidence, question = self._known(request)
            result = await self._guard.acheck(text_of(final), evidence, question)
            if result.decision.released or not left:
                break
            asked = _again(asked, final, result)
        return self._settled(response, final, result)

    def _known(self, request: ModelRequest[Any]) -> tuple[Any, str | None]:
        given = self._evidence(request.state) if callable(self._evidence) else self._evidence
        evidence = evidence_of(request.messages) if given is None else given
        return evidence, question_of(request.messages)

    def _settled(self, response: Any, final: AIMessage, result: Result) -> Any:
        if not result.decision.released and self._on_fail == "raise":
            require_released(result)
        kept = {**final.response_metadata, "firmground": result.to_dict()}
        content = final.content if result.decision.released else self._message
        settled = final.model_copy(update={"content": content, "response_metadata": kept})
        messages = [settled if one is final else one for one in response.result]
        return type(response)(
            result=messages,
            structured_response=response.structured_response if result.decision.released else None,
        )


def _unstreamed(request: ModelRequest[Any]) -> ModelRequest[Any]:
    """The same request, whose tokens LangGraph does not stream before they are checked."""
    model = request.model
    tags = [*(model.tags or []), "nostream"]
    return request.override(model=model.model_copy(update={"tags": tags}))


def _final(response: Any) -> AIMessage | None:
    """The message with the answer; None while the model calls tools or says nothing."""
    last = response.result[-1] if response.result else None
    if not isinstance(last, AIMessage) or last.tool_calls or not text_of(last).strip():
        return None
    return last


def _again(asked: ModelRequest[Any], final: AIMessage, result: Result) -> ModelRequest[Any]:
    return asked.override(messages=[*asked.messages, final, HumanMessage(feedback(result))])


def grounding_evaluator(
    *,
    engine: Engine | None = None,
    policy: str | Policy | None = None,
    answer_key: str = "answer",
    evidence_key: str = "context",
    question_key: str = "question",
) -> Callable[..., list[dict[str, Any]]]:
    """Return an evaluator for ``langsmith.evaluate``: ``grounded`` and ``support`` of each run.

    The answer is looked up in the outputs, evidence and question in the outputs, then the inputs.
    """
    guard = Guard(engine=engine, policy=policy)

    def grounded(inputs: dict[str, Any], outputs: dict[str, Any]) -> list[dict[str, Any]]:
        known = {**inputs, **outputs}
        result = guard.check(
            text_of(known[answer_key]), known.get(evidence_key), known.get(question_key)
        )
        return [
            {"key": "grounded", "score": float(result.stands), "comment": explain(result)},
            {"key": "support", "score": result.support},
        ]

    return grounded
