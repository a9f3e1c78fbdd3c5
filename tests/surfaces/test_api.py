"""Three lines to a verdict, from plain code and from an event loop."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from tests.surfaces.scripted import found_or_not

import firmground
from firmground import Evidence, Result
from firmground.engine import Failure
from firmground.engine.ledgers import opened_ledger
from firmground.errors import InputError
from firmground.testing import FunctionJudge

EVIDENCE = "The Alder bridge opened in 1932. It carries 40,000 cars a day."
TRUE = "The Alder bridge opened in 1932."
FALSE = "The Alder bridge opened in 1952."


def test_three_lines_to_a_verdict() -> None:
    outcome = firmground.check(TRUE, EVIDENCE)
    assert outcome.stands
    assert outcome.answer == TRUE
    assert firmground.check(FALSE, EVIDENCE).answer is None


def test_evidence_may_be_text_an_object_a_description_or_many_of_them() -> None:
    for given in (
        EVIDENCE,
        Evidence(text=EVIDENCE),
        {"text": EVIDENCE, "trust": "vouched"},
        [EVIDENCE],
        (Evidence(text=EVIDENCE), "More."),
        (text for text in [EVIDENCE]),
    ):
        assert firmground.check(TRUE, given).stands


def test_the_event_loop_gives_the_same_outcome_bit_for_bit() -> None:
    alone = firmground.check(FALSE, EVIDENCE, question="When did it open?")
    inside = asyncio.run(firmground.acheck(FALSE, EVIDENCE, question="When did it open?"))
    assert inside.to_dict() == alone.to_dict()
    assert inside.root == alone.root


def test_plain_check_works_inside_a_running_loop_as_in_a_notebook() -> None:
    async def cell() -> Result:
        return firmground.check(TRUE, EVIDENCE)

    assert asyncio.run(cell()).stands


def test_another_judge_can_be_asked() -> None:
    judge = FunctionJudge(function=found_or_not)
    outcome = firmground.check("Nobody knows.", "Something else.", judge=judge)
    assert outcome.problems[0].reason == "the evidence is silent"
    assert outcome.root != firmground.check("Nobody knows.", "Something else.").root


def test_the_policy_is_chosen_by_name_and_an_unknown_one_is_an_error() -> None:
    assert firmground.check(TRUE, EVIDENCE, policy="strict").decision.policy == "strict"
    with pytest.raises(InputError, match="there are advisory, balanced, strict"):
        firmground.check(TRUE, EVIDENCE, policy="mild")


def test_the_policy_may_be_a_file_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text('[policy]\nname = "own"\nbase = "advisory"\n')
    assert firmground.check(FALSE, EVIDENCE, policy=str(path)).decision.policy == "own"
    with pytest.raises(InputError, match=r"none\.toml: cannot be read"):
        firmground.check(TRUE, EVIDENCE, policy=str(tmp_path / "none.toml"))


def test_many_rows_come_back_in_order_with_failures_in_their_place() -> None:
    rows = [
        {"id": "a", "answer": TRUE, "evidence": [EVIDENCE]},
        {"id": "b", "answer": "", "evidence": [EVIDENCE]},
        {"id": "c", "answer": FALSE, "evidence": [EVIDENCE]},
    ]
    one, two, three = firmground.check_many(rows)
    assert isinstance(one, Result)
    assert one.stands
    assert isinstance(two, Failure)
    assert (two.position, two.id) == (1, "b")
    assert "answer is empty" in two.message
    assert isinstance(three, Result)
    assert not three.stands


def test_many_rows_come_back_the_same_from_two_processes() -> None:
    rows = [
        {"id": n, "answer": f"The bridge opened in {1925 + n}.", "evidence": [EVIDENCE]}
        for n in range(24)
    ]
    alone = [o.to_dict() for o in firmground.check_many(rows) if isinstance(o, Result)]
    shared = [o.to_dict() for o in firmground.check_many(rows, workers=2) if isinstance(o, Result)]
    assert len(alone) == 24
    assert shared == alone


@pytest.mark.parametrize(
    ("answer", "evidence", "message"),
    [
        ("", EVIDENCE, "answer is empty"),
        (None, EVIDENCE, "answer is missing"),
        (TRUE, [], "nothing the answer could stand on"),
        (TRUE, 5, "evidence is of type int; evidence may be a string"),
        (TRUE, ["ok", 5], r"evidence\[1\] is of type int; evidence may be a string"),
        (TRUE, {"txt": "x"}, "evidence.txt is unknown"),
    ],
)
def test_a_wrong_argument_is_an_error_that_names_it(
    answer: str, evidence: object, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        firmground.check(answer, evidence)


def test_a_ledger_keeps_the_run_and_the_outcome_carries_the_receipt(tmp_path: Path) -> None:
    with opened_ledger(tmp_path / "log.db") as ledger:
        one = firmground.check(TRUE, EVIDENCE, ledger=ledger)
        two = asyncio.run(firmground.acheck(TRUE, EVIDENCE * 2_000, ledger=ledger))
    assert one.receipt is not None
    assert two.receipt is not None
    assert (one.receipt.seq, two.receipt.seq) == (0, 1)
    assert firmground.check(TRUE, EVIDENCE).receipt is None
