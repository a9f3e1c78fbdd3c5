"""Breaks of the ledger that were found; each is one test."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from pathlib import Path

import apsw
import pytest
from tests.ledger.open_log import LABEL, a_ledger, a_run, a_signer, behind_its_back
from tests.ledger.test_ledger_commands import call

from firmground.adapters.sqlite import SqliteStore
from firmground.errors import LedgerError
from firmground.ledger.audit import audit
from firmground.ledger.audit_report import AuditReport
from firmground.ledger.bundle import verify_bundle
from firmground.ledger.cache import AnswerCache
from firmground.ledger.cache_key import Tenant
from firmground.ledger.entry import (
    CacheState,
    EraseEntry,
    FalsifyEntry,
    LookupEntry,
    PolicyEntry,
    ResealEntry,
)
from firmground.ledger.log import Log

TENANT = Tenant(name="acme", key=b"a" * 32)


def a_log(folder: Path, runs: int = 3) -> Path:
    with a_ledger(folder, signer=a_signer(folder)) as ledger:
        drafts = [ledger.draft_run(a_run(f"question {n}"), label=LABEL)[0] for n in range(runs)]
        for start in range(0, runs, 500):
            for waiting in [ledger.submit(draft) for draft in drafts[start : start + 500]]:
                waiting.result()
    return folder / "log.sqlite"


def audited(path: Path) -> AuditReport:
    store = SqliteStore.open(path, create=False)
    try:
        return audit(store)
    finally:
        store.close()


def pages_of(path: Path, table: str) -> list[int]:
    connection = apsw.Connection(str(path))
    try:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        sql = "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path"
        return [row[0] for row in connection.execute(sql, (table,))]
    finally:
        connection.close()


def copy_page(path: Path, source: int, target: int) -> None:
    with path.open("r+b") as file:
        file.seek((source - 1) * 4096)
        page = file.read(4096)
        file.seek((target - 1) * 4096)
        file.write(page)


@pytest.mark.parametrize("table", ["entry", "stage", "vault"])
def test_a_copied_page_is_named_as_damage_and_the_audit_ends(tmp_path: Path, table: str) -> None:
    path = a_log(tmp_path, runs=1200 if table == "entry" else 200)
    pages = pages_of(path, table)
    copy_page(path, pages[1], pages[-2])
    report = audited(path)
    assert not report.holds
    assert any(problem.part == "tables" for problem in report.problems)


@pytest.mark.parametrize("table", ["entry", "stage", "vault"])
def test_a_reader_of_rows_that_do_not_ascend_ends_with_an_error(tmp_path: Path, table: str) -> None:
    path = a_log(tmp_path, runs=1200 if table == "entry" else 200)
    pages = pages_of(path, table)
    copy_page(path, pages[1], pages[-2])
    store = SqliteStore.open(path, create=False)
    read = {"entry": store.entries, "stage": store.stages, "vault": store.vault}[table]
    with pytest.raises(LedgerError, match="damaged"):
        list(read(0, 1 << 40))
    store.close()


@pytest.mark.parametrize(
    ("table", "column"),
    [
        ("entry", "body"),
        ("entry", "hash"),
        ("stage", "body"),
        ("vault", "payload"),
        ("node", "hash"),
    ],
)
def test_a_value_of_the_wrong_type_is_named_as_damage(
    tmp_path: Path, table: str, column: str
) -> None:
    path = a_log(tmp_path)
    connection = apsw.Connection(str(path))
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    schema = connection.execute("SELECT sql FROM sqlite_schema WHERE name = ?", (table,)).get
    triggers = connection.execute(
        "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"
    ).fetchall()
    for name, _ in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    connection.execute("PRAGMA writable_schema = ON")
    loose = schema.replace(") STRICT", ")")
    connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (loose, table))
    connection.execute("PRAGMA writable_schema = RESET")
    connection.close()
    connection = apsw.Connection(str(path))
    first = "id" if table != "entry" else "seq"
    connection.execute(
        f"UPDATE {table} SET {column} = 7 WHERE {first} = (SELECT max({first}) FROM {table})"
    )
    connection.execute("PRAGMA writable_schema = ON")
    connection.execute("UPDATE sqlite_schema SET sql = ? WHERE name = ?", (schema, table))
    connection.execute("PRAGMA writable_schema = RESET")
    for _, sql in triggers:
        connection.execute(str(sql))
    connection.close()
    report = audited(path)
    assert not report.holds
    assert any(column in str(problem) or "damaged" in str(problem) for problem in report.problems)


def test_an_index_that_was_changed_alone_is_found(tmp_path: Path) -> None:
    """Two run ids lead to each other's entries in the index; the table is untouched."""
    path = a_log(tmp_path)
    with a_ledger(tmp_path) as ledger:
        names = [row.run or "" for row in ledger.reader.runs(99, 99)]
    pages = pages_of(path, "sqlite_autoindex_entry_1")
    assert len(pages) == 1
    with path.open("r+b") as file:
        file.seek((pages[0] - 1) * 4096)
        page = file.read(4096)
        one, other = (name.encode() for name in names[:2])  # of entries 3 and 2
        assert page.count(one + b"\x03") == page.count(other + b"\x02") == 1
        swapped = page.replace(one + b"\x03", one + b"\x02").replace(
            other + b"\x02", other + b"\x03"
        )
        assert swapped != page
        file.seek((pages[0] - 1) * 4096)
        file.write(swapped)
    report = audited(path)
    assert not report.holds
    store = SqliteStore.open(path, create=False)
    with pytest.raises(LedgerError, match="the index finds"):
        Log(store).run(names[0])
    store.close()


def test_an_erasure_that_names_another_run_than_it_erased_is_found(tmp_path: Path) -> None:
    with a_ledger(tmp_path, signer=a_signer(tmp_path)) as ledger:
        first = ledger.record(a_run("one"), label=LABEL).run_id
        other = ledger.record(a_run("two"), label=LABEL).run_id
        draft = ledger.draft

        def renamed(body: object, **rest: object) -> object:
            if isinstance(body, EraseEntry):
                body = replace(body, run=other)
            return draft(body, **rest)  # type: ignore[arg-type]

        ledger.draft = renamed  # type: ignore[method-assign, assignment]
        ledger.erase([first], actor="me", reason="")
        report = audit(ledger.reader)
    assert [p for p in report.problems if f"names run {other}" in p.detail]


def test_an_erasure_of_a_run_that_was_never_recorded_is_found(tmp_path: Path) -> None:
    nobody = "019a8a3c-0000-7000-8000-00000000dead"
    with a_ledger(tmp_path) as ledger:
        ledger.append(EraseEntry(run=nobody, commits=(bytes(32),), actor="me", reason=""))
        assert any(nobody in problem.detail for problem in audit(ledger.reader).problems)


def test_a_reseal_with_a_root_that_the_log_never_had_is_found(tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger:
        ledger.record(a_run(), label=LABEL)
        right = ledger.root(1)
        ledger.append(ResealEntry(size=1, root=right, actor="me", reason="moved"))
        assert audit(ledger.reader).holds
        ledger.append(ResealEntry(size=2, root=b"\x01" * 32, actor="me", reason="moved"))
        problems = audit(ledger.reader).problems
    assert [problem.seq for problem in problems] == [2]
    assert "root" in problems[0].detail


def test_an_act_about_an_entry_that_is_no_run_is_found(tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger:
        run = ledger.record(a_run(), label=LABEL).run_id
        nobody = "019a8a3c-0000-7000-8000-00000000dead"
        ledger.append(FalsifyEntry(of=9, state=CacheState.STALE, actor="me", reason=""))
        ledger.append(LookupEntry(run=run, of=1, served=True, reason=""))
        ledger.append(LookupEntry(run=nobody, of=0, served=True, reason=""))
        assert [problem.seq for problem in audit(ledger.reader).problems] == [1, 2, 3]


def test_an_edge_from_an_answer_that_is_not_cached_is_found(tmp_path: Path) -> None:
    path = tmp_path / "log.sqlite"
    with a_ledger(tmp_path, signer=a_signer(tmp_path)) as ledger:
        cache = AnswerCache(ledger, TENANT)
        cache.put(b"p" * 32, a_run("parent"), label=LABEL)
        cache.put(b"c" * 32, a_run("child"), label=LABEL, made_from=[b"p" * 32])
        assert audit(ledger.reader).holds
    edge = f"INSERT INTO edge(tenant, parent, child) VALUES ('acme', x'{b'p'.hex() * 32}', x'ab')"
    behind_its_back(path, edge)
    assert any(p.part == "cache" and "ab" in p.detail for p in audited(path).problems)


def test_the_memory_of_an_audit_does_not_grow_with_the_records(tmp_path: Path) -> None:
    peaks = []
    for runs in (1100, 2200):  # two pages of rows and more
        folder = tmp_path / str(runs)
        folder.mkdir()
        path = a_log(folder, runs=runs)
        store = SqliteStore.open(path, create=False)
        audit(store)  # fills what is kept between audits
        tracemalloc.start()
        audit(store)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        store.close()
    assert peaks[1] - peaks[0] < 1100 * 100, peaks


def test_a_proof_of_millions_of_lines_is_refused_before_it_is_split(tmp_path: Path) -> None:
    with a_ledger(tmp_path, signer=a_signer(tmp_path)) as ledger:
        run = ledger.record(a_run(), label=LABEL).run_id
        data = ledger.export(run).data
    huge = data.replace(b"c2sp.org/tlog-proof@v1\\n", b"c2sp.org/tlog-proof@v1\\n" * 500_000)
    key = a_signer(tmp_path).verifier
    tracemalloc.start()
    report = verify_bundle(huge, keys=[key])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert not report.valid
    assert "at most" in report.reasons[0]
    assert peak < 2 * len(huge)


def test_a_cache_look_up_does_not_read_every_act_of_the_log(tmp_path: Path) -> None:
    with a_ledger(tmp_path, signer=a_signer(tmp_path)) as ledger:
        for number in range(500):
            ledger.submit(PolicyEntry(name=f"p{number}", policy=bytes(32), actor="me"))
        ledger.append(FalsifyEntry(of=1, state=CacheState.STALE, actor="me", reason=""))
        store = ledger.store
        assert isinstance(store, SqliteStore)
        steps: list[str] = []

        def listen(_: object, sql: str, __: object) -> bool:
            steps.append(sql)
            return True

        store._reading.exec_trace = listen
        assert store.acts("falsify", after=5) == (501,)
        store._reading.exec_trace = None
        plan = store._reading.execute("EXPLAIN QUERY PLAN " + steps[-1], ("falsify", 5)).fetchall()
    assert "entry_acts (type=? AND rowid>?)" in str(plan)


def test_a_log_on_a_medium_that_cannot_be_written_is_audited(tmp_path: Path) -> None:
    path = a_log(tmp_path)
    folder = tmp_path / "medium"
    folder.mkdir()
    (folder / "log.sqlite").write_bytes(path.read_bytes())
    store = SqliteStore.open_immutable(folder / "log.sqlite")
    report = audit(store)
    store.close()
    assert report.holds
    assert report.runs == 3
    assert [each.name for each in folder.iterdir()] == ["log.sqlite"]
    assert "HOLDS" in call("audit", "--ledger", folder / "log.sqlite", "--read-only")
