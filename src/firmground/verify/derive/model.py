"""The data types of the derivation engine: values, operands and derivations."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class DerivationOutcome(StrEnum):
    """What the evidence says about one quantity of a statement."""

    STATED = "stated"
    DERIVED = "derived"
    CONFLICTS = "conflicts"
    UNKNOWN = "unknown"


class Limit(StrEnum):
    """How a number is qualified by the words around it."""

    EXACT = "exact"
    ABOUT = "about"
    NEARLY = "nearly"
    JUST_OVER = "just over"
    OVER = "over"
    AT_LEAST = "at least"
    UNDER = "under"
    AT_MOST = "at most"


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """One quantity as a text writes it: ``text[start:end]``, in the base unit of its dimension."""

    start: int
    end: int
    text: str
    dimension: str
    """`money:eur`, `length`, `time`, `percent`, `count`, `date`, `clock` …; empty for none."""
    amounts: tuple[float, ...]
    """Every way the number can be read, the most likely one first."""
    high: float | None = None
    """The upper end of a range."""
    step: float = 0.0
    """Size of the last written digit in the base unit; 0 for a number written in words."""
    factor: float = 1.0
    """How many base units one written unit has."""
    scale: float = 1.0
    """What words such as million multiplied the written digits by."""
    unit: str = ""
    noun: str = ""
    """The counted word, stemmed, or the word a label stands behind."""
    limit: Limit = Limit.EXACT
    per: str = ""
    """What a rate is counted by: `month`, `person`."""
    parts: tuple[int | None, int | None, int | None] = (None, None, None)
    """Year, month and day of a date, as far as they are given."""
    swappable: bool = False
    """True for a date whose day and month can be read either way round."""

    @property
    def amount(self) -> float:
        """The most likely reading."""
        return self.amounts[0]

    @property
    def written(self) -> float:
        """The number in the unit it was written in."""
        return self.amounts[0] / self.factor


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand:
    """A value that a derivation uses, with its exact place.

    `passage` is the position among the given passages, or -1 for a value of the statement itself;
    `start` and `end` are offsets in the evidence text (in the statement for -1).
    """

    passage: int
    start: int
    end: int
    text: str
    evidence_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Derivation:
    """What the evidence makes of one quantity of a statement: ``statement[start:end]``."""

    outcome: DerivationOutcome
    start: int
    end: int
    working: str = ""
    operands: tuple[Operand, ...] = ()
    code: str = ""
    dimension: str = ""
    coincidence_risk: float = 0.0
    """Estimated chance that a random value of this size would have been reached as well."""
    tried: int = 0
    """How many results were computed in search of this value."""
    other_subject: bool = False
    """True when the value is found only under another heading or row than the statement's."""
    cued: bool = False
    """True when a word of the statement names the operation."""
    relation: float = 0.0
    """How much of the statement's wording the operands' passages share, from 0 to 1."""
    closeness: float = 0.0
    """How close the statement's wording is to the nearest passage, from 0 to 1."""
    margin: float = 0.0
    """How much better another value of its kind fits the words around it than the value found."""
