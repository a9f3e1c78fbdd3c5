"""Pydantic AI: an output validator that has answers corrected, and an evaluator."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from pydantic_ai import ModelRetry, RunContext
from pydantic_ai.messages import ModelMessage, ModelRequest, ToolReturnPart, UserPromptPart

from firmground.errors import InputError
from firmground.integrations.guard import Guard, feedback

if TYPE_CHECKING:
    from firmground.decide import Policy
    from firmground.engine import Engine

T = TypeVar("T")


def grounded_output(
    *,
    engine: Engine | None = None,
    policy: str | Policy | None = None,
    evidence: Any = None,
    text: Callable[[Any], str] | None = None,
) -> Callable[[RunContext[Any], T], Awaitable[T]]:
    """Return a function for ``Agent.output_validator`` that checks the output of a run.

    An output that is not released raises ``ModelRetry`` with what to change, so the agent tries
    again as often as its ``retries`` allow. ``evidence`` is a value, or a function of the run's
    context; by default it is what tools returned since the person last wrote. ``text`` takes the
    text to check out of a structured output.
    """
    guard = Guard(engine=engine, policy=policy)

    async def validate(ctx: RunContext[Any], output: T) -> T:
        if ctx.partial_output:
            return output
        given = evidence(ctx) if callable(evidence) else evidence
        pieces = evidence_of(ctx.messages) if given is None else given
        result = await guard.acheck(_text(output, text), pieces, question_of(ctx.messages))
        if not result.decision.released:
            raise ModelRetry(feedback(result))
        return output

    return validate


def grounded_stream(
    deltas: AsyncIterable[str],
    evidence: Any,
    *,
    question: str | None = None,
    engine: Engine | None = None,
    policy: str | Policy | None = None,
) -> AsyncIterator[str]:
    """Yield ``StreamedRunResult.stream_text(delta=True)`` sentence by sentence, each checked.

    ``AnswerWithheld`` is raised at the end when the whole answer is not released.
    """
    return Guard(engine=engine, policy=policy).released(deltas, evidence, question)


def _text(output: Any, text: Callable[[Any], str] | None) -> str:
    found = output if text is None else text(output)
    if not isinstance(found, str):
        raise InputError(
            f"the output is of type {type(found).__name__}: give grounded_output(text=...), a "
            "function that returns the text to check"
        )
    return found


def evidence_of(messages: Sequence[ModelMessage]) -> list[Any]:
    """Return what tools answered since the person last wrote."""
    found: list[Any] = []
    for message in messages:
        for part in message.parts if isinstance(message, ModelRequest) else ():
            if isinstance(part, UserPromptPart):
                found = []
            elif isinstance(part, ToolReturnPart) and _succeeded(part):
                text = part.model_response_str()
                found.append({"text": text, "kind": "tool", "origin": part.tool_name})
    return [one for one in found if one["text"].strip()]


def _succeeded(part: ToolReturnPart) -> bool:
    return getattr(part, "outcome", "success") == "success"


def question_of(messages: Sequence[ModelMessage]) -> str | None:
    """Return what the person last wrote, as far as it is text."""
    asked = None
    for message in messages:
        for part in message.parts if isinstance(message, ModelRequest) else ():
            if isinstance(part, UserPromptPart):
                pieces = [part.content] if isinstance(part.content, str) else part.content
                asked = " ".join(piece for piece in pieces if isinstance(piece, str)) or None
    return asked
