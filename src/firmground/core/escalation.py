"""When a person must decide: what is put to them, and what they ruled."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from firmground.core.decision import Objection
from firmground.errors import InputError


class Choice(StrEnum):
    """What a person may choose."""

    RETRY = "retry"
    """One more attempt, within what is left of calls, tokens and seconds."""
    AMEND = "amend"
    """One more attempt, with a prompt of the person's own."""
    SKIP = "skip"
    """Let the answer out; it goes marked as not vouched for."""
    REPLACE = "replace"
    """Let an answer of the person's own out; it is checked, and goes marked as released by them."""
    ABORT = "abort"
    """Withhold the answer."""


SETTLING = (Choice.SKIP, Choice.REPLACE, Choice.ABORT)
"""Choices that settle a case without another attempt."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Escalation:
    """What is put to a person: why, about what, and what they may choose."""

    question: str
    answer: str | None
    """The best answer so far; None when there is none."""
    reasons: tuple[Objection, ...]
    """Every objection that stands, those that call for a person first."""
    choices: tuple[Choice, ...]
    attempts: int = 0
    """How many answers were tried."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """What a person decided.

    >>> Ruling(choice=Choice.SKIP, by="kim", note="known to be right").choice.value
    'skip'
    """

    choice: Choice
    prompt: str = ""
    """The amended prompt; only with ``amend``."""
    answer: str = ""
    """The person's own answer; only with ``replace``."""
    note: str = ""
    """Why, in the person's words."""
    by: str = ""
    """Who it was, as the caller knows them."""

    def __post_init__(self) -> None:
        if self.choice is Choice.AMEND and not self.prompt.strip():
            raise InputError("ruling.prompt: an amended prompt must not be empty")
        if self.choice is not Choice.AMEND and self.prompt:
            raise InputError(f"ruling.prompt: belongs to amend, not to {self.choice}")
        if (self.choice is Choice.REPLACE) != bool(self.answer.strip()):
            raise InputError("ruling.answer: belongs to replace, and must not be empty there")


@dataclass(frozen=True, slots=True, kw_only=True)
class Escalated:
    """One case and its ruling; None while it is open."""

    case: Escalation
    ruling: Ruling | None = None

    def __post_init__(self) -> None:
        offered_choices = self.case.choices
        if Choice.SKIP in offered_choices:
            offered_choices = (*offered_choices, Choice.REPLACE)
        if self.ruling is not None and self.ruling.choice not in offered_choices:
            offered = ", ".join(self.case.choices)
            raise InputError(f"ruling: {self.ruling.choice} is not on offer; choose {offered}")
