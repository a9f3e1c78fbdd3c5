"""One place through which every call goes: counted, bounded, its failures kept as faults."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Coroutine, Iterable, Sequence
from typing import Any, TypeVar

from firmground.consensus.model import Peer
from firmground.core.evidence import Evidence
from firmground.core.fault import fault_from
from firmground.core.fence import fence, mark_for
from firmground.core.finding import Fault, FaultKind
from firmground.core.ports import ModelReply, ModelRequest
from firmground.core.prompt import Prompt, load_prompt
from firmground.errors import ModelError

T = TypeVar("T")


def prompt_named(name: str) -> Prompt:
    """One of this room's prompt files."""
    return load_prompt("firmground.consensus", name)


def fenced_evidence(evidence: Sequence[Evidence], mark: str) -> str:
    """Every document between marks."""
    return "\n".join(
        fence(f"document {i}", piece.text, mark) for i, piece in enumerate(evidence, start=1)
    )


def preamble(evidence: Sequence[Evidence]) -> str:
    """The documents a peer may use, or nothing."""
    if not evidence:
        return ""
    mark = mark_for([piece.text for piece in evidence])
    filled = prompt_named("evidence.v1").fill(mark=mark, documents=fenced_evidence(evidence, mark))
    return filled + "\n\n"


class CallCounter:
    """Counts calls, refuses those beyond the budget, and keeps what went wrong."""

    def __init__(self, *, max_calls: int) -> None:
        self.left = max_calls
        self.calls = 0
        self.faults: list[Fault] = []
        self.prompts: dict[str, str] = {}

    def used(self, prompt: Prompt) -> Prompt:
        """Remember that a prompt was used."""
        self.prompts[prompt.name] = prompt.digest
        return prompt

    async def ask(self, peer: Peer, request: ModelRequest) -> ModelReply | None:
        """Ask once; None when it failed or nothing is left to spend, with the fault noted."""
        if self.left < 1:
            told = "the budget of calls is spent"
            self._note(Fault(source=f"peer {peer.name}", kind=FaultKind.LIMIT, message=told))
            return None
        self.left -= 1
        self.calls += 1
        try:
            reply = await peer.model.complete(request)
        except ModelError as error:
            self._note(fault_from(error, source=f"peer {peer.name}"))
            return None
        if not reply.texts:
            self.unreadable(peer, "the reply holds nothing")
            return None
        return reply

    def unreadable(self, peer: Peer, told: str) -> None:
        """Note a reply that could not be used."""
        self._note(Fault(source=f"peer {peer.name}", kind=FaultKind.BAD_REPLY, message=told))

    def _note(self, fault: Fault) -> None:
        if fault not in self.faults:
            self.faults.append(fault)


async def side_by_side(asking: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """Wait for all of them; a defect is raised as it is, not wrapped in a group."""
    try:
        async with asyncio.TaskGroup() as group:
            tasks = [group.create_task(one) for one in asking]
    except ExceptionGroup as several:
        raise several.exceptions[0] from None
    return [task.result() for task in tasks]


def label_schema(names: Sequence[str]) -> str:
    """A schema in which only statements that exist can be labelled."""
    item = {
        "type": "object",
        "properties": {
            "id": {"type": "string", "enum": list(names)},
            "label": {"type": "string", "enum": ["ACCURATE", "CONTRADICTION", "NEUTRAL"]},
            "reason": {"type": "string"},
        },
        "required": ["id", "label", "reason"],
        "additionalProperties": False,
    }
    return json.dumps(
        {
            "type": "object",
            "properties": {"labels": {"type": "array", "items": item}},
            "required": ["labels"],
            "additionalProperties": False,
        },
        sort_keys=True,
    )
