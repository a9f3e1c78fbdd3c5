"""LiteLLM: a custom guardrail for its proxy."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, Literal

from litellm.integrations.custom_guardrail import CustomGuardrail
from litellm.types.guardrails import GuardrailEventHooks

from firmground.engine import Engine
from firmground.errors import AnswerWithheld
from firmground.integrations.guard import Guard, require_released

MESSAGE = "I cannot answer this from the documents I have."


class GroundingGuardrail(CustomGuardrail):
    """Checks answers after the model: with what tools returned, or evidence from the request.

    ``on_fail``: ``block`` raises, so that the proxy answers with an error; ``message`` replaces the
    text. Streams are released sentence by sentence.
    """

    def __init__(
        self,
        settings: str | None = None,
        policy: str | None = None,
        on_fail: Literal["block", "message"] = "block",
        message: str = MESSAGE,
        **kwargs: Any,
    ) -> None:
        """Take a settings file, the name of a policy, and what LiteLLM passes on."""
        kwargs.setdefault("supported_event_hooks", [GuardrailEventHooks.post_call])
        super().__init__(**kwargs)
        self._guard = Guard(engine=Engine(settings) if settings else None, policy=policy)
        self._on_fail, self._message = on_fail, message

    async def async_post_call_success_hook(
        self, data: dict[str, Any], user_api_key_dict: Any, response: Any
    ) -> Any:
        """Check the choices of a completed response."""
        if not self.should_run_guardrail(data, GuardrailEventHooks.post_call):
            return response
        evidence, question = evidence_of(data), question_of(data.get("messages") or ())
        for choice in getattr(response, "choices", ()):
            text = getattr(getattr(choice, "message", None), "content", None)
            if not isinstance(text, str) or not text.strip():
                continue
            result = await self._guard.acheck(text, evidence, question)
            if result.decision.released:
                continue
            if self._on_fail == "block":
                require_released(result)
            choice.message.content = self._message
            choice.finish_reason = "content_filter"
        return response

    async def async_post_call_streaming_iterator_hook(
        self, user_api_key_dict: Any, response: Any, request_data: dict[str, Any]
    ) -> AsyncIterator[Any]:
        """Release a stream sentence by sentence, each after it was checked."""
        if not self.should_run_guardrail(request_data, GuardrailEventHooks.post_call):
            async for chunk in response:
                yield chunk
            return
        chunks = _Chunks(response)
        evidence, asked = evidence_of(request_data), request_data.get("messages") or ()
        try:
            async for text in self._guard.released(chunks.text(), evidence, question_of(asked)):
                yield chunks.with_text(text)
        except AnswerWithheld:
            if self._on_fail == "block":
                raise
            yield chunks.with_text(self._message)
        for chunk in chunks.others:
            yield chunk


class _Chunks:
    """The text of a stream, and the chunks that carry something else."""

    def __init__(self, response: Any) -> None:
        self._response = response
        self._last: Any = None
        self.others: list[Any] = []

    async def text(self) -> AsyncIterator[str]:
        """Yield the pieces of text; keep the other chunks for the end."""
        async for chunk in self._response:
            text = chunk.choices[0].delta.content if chunk.choices else None
            if text:
                self._last = chunk
                yield text
            else:
                self.others.append(chunk)

    def with_text(self, text: str) -> Any:
        """A chunk like the last one, with another text."""
        made = self._last.model_copy(deep=True)
        made.choices[0].delta.content = text
        return made


def evidence_of(data: Mapping[str, Any]) -> list[Any]:
    """Return the evidence of a request.

    That is ``metadata.evidence`` if the caller sent some; else what tools returned since the
    person last wrote, and what system messages say.
    """
    metadata = data.get("metadata") or {}
    given = metadata.get("evidence") or (metadata.get("requester_metadata") or {}).get("evidence")
    if given:
        return [given] if isinstance(given, str) else list(given)
    found: list[Any] = []
    system: list[Any] = []
    for message in data.get("messages") or ():
        role, text = message.get("role"), _text(message.get("content"))
        if role == "user":
            found = []
        elif role == "tool" and text.strip():
            found.append({"text": text, "kind": "tool", "origin": message.get("name") or ""})
        elif role in ("system", "developer") and text.strip():
            system.append({"text": text, "role": "background"})
    return found or system


def question_of(messages: Sequence[Mapping[str, Any]]) -> str | None:
    """Return what the person last wrote."""
    asked = [_text(one.get("content")) for one in messages if one.get("role") == "user"]
    return asked[-1] if asked else None


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    parts = content if isinstance(content, list) else []
    return "\n".join(str(one.get("text") or "") for one in parts if isinstance(one, Mapping))
