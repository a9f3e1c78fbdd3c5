"""The PostgreSQL hook against a real server, started for the test."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest

from firmground.adapters.hooks._rows import Expectation
from firmground.adapters.hooks.postgres import PostgresHook
from firmground.core.finding import Fault, FaultKind, HookReply
from firmground.core.ports import HookCase
from firmground.errors import InputError

CASE = HookCase(
    question=None,
    answer="The tower is 324 m tall.",
    metadata=(("tower", "Eiffel"), ("nasty", "x'; DROP TABLE towers; --")),
)
SETUP = """
CREATE TABLE towers (name text, height int);
INSERT INTO towers VALUES ('Eiffel', 324), ('Tokyo', 333);
CREATE ROLE reader LOGIN;
GRANT SELECT ON towers TO reader;
GRANT CREATE ON SCHEMA public TO reader;
CREATE ROLE writer LOGIN;
GRANT ALL ON towers TO writer;
"""


def _programs() -> Path | None:
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if found:
        return found[-1].parent
    single = shutil.which("initdb")
    return Path(single).parent if single else None


def _as_ordinary_user(*argv: str) -> list[str]:
    """The server refuses to run as root."""
    if os.geteuid() != 0:
        return list(argv)
    return ["runuser", "-u", "postgres", "--", *argv]


@pytest.fixture(scope="module")
def socket_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    programs = _programs()
    if programs is None:
        pytest.skip("PostgreSQL's initdb is not installed (Debian: postgresql)")
    if os.geteuid() == 0 and shutil.which("runuser") is None:
        pytest.skip("the server will not run as root and there is no runuser")
    # Unix sockets need short paths, and the other user must be able to walk here.
    folder = Path(subprocess.check_output(["mktemp", "-d", "/tmp/fgpg.XXXXXX"], text=True).strip())
    data = folder / "data"
    try:
        if os.geteuid() == 0:
            shutil.chown(folder, "postgres")
        initdb = _as_ordinary_user(
            str(programs / "initdb"), "-D", str(data), "-A", "trust", "-U", "owner", "-N",
            "--locale=C", "-E", "UTF8",
        )  # fmt: skip
        subprocess.run(initdb, check=True, capture_output=True, cwd="/")
        options = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
        control = [str(programs / "pg_ctl"), "-D", str(data), "-w", "-l", str(folder / "log")]
        subprocess.run(
            _as_ordinary_user(*control, "-o", options, "start"),
            check=True, capture_output=True, cwd="/",
        )  # fmt: skip
    except (OSError, subprocess.CalledProcessError, LookupError) as error:
        shutil.rmtree(folder, ignore_errors=True)
        pytest.skip(f"PostgreSQL could not be started here: {error}")
    try:
        subprocess.run(
            [str(programs / "psql"), "-h", str(folder), "-U", "owner", "-qc", SETUP, "postgres"],
            check=True, capture_output=True, cwd="/",
        )  # fmt: skip
        yield folder
    finally:
        subprocess.run(
            _as_ordinary_user(*control, "-m", "immediate", "stop"), check=False,
            capture_output=True, cwd="/",
        )  # fmt: skip
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def reader(socket_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dsn = f"postgresql://reader@/postgres?host={socket_folder}"
    monkeypatch.setenv("TOWERS_DSN", dsn)


def ask(query: str, **fields: Any) -> HookReply | Fault:
    return asyncio.run(PostgresHook(dsn_variable="TOWERS_DSN", query=query, **fields).ask(CASE))


def passed(reply: HookReply | Fault) -> bool:
    assert isinstance(reply, HookReply), reply
    return reply.passed


def kind(reply: HookReply | Fault) -> FaultKind:
    assert isinstance(reply, Fault), reply
    return reply.kind


BY_NAME = "SELECT height FROM towers WHERE name = $1::text"


@pytest.mark.usefixtures("reader")
def test_a_value_the_answer_says_passes_and_another_does_not() -> None:
    expect = Expectation(kind="in_answer")
    assert passed(ask(BY_NAME, parameters=(("name", "metadata:tower"),), expect=expect))
    assert not passed(ask(BY_NAME, parameters=(("name", "literal:Tokyo"),), expect=expect))


@pytest.mark.usefixtures("reader")
def test_what_is_bound_is_never_read_as_sql() -> None:
    assert not passed(ask(BY_NAME, parameters=(("name", "metadata:nasty"),)))
    assert passed(ask("SELECT 1 FROM towers"))


@pytest.mark.usefixtures("reader")
@pytest.mark.parametrize(
    "query",
    [
        "INSERT INTO towers VALUES ('x', 1)",
        "CREATE TABLE t (x int)",
        "UPDATE towers SET height = 1 RETURNING 1",
        "SELECT 1; DELETE FROM towers",
        "COMMIT",
        "SELECT set_config('transaction_read_only', 'off', false)",
        "SELECT pg_read_file('/etc/passwd')",
        "COPY towers TO PROGRAM 'cat'",
        "DO $$ BEGIN CREATE TABLE t (x int); END $$",
        "WITH gone AS (DELETE FROM towers RETURNING 1) SELECT * FROM gone",
    ],
)
def test_nothing_but_reading_gets_through(query: str) -> None:
    try:
        assert isinstance(ask(query), Fault)
    except InputError as error:
        assert "must begin with SELECT" in str(error)  # noqa: PT017 - one of two ways to refuse
    count = ask("SELECT count(*) FROM towers", expect=Expectation(kind="equals", value="2"))
    assert passed(count)


def test_even_a_role_that_may_write_does_not(
    socket_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOWERS_DSN", f"postgresql://writer@/postgres?host={socket_folder}")
    assert (
        kind(ask("WITH d AS (DELETE FROM towers RETURNING 1) SELECT * FROM d")) is FaultKind.REFUSED
    )


def test_a_superuser_is_refused(socket_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOWERS_DSN", f"postgresql://owner@/postgres?host={socket_folder}")
    assert kind(ask("SELECT 1")) is FaultKind.MISCONFIGURED


@pytest.mark.usefixtures("reader")
def test_a_query_that_takes_too_long_is_ended() -> None:
    assert kind(ask("SELECT pg_sleep(30)", query_seconds=0.3)) is FaultKind.TIMEOUT


@pytest.mark.usefixtures("reader")
def test_too_many_rows_are_a_fault() -> None:
    query = "SELECT a.name FROM towers a, generate_series(1, 1000) n"
    assert kind(ask(query, most_rows=50)) is FaultKind.LIMIT


@pytest.mark.usefixtures("reader")
def test_a_wrong_query_is_a_wrong_setting() -> None:
    assert kind(ask("SELECT FROM WHERE")) is FaultKind.MISCONFIGURED
    assert kind(ask("SELECT * FROM nowhere")) is FaultKind.MISCONFIGURED


def test_a_server_that_is_not_there_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOWERS_DSN", "postgresql://reader@/postgres?host=/nowhere")
    assert kind(ask("SELECT 1")) is FaultKind.UNREACHABLE


def test_without_a_connection_string_nothing_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOWERS_DSN", raising=False)
    assert kind(ask("SELECT 1")) is FaultKind.MISCONFIGURED


def test_an_empty_query_is_an_error() -> None:
    with pytest.raises(InputError, match="query is empty"):
        PostgresHook(dsn_variable="X", query="")


def test_what_a_query_sends_on_the_side_goes_nowhere(
    socket_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dsn = f"postgresql://reader@/postgres?host={socket_folder}"
    monkeypatch.setenv("TOWERS_DSN", dsn)
    heard: list[str] = []

    async def scenario() -> HookReply | Fault:
        listener = await asyncpg.connect(dsn)
        try:
            await listener.add_listener("towers", lambda *said: heard.append(said[-1]))
            hook = PostgresHook(dsn_variable="TOWERS_DSN", query=query)
            reply = await hook.ask(CASE)
            await listener.execute("SELECT pg_notify('towers', 'mark')")
            while "mark" not in heard:
                await asyncio.sleep(0.01)
            return reply
        finally:
            await listener.close()

    query = "SELECT 1 FROM pg_notify('towers', 'from the hook')"
    asyncio.run(scenario())
    assert heard == ["mark"]


@pytest.mark.usefixtures("reader")
def test_rows_that_are_too_big_together_are_a_fault() -> None:
    big = "SELECT repeat('x', 1000000) FROM generate_series(1, 900)"
    assert kind(ask(big)) is FaultKind.LIMIT
