"""Votes: one judge reads one reference and labels many claims at once."""

from __future__ import annotations

from collections.abc import Sequence

from firmground.consensus.call_counter import CallCounter, label_schema
from firmground.consensus.model import ConsensusLabel, ConsensusSettings, Peer, Sample, Vote
from firmground.core.fence import fence, mark_for
from firmground.core.loose_json import find_array, find_object
from firmground.core.ports import ModelRequest
from firmground.core.prompt import Prompt

Statements = Sequence[tuple[int, str]]
"""(position of the claim, its words)."""


def judges_for(
    sample: Sample, peers: Sequence[Peer], generator_family: str | None
) -> tuple[Peer, ...]:
    """Who reads a reference, and who if that one fails.

    Neither is of its author's family or the generator's, where that is possible.
    """

    def closeness(place_and_peer: tuple[int, Peer]) -> tuple[int, int]:
        place, peer = place_and_peer
        kin = (peer.family == sample.family) + (peer.family == generator_family)
        return kin * 2 + (peer.name == sample.peer), place

    return tuple(peer for _, peer in sorted(enumerate(peers), key=closeness))[:2]


async def vote_on(
    desk: CallCounter,
    judges: Sequence[Peer],
    statements: Statements,
    *,
    prompt: Prompt,
    shown: dict[str, tuple[str, ...]],
    sample: int,
    settings: ConsensusSettings,
) -> dict[int, Vote]:
    """Label all statements; those left out are asked about once more, of another if one failed."""
    votes: dict[int, Vote] = {}
    judge = judges[0]
    for _ in range(2):
        open_ones = [one for one in statements if one[0] not in votes]
        failed = False
        for at in range(0, len(open_ones), settings.blocks_per_call):
            batch = open_ones[at : at + settings.blocks_per_call]
            cast = await _batch(
                desk, judge, batch, prompt=prompt, shown=shown, sample=sample, settings=settings
            )
            failed = failed or cast is None
            votes |= cast or {}
        judge = judges[-1] if failed else judge
    return votes


async def _batch(
    desk: CallCounter,
    judge: Peer,
    batch: Statements,
    *,
    prompt: Prompt,
    shown: dict[str, tuple[str, ...]],
    sample: int,
    settings: ConsensusSettings,
) -> dict[int, Vote] | None:
    """The votes that can be read; None when no model answered."""
    names = {f"B{i}": position for i, (position, _) in enumerate(batch, start=1)}
    texts = [text for _, text in batch]
    mark = mark_for([*texts, *(piece for pieces in shown.values() for piece in pieces)])
    slots = {
        slot: "\n".join(fence(slot, piece, mark) for piece in pieces)
        for slot, pieces in shown.items()
    }
    statements = "\n".join(fence(n, t, mark) for n, t in zip(names, texts, strict=True))
    request = ModelRequest(
        messages=(("user", desk.used(prompt).fill(mark=mark, statements=statements, **slots)),),
        prompts=(prompt.mark,),
        max_tokens=settings.reply_tokens,
        seed=settings.seed,
        json_schema=label_schema(list(names)),
    )
    reply = await desk.ask(judge, request)
    if reply is None:
        return None
    found = read_labels(reply.texts[0])
    if not found:
        desk.unreadable(judge, "the reply holds no labels that can be read")
    return {
        names[name]: Vote(sample=sample, judge=judge.name, label=label, reason=reason)
        for name, (label, reason) in found.items()
        if name in names
    }


def read_labels(text: str) -> dict[str, tuple[ConsensusLabel, str]]:
    """Labels by statement; an unknown label or two different ones for a statement count as none."""
    document = find_object(text)
    listed = document.get("labels") if document else None
    if not isinstance(listed, list):
        listed = find_array(text) or []
    found: dict[str, tuple[ConsensusLabel, str]] = {}
    torn: set[str] = set()
    for one in listed:
        if not isinstance(one, dict):
            continue
        name = str(one.get("id", "")).strip().upper()
        label = str(one.get("label", "")).strip().upper()
        if label not in ConsensusLabel.__members__:
            continue
        if name in found and found[name][0] is not ConsensusLabel[label]:
            torn.add(name)
        reason = one.get("reason")
        found[name] = (ConsensusLabel[label], reason if isinstance(reason, str) else "")
    return {name: value for name, value in found.items() if name not in torn}
