"""What a policy lets pass is let pass in the open: in the decision, the record and the exit."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from firmground.adapters.sqlite import SqliteStore
from firmground.cli.main import cli
from firmground.engine import check
from firmground.engine.rejudging import open_log
from firmground.ledger.ledger import Ledger

SOURCE = "The capital of France is Paris."
RIGHT = "The capital of France is Paris."
WRONG = "The capital of France is Berlin."


@pytest.mark.parametrize(
    ("answer", "policy", "code"),
    [
        (RIGHT, "advisory", 0),
        (WRONG, "advisory", 3),
        (WRONG, "balanced", 1),
        (RIGHT, "balanced", 0),
    ],
)
def test_the_exit_code_tells_standing_from_being_let_pass(
    answer: str, policy: str, code: int
) -> None:
    words = ["check", "-a", answer, "-e", SOURCE, "--policy", policy, "--judge", "lexical"]
    assert CliRunner().invoke(cli, words).exit_code == code


def test_the_record_names_what_was_waived(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    with Ledger(SqliteStore.open(path)) as ledger:
        check(WRONG, SOURCE, policy="advisory", judge="lexical", ledger=ledger)
        check(RIGHT, SOURCE, policy="advisory", judge="lexical", ledger=ledger)
    log = open_log(path)
    label = dict(log.run_at(0).body.label)
    assert label["decision"] == "proceed"
    assert "contradiction" in label["waived"].split(",")
    assert "waived" not in dict(log.run_at(1).body.label)
