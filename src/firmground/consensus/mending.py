"""Targeted correction: one claim at a time, by another family, voted on before it counts."""

from __future__ import annotations

import json
from collections.abc import Sequence

from firmground.consensus.asking import Desk, fenced_evidence, prompt_named
from firmground.consensus.nouns import Block, Correction, Label, Peer, Sample, Settings
from firmground.core.claim import Claim
from firmground.core.evidence import Evidence
from firmground.core.fence import fence, mark_for
from firmground.core.loose_json import find_object
from firmground.core.ports import ModelRequest
from firmground.core.question import Question

_SCHEMA = json.dumps(
    {
        "type": "object",
        "properties": {"replacement": {"type": "string"}},
        "required": ["replacement"],
        "additionalProperties": False,
    }
)


def corrector(peers: Sequence[Peer], generator_family: str | None) -> Peer | None:
    """Who mends: the first peer of another family than the generator's; nobody if there is none."""
    others = (peer for peer in peers if peer.family != generator_family)
    return next(others, None)


async def propose(
    desk: Desk,
    peer: Peer,
    claim: Claim,
    *,
    question: Question,
    evidence: Sequence[Evidence],
    against: Sequence[Sample],
    settings: Settings,
) -> str | None:
    """New words for one claim; None when nothing usable came back."""
    references = [sample.text for sample in against]
    mark = mark_for([question.text, claim.text, *references, *(piece.text for piece in evidence)])
    prompt = desk.used(prompt_named("correct.v1"))
    words = prompt.fill(
        mark=mark,
        question=fence("question", question.text, mark),
        evidence=fenced_evidence(evidence, mark),
        references="\n".join(fence("reference", text, mark) for text in references),
        statement=fence("statement", claim.text, mark),
    )
    request = ModelRequest(
        messages=(("user", words),),
        prompts=(prompt.mark,),
        max_tokens=settings.reply_tokens,
        seed=settings.seed,
        json_schema=_SCHEMA,
    )
    reply = await desk.ask(peer, request)
    if reply is None:
        return None
    document = find_object(reply.texts[0])
    new = document.get("replacement") if document else None
    if not isinstance(new, str):
        desk.unreadable(peer, "the reply holds no replacement that can be read")
        return None
    return new.strip()


def judged(block: Block, claim: Claim, *, after: str, by: str, votes: Block) -> Correction:
    """Accept new words that no reference contradicts any more and that at least one speaks to."""
    better = votes.checked and votes.label is not Label.CONTRADICTION
    new = f"{votes.count(Label.ACCURATE)} for, {votes.count(Label.CONTRADICTION)} against"
    old = f"{block.count(Label.ACCURATE)} for, {block.count(Label.CONTRADICTION)} against"
    told = f"the new words have {new}; the old ones had {old}"
    return Correction(
        claim=block.claim,
        start=claim.start,
        end=claim.end,
        before=claim.text,
        after=after,
        by=by,
        accepted=better and after != claim.text,
        reason=told if votes.checked else "the new words could not be voted on",
    )


def apply_corrections(answer: str, corrections: Sequence[Correction]) -> str:
    """Replace exactly the stretches that were accepted, from the end to the beginning."""
    for one in sorted(corrections, key=lambda c: -c.start):
        if one.accepted and answer[one.start : one.end] == one.before:
            answer = answer[: one.start] + one.after + answer[one.end :]
    return answer
