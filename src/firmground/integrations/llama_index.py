"""LlamaIndex: an evaluator, a guarded query engine and a workflow step."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.response.schema import (
    AsyncStreamingResponse,
    Response,
    StreamingResponse,
)
from llama_index.core.evaluation import BaseEvaluator, EvaluationResult
from llama_index.core.schema import QueryBundle
from llama_index.core.workflow import Event, Workflow, step

from firmground.errors import AnswerWithheld
from firmground.integrations.guard import Guard, explain, feedback, iterate, require_released

if TYPE_CHECKING:
    from firmground.decide import Policy
    from firmground.engine import Engine, Result

MESSAGE = "I cannot answer this from the documents I have."
OnFail = Literal["raise", "message"]


class GroundingEvaluator(BaseEvaluator):
    """Evaluates whether a response stands on its contexts: ``passing``, ``score``, ``feedback``."""

    def __init__(self, *, engine: Engine | None = None, policy: str | Policy | None = None) -> None:
        self._guard = Guard(engine=engine, policy=policy)

    def _get_prompts(self) -> dict[str, Any]:
        return {}

    def _update_prompts(self, prompts: Any) -> None:
        """Do nothing: there are no prompts."""

    async def aevaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[Any] | None = None,
        **kwargs: Any,
    ) -> EvaluationResult:
        """Check a response against its contexts, texts or nodes."""
        result = await self._guard.acheck(response or "", list(contexts or ()), query)
        return _evaluation(result, query, response)

    def evaluate(
        self,
        query: str | None = None,
        response: str | None = None,
        contexts: Sequence[Any] | None = None,
        **kwargs: Any,
    ) -> EvaluationResult:
        """Check a response against its contexts in blocking code."""
        result = self._guard.check(response or "", list(contexts or ()), query)
        return _evaluation(result, query, response)

    def evaluate_response(
        self, query: str | None = None, response: Response | None = None, **kwargs: Any
    ) -> EvaluationResult:
        """Check a response against its source nodes."""
        nodes = response.source_nodes if response else []
        return self.evaluate(query, str(response or ""), nodes, **kwargs)

    async def aevaluate_response(
        self, query: str | None = None, response: Response | None = None, **kwargs: Any
    ) -> EvaluationResult:
        """Check a response against its source nodes in an event loop."""
        nodes = response.source_nodes if response else []
        return await self.aevaluate(query, str(response or ""), nodes, **kwargs)


def _evaluation(result: Result, query: str | None, response: str | None) -> EvaluationResult:
    could_not_tell = str(result.verdict) == "could_not_tell"
    return EvaluationResult(
        query=query,
        response=response,
        contexts=[piece.text for piece in result.request.evidence],
        passing=result.stands,
        score=result.support,
        feedback=explain(result),
        invalid_result=could_not_tell,
        invalid_reason=explain(result) if could_not_tell else None,
    )


class GroundedQueryEngine(BaseQueryEngine):
    """A query engine whose responses are released only if they stand on their source nodes.

    A response that is not released is synthesized again from the same nodes with what to change,
    up to ``max_retries`` times; then ``on_fail`` decides: ``message`` replaces its text, ``raise``
    raises ``AnswerWithheld``. The result is in ``response.metadata["firmground"]``. A streamed
    response is released sentence by sentence, without retries.
    """

    def __init__(
        self,
        query_engine: BaseQueryEngine,
        *,
        engine: Engine | None = None,
        policy: str | Policy | None = None,
        max_retries: int = 1,
        on_fail: OnFail = "message",
        message: str = MESSAGE,
    ) -> None:
        super().__init__(query_engine.callback_manager)
        self._inner = query_engine
        self._guard = Guard(engine=engine, policy=policy)
        self._retries = max_retries
        self._on_fail, self._message = on_fail, message

    def _get_prompt_modules(self) -> dict[str, Any]:
        return {"query_engine": self._inner}

    def _query(self, query_bundle: QueryBundle) -> Any:
        response = self._inner.query(query_bundle)
        for left in range(self._retries, -1, -1):
            if isinstance(response, StreamingResponse):
                deltas = self._released(response.response_gen, response, query_bundle)
                return replace(response, response_gen=iterate(deltas))
            result = self._guard.check(str(response), response.source_nodes, query_bundle.query_str)
            if result.decision.released or not left:
                break
            again = _with_feedback(query_bundle, result)
            response = self._inner.synthesize(again, response.source_nodes)
        return self._settled(response, result)

    async def _aquery(self, query_bundle: QueryBundle) -> Any:
        response = await self._inner.aquery(query_bundle)
        for left in range(self._retries, -1, -1):
            if isinstance(response, AsyncStreamingResponse):
                deltas = self._released(response.response_gen, response, query_bundle)
                return replace(response, response_gen=deltas)
            result = await self._guard.acheck(
                str(response), response.source_nodes, query_bundle.query_str
            )
            if result.decision.released or not left:
                break
            again = _with_feedback(query_bundle, result)
            response = await self._inner.asynthesize(again, response.source_nodes)
        return self._settled(response, result)

    def _settled(self, response: Response, result: Result) -> Response:
        if not result.decision.released and self._on_fail == "raise":
            require_released(result)
        kept = {**(response.metadata or {}), "firmground": result.to_dict()}
        text = str(response) if result.decision.released else self._message
        return Response(response=text, source_nodes=response.source_nodes, metadata=kept)

    async def _released(
        self, deltas: Any, response: Any, query_bundle: QueryBundle
    ) -> AsyncIterator[str]:
        question = query_bundle.query_str
        try:
            async for text in self._guard.released(deltas, response.source_nodes, question):
                yield text
        except AnswerWithheld:
            if self._on_fail == "raise":
                raise
            yield self._message


def _with_feedback(query: QueryBundle, result: Result) -> QueryBundle:
    return QueryBundle(f"{query.query_str}\n\n{feedback(result)}")


class AnswerWritten(Event):
    """An answer that a step of a workflow wrote, with the nodes or texts it was written from."""

    answer: str
    evidence: list[Any]
    question: str = ""


class AnswerReleased(Event):
    """An answer that may be shown."""

    answer: str
    result: dict[str, Any]


class AnswerBlocked(Event):
    """An answer that may not be shown, and what the model should change."""

    answer: str
    feedback: str
    evidence: list[Any]
    question: str
    result: dict[str, Any]


class GroundedWorkflow(Workflow):
    """A workflow with a step that turns ``AnswerWritten`` into ``AnswerReleased`` or ``-Blocked``.

    Derive a workflow from it and add steps that write answers and take what comes out.
    """

    guard = Guard()
    """What answers are checked with; set another one in the derived class."""

    @step
    async def ground(self, ev: AnswerWritten) -> AnswerReleased | AnswerBlocked:
        """Check an answer."""
        result = await self.guard.acheck(ev.answer, ev.evidence, ev.question or None)
        if result.decision.released:
            return AnswerReleased(answer=ev.answer, result=result.to_dict())
        return AnswerBlocked(
            answer=ev.answer,
            feedback=feedback(result),
            evidence=ev.evidence,
            question=ev.question,
            result=result.to_dict(),
        )
