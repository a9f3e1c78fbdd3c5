"""Limits on what may be spent on repairing one answer."""

from __future__ import annotations

from dataclasses import dataclass, fields

from firmground.core.finding import Spent
from firmground.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Limits on what one answer may cost; ``reached`` names those that are used up.

    >>> Budget(model_calls=2).reached(Spent(model_calls=2))
    ('model_calls',)
    """

    regenerations: int = 2
    replans: int = 2
    model_calls: int = 40
    tokens: int = 200_000
    seconds: float = 300.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            kinds = (int, float) if field.name == "seconds" else (int,)
            if isinstance(value, bool) or not isinstance(value, kinds):
                what = "a number" if field.name == "seconds" else "a whole number"
                raise InputError(f"budget.{field.name} must be {what}, got {value!r}")
            if not value >= 0:  # also refuses NaN
                raise InputError(f"budget.{field.name} must not be negative, got {value}")

    def reached(self, spent: Spent) -> tuple[str, ...]:
        """Names of the limits under which nothing more may be asked of a model."""
        return tuple(
            name
            for name in ("model_calls", "tokens", "seconds")
            if getattr(spent, name) >= getattr(self, name)
        )
