"""Haystack: a component that releases replies of a pipeline, and an evaluator."""

from __future__ import annotations

from typing import Any

from haystack import Document, component, default_from_dict, default_to_dict
from haystack.core.serialization import component_to_dict
from haystack.dataclasses import ChatMessage, StreamingChunk
from haystack.utils.deserialization import deserialize_component_inplace

from firmground.engine import Engine, Result
from firmground.integrations.guard import Guard, explain, feedback

MESSAGE = "I cannot answer this from the documents I have."


class _Serializable:
    """Settings that a pipeline file can hold; the engine is built from them when first needed."""

    def __init__(
        self, settings: str | None = None, policy: str | None = None, judge: str | None = None
    ) -> None:
        self._given: dict[str, Any] = {"settings": settings, "policy": policy, "judge": judge}
        self._guard: Guard | None = None

    def warm_up(self) -> None:
        """Build the engine: from a settings file, or with a judge; else the shared default."""
        if self._guard is not None:
            return
        settings, judge = self._given["settings"], self._given["judge"]
        own = Engine(settings, judge=judge) if settings or judge else None
        self._guard = Guard(engine=own, policy=self._given["policy"])

    def _ready(self) -> Guard:
        self.warm_up()
        assert self._guard is not None
        return self._guard

    def to_dict(self) -> dict[str, Any]:
        """Return the component as a pipeline file keeps it."""
        return default_to_dict(self, **self._given)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Any:
        """Build the component from a pipeline file."""
        return default_from_dict(cls, data)


@component
class GroundingGuard(_Serializable):
    """Releases replies that stand on the documents of the pipeline.

    Inputs are ``replies`` (texts or chat messages), ``documents`` and ``query``. What is released
    comes out as ``replies``, what is not as ``withheld``; ``results`` has one document for each.
    When nothing is released, ``replies`` has only ``message``.
    """

    def __init__(
        self,
        settings: str | None = None,
        policy: str | None = None,
        judge: str | None = None,
        message: str = MESSAGE,
    ) -> None:
        """Take settings that a pipeline file can hold.

        ``settings`` is the path of a settings file, ``policy`` and ``judge`` are names.
        """
        _Serializable.__init__(self, settings, policy, judge)  # the decorator made a new class
        self._given |= {"message": message}

    @component.output_types(replies=list[Any], withheld=list[Any], results=list[dict[str, Any]])
    def run(self, replies: list[Any], documents: list[Document], query: str = "") -> dict[str, Any]:
        """Check the replies of a generator."""
        guard = self._ready()
        found = [guard.check(_text(one), documents, query) for one in replies]
        return self._settled(replies, found)

    @component.output_types(replies=list[Any], withheld=list[Any], results=list[dict[str, Any]])
    async def run_async(
        self, replies: list[Any], documents: list[Document], query: str = ""
    ) -> dict[str, Any]:
        """Check the replies of a generator without holding up the event loop."""
        guard = self._ready()
        found = [await guard.acheck(_text(one), documents, query) for one in replies]
        return self._settled(replies, found)

    def _settled(self, replies: list[Any], found: list[Result]) -> dict[str, Any]:
        pairs = list(zip(replies, found, strict=True))
        released = [reply for reply, result in pairs if result.decision.released]
        withheld = [reply for reply, result in pairs if not result.decision.released]
        if replies and not released:
            message = str(self._given["message"])
            as_chat = isinstance(replies[0], ChatMessage)
            released = [ChatMessage.from_assistant(message) if as_chat else message]
        results = [result.to_dict() for result in found]
        return {"replies": released, "withheld": withheld, "results": results}


@component
class GroundedChatGenerator(_Serializable):
    """A chat generator whose replies stand on documents, or on what tools returned.

    It wraps another chat generator. A reply that is not released goes back to it with what to
    change, up to ``max_retries`` times; after that ``message`` takes its place. Replies that call
    tools pass. The result is in ``reply.meta["firmground"]``.
    """

    def __init__(
        self,
        chat_generator: Any,
        *,
        settings: str | None = None,
        policy: str | None = None,
        judge: str | None = None,
        max_retries: int = 1,
        message: str = MESSAGE,
    ) -> None:
        """Take a chat generator and settings that a pipeline file can hold."""
        _Serializable.__init__(self, settings, policy, judge)
        self._given |= {"max_retries": max_retries, "message": message}
        self.chat_generator = chat_generator

    def to_dict(self) -> dict[str, Any]:
        """Return the component as a pipeline file keeps it."""
        inner = component_to_dict(self.chat_generator, name="chat_generator")
        return default_to_dict(self, chat_generator=inner, **self._given)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Any:
        """Build the component from a pipeline file."""
        deserialize_component_inplace(data["init_parameters"], key="chat_generator")
        return default_from_dict(cls, data)

    @component.output_types(replies=list[ChatMessage])
    def run(
        self,
        messages: list[ChatMessage],
        documents: list[Document] | None = None,
        generation_kwargs: dict[str, Any] | None = None,
        tools: Any = None,
        streaming_callback: Any = None,
    ) -> dict[str, Any]:
        """Have the reply written, checked and corrected.

        ``documents`` and tool results since the last user message are the evidence.
        ``streaming_callback`` is called once, with the reply that is released.
        """
        guard, evidence = self._ready(), [*(documents or ()), *_tool_results(messages)]
        given = {"generation_kwargs": generation_kwargs, "tools": tools}
        asked = [*messages]
        for left in range(int(self._given["max_retries"] or 0), -1, -1):
            reply = self.chat_generator.run(messages=asked, **_present(given))["replies"][0]
            if reply.tool_calls or not _text(reply).strip():
                return {"replies": [reply]}
            result = guard.check(_text(reply), evidence, _question(messages))
            if result.decision.released or not left:
                break
            asked += [reply, ChatMessage.from_user(feedback(result))]
        if not result.decision.released:
            reply = ChatMessage.from_assistant(str(self._given["message"]), meta=reply.meta)
        reply.meta["firmground"] = result.to_dict()
        if streaming_callback is not None:
            streaming_callback(StreamingChunk(content=_text(reply)))
        return {"replies": [reply]}


def _present(given: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in given.items() if value is not None}


def _tool_results(messages: list[ChatMessage]) -> list[Any]:
    """What tools answered since the person last wrote."""
    found: list[Any] = []
    for message in messages:
        if message.is_from("user"):
            found = []
        for one in message.tool_call_results:
            if not one.error and str(one.result).strip():
                name = one.origin.tool_name
                found.append({"text": str(one.result), "kind": "tool", "origin": name})
    return found


def _question(messages: list[ChatMessage]) -> str | None:
    """What the person last wrote."""
    return next((one.text for one in reversed(messages) if one.is_from("user")), None)


@component
class GroundingEvaluator(_Serializable):
    """Evaluates predicted answers against their contexts, like Haystack's own evaluators."""

    @component.output_types(
        score=float, individual_scores=list[float], results=list[dict[str, Any]]
    )
    def run(
        self,
        predicted_answers: list[str],
        contexts: list[list[Any]],
        questions: list[str] | None = None,
    ) -> dict[str, Any]:
        """Score each answer 1 when it stands and 0 otherwise; ``score`` is the mean."""
        guard = self._ready()
        asked = questions or [""] * len(predicted_answers)
        found = [
            guard.check(answer, context, question)
            for answer, context, question in zip(predicted_answers, contexts, asked, strict=True)
        ]
        scores = [float(result.stands) for result in found]
        return {
            "score": sum(scores) / len(scores) if scores else 0.0,
            "individual_scores": scores,
            "results": [{**one.to_dict(), "explanation": explain(one)} for one in found],
        }


def _text(reply: Any) -> str:
    text = reply.text if isinstance(reply, ChatMessage) else reply
    return str(text or "")
