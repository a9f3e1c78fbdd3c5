"""What is to be checked."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from firmground.core.evidence import Evidence
from firmground.core.question import Question
from firmground.errors import InputError

LONGEST_ANSWER = 4 << 20
MOST_EVIDENCE = 64 << 20


class Mode(StrEnum):
    """In which form the answer was written, which decides how it is cut into claims."""

    PROSE = "prose"
    QUOTE = "quote"
    """Prose whose quotations are meant to be exact."""
    POINTER = "pointer"
    """One claim a line, each with pointers such as ``[E1]``."""
    JSON = "json"
    """A JSON list of claims with evidence ids."""

    @property
    def points(self) -> bool:
        """True when every claim of the answer points to its evidence."""
        return self in (Mode.POINTER, Mode.JSON)

    @property
    def answer_mode(self) -> str:
        """The name in records: ``quote``, ``claim_lattice_pointer`` or ``claim_lattice``."""
        return {Mode.POINTER: "claim_lattice_pointer", Mode.JSON: "claim_lattice"}.get(
            self, "quote"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One answer, the evidence it may stand on, and the question if it is known."""

    answer: str
    evidence: tuple[Evidence, ...]
    question: Question | None = None
    id: str | int = ""
    """The caller's own name for it; part of no root, unless hooks are asked, who see it."""
    mode: Mode = Mode.PROSE
    marks: tuple[int, ...] = ()
    """Positions where firmground marked a claim as unsupported; callers cannot set them."""
    unread: tuple[str, ...] = ()
    """Sources that were named as evidence and could not be read."""
    metadata: tuple[tuple[str, str], ...] = ()
    """The caller's own pairs of name and text, for hooks."""
    output_files: tuple[str, ...] = ()
    """Paths of files that were written along with the answer, for hooks."""
    tool_calls: int = 0
    """How many tools were called while the answer was written; by length, it decides the tier."""
    penalty: float = 0.0
    """What preflight takes off the confidence that the question is genuine."""

    def __post_init__(self) -> None:
        if not self.answer.strip():
            raise InputError("answer is empty")
        if len(self.answer) > LONGEST_ANSWER:
            raise InputError(f"answer is longer than {LONGEST_ANSWER} characters")
        if self.tool_calls < 0:
            raise InputError(f"tool_calls must not be negative, got {self.tool_calls}")
        if not self.evidence:
            raise InputError("evidence is empty: there is nothing the answer could stand on")
        if sum(len(piece.text) for piece in self.evidence) > MOST_EVIDENCE:
            raise InputError(f"evidence is longer than {MOST_EVIDENCE} characters in all")
        object.__setattr__(self, "evidence", _distinct(self.evidence))


def _distinct(evidence: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """Keep the first of equal pieces; two texts under one id contradict each other."""
    known: dict[str, Evidence] = {}
    for piece in evidence:
        first = known.setdefault(piece.id, piece)
        if first.text != piece.text:
            raise InputError(f"evidence id {piece.id!r} stands for two different texts")
    return tuple(known.values())
