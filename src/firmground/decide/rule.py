"""What a rule is: it reads some findings and may object, and it never approves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Protocol, runtime_checkable

from firmground.core.claim import Assessment
from firmground.core.decision import Objection, Step
from firmground.core.finding import Findings
from firmground.errors import InputError


@runtime_checkable
class Rule(Protocol):
    """One reason for which an answer may not go out as it is.

    >>> from firmground.testing import FixedRule, check_rule
    >>> check_rule(FixedRule(reason="always"))
    >>> isinstance(FixedRule(), Rule)
    True
    """

    name: ClassVar[str]
    """Under which its objections are recorded."""
    about: ClassVar[str]
    """One line for the documentation."""
    reads: ClassVar[tuple[str, ...]]
    """Fields of ``Findings`` it looks at."""

    def object_to(self, findings: Findings) -> tuple[Objection, ...]:
        """Return what this rule has against the answer; nothing when it has nothing."""
        ...


def share(name: str, value: float) -> None:
    """Refuse a parameter that should be a share and is not."""
    if not 0.0 <= value <= 1.0:  # also refuses NaN
        raise InputError(f"{name} must lie in [0, 1], got {value}")


def objecting(name: str, step: Step) -> None:
    """Refuse a rule that would object by letting everything pass."""
    if step is Step.PROCEED:
        raise InputError(f"{name} must ask for more than proceed; leave the rule out instead")


def only_checker_failures(assessments: Sequence[Assessment]) -> bool:
    """True when claims fell, and each of them only because its checker failed."""
    fallen = [one for one in assessments if not one.standing.stands]
    return bool(fallen) and all(one.checker_failed for one in fallen)
