"""The former ``firmground.Pipeline``; use ``Engine.ask``."""

from __future__ import annotations

from typing import Any

from firmground.compose import answer_prompts
from firmground.config.settings import Settings
from firmground.core.question import Question
from firmground.engine.engine import AskOptions, Engine
from firmground.engine.evidence import evidence_from
from firmground.errors import InputError
from firmground.pipeline.ask_result import AskResult
from firmground.preflight import PreflightSettings
from firmground.revise import Unsupported


class Pipeline:
    """An engine with evidence and callbacks bound at construction."""

    def __init__(
        self,
        *,
        model: Any,
        evidence: Any = (),
        retriever: Any = None,
        budget: Any = None,
        preflight: bool | PreflightSettings = True,
        patch: bool = True,
        spans: bool = True,
        unsupported: Unsupported = Unsupported.SPARE,
        passages: int = 8,
        max_tokens: int | None = None,
        seed: int | None = None,
        escalate: Any = None,
        tell: Any = None,
        group: str = "",
        **parts: Any,
    ) -> None:
        """Take the arguments of ``Engine`` and of ``Engine.ask``."""
        pieces = evidence_from(evidence)
        if bool(pieces) == (retriever is not None):
            raise InputError("give either evidence or a retriever")
        looked = preflight if isinstance(preflight, PreflightSettings) else PreflightSettings()
        self.engine = Engine(
            Settings(preflight=looked), model=model, calibration_group=group, **parts
        )
        self.engine.plan(prompt=answer_prompts())  # a mistake shows now, not with the question
        self._bound = {
            "evidence": pieces,
            "retriever": retriever,
            "budget": budget,
            "preflight": bool(preflight),
            "options": AskOptions(
                patch=patch,
                spans=spans,
                unsupported=unsupported,
                passages=passages,
                max_tokens=max_tokens,
                seed=seed,
            ),
            "escalate": escalate,
            "tell": tell,
        }

    def ask(self, question: str | Question) -> AskResult:
        """Answer a question, or say why not."""
        return self.engine.ask(question, **self._bound)

    async def aask(self, question: str | Question) -> AskResult:
        """Answer a question in an event loop."""
        return await self.engine.aask(question, **self._bound)
