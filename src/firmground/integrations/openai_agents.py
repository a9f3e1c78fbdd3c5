"""OpenAI Agents SDK: an output guardrail over tool results, a retry, and checked streams."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

from agents import (
    Agent,
    AgentHooks,
    GuardrailFunctionOutput,
    ItemHelpers,
    OutputGuardrail,
    OutputGuardrailTripwireTriggered,
    RunContextWrapper,
    Runner,
    RunResult,
    RunResultStreaming,
)

from firmground.errors import AnswerWithheld, InputError
from firmground.integrations.guard import Guard, feedback

if TYPE_CHECKING:
    from firmground.decide import Policy
    from firmground.engine import Engine, Result

NAME = "firmground"


class Grounding:
    """Guards agents: their final output must stand on what their tools returned.

    ``protect`` returns an agent with the guardrail, ``run`` runs it and has answers corrected,
    ``stream`` releases a streamed run sentence by sentence. ``evidence`` is a value or a function
    of the run's context; by default it is every tool result that the model was shown since the
    person last wrote. ``text`` takes the text to check out of a structured output.
    """

    def __init__(
        self,
        *,
        engine: Engine | None = None,
        policy: str | Policy | None = None,
        evidence: Any = None,
        text: Callable[[Any], str] | None = None,
    ) -> None:
        self._guard = Guard(engine=engine, policy=policy)
        self._evidence = evidence
        self._text = text or _written
        self._shown: WeakKeyDictionary[RunContextWrapper[Any], Sequence[Any]] = WeakKeyDictionary()

    def protect(self, agent: Agent[Any]) -> Agent[Any]:
        """Return a copy of an agent whose final output is checked; its own hooks stay."""
        guardrail: OutputGuardrail[Any] = OutputGuardrail(self._check, name=NAME)
        return agent.clone(
            hooks=_Hooks(self._shown, agent.hooks),
            output_guardrails=[*agent.output_guardrails, guardrail],
        )

    async def run(
        self, agent: Agent[Any], input: Any, *, max_retries: int = 1, **options: Any
    ) -> RunResult:
        """Run a protected agent; an answer that trips goes back to the model with what to change.

        After ``max_retries`` the SDK's ``OutputGuardrailTripwireTriggered`` is raised. ``options``
        are those of ``Runner.run``.
        """
        for left in range(max_retries, -1, -1):
            try:
                return await Runner.run(agent, input, **options)
            except OutputGuardrailTripwireTriggered as tripped:
                result = tripwire_result(tripped)
                if result is None or not left or tripped.run_data is None:
                    raise
                made = [*tripped.run_data.new_items]
                input = [
                    *ItemHelpers.input_to_new_input_list(tripped.run_data.input),
                    *(item.to_input_item() for item in made),
                    {"role": "developer", "content": feedback(result), "type": "message"},
                ]
        raise AssertionError("unreachable")

    async def stream(
        self, run: RunResultStreaming, *, evidence: Any = None, question: str | None = None
    ) -> AsyncIterator[str]:
        """Yield the text of a streamed run sentence by sentence, each after it was checked.

        Run an agent that is not protected: here the stream itself is the guard. ``AnswerWithheld``
        is raised at the end when the last answer is not released.
        """
        events = _Events(run)
        withheld: AnswerWithheld | None = None
        while not events.ended:
            deltas = events.text()
            first = await anext(deltas, None)
            if first is None:
                continue
            withheld = None
            known = events.evidence if evidence is None else evidence
            try:
                async for text in self._guard.released(_chained(first, deltas), known, question):
                    yield text
            except AnswerWithheld as error:
                withheld = error
        if withheld is not None:
            raise withheld

    async def _check(
        self, context: RunContextWrapper[Any], agent: Agent[Any], output: Any
    ) -> GuardrailFunctionOutput:
        given = self._evidence(context) if callable(self._evidence) else self._evidence
        items = self._shown.get(context, ())
        evidence = evidence_of(items) if given is None else given
        result = await self._guard.acheck(self._text(output), evidence, question_of(items))
        return GuardrailFunctionOutput(
            output_info=result, tripwire_triggered=not result.decision.released
        )


class _Hooks(AgentHooks[Any]):
    """Keeps what the model is shown; everything is handed on to the agent's own hooks."""

    def __init__(self, shown: Any, inner: AgentHooks[Any] | None) -> None:
        self._shown = shown
        self._inner = inner or AgentHooks()

    async def on_llm_start(
        self, context: Any, agent: Any, system_prompt: str | None, input_items: list[Any]
    ) -> None:
        """Keep the items of this model call."""
        self._shown[context] = list(input_items)
        await self._inner.on_llm_start(context, agent, system_prompt, input_items)

    async def on_llm_end(self, *args: Any, **given: Any) -> None:
        """Hand on."""
        await self._inner.on_llm_end(*args, **given)

    async def on_start(self, *args: Any, **given: Any) -> None:
        """Hand on."""
        await self._inner.on_start(*args, **given)

    async def on_end(self, *args: Any, **given: Any) -> None:
        """Hand on."""
        await self._inner.on_end(*args, **given)

    async def on_handoff(self, *args: Any, **given: Any) -> None:
        """Hand on."""
        await self._inner.on_handoff(*args, **given)

    async def on_tool_start(self, *args: Any, **given: Any) -> None:
        """Hand on."""
        await self._inner.on_tool_start(*args, **given)

    async def on_tool_end(self, *args: Any, **given: Any) -> None:
        """Hand on."""
        await self._inner.on_tool_end(*args, **given)


class _Events:
    """The events of a streamed run: text of one model response at a time, tool results beside."""

    def __init__(self, run: RunResultStreaming) -> None:
        self._events = run.stream_events()
        self.evidence: list[Any] = []
        self.ended = False

    async def text(self) -> AsyncIterator[str]:
        """Yield the pieces of text until a model response is complete, or the run ends."""
        async for event in self._events:
            if event.type == "raw_response_event":
                if event.data.type == "response.output_text.delta":
                    yield event.data.delta
                elif event.data.type == "response.completed":
                    return
            elif event.type == "run_item_stream_event" and event.name == "tool_output":
                self.evidence += evidence_of([event.item.to_input_item()])
        self.ended = True


async def _chained(first: str, rest: AsyncIterator[str]) -> AsyncIterator[str]:
    yield first
    async for one in rest:
        yield one


def tripwire_result(tripped: OutputGuardrailTripwireTriggered) -> Result | None:
    """Return the result of the check that tripped; None when another guardrail did."""
    found = tripped.guardrail_result
    return found.output.output_info if found.guardrail.get_name() == NAME else None


def evidence_of(items: Sequence[Any]) -> list[Any]:
    """Return what tools answered since the person last wrote."""
    found: list[Any] = []
    for item in items:
        if _role(item) == "user":
            found = []
        elif isinstance(item, Mapping) and str(item.get("type", "")).endswith("_call_output"):
            found.append({"text": _text(item.get("output")), "kind": "tool"})
    return [one for one in found if one["text"].strip()]


def question_of(items: Sequence[Any]) -> str | None:
    """Return what the person last wrote."""
    asked = [_text(item.get("content")) for item in items if _role(item) == "user"]
    return asked[-1] if asked else None


def _role(item: Any) -> str | None:
    return item.get("role") if isinstance(item, Mapping) else None


def _text(content: Any) -> str:
    """The text of a content: a string, or parts of which some are text."""
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list | tuple) else [content]
    return "\n".join(str(p["text"]) for p in parts if isinstance(p, Mapping) and p.get("text"))


def _written(output: Any) -> str:
    """The text of an output that is text; other kinds need a function that finds theirs."""
    if not isinstance(output, str):
        raise InputError(
            f"the output is of type {type(output).__name__}: give Grounding(text=...), a function "
            "that returns the text to check"
        )
    return output
