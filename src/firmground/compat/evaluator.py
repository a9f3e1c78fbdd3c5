"""The former ``firmground.Evaluator``; use ``Engine.evaluate``."""

from __future__ import annotations

from typing import Any

from firmground.engine.engine import Engine
from firmground.pipeline.evaluate import Evaluation


class Evaluator:
    """An engine with callbacks bound at construction."""

    def __init__(
        self,
        *,
        regenerate: Any = None,
        replan: Any = None,
        escalate: Any = None,
        budget: Any = None,
        **parts: Any,
    ) -> None:
        """Take the arguments of ``Engine`` and the callbacks of ``Engine.evaluate``."""
        self._engine = Engine(**parts)
        self._bound = {
            "regenerate": regenerate,
            "replan": replan,
            "escalate": escalate,
            "budget": budget,
        }

    def evaluate(self, report: str, evidence: Any, *, question: Any = None) -> Evaluation:
        """Check a report and repair it within the budget."""
        return self._engine.evaluate(report, evidence, question=question, **self._bound)

    async def aevaluate(self, report: str, evidence: Any, *, question: Any = None) -> Evaluation:
        """Check and repair a report in an event loop."""
        return await self._engine.aevaluate(report, evidence, question=question, **self._bound)
