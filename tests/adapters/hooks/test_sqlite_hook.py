"""The SQLite hook against real files."""

from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path
from typing import Any

import apsw
import pytest

from firmground.adapters.hooks._rows import Expectation
from firmground.adapters.hooks.sqlite import SqliteHook, _opened
from firmground.core.finding import Fault, FaultKind, HookReply
from firmground.core.ports import HookCase
from firmground.errors import InputError

CASE = HookCase(
    question=None,
    answer="The tower is 324 m tall.",
    metadata=(("tower", "Eiffel"), ("nasty", "x' OR '1'='1")),
)


@pytest.fixture
def database(tmp_path: Path) -> Path:
    path = tmp_path / "towers.db"
    connection = apsw.Connection(str(path))
    connection.execute(
        "CREATE TABLE towers (name TEXT, height INTEGER);"
        "INSERT INTO towers VALUES ('Eiffel', 324), ('Tokyo', 333);"
        "CREATE TABLE log (line TEXT);"
        "CREATE VIEW sly AS SELECT load_extension('x') AS a;"
    )
    connection.close()
    return path


def ask(database: Path, query: str, **fields: Any) -> HookReply | Fault:
    return asyncio.run(SqliteHook(path=str(database), query=query, **fields).ask(CASE))


def passed(reply: HookReply | Fault) -> bool:
    assert isinstance(reply, HookReply), reply
    return reply.passed


BY_NAME = "SELECT height FROM towers WHERE name = :name"


def test_a_value_the_answer_says_passes(database: Path) -> None:
    reply = ask(
        database, BY_NAME,
        parameters=(("name", "metadata:tower"),), expect=Expectation(kind="in_answer"),
    )  # fmt: skip
    assert passed(reply)


def test_a_value_the_answer_does_not_say_is_a_no(database: Path) -> None:
    reply = ask(
        database, BY_NAME,
        parameters=(("name", "literal:Tokyo"),), expect=Expectation(kind="in_answer"),
    )  # fmt: skip
    assert not passed(reply)
    assert isinstance(reply, HookReply)
    assert "333" in reply.guidance


def test_rows_no_rows_and_equals(database: Path) -> None:
    parameters = (("name", "metadata:tower"),)
    assert passed(ask(database, BY_NAME, parameters=parameters))
    none = Expectation(kind="no_rows")
    assert not passed(ask(database, BY_NAME, parameters=parameters, expect=none))
    for value, holds in (("324", True), ("325", False), (324, True), (324.0, True), (325, False)):
        equal = Expectation(kind="equals", value=value)
        assert passed(ask(database, BY_NAME, parameters=parameters, expect=equal)) is holds


def test_what_is_bound_is_never_read_as_sql(database: Path) -> None:
    assert not passed(ask(database, BY_NAME, parameters=(("name", "metadata:nasty"),)))


@pytest.mark.parametrize(
    "query",
    [
        "INSERT INTO log VALUES ('x')",
        "UPDATE towers SET height = 1",
        "DELETE FROM towers",
        "DROP TABLE towers",
        "CREATE TABLE t (x)",
        "CREATE TEMP TABLE t (x)",
        "ATTACH ':memory:' AS m",
        "PRAGMA writable_schema = ON",
        "PRAGMA table_info(towers)",
        "VACUUM",
        "VACUUM INTO '/tmp/stolen.db'",
        "SELECT 1; DELETE FROM towers",
        "BEGIN IMMEDIATE",
        "SELECT load_extension('/tmp/x.so')",
        "SELECT * FROM sly",
        "SELECT zeroblob(1000000000)",
        "ANALYZE",
        "WITH x AS (SELECT 1) INSERT INTO log SELECT 'x' FROM x",
        "INSERT OR REPLACE INTO towers VALUES ('Eiffel', 1) RETURNING height",
    ],
)
def test_nothing_but_reading_gets_through(database: Path, query: str) -> None:
    before = hashlib.sha256(database.read_bytes()).hexdigest()
    try:
        assert isinstance(ask(database, query), Fault)
    except InputError as error:
        assert "must begin with SELECT" in str(error)  # noqa: PT017 - one of two ways to refuse
    connection = _opened(str(database))
    with pytest.raises(apsw.Error):
        list(connection.cursor().execute(query))
    connection.close()
    assert hashlib.sha256(database.read_bytes()).hexdigest() == before


def test_a_query_without_end_is_ended(database: Path) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT sum(i) FROM n"
    reply = ask(database, endless, query_seconds=0.2)
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.TIMEOUT


def test_rows_without_end_are_a_fault(database: Path) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) SELECT i FROM n"
    reply = ask(database, endless, most_rows=100)
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.LIMIT


@pytest.mark.parametrize("query", ["SELECT FROM WHERE", "SELECT * FROM nowhere"])
def test_a_wrong_query_is_a_wrong_setting(database: Path, query: str) -> None:
    reply = ask(database, query)
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.MISCONFIGURED


def test_a_parameter_nobody_gave_is_a_fault(database: Path) -> None:
    assert isinstance(ask(database, BY_NAME), Fault)
    reply = ask(database, BY_NAME, parameters=(("name", "metadata:absent"),))
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.SKIPPED


def test_a_missing_file_is_a_fault_and_is_not_created(tmp_path: Path) -> None:
    reply = ask(tmp_path / "none.db", "SELECT 1")
    assert isinstance(reply, Fault)
    assert not (tmp_path / "none.db").exists()


def test_a_file_that_is_no_database_is_a_fault(tmp_path: Path) -> None:
    (tmp_path / "x.db").write_text("not a database, " * 100)
    assert isinstance(ask(tmp_path / "x.db", "SELECT name FROM sqlite_master"), Fault)


def test_a_value_that_is_null_or_absent_is_no_pass(database: Path) -> None:
    expect = Expectation(kind="in_answer")
    assert isinstance(ask(database, "SELECT NULL", expect=expect), Fault)
    assert not passed(ask(database, "SELECT height FROM towers WHERE 0", expect=expect))


def test_a_wrong_setting_is_an_error(database: Path) -> None:
    with pytest.raises(InputError, match="expect"):
        Expectation(kind="rowz")
    with pytest.raises(InputError, match="query is empty"):
        SqliteHook(path="x", query=" ")
    with pytest.raises(InputError, match=r"parameters\.q"):
        SqliteHook(path="x", query="SELECT 1", parameters=(("q", "anser"),))


@pytest.mark.parametrize(
    "query", ["SELECT 1 WHERE 0; SELECT 1", "SELECT 1;; SELECT 2", "VALUES (1); VALUES (2)"]
)
def test_a_second_statement_cannot_answer_for_the_first(database: Path, query: str) -> None:
    reply = ask(database, query)
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.MISCONFIGURED


def test_rows_that_are_too_big_together_are_a_fault(database: Path) -> None:
    big = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n) "
        "SELECT printf('%.*c', 1000000, 'x') FROM n LIMIT 900"
    )
    reply = ask(database, big)
    assert isinstance(reply, Fault)
    assert reply.kind is FaultKind.LIMIT


@pytest.mark.parametrize(
    "fields",
    [{"query_seconds": float("nan")}, {"query_seconds": 0.0}, {"most_rows": 0}],
    ids=str,
)
def test_limits_that_limit_nothing_are_an_error(database: Path, fields: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        SqliteHook(path=str(database), query="SELECT 1", **fields)
