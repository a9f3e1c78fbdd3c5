"""DSPy with its own dummy LM."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.integrations.pages import need, run_page

need("dspy")

import dspy  # noqa: E402
from dspy.utils import DummyLM  # noqa: E402

from firmground.engine import Engine  # noqa: E402
from firmground.errors import AnswerWithheld  # noqa: E402
from firmground.integrations.dspy import Grounding  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")

RIGHT, WRONG = "The Alder bridge opened in 1932.", "The Alder bridge opened in 1952."


@pytest.fixture(scope="module")
def grounding() -> Iterator[Grounding]:
    with Engine(judge="lexical") as engine:
        yield Grounding(engine=engine)


def test_the_documented_example_prints_what_the_page_says() -> None:
    printed, expected = run_page("dspy.md", 0)
    assert printed == expected


def test_the_metric_scores_asserts_and_tells(grounding: Grounding) -> None:
    example = dspy.Example(context=RIGHT, question="When?")
    right, wrong = dspy.Prediction(answer=RIGHT), dspy.Prediction(answer=WRONG)
    assert grounding.metric(example, right) == 1.0
    assert grounding.metric(example, wrong) == 0.0
    assert grounding.metric(example, wrong, trace=[]) is False
    told = grounding.metric(example, wrong, None, "answer", [])
    assert (told.score, WRONG in told.feedback) == (0.0, True)


def test_an_evaluation_counts_what_stands(grounding: Grounding) -> None:
    answers = [{"answer": RIGHT}, {"answer": WRONG}]
    examples = [
        dspy.Example(context=RIGHT, question=q).with_inputs("context", "question") for q in "ab"
    ]
    evaluate = dspy.Evaluate(devset=examples, metric=grounding.metric, num_threads=1)
    with dspy.context(lm=DummyLM(answers)):
        found = evaluate(dspy.Predict("context, question -> answer"))
    assert found.score == 50.0


def test_a_program_runs_again_until_its_answer_is_released(grounding: Grounding) -> None:
    program = dspy.Predict("context, question -> answer")
    lm = DummyLM([{"answer": WRONG}, {"answer": RIGHT}])
    best = dspy.BestOfN(module=program, N=3, reward_fn=grounding.reward, threshold=1.0)
    with dspy.context(lm=lm):
        found = best(context=[RIGHT], question="When?")
    assert grounding.require(found, context=[RIGHT]).answer == RIGHT


def test_the_context_of_the_prediction_comes_first(grounding: Grounding) -> None:
    prediction = dspy.Prediction(answer=WRONG, context=[WRONG])
    assert grounding.require(prediction, context=[RIGHT]) is prediction
    with pytest.raises(AnswerWithheld):
        grounding.require(dspy.Prediction(answer=WRONG))
