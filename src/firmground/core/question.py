"""The question that is asked."""

from __future__ import annotations

from dataclasses import dataclass

from firmground.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question or goal, as the person or the calling agent put it.

    >>> Question(text="When did it open?", role="historian").role
    'historian'
    """

    text: str
    context: str = ""
    """What was said before, or what was attached; never evidence."""
    role: str | None = None
    """The role of the agent that is asked, if it has one."""
    tools: tuple[str, ...] = ()
    """Names of the tools that are available."""

    def __post_init__(self) -> None:
        if not self.text.strip():
            raise InputError("question.text is empty")
