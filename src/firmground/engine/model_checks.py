"""Chooses which of the available models are asked about an answer, and for what."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from firmground.adapters.llm_judge import LlmJudge, judges_for
from firmground.consensus import BY_RISK, ConsensusSettings, Peer, TierProfile
from firmground.core.claim import Standing
from firmground.core.family import same_model
from firmground.core.ports import Model
from firmground.core.prompt import marks_of
from firmground.errors import ConfigError
from firmground.probe import DEFAULT, WATCHES, ProbeProfile

TIERS = ("risk", "length", "light", "full")
"""How hard to cross-check; ``risk`` decides by what the other checks left open, ``length`` by the
answer's length, tool calls and the question's penalty."""
NO_MODEL = (
    "no model is configured: name one with --model (its address with --base-url or "
    "OPENAI_BASE_URL, its key in OPENAI_API_KEY), or in a table [[models.use]] of the settings file"
)
_PROMPTS = ("firmground.adapters.llm_judge", "firmground.probe", "firmground.consensus")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChecks:
    """What is asked of models about an answer that deterministic checks have looked at."""

    judges: tuple[LlmJudge, ...] = ()
    """May lower what the deterministic checks found."""
    may_raise: tuple[tuple[Standing, Standing], ...] = ()
    """The only pairs (from, to) in which judges may raise a standing."""
    keep_when_silent: bool = False
    """True: a claim the judges could not speak to keeps its standing."""
    prober: Peer | None = None
    watch: str = "answer"
    profile: ProbeProfile = DEFAULT
    peers: tuple[Peer, ...] | None = None
    """None: no cross-check. Empty: one was wanted and no model is available, which is a finding."""
    tier: str = "risk"
    tiers: TierProfile = BY_RISK
    """Limits by which ``risk`` and ``length`` choose."""
    consensus: ConsensusSettings = field(default_factory=ConsensusSettings)
    generator: str | None = None
    max_calls: int | None = None
    tell: Callable[[str, str], None] = lambda stage, message: None
    """Called with what is planned before anything is asked."""

    def __post_init__(self) -> None:
        if self.watch not in WATCHES:
            raise ConfigError(f"probe: {self.watch!r} is unknown; use one of {', '.join(WATCHES)}")
        if self.tier not in TIERS:
            raise ConfigError(f"consensus: {self.tier!r} is unknown; use one of {', '.join(TIERS)}")

    @property
    def names(self) -> str:
        """Everything the outcome depends on, as a text."""
        prompts = [mark for package in _PROMPTS for mark in marks_of(package)]
        judges = [(j.name, j.claims_per_call, j.max_tokens, j.seed) for j in self.judges]
        return repr(
            (judges, self.may_raise, self.keep_when_silent, self.prober and self.prober.name,
             self.watch, self.profile, self.peers and [p.name for p in self.peers], self.tier,
             self.tiers,
             self.consensus, self.generator, self.max_calls, prompts)
        )  # fmt: skip


def model_checks(
    models: Sequence[tuple[str, Model]],
    *,
    judge: bool = False,
    probe: str | None = None,
    consensus: str | None = None,
    generator: str | None = None,
    max_calls: int | None = None,
    may_raise: Sequence[tuple[Standing, Standing]] = (),
    keep_when_silent: bool = False,
    profile: ProbeProfile = DEFAULT,
    settings: ConsensusSettings | None = None,
    tiers: TierProfile = BY_RISK,
    tell: Callable[[str, str], None] = lambda stage, message: None,
) -> ModelChecks | None:
    """Choose from the available models; None when nothing is wanted of them.

    The generator itself is probed where it is among them, else the first. Judges and peers are of
    other families than the generator's while there are any.
    """
    if not (judge or probe or consensus):
        return None
    if (judge or probe) and not models:
        raise ConfigError(NO_MODEL)
    peers = tuple(Peer(name=name, model=model) for name, model in models)
    author = (peer for peer in peers if generator and same_model(peer.name, generator))
    probed = next(author, peers[0] if peers else None)
    return ModelChecks(
        judges=judges_for(models, generator=generator) if judge else (),
        prober=probed if probe else None,
        watch=probe or "answer",
        peers=peers if consensus else None,
        tier=consensus or "risk",
        generator=generator,
        max_calls=max_calls,
        may_raise=tuple(may_raise),
        keep_when_silent=keep_when_silent,
        profile=profile,
        consensus=settings or ConsensusSettings(),
        tiers=tiers,
        tell=tell,
    )
