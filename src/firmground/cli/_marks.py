"""How each standing looks to a person: a mark, a word and a colour, never a colour alone."""

from __future__ import annotations

from dataclasses import dataclass

from firmground.core.claim import Standing
from firmground.core.decision import Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One way to look."""

    sign: str
    plain: str
    """The sign for terminals that know only ASCII."""
    word: str
    style: str


MARKS: dict[Standing, Mark] = {
    Standing.GROUNDED: Mark(sign="✓", plain="+", word="grounded", style="green"),
    Standing.COMPLEMENTARY: Mark(sign="≈", plain="~", word="complementary", style="cyan"),
    Standing.UNGROUNDED: Mark(sign="?", plain="?", word="ungrounded", style="yellow"),
    Standing.CONTRADICTED: Mark(sign="✗", plain="x", word="contradicted", style="bold red"),
    Standing.UNVERIFIABLE: Mark(sign="!", plain="!", word="unverifiable", style="magenta"),
    Standing.NOT_CHECKABLE: Mark(sign="·", plain=".", word="not checkable", style="dim"),
}
VERDICTS: dict[Verdict, Mark] = {
    Verdict.STANDS: Mark(sign="✓", plain="+", word="STANDS", style="bold green"),
    Verdict.DOES_NOT_STAND: Mark(sign="✗", plain="x", word="DOES NOT STAND", style="bold red"),
    Verdict.COULD_NOT_TELL: Mark(sign="!", plain="!", word="COULD NOT TELL", style="bold magenta"),
}
WAIVED = Mark(sign="≈", plain="~", word="ALLOWED DESPITE OBJECTIONS", style="bold yellow")
"""For an answer that the policy releases although a rule objected; it does not stand."""
NOTHING_TO_CHECK = Mark(sign="·", plain=".", word="NOTHING TO CHECK", style="bold")
"""For an answer that may go out and asserts nothing: it stands on no evidence."""
HARSHEST_FIRST = (
    Standing.CONTRADICTED,
    Standing.UNGROUNDED,
    Standing.UNVERIFIABLE,
    Standing.COMPLEMENTARY,
    Standing.GROUNDED,
    Standing.NOT_CHECKABLE,
)
