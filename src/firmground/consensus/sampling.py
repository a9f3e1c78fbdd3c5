"""Reference answers: every wording of the question to every family in turn."""

from __future__ import annotations

from collections.abc import Sequence

from firmground.consensus.call_counter import CallCounter, preamble, prompt_named, side_by_side
from firmground.consensus.model import ConsensusSettings, Peer, Sample
from firmground.core.decline import declines
from firmground.core.evidence import Evidence
from firmground.core.ports import ModelRequest
from firmground.core.question import Question


def choose_peers(peers: Sequence[Peer], generator: str | None) -> tuple[Peer, ...]:
    """The peers of other families than the generator's; all of them when there is no other."""
    from_elsewhere = [peer for peer in peers if not _kin(peer, generator)]
    return tuple(_spread(from_elsewhere or list(peers)))


def _kin(peer: Peer, generator: str | None) -> bool:
    return generator is not None and Peer(name=generator, model=peer.model).family == peer.family


def _spread(peers: list[Peer]) -> list[Peer]:
    """One of each family first, then the second of each, and so on, in the order given."""
    seen: dict[str, int] = {}
    ranks = []
    for place, peer in enumerate(peers):
        rank = seen.get(peer.family, 0)
        seen[peer.family] = rank + 1
        ranks.append((rank, place, peer))
    return [peer for _, _, peer in sorted(ranks, key=lambda one: one[:2])]


async def draw_samples(
    desk: CallCounter,
    peers: Sequence[Peer],
    question: Question,
    evidence: Sequence[Evidence],
    settings: ConsensusSettings,
) -> tuple[Sample, ...]:
    """Draw the references side by side; those that failed are faults, not samples."""
    documents = preamble(evidence)

    async def draw(number: int) -> Sample | None:
        peer = peers[number % len(peers)]
        variant = settings.variants[number % len(settings.variants)]
        prompt = desk.used(prompt_named(variant))
        request = ModelRequest(
            messages=(("user", prompt.fill(evidence=documents, question=question.text)),),
            prompts=(prompt.mark, *([prompt_named("evidence.v1").mark] if evidence else [])),
            temperature=settings.temperature,
            max_tokens=settings.sample_tokens,
            seed=settings.seed + number,
        )
        reply = await desk.ask(peer, request)
        if reply is None:
            return None
        text = reply.texts[0].strip()
        return Sample(
            peer=peer.name,
            family=peer.family,
            variant=variant,
            text=text,
            abstained=declines(text),
        )

    if evidence:
        desk.used(prompt_named("evidence.v1"))
    drawn = await side_by_side(draw(number) for number in range(settings.samples))
    return tuple(sample for sample in drawn if sample is not None)
