"""Hook that queries a SQLite database, opened read-only at three levels."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from firmground.adapters.hooks._common import VERSION, Stop, in_thread
from firmground.adapters.hooks._rows import (
    MOST_BYTES,
    Expectation,
    bound_values,
    check_limits,
    check_parameters,
    check_query,
    judged,
    size_of,
)
from firmground.core.finding import Fault, FaultKind, HookReply
from firmground.core.ports import HookCase

_STEPS = 1000
_FORBIDDEN_FUNCTIONS = frozenset(
    {"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer", "zeroblob", "randomblob"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SqliteHook:
    """Runs one query with bound parameters and looks at the rows.

    The file is opened read-only, an authorizer lets nothing but reading through, and a progress
    handler ends what takes too long.
    """

    path: str
    query: str
    name: str = "sqlite"
    parameters: tuple[tuple[str, str], ...] = ()
    """(name, source) pairs, bound as ``:name``."""
    expect: Expectation = Expectation()  # noqa: RUF009 - frozen
    query_seconds: float = 5.0
    most_rows: int = 1000
    version: str = VERSION

    def __post_init__(self) -> None:
        check_query(self.name, self.query)
        check_parameters(self.name, self.parameters)
        check_limits(self.name, self.query_seconds, self.most_rows)

    async def ask(self, case: HookCase) -> HookReply | Fault:
        """Ask the database beside the event loop."""
        values = bound_values(self.name, case, self.parameters)
        if isinstance(values, Fault):
            return values
        return await in_thread(lambda stop: self._asked(case, values, stop))

    def _asked(self, case: HookCase, values: dict[str, str], stop: Stop) -> HookReply | Fault:
        import apsw

        if not Path(self.path).is_file():
            return self._fault(FaultKind.MISCONFIGURED, f"{self.path} is not a file")
        try:
            connection = _opened(self.path)
            try:
                rows = self._rows(connection, values, stop)
            finally:
                connection.close()
        except (apsw.Error, KeyError) as error:
            return self._fault(*_meaning(error))
        if rows is None:
            return self._fault(FaultKind.LIMIT, f"more than {MOST_BYTES} bytes")
        if len(rows) > self.most_rows:
            return self._fault(FaultKind.LIMIT, f"more than {self.most_rows} rows")
        return judged(self.name, self.expect, rows, case)

    def _rows(
        self, connection: Any, values: dict[str, str], stop: Stop
    ) -> list[tuple[Any, ...]] | None:
        """The rows, one more than allowed if there are more, or None when they are too big."""
        until = time.monotonic() + self.query_seconds
        connection.set_progress_handler(lambda: stop() or time.monotonic() > until, _STEPS)
        connection.set_exec_trace(_one_statement())
        rows: list[tuple[Any, ...]] = []
        left = MOST_BYTES
        for row in connection.cursor().execute(self.query, values):
            rows.append(row)
            left -= size_of(row)
            if left < 0:
                return None
            if len(rows) > self.most_rows:
                break
        return rows

    def _fault(self, kind: FaultKind, message: str) -> Fault:
        return Fault(source=self.name, kind=kind, message=message, version=self.version)


def _meaning(error: Exception) -> tuple[FaultKind, str]:
    """What an error of the database says about whether it could be asked."""
    import apsw

    kinds: tuple[tuple[type[Exception], FaultKind, str], ...] = (
        (apsw.InterruptError, FaultKind.TIMEOUT, "the query took too long"),
        (apsw.AuthError, FaultKind.REFUSED, "only reading is allowed"),
        (apsw.ReadOnlyError, FaultKind.REFUSED, "only reading is allowed"),
        (apsw.CantOpenError, FaultKind.UNREACHABLE, "cannot be opened"),
        (apsw.NotADBError, FaultKind.BAD_REPLY, "no database"),
        (apsw.ExecTraceAbort, FaultKind.MISCONFIGURED, "the query is more than one statement"),
        (apsw.SQLError, FaultKind.MISCONFIGURED, "the query"),
        (KeyError, FaultKind.MISCONFIGURED, "the query names a parameter that is not set"),
    )
    for kind_of_error, kind, words in kinds:
        if isinstance(error, kind_of_error):
            return kind, f"{words}: {error}"
    return FaultKind.BAD_REPLY, str(error)


def _one_statement() -> Any:
    """Lets the first statement run and no other, so that no later one can answer for it."""
    seen: list[str] = []

    def traced(_: Any, statement: str, __: Any) -> bool:
        seen.append(statement)
        return len(seen) == 1

    return traced


def _opened(path: str) -> Any:
    import apsw

    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    connection = apsw.Connection(f"file:{quote(str(Path(path).absolute()))}?mode=ro", flags=flags)
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
    connection.limit(apsw.SQLITE_LIMIT_ATTACHED, 0)
    connection.limit(apsw.SQLITE_LIMIT_LENGTH, 1 << 24)
    connection.set_authorizer(_authorizer())
    return connection


def _authorizer() -> Any:
    import apsw

    reading = {apsw.SQLITE_SELECT, apsw.SQLITE_READ, apsw.SQLITE_RECURSIVE}

    def decide(action: int, _: str | None, second: str | None, *__: object) -> int:
        if action in reading:
            return apsw.SQLITE_OK
        if action == apsw.SQLITE_FUNCTION and (second or "").lower() not in _FORBIDDEN_FUNCTIONS:
            return apsw.SQLITE_OK
        return apsw.SQLITE_DENY

    return decide
