"""Every run that does not hold has exactly one stage to look at first."""

from __future__ import annotations

from itertools import product

import pytest

from firmground.core.localize import FAILURE_STAGES, RunFacts, localize_failure
from firmground.core.run import Stage
from firmground.errors import InputError

FINE = RunFacts(holds=False, retrieved=3, in_context=3, in_prompt=3, claims=2, standing=2)


def all_facts() -> list[RunFacts]:
    made = []
    for holds, blocked in product((True, False), repeat=2):
        for numbers in product(range(3), repeat=6):
            retrieved, in_context, in_prompt, claims, standing, unchecked = numbers
            try:
                facts = RunFacts(
                    holds=holds,
                    blocked=blocked,
                    retrieved=retrieved,
                    in_context=in_context,
                    in_prompt=in_prompt,
                    claims=claims,
                    standing=standing,
                    unchecked=unchecked,
                )
            except InputError:
                continue
            made.append(facts)
    return made


def test_every_combination_of_facts_has_a_label_and_only_what_holds_has_none() -> None:
    seen = set()
    for facts in all_facts():
        label = localize_failure(facts)
        assert (label is None) == facts.holds
        seen.add(label)
    assert seen == {None, *FAILURE_STAGES}


@pytest.mark.parametrize(
    ("changes", "stage"),
    [
        ({"blocked": True, "retrieved": 0, "in_context": 0, "in_prompt": 0}, Stage.PREFLIGHT),
        ({"retrieved": 0, "in_context": 0, "in_prompt": 0}, Stage.RETRIEVAL),
        ({"in_context": 0, "in_prompt": 0}, Stage.CONTEXT),
        ({"in_context": 2, "in_prompt": 2, "claims": 0, "standing": 0}, Stage.CONTEXT),
        ({"in_prompt": 2}, Stage.PROMPT),
        ({"claims": 0, "standing": 0}, Stage.ANSWER),
        ({"standing": 1}, Stage.ANSWER),
        ({"standing": 1, "unchecked": 1}, Stage.VERIFY),
        ({}, Stage.VERIFY),
    ],
)
def test_the_first_stage_that_failed_is_named(changes: dict[str, int], stage: Stage) -> None:
    values = {
        "holds": False, "blocked": False, "retrieved": 3, "in_context": 3, "in_prompt": 3,
        "claims": 2, "standing": 2, "unchecked": 0, **changes,
    }  # fmt: skip
    assert localize_failure(RunFacts(**values)) is stage  # type: ignore[arg-type]


def test_an_answer_whose_every_claim_stands_is_never_blamed_on_the_model() -> None:
    assert localize_failure(FINE) is Stage.VERIFY


@pytest.mark.parametrize(
    "wrong",
    [
        {"retrieved": 1, "in_context": 2},
        {"retrieved": 2, "in_context": 1, "in_prompt": 2},
        {"claims": 1, "standing": 1, "unchecked": 1},
        {"claims": -1},
    ],
)
def test_facts_that_contradict_each_other_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(InputError):
        RunFacts(holds=False, **wrong)  # type: ignore[arg-type]
