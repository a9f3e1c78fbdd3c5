"""Which store keeps a ledger is decided in one place, and reading changes nothing."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest
from click.testing import CliRunner
from tests.ledger.open_log import LABEL, a_ledger, a_run

from firmground.adapters.sqlite.migrations import MIGRATIONS, migrate
from firmground.adapters.stores import open_store
from firmground.cli.main import cli
from firmground.engine.rejudging import open_log
from firmground.errors import InputError, RecordNotFound


def _steps(path: Path) -> int:
    connection = apsw.Connection(str(path))
    try:
        return int(connection.pragma("user_version"))
    finally:
        connection.close()


def _old_log(path: Path) -> Path:
    connection = apsw.Connection(str(path))
    migrate(connection, MIGRATIONS[:-1])
    connection.close()
    return path


def test_opening_for_reading_never_migrates(tmp_path: Path) -> None:
    old = _old_log(tmp_path / "old.sqlite")
    assert open_log(old).size() == 0
    result = CliRunner().invoke(cli, ["policy", "explain", "strict", "--ledger", str(old)])
    assert result.exit_code == 0, result.output
    assert CliRunner().invoke(cli, ["audit", "--ledger", str(old)]).exit_code == 0
    assert _steps(old) == len(MIGRATIONS) - 1


def test_opening_for_writing_migrates(tmp_path: Path) -> None:
    old = _old_log(tmp_path / "old.sqlite")
    open_store(old).close()
    assert _steps(old) == len(MIGRATIONS)


def test_a_log_that_is_not_there_is_neither_read_nor_made(tmp_path: Path) -> None:
    missing = tmp_path / "none.sqlite"
    with pytest.raises(RecordNotFound, match="there is no such ledger"):
        open_store(missing, create=False)
    assert not missing.exists()
    missing.touch()
    with pytest.raises(RecordNotFound, match="is empty"):
        open_store(missing, create=False)


def test_a_place_where_no_log_can_be_made_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="this is a folder"):
        open_store(tmp_path)
    with pytest.raises(InputError, match="there is no folder"):
        open_store(tmp_path / "no" / "log.sqlite")


def test_what_was_written_is_read_through_the_same_opener(tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger:
        run = ledger.record(a_run(), label=LABEL).run_id
    store = open_store(tmp_path / "log.sqlite", create=False)
    assert store.find_run(run) == 0
    store.close()
