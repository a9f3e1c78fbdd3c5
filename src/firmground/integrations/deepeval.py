"""DeepEval: a metric that says whether an output stands on its retrieval context."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase

from firmground.integrations.guard import Guard, explain

if TYPE_CHECKING:
    from firmground.decide import Policy
    from firmground.engine import Engine, Result


class GroundingMetric(BaseMetric):
    """Scores the support of ``actual_output``; an output that does not stand never succeeds.

    The evidence is ``retrieval_context``, or ``context`` where there is none. The reason names each
    claim that does not stand with its span and the words of the evidence.
    """

    def __init__(
        self,
        threshold: float = 0.5,
        *,
        engine: Engine | None = None,
        policy: str | Policy | None = None,
    ) -> None:
        self.threshold = threshold
        self.result: Result | None = None
        self._guard = Guard(engine=engine, policy=policy)

    def measure(self, test_case: LLMTestCase, *args: Any, **kwargs: Any) -> float:
        """Check one test case."""
        return self._noted(self._guard.check(*_parts(test_case)))

    async def a_measure(self, test_case: LLMTestCase, *args: Any, **kwargs: Any) -> float:
        """Check one test case without holding up the event loop."""
        return self._noted(await self._guard.acheck(*_parts(test_case)))

    def _noted(self, result: Result) -> float:
        self.result, self.reason = result, explain(result)
        self.score = result.support
        self.success = result.stands and self.score >= (self.threshold or 0)
        return self.score

    def is_successful(self) -> bool:
        """Whether the last test case stands and reaches the threshold."""
        return bool(self.success)

    @property
    def __name__(self) -> str:
        return "Grounding"


def _parts(test_case: LLMTestCase) -> tuple[str, Any, str | None]:
    evidence = test_case.retrieval_context or test_case.context
    return test_case.actual_output or "", list(evidence or ()), test_case.input
