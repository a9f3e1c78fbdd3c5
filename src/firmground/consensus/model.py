"""What a cross-check is made of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from firmground.core.family import family_of
from firmground.core.finding import Agreement, BlockScore, BlockVote, Correction, Fault
from firmground.core.ports import Model
from firmground.errors import ConfigError

VARIANTS = ("sample-plain.v1", "sample-steps.v1", "sample-facts.v1")


class ConsensusLabel(StrEnum):
    """What references say about one claim."""

    ACCURATE = "ACCURATE"
    CONTRADICTION = "CONTRADICTION"
    NEUTRAL = "NEUTRAL"


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """A model that may be asked, under a name that identifies its family."""

    name: str
    model: Model

    @property
    def family(self) -> str:
        """Who made it."""
        return family_of(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsensusSettings:
    """How many references, how they are worded, and what may be spent."""

    samples: int = 3
    variants: tuple[str, ...] = VARIANTS
    blocks_per_call: int = 12
    max_calls: int = 60
    correct: bool = True
    temperature: float = 0.7
    sample_tokens: int = 400
    reply_tokens: int = 800
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("samples", "blocks_per_call"):
            if getattr(self, name) < 1:
                raise ConfigError(f"consensus.{name} must be at least 1")
        if not self.variants:
            raise ConfigError("consensus.variants must name at least one prompt")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """One reference answer by one peer to one wording of the question."""

    peer: str
    family: str
    variant: str
    text: str
    abstained: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Vote:
    """What one reference says about one claim, as one judge read it."""

    sample: int
    """Position of the sample; -1 when there was none and the judge spoke for itself."""
    judge: str
    label: ConsensusLabel
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimVotes:
    """One claim of the answer with all votes on it."""

    claim: int
    start: int
    end: int
    votes: tuple[Vote, ...] = ()

    @property
    def checked(self) -> bool:
        """True when at least one vote was cast."""
        return bool(self.votes)

    def count(self, label: ConsensusLabel) -> int:
        """How many votes say so."""
        return sum(vote.label is label for vote in self.votes)

    @property
    def label(self) -> ConsensusLabel:
        """What more votes say; neutral at a tie."""
        for_it, against = (
            self.count(ConsensusLabel.ACCURATE),
            self.count(ConsensusLabel.CONTRADICTION),
        )
        if for_it == against:
            return ConsensusLabel.NEUTRAL
        return ConsensusLabel.ACCURATE if for_it > against else ConsensusLabel.CONTRADICTION

    @property
    def score(self) -> float:
        """Share of the decided votes that support the claim, smoothed; 0.5 is neutral."""
        for_it, against = (
            self.count(ConsensusLabel.ACCURATE),
            self.count(ConsensusLabel.CONTRADICTION),
        )
        return (for_it + 0.5) / (for_it + against + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Consensus:
    """Everything a cross-check found."""

    tier: str
    answer: str
    corrected: str
    """The answer with the accepted corrections; the answer itself when there are none."""
    blocks: tuple[ClaimVotes, ...]
    samples: tuple[Sample, ...]
    corrections: tuple[Correction, ...]
    calls: int
    faults: tuple[Fault, ...]
    """Calls that failed and left too few votes on some claim."""
    self_consistency: bool
    """True when only the generator's own family could be asked."""
    remarks: tuple[str, ...] = ()
    prompts: tuple[tuple[str, str], ...] = ()
    dropped: tuple[Fault, ...] = ()
    """Calls that failed while the rest was enough; the remarks name each."""

    @property
    def unchecked(self) -> tuple[int, ...]:
        """Claims without any vote."""
        return tuple(block.claim for block in self.blocks if not block.checked)

    @property
    def diff(self) -> tuple[str, ...]:
        """One line for each accepted correction."""
        return tuple(
            f"{one.start}:{one.end} {one.before!r} -> {one.after!r} (by {one.by}: {one.reason})"
            for one in self.corrections
            if one.accepted
        )

    @property
    def agreement(self) -> Agreement:
        """The finding, about the answer as it was."""
        checked = [block for block in self.blocks if block.checked]
        labels = [block.label for block in checked]
        voices = {sample.family for sample in self.samples if not sample.abstained}
        judges = {family_of(vote.judge) for block in checked for vote in block.votes}
        return Agreement(
            agreeing=labels.count(ConsensusLabel.ACCURATE),
            disagreeing=labels.count(ConsensusLabel.CONTRADICTION),
            abstaining=labels.count(ConsensusLabel.NEUTRAL),
            families=tuple(sorted(voices or judges)),
            disputed=tuple(b.claim for b in checked if b.label is ConsensusLabel.CONTRADICTION),
            unchecked=self.unchecked,
            same_family=self.self_consistency,
            samples=sum(not sample.abstained for sample in self.samples),
            calls=self.calls,
            prompts=self.prompts,
            tier=str(self.tier),
            blocks=tuple(self._scored(block) for block in checked),
            corrections=self.corrections,
        )

    def _scored(self, block: ClaimVotes) -> BlockScore:
        return BlockScore(
            claim=block.claim,
            label=str(block.label),
            score=round(block.score, 6),
            votes=tuple(
                BlockVote(
                    reference=self.samples[vote.sample].peer if vote.sample >= 0 else "",
                    judge=vote.judge,
                    label=str(vote.label),
                    reason=vote.reason,
                )
                for vote in block.votes
            ),
        )
