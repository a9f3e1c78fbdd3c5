"""Which models are asked first: those that somebody keeps for quick and cheap work."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

TASKS = ("efficiency", "tool_calling", "planning", "general_task", "scientific_reasoning")
"""Types of tasks that a model may be kept for, in the order in which models are chosen."""
_UNSAID = TASKS.index("general_task")
T = TypeVar("T")


def by_task(models: Iterable[T], tasks_of: Callable[[T], tuple[str, ...]]) -> list[T]:
    """Models for efficiency first, then those for other tasks; one that says nothing is general."""

    def rank(model: T) -> int:
        return min((TASKS.index(task) for task in tasks_of(model)), default=_UNSAID)

    return sorted(models, key=rank)
