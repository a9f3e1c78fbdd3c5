"""What a model says of one claim, or why it could not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, isfinite
from typing import Protocol

from firmground.adapters.judges.backend import Figures
from firmground.core.evidence import EvidenceSpan
from firmground.core.ports import Inquiry
from firmground.errors import ModelError
from firmground.verify.scorer import Query

_LONE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Opinion:
    """How far a model holds that the evidence bears a claim."""

    support: float
    contradiction: float | None = None
    pieces: tuple[tuple[int, int, float], ...] = ()
    """Pieces of the answer, as (start, end, probability that the piece does not stand)."""
    evidence: tuple[EvidenceSpan, ...] = ()
    """What the model read when it was surest of its support."""
    windows: int = 1
    unread: int = 0
    """Windows of evidence that were left out because there were too many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trouble:
    """The model could not be asked about a claim."""

    reason: str


class Reader(Protocol):
    """Asks one model about the claims of an answer."""

    @property
    def name(self) -> str:
        """Under which its figures are recorded."""
        ...

    @property
    def version(self) -> str:
        """Changes whenever it could judge otherwise."""
        ...

    def read(self, inquiry: Inquiry, queries: Sequence[Query]) -> tuple[Opinion | Trouble, ...]:
        """Return an opinion, or why there is none, for each query."""
        ...


def shares(figures: Figures, count: int) -> list[float]:
    """Turn class figures into probabilities; what is no finite list of ``count`` is an error."""
    if len(figures) != count or not all(isinstance(f, float) and isfinite(f) for f in figures):
        raise ModelError(f"the model gave no {count} finite figures")
    top = max(figures)
    raised = [exp(figure - top) for figure in figures]
    return [value / sum(raised) for value in raised]


def sound(text: str) -> str:
    """Replace lone surrogates, which have no UTF-8, one character for one."""
    return _LONE.sub("\ufffd", text)
