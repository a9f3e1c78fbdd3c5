"""How hard to look, and from where on a number means something."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from firmground.errors import ConfigError
from firmground.probe.arms import ArmKind

_ALL = (ArmKind.NONE, ArmKind.FULL, ArmKind.LEAVE_ONE_OUT, ArmKind.DOCUMENT_ONLY)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeProfile:
    """Everything that shapes a measurement, validated together."""

    name: str
    arms: tuple[ArmKind, ...] = _ALL
    samples: int = 5
    """Draws in each arm where probabilities cannot be read off."""
    temperature: float = 0.5
    """Of the draws; probabilities are read at 0."""
    known_from: float = 0.6
    """The model holds an answer it gives at least this often unaided."""
    shift_from: float = 0.1
    """Smaller shifts count as none."""
    top_logprobs: int = 15
    max_tokens: int = 24
    """Of a free answer."""
    max_calls: int | None = None
    seed: int = 0
    abstain_choice: float | None = None
    """Sensitivity from which this profile's rule objects to a multiple-choice answer."""
    abstain_free: float | None = None
    """The same for a free answer."""

    def __post_init__(self) -> None:
        if not {ArmKind.NONE, ArmKind.FULL} <= set(self.arms):
            raise ConfigError(f"profile {self.name}: the arms none and full are always needed")
        if self.samples < 1:
            raise ConfigError(f"profile {self.name}: samples must be at least 1")
        if not 0.5 < self.known_from <= 1:
            raise ConfigError(f"profile {self.name}: known_from must lie in (0.5, 1]")
        if not 0 <= self.shift_from < 1:
            raise ConfigError(f"profile {self.name}: shift_from must lie in [0, 1)")


DEFAULT = ProbeProfile(name="default")
FIREWALL = ProbeProfile(
    name="firewall",
    arms=(ArmKind.NONE, ArmKind.FULL),
    temperature=0.7,
    abstain_choice=0.3,
    abstain_free=0.5,
)
PROFILES: Mapping[str, ProbeProfile] = {one.name: one for one in (DEFAULT, FIREWALL)}
