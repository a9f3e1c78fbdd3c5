"""What answering a question is made of; shared by many questions."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypedDict

from firmground.core.budget import Budget
from firmground.core.canon import Value, decimal, pack_text
from firmground.core.ports import Model, Retriever
from firmground.core.run import Run
from firmground.hooks import HookEngine
from firmground.pipeline.check import CheckPlan
from firmground.pipeline.loop import AskPerson
from firmground.pipeline.request import Mode
from firmground.preflight import PreflightSettings
from firmground.revise import Unsupported


class RequestOptions(TypedDict):
    """What every request to the answering model carries."""

    max_tokens: int | None
    seed: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AskPlan:
    """Who is asked, how an answer is checked and repaired, and within which budget."""

    check: CheckPlan
    model: Model
    """Writes the answer."""
    retriever: Retriever
    retrieval: tuple[tuple[str, str | int], ...] = ()
    """How evidence is searched for, as the run commits to it."""
    can_search_again: bool = False
    """True when a second search may find other evidence."""
    preflight: PreflightSettings | None = None
    """How the question is inspected before a model is asked; None when it is not."""
    role_model: Model | None = None
    """Asked whether a question that names a role fits it; only lowers the confidence."""
    hooks: HookEngine | None = None
    """Asked before the answer is written; those for afterwards are a stage of ``check``."""
    patch: bool = True
    """Repair without a model what the evidence itself corrects."""
    spans: bool = True
    """Have the model rewrite the flagged pieces only, while enough of the answer stays."""
    unsupported: Unsupported = Unsupported.SPARE
    """What a patch does to a claim that it cannot correct."""
    mode: Mode = Mode.PROSE
    """In which form the model is asked to answer."""
    max_tokens: int | None = None
    seed: int | None = None
    id: str | int = ""
    """The caller's name for the question, for hooks."""
    metadata: tuple[tuple[str, str], ...] = ()
    """The caller's own pairs of name and text, for hooks."""
    output_files: tuple[str, ...] = ()
    """Paths of files that are written along with the answer, for hooks."""
    budget: Budget = Budget()  # noqa: RUF009 - frozen
    clock: Callable[[], float] = time.monotonic
    tell: Callable[[str, str], None] = lambda stage, message: None
    """Called with the stage and a short message as it happens."""
    cut_off: Callable[[Run], None] = lambda run: None
    """Receives the record of a run that was cancelled or crashed."""
    escalate: AskPerson | None = None
    """Puts a case to a person; without it the case stays open and the outcome says so."""

    @property
    def model_profile(self) -> Value:
        """Which model answers, and what its replies are drawn with; None where it does not say."""
        named = {name: getattr(self.model, name, None) for name in ("revision", "quantisation")}
        name = getattr(self.model, "model", None)
        return {
            "id": pack_text(name if isinstance(name, str) else type(self.model).__name__),
            **{key: value if isinstance(value, str) else None for key, value in named.items()},
            "determinism": {"temperature": decimal(0.0), "seed": self.seed},
        }

    @property
    def options(self) -> RequestOptions:
        """What every request to the answering model carries."""
        return {"max_tokens": self.max_tokens, "seed": self.seed}
