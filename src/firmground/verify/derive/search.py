"""Candidate results of one target: which operations reach its value, and how many were tried."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp

from firmground.verify.derive.compare import satisfies, within
from firmground.verify.derive.facts import Fact
from firmground.verify.derive.model import Value

# "More than four months" may be said of this much more.
_BEYOND = 0.3
_MOST_SHOWN = 8


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OperandCandidate:
    """One number that may be an operand."""

    amount: float
    dimension: str
    text: str
    noun: str = ""
    per: str = ""
    step: float = 0.0
    factor: float = 1.0
    fact: Fact | None = None
    """The fact it comes from; None for a value of the statement or a constant."""
    said: Value | None = None
    """The value of the statement it comes from."""
    relation: float = 0.0
    constant: bool = False

    @property
    def place(self) -> int:
        """The passage it stands in; -1 for a value of the statement."""
        return self.fact.passage if self.fact is not None else -1


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivationPath:
    """One way to reach the target."""

    operation: str
    working: str
    items: tuple[OperandCandidate, ...]
    amount: float
    depth: int = 1


def written(template: str, items: tuple[OperandCandidate, ...]) -> str:
    """Fill the operands' texts into a working; `{all +}` stands for all of them, added."""
    texts = [item.text for item in items]
    if "{all +}" in template:
        shown = " + ".join(texts[:_MOST_SHOWN]) + (" + …" if len(texts) > _MOST_SHOWN else "")
        return template.replace("{all +}", shown)
    return template.format(*texts)


class Search:
    """Collects results for one target and remembers those that reach it."""

    __slots__ = ("high", "hits", "low", "near", "target", "tried", "unit")

    def __init__(self, target: Value) -> None:
        self.target = target
        self.hits: list[DerivationPath] = []
        self.tried = 0
        self.near: set[int] = set()
        """Distinct results in the neighbourhood of the target, for the risk of coincidence."""
        size = abs(target.amount)
        self.low, self.high = target.amount - 0.5 * size, target.amount + 0.5 * size
        self.unit = 1e-4 * size or 1.0

    def offer(
        self,
        operation: str,
        amount: float,
        items: tuple[OperandCandidate, ...],
        template: str,
        *,
        depth: int = 1,
    ) -> None:
        """Consider one result; `template` is its working, with {0}, {1} … for the operands."""
        self.tried += 1
        if not self.low <= amount <= self.high:
            return
        self.near.add(int(amount / self.unit))
        target = self.target
        if within(target, amount) or (
            satisfies(target, amount)
            and abs(amount - target.amount) <= _BEYOND * abs(target.amount)
        ):
            self.hits.append(
                DerivationPath(
                    operation=operation,
                    working=written(template, items),
                    items=items,
                    amount=amount,
                    depth=depth,
                )
            )

    def risk(self) -> float:
        """Estimate the chance that a random value of this size would have been reached as well."""
        size = abs(self.target.amount / self.target.factor)
        if not size:
            return 1.0
        step = (self.target.step / self.target.factor) or 1.0
        return 1.0 - exp(-len(self.near) * min(step, size) / size)
