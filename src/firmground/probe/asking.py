"""What is sent in one arm: the question, and only the evidence that arm shows."""

from __future__ import annotations

from collections.abc import Sequence

from firmground.core.evidence import Evidence
from firmground.core.fence import fence, mark_for
from firmground.core.ports import Model, ModelReply, ModelRequest
from firmground.core.prompt import Prompt, load_prompt
from firmground.errors import ModelError


def prompt_named(name: str) -> Prompt:
    """One of this room's prompt files."""
    return load_prompt("firmground.probe", name)


def shown_evidence(pieces: Sequence[Evidence]) -> str:
    """The evidence between marks; nothing at all when there is none."""
    if not pieces:
        return ""
    mark = mark_for([piece.text for piece in pieces])
    documents = "\n".join(
        fence(f"document {i}", piece.text, mark) for i, piece in enumerate(pieces, start=1)
    )
    return prompt_named("evidence.v1").fill(documents=documents) + "\n\n"


class Counting:
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
        return reply
