"""What is sent in one arm: the question, and only the evidence that arm shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from firmground.core.evidence import Evidence
from firmground.core.fence import fence, mark_for
from firmground.core.ports import Model, ModelReply, ModelRequest
from firmground.core.prompt import Prompt, load_prompt
from firmground.errors import ModelError


def prompt_named(name: str) -> Prompt:
    """One of this room's prompt files."""
    return load_prompt("firmground.probe", name)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptText:
    """Words for a model, and the prompt files they were made from."""

    text: str = ""
    prompts: tuple[tuple[str, str], ...] = ()

    @property
    def messages(self) -> tuple[tuple[str, str], ...]:
        """As a request has them."""
        return (("user", self.text),)


def asked(name: str, **values: str | PromptText) -> PromptText:
    """Fill a prompt file; whatever was itself made from prompt files brings them along."""
    prompt = prompt_named(name)
    inner = [value for value in values.values() if isinstance(value, PromptText)]
    words = {slot: v.text if isinstance(v, PromptText) else v for slot, v in values.items()}
    marks = (prompt.mark, *(mark for one in inner for mark in one.prompts))
    return PromptText(text=prompt.fill(**words), prompts=tuple(dict.fromkeys(marks)))


def shown_evidence(pieces: Sequence[Evidence]) -> PromptText:
    """The evidence between marks; nothing at all when there is none."""
    if not pieces:
        return PromptText()
    mark = mark_for([piece.text for piece in pieces])
    documents = "\n".join(
        fence(f"document {i}", piece.text, mark) for i, piece in enumerate(pieces, start=1)
    )
    shown = asked("evidence.v1", documents=documents)
    return replace(shown, text=shown.text + "\n\n")


class CountingModel:
    """A model that counts what it is asked, and hands failures back as values."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.calls = 0

    async def ask(self, request: ModelRequest) -> ModelReply | ModelError:
        """Ask once; a model that says nothing failed."""
        self.calls += 1
        try:
            reply = await self.model.complete(request)
        except ModelError as error:
            return error
        if not reply.texts:
            return ModelError("the model replied with nothing", kind="bad_reply")
        self.calls += reply.calls - 1
        return reply
