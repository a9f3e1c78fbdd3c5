"""Checks that a file is one of our logs and that its tables and triggers are unchanged.

A process that can write the file can add a trigger that discards rows, or drop one that refuses
them. So the whole schema is compared, text by text, with that of a new database.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from firmground.adapters.sqlite.migrations import APPLICATION_ID, MIGRATIONS, migrate
from firmground.errors import LedgerError

if TYPE_CHECKING:
    import apsw

SCHEMA = "SELECT type, name, tbl_name, sql FROM sqlite_schema"
Shape: TypeAlias = dict[tuple[str, str], tuple[str, str | None]]
"""(type, name) of a table, index, trigger or view to its table and its text."""


@cache
def made(steps: int) -> Shape:
    """The shape of a database to which the first ``steps`` steps were applied."""
    import apsw

    connection = apsw.Connection(":memory:")
    try:
        migrate(connection, MIGRATIONS[:steps])
        return found(connection.execute(SCHEMA).fetchall())
    finally:
        connection.close()


def found(rows: Iterable[tuple[Any, ...]]) -> Shape:
    """The shape that rows of the schema table describe."""
    return {(kind, name): (table, sql) for kind, name, table, sql in rows}


def differences(present: Shape, expected: Shape) -> tuple[str, ...]:
    """Name everything that is missing, foreign or changed."""
    told = []
    for kind, name in sorted(present.keys() | expected.keys()):
        one, other = present.get((kind, name)), expected.get((kind, name))
        if one == other:
            continue
        if one is None:
            told.append(f"the {kind} {name} is missing")
        elif other is None:
            told.append(f"the {kind} {name} on {one[0]} is not ours")
        else:
            told.append(f"the {kind} {name} was changed")
    return tuple(told)


def compare(connection: apsw.Connection) -> tuple[str, ...]:
    """Name how the tables and triggers of a log differ from those that we made."""
    steps = int(connection.execute("PRAGMA user_version").get)
    present = found(connection.execute(SCHEMA).fetchall())
    return differences(present, made(steps))


def require_unchanged(connection: apsw.Connection) -> None:
    """Refuse to write a log whose tables or triggers were changed."""
    steps = int(connection.execute("PRAGMA user_version").get)
    told = compare(connection) if 0 < steps <= len(MIGRATIONS) else ()
    if told:
        raise LedgerError(
            f"{connection.filename} must not be written: {'; '.join(told)} (an audit says more)"
        )


def require_ours(connection: apsw.Connection, *, create: bool) -> None:
    """Refuse a database that is not a log; an empty one may become a log if that was asked for."""
    number = int(connection.pragma("application_id"))
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_schema")}
    if number == APPLICATION_ID and "migration" in tables:
        return
    if number == 0 and {"migration", "entry"} <= tables:
        return
    if tables or number:
        raise LedgerError(f"{connection.filename} is another program's database, not a log")
    if not create:
        raise LedgerError(f"{connection.filename} is empty, not a log")
