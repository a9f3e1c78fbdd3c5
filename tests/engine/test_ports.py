"""Every port has a double that passes its own conformance suite, and a bad one is told why."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from firmground import testing
from firmground.core.claim import Assessment, Standing
from firmground.core.evidence import Evidence
from firmground.core.finding import Findings, HookReply
from firmground.core.ports import HookCase, Inquiry
from firmground.decide import BALANCED, STRICT
from firmground.engine.judges import bound_judge
from firmground.verify.judge import LexicalJudge


def silent(inquiry: Inquiry) -> tuple[Assessment, ...]:
    return tuple(
        Assessment(
            claim=claim, standing=Standing.UNGROUNDED, confidence=1.0, support=0.0, reason="silent"
        )
        for claim in inquiry.claims
    )


def test_every_double_passes_its_suite(tmp_path: Path) -> None:
    testing.check_model(testing.FunctionModel(function=lambda request: "Blue."))
    testing.check_judge(testing.FunctionJudge(function=silent))
    testing.check_retriever(testing.FixedRetriever(evidence=(Evidence(text="x"),)))
    testing.check_hook(
        testing.FunctionHook(
            name="h", function=lambda case: HookReply(source="h", passed=True, message="")
        )
    )
    testing.check_rule(testing.FixedRule())
    testing.check_rule(testing.FixedRule(reason="always"))
    testing.check_evidence_reader(testing.PrefixReader(prefix="note:"), "note: it rained")
    testing.check_signer(testing.HashSigner())
    testing.check_ledger_store(testing.store_in(tmp_path))


def test_our_own_parts_pass_them_too() -> None:
    testing.check_judge(LexicalJudge())
    testing.check_judge(bound_judge("cascade:lexical,builtin").judge)
    for rule in {*BALANCED.rules, *STRICT.rules}:
        testing.check_rule(rule)


def backwards(inquiry: Inquiry) -> tuple[Assessment, ...]:
    return silent(inquiry)[::-1]


def under_another_name(case: HookCase) -> HookReply:
    return HookReply(source="other", passed=True, message="")


@dataclass(frozen=True)
class Unnamed(testing.FixedRule):
    reads = ("nothing",)


@pytest.mark.parametrize(
    ("suite", "bad", "told"),
    [
        (testing.check_model, object(), "complete"),
        (testing.check_judge, testing.FunctionJudge(function=backwards), "in order"),
        (
            testing.check_hook,
            testing.FunctionHook(name="h", function=under_another_name),
            "names 'other'",
        ),
        (testing.check_rule, Unnamed(), "findings do not have: nothing"),
        (testing.check_retriever, object(), "retrieve"),
    ],
)
def test_a_part_that_breaks_a_promise_is_told_which(suite: Any, bad: Any, told: str) -> None:
    with pytest.raises(AssertionError, match=told):
        suite(bad)


def test_no_findings_are_no_objection_of_the_fixed_rule() -> None:
    assert testing.FixedRule().object_to(Findings()) == ()
