"""Circuit breaker: stops asking a target after several faults in a row.

The transitions are pure: state and time in, state out. Only faults count, not failed checks.

::

    closed ──(threshold faults in a row)──► open ──(cool-down over, one probe)──► half_open
       ▲                                     ▲                                      │ │
       └──────────────(the probe answers)────┼──────────────────────────────────────┘ │
                                             └────────────(the probe faults)──────────┘
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum

from firmground.core.finding import Fault, FaultKind, HookReply
from firmground.errors import InputError

NOT_AN_OUTAGE = frozenset(
    {
        FaultKind.SKIPPED,
        FaultKind.NOT_APPLICABLE,
        FaultKind.BREAKER_OPEN,
        FaultKind.MISCONFIGURED,
    }
)
"""Faults that say nothing about whether the target is up."""


class Circuit(StrEnum):
    """Whether a target is asked at all."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half_open"


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerPolicy:
    """After how many faults in a row to stop asking, and for how long."""

    threshold: int = 3
    cool_down_seconds: float = 30.0

    def __post_init__(self) -> None:
        if self.threshold < 1:
            raise InputError(f"breaker.threshold must be at least 1, got {self.threshold}")
        if not 0 < self.cool_down_seconds < math.inf:
            raise InputError(
                f"breaker.cool_down_seconds must be above 0, got {self.cool_down_seconds}"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class BreakerState:
    """What is known about one target."""

    circuit: Circuit = Circuit.CLOSED
    faults: int = 0
    """Faults in a row."""
    opened_at: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CallPermit:
    """Whether this call may go out, and whether it is the one probe."""

    admitted: bool
    probe: bool = False


def admit(
    state: BreakerState, *, now: float, policy: BreakerPolicy
) -> tuple[BreakerState, CallPermit]:
    """Let a call through, hold it back, or send it as the one probe after the cool-down."""
    if state.circuit is Circuit.CLOSED:
        return state, CallPermit(admitted=True)
    rested = now - state.opened_at >= policy.cool_down_seconds
    if state.circuit is Circuit.OPEN and rested:
        return replace(state, circuit=Circuit.HALF_OPEN), CallPermit(admitted=True, probe=True)
    return state, CallPermit(admitted=False)


def answered(state: BreakerState, admission: CallPermit) -> BreakerState:
    """The target answered, yes or no: it is there. Late answers to old calls close nothing."""
    if state.circuit is Circuit.CLOSED or admission.probe:
        return BreakerState()
    return state


def faulted(
    state: BreakerState, admission: CallPermit, *, now: float, policy: BreakerPolicy
) -> BreakerState:
    """The target could not be asked."""
    if admission.probe:
        return BreakerState(circuit=Circuit.OPEN, faults=state.faults + 1, opened_at=now)
    if state.circuit is not Circuit.CLOSED:
        return state
    faults = state.faults + 1
    if faults < policy.threshold:
        return replace(state, faults=faults)
    return BreakerState(circuit=Circuit.OPEN, faults=faults, opened_at=now)


def abandoned(state: BreakerState, admission: CallPermit) -> BreakerState:
    """The call was called off before anything was learnt; the next one may probe instead."""
    return replace(state, circuit=Circuit.OPEN) if admission.probe else state


class Breakers:
    """One breaker for each target, with the clock it lives by; threads may share it."""

    def __init__(
        self,
        policy: BreakerPolicy | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.policy = policy or BreakerPolicy()
        self._clock = clock
        self._states: dict[str, BreakerState] = {}
        # Two threads that look at once must not both send the one probe.
        self._turn = threading.Lock()

    def state(self, target: str) -> BreakerState:
        """What is known about this target."""
        return self._states.get(target, BreakerState())

    def snapshot(self) -> tuple[tuple[str, BreakerState], ...]:
        """Every target that was ever asked, by name."""
        with self._turn:
            return tuple(sorted(self._states.items()))

    def admit(self, target: str) -> CallPermit:
        """Decide whether to ask this target now."""
        with self._turn:
            self._states[target], admission = admit(
                self.state(target), now=self._clock(), policy=self.policy
            )
            return admission

    def record(self, target: str, admission: CallPermit, outcome: HookReply | Fault | None) -> None:
        """Learn from the result of an admitted call; None when it was cancelled."""
        with self._turn:
            self._states[target] = self._learnt(self.state(target), admission, outcome)

    def learn(self, target: str, admission: CallPermit, *, reachable: bool | None) -> None:
        """Learn from an admitted call to anything; None when it was called off."""
        with self._turn:
            state = self.state(target)
            if reachable is None:
                state = abandoned(state, admission)
            elif reachable:
                state = answered(state, admission)
            else:
                state = faulted(state, admission, now=self._clock(), policy=self.policy)
            self._states[target] = state

    def _learnt(
        self, state: BreakerState, admission: CallPermit, outcome: HookReply | Fault | None
    ) -> BreakerState:
        if isinstance(outcome, HookReply):
            return answered(state, admission)
        if outcome is None or outcome.kind in NOT_AN_OUTAGE:
            return abandoned(state, admission)
        return faulted(state, admission, now=self._clock(), policy=self.policy)

    def why_held_back(self, target: str) -> str:
        """One sentence for the record."""
        state = self.state(target)
        left = max(0.0, state.opened_at + self.policy.cool_down_seconds - self._clock())
        return (
            f"not asked: {target!r} faulted {state.faults} times in a row, "
            f"circuit {state.circuit.value}, next attempt in {left:.1f} s"
        )
