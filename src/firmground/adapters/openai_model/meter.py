"""What may be spent, and what was."""

from __future__ import annotations

from dataclasses import dataclass

from firmground.core.ports import ModelReply
from firmground.errors import ConfigError, ModelError


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """What a million tokens cost, in a currency of the caller's choice."""

    per_million_in: float
    per_million_out: float

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        """What so many tokens cost."""
        return (tokens_in * self.per_million_in + tokens_out * self.per_million_out) / 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class SpendLimit:
    """The most that may be spent; None is no limit, zero is zero."""

    calls: int | None = None
    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None
    """Time spent waiting for replies, summed over calls."""

    def __post_init__(self) -> None:
        for name in ("calls", "tokens", "cost", "seconds"):
            value = getattr(self, name)
            if value is not None and not value >= 0:
                raise ConfigError(f"budget.{name} must be at least 0, got {value}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What was used, as one value."""

    calls: int = 0
    retries: int = 0
    cached: int = 0
    failures: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    unpriced: int = 0
    """Calls whose cost is not known."""
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        """Tokens in and out together."""
        return self.tokens_in + self.tokens_out


class Meter:
    """Counts what models use and says when a budget has run out. May be shared by several."""

    def __init__(self, budget: SpendLimit | None = None) -> None:
        self.budget = budget or SpendLimit()
        self._calls = self._retries = self._cached = self._failures = 0
        self._tokens_in = self._tokens_out = self._unpriced = 0
        self._cost = self._seconds = 0.0

    @property
    def usage(self) -> Usage:
        """What was used so far."""
        return Usage(
            calls=self._calls,
            retries=self._retries,
            cached=self._cached,
            failures=self._failures,
            tokens_in=self._tokens_in,
            tokens_out=self._tokens_out,
            cost=self._cost,
            unpriced=self._unpriced,
            seconds=self._seconds,
        )

    def exhausted(self) -> tuple[str, ...]:
        """Names of the budgets that allow no further call."""
        used = self.usage
        return tuple(
            name
            for name in ("calls", "tokens", "cost", "seconds")
            if (limit := getattr(self.budget, name)) is not None and getattr(used, name) >= limit
        )

    def start_call(self) -> None:
        """Count one call about to be made, or refuse it."""
        spent = self.exhausted()
        if spent:
            raise ModelError(f"the budget of {' and '.join(spent)} is spent", kind="limit")
        self._calls += 1

    def retried(self) -> None:
        """Count one more try of the same call."""
        self._retries += 1

    def failed(self, seconds: float) -> None:
        """Count a call that gave no reply."""
        self._failures += 1
        self._seconds += seconds

    def add(self, reply: ModelReply) -> None:
        """Count what a reply cost."""
        if reply.cached:
            self._cached += 1
            return
        self._tokens_in += reply.tokens_in
        self._tokens_out += reply.tokens_out
        self._seconds += reply.seconds
        if reply.cost is None:
            self._unpriced += 1
        else:
            self._cost += reply.cost
