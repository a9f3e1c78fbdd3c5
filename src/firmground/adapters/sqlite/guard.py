"""What the log's own connection may ask of SQLite: append, read, and wipe what was ordered.

The authorizer refuses a statement while it is being prepared; the triggers refuse rows. Both deter
accidents. Someone who opens the file with another program is caught by the audit, not here.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn

from firmground.adapters.sqlite.migrations import LOG_TABLES
from firmground.errors import AppendOnlyViolation

if TYPE_CHECKING:
    import apsw

_CHANGEABLE = frozenset({"vault", "cache", "edge"})
_DELETABLE = frozenset({"cache", "edge", "residue"})
_PRAGMAS = frozenset(
    {
        "user_version",
        "schema_version",
        "wal_checkpoint",
        "quick_check",
        "integrity_check",
        "data_version",
        "page_count",
        "synchronous",
    }
)
_APPENDABLE = frozenset({*LOG_TABLES, *_CHANGEABLE, *_DELETABLE}) - {"migration"}


@cache
def connection_type() -> type[apsw.Connection]:
    """A connection without the ways to write that neither authorizer nor triggers ever see."""
    import apsw

    class Guarded(apsw.Connection):
        def blob_open(self, *where: Any, **named: Any) -> apsw.Blob:
            writeable = named.get("writeable", where[4] if len(where) > 4 else False)
            if writeable:
                _refuse("a blob is not written in place")
            return super().blob_open(*where, **named)

        def backup(self, *_: Any, **__: Any) -> NoReturn:
            _refuse("a log is not replaced by another database")

        def deserialize(self, *_: Any, **__: Any) -> NoReturn:
            _refuse("a log is not replaced by another database")

    return Guarded


def _refuse(why: str) -> NoReturn:
    raise AppendOnlyViolation(f"append-only: {why}")


def install(connection: apsw.Connection) -> None:
    """Let this connection do nothing but append, read and wipe what the log has ordered."""
    import apsw

    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    always = {
        apsw.SQLITE_SELECT,
        apsw.SQLITE_READ,
        apsw.SQLITE_FUNCTION,
        apsw.SQLITE_TRANSACTION,
        apsw.SQLITE_SAVEPOINT,
        apsw.SQLITE_RECURSIVE,
    }
    by_table = {
        apsw.SQLITE_INSERT: _APPENDABLE,
        apsw.SQLITE_UPDATE: _CHANGEABLE,
        apsw.SQLITE_DELETE: _DELETABLE,
    }

    def authorize(
        action: int, first: str | None, second: str | None, _db: str | None, _by: str | None
    ) -> int:
        if action in always or first in by_table.get(action, ()):
            return apsw.SQLITE_OK
        if action == apsw.SQLITE_PRAGMA and _harmless(first, second):
            return apsw.SQLITE_OK
        return apsw.SQLITE_DENY

    connection.authorizer = authorize


def _harmless(pragma: str | None, value: str | None) -> bool:
    return pragma in _PRAGMAS and (value is None or pragma in ("wal_checkpoint", "integrity_check"))
