"""What a person may say about preflight. Unset, off and zero are three different things."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from firmground.errors import InputError

Tri = float | Literal["off"] | None
"""None: not said, the profile's value holds. ``"off"``: do not look. A number, even 0: that."""

SIGNALS: Final = (
    "role_play",
    "fabricated_data",
    "second_person_role",
    "specific_metrics",
    "information_density",
    "temporal_urgency",
    "wording",
)
PROFILES: Final = ("default", "halguard")
BLOCK_BELOW: Final = {"default": 0.4, "halguard": 0.4}
"""Set on the ``dev`` half of the labelled goals, with out-of-fold scores of the wording: the
lowest at which one strong cue alone still blocks. It catches 82 of 83 inventions there, as do all
up to 0.6, and blocks 1 of 129 genuine goals."""
PARTIAL_BELOW: Final = {"default": 0.7, "halguard": 0.5}


@dataclass(frozen=True, slots=True, kw_only=True)
class PreflightSettings:
    """How strictly a question is looked at."""

    enabled: bool | None = None
    """False: questions are not inspected before they are asked. Unset means they are."""
    profile: str = "default"
    block_below: Tri = None
    """Confidence below which the question is blocked."""
    partial_below: Tri = None
    """Confidence below which the question goes on with a reservation."""
    max_penalty: tuple[tuple[str, Tri], ...] = ()
    """The maximum each signal may lower the confidence by; ``"off"`` disables the signal."""
    question_state: Literal["on", "off"] | None = None
    reject_broad: bool | None = None
    """Block questions that are broad and unbounded. Unset means no."""
    block_on_contradiction: bool | None = None
    """Block questions that contradict themselves. Unset means no."""
    model_profile: str = "default"
    """Whose claim caps apply."""
    apply_caps: bool | None = None
    """Tell the model the claim cap. Unset means only report it."""

    def __post_init__(self) -> None:
        if self.profile not in PROFILES:
            raise InputError(
                f"preflight.profile {self.profile!r} is unknown; use one of {', '.join(PROFILES)}"
            )
        _check_share("block_below", self.block_below)
        _check_share("partial_below", self.partial_below)
        for name, value in self.max_penalty:
            if name not in SIGNALS:
                raise InputError(
                    f"preflight.max_penalty.{name} is not a signal; use one of {', '.join(SIGNALS)}"
                )
            _check_share(f"max_penalty.{name}", value)

    @property
    def off(self) -> frozenset[str]:
        """Signals that are not looked for."""
        return frozenset(name for name, value in self.max_penalty if value == "off")

    @property
    def caps(self) -> dict[str, float]:
        """The maximum penalty of each signal, where a number is set."""
        return {name: value for name, value in self.max_penalty if isinstance(value, float | int)}

    def block_threshold(self) -> float | None:
        """The confidence below which a question is blocked; None when that is off."""
        return _resolve(self.block_below, BLOCK_BELOW[self.profile])

    def partial_threshold(self) -> float | None:
        """The confidence below which a reservation is made; None when that is off."""
        return _resolve(self.partial_below, PARTIAL_BELOW[self.profile])


def _resolve(value: Tri, default: float) -> float | None:
    if value is None:
        return default
    return None if value == "off" else float(value)


def _check_share(name: str, value: Tri) -> None:
    if value is None or value == "off":
        return
    if isinstance(value, bool) or not isinstance(value, float | int) or not 0.0 <= value <= 1.0:
        raise InputError(
            f'preflight.{name} must be a number in [0, 1], "off", or left out; got {value!r}'
        )
