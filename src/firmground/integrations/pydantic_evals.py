"""Pydantic Evals: an evaluator that says whether the output of a case stands on its evidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pydantic_evals.evaluators import EvaluationReason, Evaluator, EvaluatorContext

from firmground.integrations.guard import Guard, explain

if TYPE_CHECKING:
    from firmground.engine import Engine


@dataclass
class Grounded(Evaluator):
    """Asserts ``grounded`` with the reasons, and scores ``support``.

    Evidence and question are looked up under ``evidence_key`` and ``question_key`` in the output,
    the metadata and the inputs of a case, keys or attributes alike; the answer is the output, or
    its ``answer_key``.
    """

    policy: str | None = None
    answer_key: str = "answer"
    evidence_key: str = "context"
    question_key: str = "question"
    engine: Any = field(default=None, repr=False)
    """An ``Engine``; by default the one that ``firmground.check`` uses."""

    async def evaluate(self, ctx: EvaluatorContext) -> dict[str, Any]:
        """Check the output of one case."""
        places = (ctx.output, ctx.metadata, ctx.inputs)
        answer = ctx.output if isinstance(ctx.output, str) else lookup(self.answer_key, ctx.output)
        asked = lookup(self.question_key, *places)
        if asked is None and isinstance(ctx.inputs, str):
            asked = ctx.inputs
        engine: Engine | None = self.engine
        guard = Guard(engine=engine, policy=self.policy)
        result = await guard.acheck(answer, lookup(self.evidence_key, *places), asked)
        return {
            "grounded": EvaluationReason(value=result.stands, reason=explain(result)),
            "support": result.support,
        }


def lookup(key: str, *places: Any) -> Any:
    """Return the first value under a key or attribute in some places; None when there is none."""
    for place in places:
        found = place.get(key) if isinstance(place, Mapping) else getattr(place, key, None)
        if found is not None:
            return found
    return None
