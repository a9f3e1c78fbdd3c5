"""The cross-check: samples, votes, labels, repairs, and a report of all of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from firmground.consensus.call_counter import CallCounter, prompt_named, side_by_side
from firmground.consensus.corrections import corrector, judged, propose
from firmground.consensus.model import (
    ClaimVotes,
    Consensus,
    ConsensusLabel,
    ConsensusSettings,
    Peer,
    Sample,
    Vote,
)
from firmground.consensus.sampling import choose_peers, draw_samples
from firmground.consensus.tier import Tier
from firmground.consensus.voting import judges_for, vote_on
from firmground.core.claim import Claim
from firmground.core.evidence import Evidence
from firmground.core.family import family_of
from firmground.core.finding import Correction, Fault, FaultKind, with_corrections
from firmground.core.question import Question
from firmground.errors import InputError

SOURCE = "consensus"


def plan_check(
    *, claims: int, settings: ConsensusSettings, tier: Tier = Tier.FULL
) -> tuple[int, int]:
    """Calls for so many checkable claims: without any dispute, and at most."""
    batches = ceil(claims / settings.blocks_per_call)
    if tier is Tier.NONE or not claims:
        return 0, 0
    if tier is Tier.LIGHT:
        return batches, min(settings.max_calls, 2 * batches)
    plain = settings.samples + settings.samples * batches
    most = settings.samples + 2 * settings.samples * batches
    repair = claims * (1 + 2 * settings.samples) if settings.correct else 0
    return min(plain, settings.max_calls), min(most + repair, settings.max_calls)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Case:
    """What is checked, by whom."""

    question: Question
    answer: str
    claims: tuple[Claim, ...]
    evidence: tuple[Evidence, ...]
    peers: tuple[Peer, ...]
    generator: str | None
    settings: ConsensusSettings

    def __post_init__(self) -> None:
        for position, claim in enumerate(self.claims):
            if self.answer[claim.start : claim.end] != claim.text:
                raise InputError(f"claim {position} is not a piece of this answer")

    @property
    def statements(self) -> list[tuple[int, str]]:
        """Checkable claims in the answer's order."""
        return [(i, _statement(claim)) for i, claim in enumerate(self.claims) if claim.checkable]

    @property
    def family(self) -> str | None:
        """The generator's family, if it is known."""
        return family_of(self.generator) if self.generator else None


def _statement(claim: Claim) -> str:
    return f"{claim.statement} (about: {claim.context})" if claim.context else claim.statement


async def cross_check(
    question: Question,
    answer: str,
    claims: Sequence[Claim],
    *,
    peers: Sequence[Peer],
    evidence: Sequence[Evidence] = (),
    generator: str | None = None,
    settings: ConsensusSettings | None = None,
) -> Consensus | Fault:
    """Compare every claim with references from other families; without peers, say it was skipped.

    One peer of the generator's own family gives self-consistency, and the report says so.
    """
    case = _case(question, answer, claims, peers, evidence, generator=generator, settings=settings)
    if not case.peers:
        return _nobody()
    desk = CallCounter(max_calls=case.settings.max_calls)
    samples = await draw_samples(desk, case.peers, question, case.evidence, case.settings)
    usable = [(i, sample) for i, sample in enumerate(samples) if not sample.abstained]
    blocks = await _vote(desk, case, usable, case.statements)
    fixes = await _repair(desk, case, usable, blocks) if case.settings.correct else ()
    return _report(Tier.FULL, desk, case, blocks, samples=samples, corrections=fixes)


async def light_check(
    question: Question,
    answer: str,
    claims: Sequence[Claim],
    *,
    peers: Sequence[Peer],
    evidence: Sequence[Evidence] = (),
    generator: str | None = None,
    settings: ConsensusSettings | None = None,
) -> Consensus | Fault:
    """Let one model review all claims, another if it fails; it repairs nothing."""
    case = _case(question, answer, claims, peers, evidence, generator=generator, settings=settings)
    if not case.peers:
        return _nobody()
    desk = CallCounter(max_calls=case.settings.max_calls)
    votes = await vote_on(
        desk,
        case.peers[:2],
        case.statements,
        prompt=prompt_named("light.v1"),
        shown={
            "question": (question.text,),
            "evidence": tuple(piece.text for piece in case.evidence),
        },
        sample=-1,
        settings=case.settings,
    )
    return _report(Tier.LIGHT, desk, case, _blocks(case, [votes]), samples=(), corrections=())


def _case(
    question: Question,
    answer: str,
    claims: Sequence[Claim],
    peers: Sequence[Peer],
    evidence: Sequence[Evidence],
    *,
    generator: str | None,
    settings: ConsensusSettings | None,
) -> _Case:
    return _Case(
        question=question,
        answer=answer,
        claims=tuple(claims),
        evidence=tuple(evidence),
        peers=choose_peers(peers, generator),
        generator=generator,
        settings=settings or ConsensusSettings(),
    )


def _nobody() -> Fault:
    return Fault(source=SOURCE, kind=FaultKind.SKIPPED, message="there is no model to ask")


async def _vote(
    desk: CallCounter,
    case: _Case,
    samples: Sequence[tuple[int, Sample]],
    statements: Sequence[tuple[int, str]],
) -> tuple[ClaimVotes, ...]:
    async def read(number: int, sample: Sample) -> dict[int, Vote]:
        return await vote_on(
            desk,
            judges_for(sample, case.peers, case.family),
            statements,
            prompt=prompt_named("votes.v1"),
            shown={"reference": (sample.text,)},
            sample=number,
            settings=case.settings,
        )

    return _blocks(case, await side_by_side(read(number, sample) for number, sample in samples))


def _blocks(case: _Case, ballots: Sequence[dict[int, Vote]]) -> tuple[ClaimVotes, ...]:
    return tuple(
        ClaimVotes(
            claim=position,
            start=claim.start,
            end=claim.end,
            votes=tuple(ballot[position] for ballot in ballots if position in ballot),
        )
        for position, claim in enumerate(case.claims)
        if claim.checkable
    )


async def _repair(
    desk: CallCounter,
    case: _Case,
    samples: Sequence[tuple[int, Sample]],
    blocks: Sequence[ClaimVotes],
) -> tuple[Correction, ...]:
    """Repair contradicted claims one after the other, with votes on the new words."""
    disputed = [block for block in blocks if block.label is ConsensusLabel.CONTRADICTION]
    repairer = corrector(case.peers, case.family)
    if repairer is None:
        return ()
    made = []
    for block in disputed:
        claim = case.claims[block.claim]
        opposed = {v.sample for v in block.votes if v.label is ConsensusLabel.CONTRADICTION}
        new = await propose(
            desk,
            repairer,
            claim,
            question=case.question,
            evidence=case.evidence,
            against=[sample for number, sample in samples if number in opposed],
            settings=case.settings,
        )
        if new:
            votes = await _vote(desk, case, samples, [(block.claim, new)])
            again = next(one for one in votes if one.claim == block.claim)
            made.append(judged(block, claim, after=new, by=repairer.name, votes=again))
    return tuple(made)


def _report(
    tier: Tier,
    desk: CallCounter,
    case: _Case,
    blocks: tuple[ClaimVotes, ...],
    *,
    samples: tuple[Sample, ...],
    corrections: tuple[Correction, ...],
) -> Consensus:
    own = case.family is not None and all(peer.family == case.family for peer in case.peers)
    failed = tuple(desk.faults)
    planned = case.settings.samples if tier is Tier.FULL else 1
    enough = quorate(blocks, planned=planned, silent=sum(one.abstained for one in samples))
    return Consensus(
        tier=tier,
        answer=case.answer,
        corrected=with_corrections(case.answer, corrections),
        blocks=blocks,
        samples=samples,
        corrections=corrections,
        calls=desk.calls,
        faults=() if enough else failed,
        dropped=failed if enough else (),
        self_consistency=own or (case.family is None and len(case.peers) == 1),
        remarks=(*_remarks(case, blocks, samples, own=own), *_lost(failed if enough else ())),
        prompts=tuple(sorted(desk.prompts.items())),
    )


def quorate(blocks: Sequence[ClaimVotes], *, planned: int, silent: int) -> bool:
    """True when more than half of the references that could have spoken voted on every claim."""
    needed = max(1, (planned - silent) // 2 + 1)
    return all(len(block.votes) >= needed for block in blocks)


def _lost(dropped: Sequence[Fault]) -> tuple[str, ...]:
    """Say what failed though the rest suffices."""
    return tuple(
        f"{one.source} failed ({one.kind}: {one.message}) and was left out: the rest is enough"
        for one in dropped
    )


def _remarks(
    case: _Case, blocks: Sequence[ClaimVotes], samples: Sequence[Sample], *, own: bool
) -> tuple[str, ...]:
    made = []
    if own:
        made.append("only the generator's own family could be asked: errors it repeats stay hidden")
    dropped = sum(sample.abstained for sample in samples)
    if dropped:
        made.append(f"{dropped} reference(s) said they do not know and were left out")
    unchecked = sum(not block.checked for block in blocks)
    if unchecked:
        made.append(f"{unchecked} claim(s) got no vote")
    if own and any(block.label is ConsensusLabel.CONTRADICTION for block in blocks):
        made.append("nothing was repaired: there is no peer of another family")
    if case.generator is None:
        made.append("the generator is not named, so that its family could not be kept out")
    return tuple(made)
