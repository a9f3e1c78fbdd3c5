"""Arms of a measurement: the subsets of evidence that the model is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum


class ArmKind(StrEnum):
    """The ways to take evidence away."""

    NONE = "none"
    FULL = "full"
    LEAVE_ONE_OUT = "leave_one_out"
    DOCUMENT_ONLY = "document_only"


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """The positions of the evidence that is shown."""

    shown: tuple[int, ...]


def arms_for(count: int, kinds: Sequence[ArmKind]) -> tuple[Arm, ...]:
    """Every different arm for so many pieces; two that show the same are one."""
    everything = tuple(range(count))
    made = [Arm(shown=()), Arm(shown=everything)]
    if ArmKind.DOCUMENT_ONLY in kinds:
        made += [Arm(shown=(i,)) for i in everything]
    if ArmKind.LEAVE_ONE_OUT in kinds:
        made += [Arm(shown=tuple(j for j in everything if j != i)) for i in everything]
    return tuple(dict.fromkeys(made))
