"""DeepEval with its own runner."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from tests.integrations.pages import need, run_page

need("deepeval")

from deepeval import assert_test, evaluate  # noqa: E402
from deepeval.evaluate.configs import AsyncConfig, DisplayConfig  # noqa: E402
from deepeval.test_case import LLMTestCase  # noqa: E402

from firmground.engine import Engine  # noqa: E402
from firmground.integrations.deepeval import GroundingMetric  # noqa: E402

pytestmark = pytest.mark.filterwarnings("default")

RIGHT, WRONG = "The Alder bridge opened in 1932.", "The Alder bridge opened in 1952."


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    with Engine(judge="lexical") as engine:
        yield engine


def case(answer: str, *retrieved: str) -> LLMTestCase:
    return LLMTestCase(input="When?", actual_output=answer, retrieval_context=[*retrieved])


def test_the_documented_example_prints_what_the_page_says() -> None:
    printed, expected = run_page("deepeval.md", 0)
    assert printed == expected


def test_an_output_that_does_not_stand_fails_whatever_the_threshold(engine: Engine) -> None:
    metric = GroundingMetric(0.0, engine=engine)
    assert metric.measure(case(RIGHT, RIGHT)) == 1.0
    assert metric.is_successful()
    asyncio.run(metric.a_measure(case(WRONG, RIGHT)))
    assert not metric.is_successful()
    assert metric.result is not None
    assert metric.result.problems


def test_the_context_is_used_where_nothing_was_retrieved(engine: Engine) -> None:
    metric = GroundingMetric(engine=engine)
    metric.measure(LLMTestCase(input="When?", actual_output=RIGHT, context=[RIGHT]))
    assert metric.is_successful()
    metric.measure(LLMTestCase(input="When?", actual_output=RIGHT))
    assert not metric.is_successful()


def test_assert_test_fails_with_the_reason(engine: Engine) -> None:
    metric = GroundingMetric(engine=engine)
    assert_test(case(RIGHT, RIGHT), [metric], run_async=False)
    with pytest.raises(AssertionError, match="Grounding"):
        assert_test(case(WRONG, RIGHT), [metric], run_async=False)


def test_an_evaluation_reports_each_case(
    engine: Engine, tmp_path: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(str(tmp_path))
    found = evaluate(
        [case(RIGHT, RIGHT), case(WRONG, RIGHT)],
        [GroundingMetric(engine=engine)],
        async_config=AsyncConfig(run_async=False),
        display_config=DisplayConfig(show_indicator=False, print_results=False),
    )
    assert sorted(one.success for one in found.test_results) == [False, True]
