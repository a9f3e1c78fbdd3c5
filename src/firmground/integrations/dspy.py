"""DSPy: a metric, a reward for Refine and BestOfN, and an assertion."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import dspy

from firmground.integrations.guard import Guard, feedback, require_released

if TYPE_CHECKING:
    from firmground.decide import Policy
    from firmground.engine import Engine, Result


class Grounding:
    """Checks predictions of DSPy programs: ``metric``, ``reward`` and ``require``.

    ``answer``, ``context`` and ``question`` name the fields; context and question are looked up in
    the prediction, then in the example or the inputs.
    """

    def __init__(
        self,
        *,
        engine: Engine | None = None,
        policy: str | Policy | None = None,
        answer: str = "answer",
        context: str = "context",
        question: str = "question",
    ) -> None:
        self._guard = Guard(engine=engine, policy=policy)
        self._fields = (answer, context, question)

    def metric(
        self,
        example: dspy.Example,
        prediction: dspy.Prediction,
        trace: Any = None,
        pred_name: str | None = None,
        pred_trace: Any = None,
    ) -> Any:
        """Score a prediction for ``dspy.Evaluate`` and optimizers.

        The score is the support of an answer that stands and 0 for others. While an optimizer
        bootstraps (``trace`` is given) it is whether the answer stands; for optimizers that read
        feedback (``pred_name`` is given) it is a prediction with score and feedback.
        """
        result = self._check(prediction, example)
        score = result.support if result.stands else 0.0
        if pred_name is not None:
            told = "The answer stands." if result.stands else feedback(result)
            return dspy.Prediction(score=score, feedback=told)
        return result.stands if trace is not None else score

    def reward(self, inputs: dict[str, Any], prediction: dspy.Prediction) -> float:
        """Reward 1 for a prediction that is released: for ``dspy.Refine`` and ``dspy.BestOfN``."""
        return float(self._check(prediction, inputs).decision.released)

    def require(self, prediction: dspy.Prediction, **inputs: Any) -> dspy.Prediction:
        """Return the prediction, or raise ``AnswerWithheld`` when it is not released."""
        require_released(self._check(prediction, inputs))
        return prediction

    def _check(self, prediction: Any, other: Any) -> Result:
        answer, context, question = (_field(name, prediction, other) for name in self._fields)
        return self._guard.check(answer or "", context, question)


def _field(name: str, *places: Any) -> Any:
    look_ups: list[Callable[..., Any]] = [place.get for place in places]
    return next((found for get in look_ups if (found := get(name, None)) is not None), None)
