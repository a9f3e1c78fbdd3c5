"""What a model says of one claim, or why it could not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import exp, isfinite
from typing import Any, Protocol

from firmground.adapters.judges.backend import Figures
from firmground.core.evidence import EvidenceSpan
from firmground.core.ports import Inquiry
from firmground.errors import ModelError
from firmground.verify.scorer import Query

_LONE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOpinion:
    """How strongly a model holds that the evidence supports a claim."""

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
class ModelTrouble:
    """The model could not be asked about a claim."""

    reason: str


class OpinionReader(Protocol):
    """Asks one model about the claims of an answer."""

    @property
    def name(self) -> str:
        """Under which its figures are recorded."""
        ...

    @property
    def version(self) -> str:
        """Changes whenever it could judge otherwise."""
        ...

    def read(
        self, inquiry: Inquiry, queries: Sequence[Query]
    ) -> tuple[ModelOpinion | ModelTrouble, ...]:
        """Return an opinion, or why there is none, for each query."""
        ...


def shares(figures: Figures, count: int) -> list[float]:
    """Turn class figures into probabilities; refuse all but a finite list of ``count``."""
    listed = isinstance(figures, list | tuple) and len(figures) == count
    if not listed or not all(isinstance(f, float) and isfinite(f) for f in figures):
        raise ModelError(f"the model gave no {count} finite figures")
    top = max(figures)
    raised = [exp(figure - top) for figure in figures]
    return [value / sum(raised) for value in raised]


def sound(text: str, tokenizer: Any) -> str:
    """Make a text safe to hand over, one character for one.

    Lone surrogates have no UTF-8. A mark of the model's own, such as ``</s>``, that is written out
    in a text loses its first character: else an answer could end itself and bring its own evidence.
    """
    text = _LONE.sub("\ufffd", text)
    for mark in _marks(tokenizer):
        if mark in text:
            text = text.replace(mark, "(" + mark[1:])
    return text


@lru_cache(maxsize=16)
def _marks(tokenizer: Any) -> tuple[str, ...]:
    added = tokenizer.get_added_tokens_decoder().values()
    found = {one.content for one in added if one.special and one.content.strip()}
    return tuple(sorted(found, key=lambda mark: (-len(mark), mark)))
