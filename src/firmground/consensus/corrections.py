"""Targeted correction: one claim at a time, by another family, voted on before it counts."""

from __future__ import annotations

import json
from collections.abc import Sequence

from firmground.consensus.call_counter import CallCounter, fenced_evidence, prompt_named
from firmground.consensus.model import (
    ClaimVotes,
    ConsensusLabel,
    ConsensusSettings,
    Peer,
    Sample,
)
from firmground.core.claim import Claim
from firmground.core.evidence import Evidence
from firmground.core.fence import fence, mark_for
from firmground.core.finding import Correction
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
    """The peer that repairs: the first of another family than the generator's, or None."""
    others = (peer for peer in peers if peer.family != generator_family)
    return next(others, None)


async def propose(
    desk: CallCounter,
    peer: Peer,
    claim: Claim,
    *,
    question: Question,
    evidence: Sequence[Evidence],
    against: Sequence[Sample],
    settings: ConsensusSettings,
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


def _for_and_against(votes: ClaimVotes) -> str:
    accurate, contradicting = ConsensusLabel.ACCURATE, ConsensusLabel.CONTRADICTION
    return f"{votes.count(accurate)} for, {votes.count(contradicting)} against"


def judged(
    block: ClaimVotes, claim: Claim, *, after: str, by: str, votes: ClaimVotes
) -> Correction:
    """Accept new words that no reference contradicts any more and that at least one speaks to."""
    better = votes.checked and votes.label is not ConsensusLabel.CONTRADICTION
    new = _for_and_against(votes)
    old = _for_and_against(block)
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
