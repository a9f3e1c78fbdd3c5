"""The server dies, the line is cut or goes silent, the disk is full: no acknowledgement is wrong."""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.durability.writers import a_run
from tests.postgres.proxy import Proxy
from tests.postgres_server import PostgresServer

from firmground.adapters.postgres import PostgresStore
from firmground.errors import LedgerError, LedgerUnavailable
from firmground.ledger.audit import audit
from firmground.ledger.ledger import Ledger
from firmground.ledger.receipt import Receipt

LABEL = {"decision": "x"}


@pytest.fixture
def proxy(server: PostgresServer) -> Iterator[Proxy]:
    made = Proxy(server.port)
    yield made
    made.close()


def _through(proxy: Proxy, address: str, timeout: float = 30) -> str:
    before, after = address.split("@127.0.0.1:", 1)
    rest = after.partition("/")[2]
    return f"{before}@127.0.0.1:{proxy.port}/{rest}&timeout={timeout}"


def _holds(address: str, receipts: list[Receipt]) -> int:
    """Every acknowledged record is there once, and the log is sound; return its size."""
    store = PostgresStore.open(address, create=False)
    report = audit(store)
    kept = {row.seq: row.hash for row in store.entries(0, report.size)}
    store.close()
    assert report.holds, report.problems[:3]
    assert len({one.seq for one in receipts}) == len(receipts)
    assert all(kept.get(one.seq) == one.entry_hash for one in receipts)
    return report.size


def test_a_session_that_the_server_ended_is_replaced(server: PostgresServer, address: str) -> None:
    with Ledger(PostgresStore.open(address)) as ledger:
        receipts = [ledger.record(a_run("before"), label=LABEL)]
        server.psql(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
            "WHERE application_name LIKE 'firmground%'"
        )
        receipts.append(ledger.record(a_run("after"), label=LABEL))
        assert ledger.run(receipts[0].run_id).row.seq == 0
    assert _holds(address, receipts) == 2


def test_a_commit_whose_reply_is_lost_is_acknowledged_once(proxy: Proxy, address: str) -> None:
    with Ledger(PostgresStore.open(_through(proxy, address))) as ledger:
        receipts = [ledger.record(a_run("before"), label=LABEL)]
        proxy.lose_reply_to = b"COMMIT"
        receipts.append(ledger.record(a_run("during"), label=LABEL))
        assert proxy.lost.is_set(), "the reply was not lost"
        receipts.append(ledger.record(a_run("after"), label=LABEL))
    assert _holds(address, receipts) == 3


def test_a_transaction_that_is_cut_before_its_commit_is_not_kept(
    proxy: Proxy, address: str
) -> None:
    with Ledger(PostgresStore.open(_through(proxy, address, timeout=3))) as ledger:
        receipts = [ledger.record(a_run("before"), label=LABEL)]
        proxy.lose_reply_to = b"duringduring"  # a payload on its way
        with pytest.raises(LedgerUnavailable):
            ledger.record(a_run("during"), label=LABEL)
        receipts.append(ledger.record(a_run("after"), label=LABEL))
    assert _holds(address, receipts) == 2


def test_a_line_that_goes_silent_is_left_and_writing_goes_on_once_it_is_back(
    proxy: Proxy, address: str
) -> None:
    with Ledger(PostgresStore.open(_through(proxy, address, timeout=1))) as ledger:
        receipts = [ledger.record(a_run("before"), label=LABEL)]
        proxy.silent.set()
        with pytest.raises(LedgerUnavailable):
            ledger.record(a_run("during"), label=LABEL)
        proxy.silent.clear()
        proxy.cut()
        receipts.append(ledger.record(a_run("after"), label=LABEL))
    assert _holds(address, receipts) == 2


def test_a_commit_that_nobody_can_ask_about_is_said_to_be_unknown(
    proxy: Proxy, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firmground.adapters.postgres.store.SETTLE_SECONDS", 0.5)
    with Ledger(PostgresStore.open(_through(proxy, address, timeout=1))) as ledger:
        ledger.record(a_run("before"), label=LABEL)
        proxy.lose_reply_to = b"COMMIT"
        proxy.refuses.set()
        with pytest.raises(LedgerUnavailable, match="look for the run by its id"):
            ledger.record(a_run("during"), label=LABEL)
        proxy.refuses.clear()
        assert ledger.size() == 2, "it was kept, as may be seen later"


class _Load:
    """Four threads that record through one ledger and go on after every refusal."""

    def __init__(self, ledger: Ledger) -> None:
        self.receipts: list[Receipt] = []
        self.refused = 0
        self._ledger = ledger
        self._stop = threading.Event()
        self._threads = [threading.Thread(target=self._work) for _ in range(4)]
        for thread in self._threads:
            thread.start()

    def _work(self) -> None:
        while not self._stop.is_set():
            try:
                self.receipts.append(self._ledger.record(a_run("load"), label=LABEL))
            except LedgerUnavailable:
                self.refused += 1
                time.sleep(0.02)

    def wait_for(self, more: int) -> None:
        wanted, until = len(self.receipts) + more, time.monotonic() + 120
        while len(self.receipts) < wanted:
            assert time.monotonic() < until, "writing does not go on"
            time.sleep(0.01)

    def wait_for_refusal(self) -> None:
        before, until = self.refused, time.monotonic() + 120
        while self.refused == before:
            assert time.monotonic() < until, "the server was not missed"
            time.sleep(0.01)

    def stop(self) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()


def test_a_server_that_is_killed_under_load_loses_nothing_that_was_acknowledged() -> None:
    own = PostgresServer().start()
    try:
        with Ledger(PostgresStore.open(own.address("log") + "&timeout=5")) as ledger:
            load = _Load(ledger)
            for _ in range(2):
                load.wait_for(20)
                own.kill()
                load.wait_for_refusal()
                own.start()
            load.wait_for(20)
            load.stop()
        assert _holds(own.address("log"), load.receipts) >= len(load.receipts)
    finally:
        own.remove()


@pytest.fixture
def small_disk() -> Iterator[PostgresServer]:
    own = PostgresServer(options="-c max_wal_size=32MB -c min_wal_size=32MB", initdb=("none",))
    command = ["mount", "-t", "tmpfs", "-o", "size=120m", "tmpfs", str(own.folder)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode:
        own.remove()
        pytest.skip("a file system of 120 MB cannot be mounted here")
    try:
        os.chown(own.folder, *_owner())
        own.program("initdb", "-D", str(own.data), "-A", "trust", "-U", "owner", "-N", "--locale=C",
                    "-E", "UTF8", "--wal-segsize=1")  # fmt: skip
        yield own.start()
    finally:
        own.stop()
        subprocess.run(["umount", str(own.folder)], check=False)
        own.remove()


def _owner() -> tuple[int, int]:
    import pwd

    found = pwd.getpwnam("postgres")
    return found.pw_uid, found.pw_gid


def test_a_full_disk_is_said_and_writing_goes_on_once_there_is_space(
    small_disk: PostgresServer,
) -> None:
    address = small_disk.address("log") + "&timeout=5"
    with Ledger(PostgresStore.open(address)) as ledger:
        receipts = [ledger.record(a_run("before"), label=LABEL)]
        filler = small_disk.folder / "filler"
        with filler.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(bytes(1 << 20))
        with pytest.raises(LedgerUnavailable):
            _fill(ledger, receipts)
        filler.unlink()
        if not Path(f"/proc/{_main(small_disk)}").exists():
            small_disk.start()
        until = time.monotonic() + 60
        while True:
            try:
                receipts.append(ledger.record(a_run("after"), label=LABEL))
                break
            except LedgerError:
                assert time.monotonic() < until
                time.sleep(0.2)
    assert _holds(address, receipts) >= len(receipts)


def _fill(ledger: Ledger, receipts: list[Receipt]) -> None:
    for _ in range(2_000):
        receipts.append(ledger.record(a_run("x" * 20_000), label=LABEL))


def _main(server: PostgresServer) -> str:
    try:
        return (server.data / "postmaster.pid").read_text().split()[0]
    except FileNotFoundError:
        return "none"
