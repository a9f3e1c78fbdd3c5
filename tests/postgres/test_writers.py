"""Several processes write one log in PostgreSQL: nothing lost, nothing twice, no fork."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.durability.writers import Writers, a_run
from tests.postgres_server import PostgresServer
from tests.progress import Progress

from firmground.adapters.postgres import PostgresStore
from firmground.errors import LedgerUnavailable
from firmground.ledger.audit import audit
from firmground.ledger.ledger import Ledger
from firmground.ledger.signing import CheckpointSigner

ORIGIN = "example.org/log"
FOREVER = 3_600.0


def check_log(folder: Path, address: str, acknowledged: list[tuple[int, str]]) -> int:
    """Sign, audit, and look up everything that was acknowledged; return the number of runs."""
    signer = CheckpointSigner.open(folder / "log.key")
    with Ledger(PostgresStore.open(address), signer=signer):
        pass  # opening compares with what was signed before, closing signs what is there now
    store = PostgresStore.open(address, create=False)
    report = audit(store, keys=[signer.verifier])
    assert report.holds, report.problems[:3]
    kept = {row.seq: row.hash.hex() for row in store.entries(0, report.size)}
    store.close()
    assert len({seq for seq, _ in acknowledged}) == len(acknowledged), "a place was given twice"
    assert [each for each in acknowledged if kept.get(each[0]) != each[1]] == []
    return report.runs


def _kill(folder: Path, address: str, kills: int, *, between: int) -> int:
    chance = random.Random(kills)
    progress = Progress("kills", kills)
    CheckpointSigner.create(folder / "log.key", ORIGIN)
    with Writers(folder, address) as writers:

        def another() -> int:
            return writers.start(tasks=8, seconds=FOREVER, signs=chance.random() < 0.5)

        alive = [another() for _ in range(4)]
        for _ in range(kills):
            writers.wait_for_acknowledgements(between)
            time.sleep(chance.uniform(0.0, 0.06))
            progress.step()
            victim = chance.randrange(4)
            writers.kill(alive[victim])
            alive[victim] = another()
        for child in alive:
            writers.kill(child)
        acknowledged = writers.acknowledged()
    assert check_log(folder, address, acknowledged) >= len(acknowledged)
    return len(acknowledged)


def test_24_killed_writers_lose_nothing_that_was_acknowledged(tmp_path: Path, address: str) -> None:
    assert _kill(tmp_path, address, 24, between=2) >= 48


@pytest.mark.soak
def test_1000_killed_writers_lose_nothing_that_was_acknowledged(
    tmp_path: Path, address: str
) -> None:
    assert _kill(tmp_path, address, 1_000, between=50) >= 50_000


def _together(folder: Path, address: str, seconds: float) -> int:
    CheckpointSigner.create(folder / "log.key", ORIGIN)
    with Writers(folder, address) as writers:
        children = [
            writers.start(tasks=16, seconds=seconds, signs=number < 2) for number in range(4)
        ]
        assert [writers.wait(child) for child in children] == [0, 0, 0, 0]
        acknowledged = writers.acknowledged()
    assert check_log(folder, address, acknowledged) == len(acknowledged)
    return len(acknowledged)


def test_four_processes_leave_one_unforked_log(tmp_path: Path, address: str) -> None:
    assert _together(tmp_path, address, 1.5) >= 64


@pytest.mark.soak
def test_four_processes_leave_one_unforked_log_after_a_minute(tmp_path: Path, address: str) -> None:
    assert _together(tmp_path, address, 60.0) > 640


IN_ITS_TURN = """
import sys, time
from tests.durability.writers import a_run
from firmground.adapters.postgres import PostgresStore
from firmground.errors import LedgerUnavailable
from firmground.ledger.ledger import Ledger
ledger = Ledger(PostgresStore.open(sys.argv[1]))
def slowly(reader):
    print("in turn", flush=True)
    time.sleep(float(sys.argv[2]))
    return ledger.draft_run(a_run("late"), label={"decision": "x"}, run_id=sys.argv[3])[0]
try:
    ledger.append(slowly)
    print("kept", flush=True)
except LedgerUnavailable as error:
    print("refused", error, flush=True)
"""
LATE = "0000000a-0000-7000-8000-000000000000"


def _in_its_turn(address: str, seconds: float) -> subprocess.Popen[str]:
    """Start a process and return once it holds the turn to write."""
    child = subprocess.Popen(
        [sys.executable, "-c", IN_ITS_TURN, address, str(seconds), LATE],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "in turn\n"
    return child


def test_a_writer_that_is_killed_in_its_turn_is_succeeded_within_seconds(address: str) -> None:
    with Ledger(PostgresStore.open(address)) as ledger:
        child = _in_its_turn(address, 600)
        os.kill(child.pid, signal.SIGKILL)
        began = time.monotonic()
        assert ledger.record(a_run("next"), label={"decision": "x"}).seq == 0
        assert time.monotonic() - began < 9, "the server waited for its own time-out"
        assert ledger.store.find_run(LATE) is None
        child.wait()
        assert child.stdout is not None
        child.stdout.close()


def test_a_writer_that_is_frozen_in_its_turn_loses_it_and_cannot_write_afterwards(
    address: str,
) -> None:
    short = address + "&timeout=1.5"
    with Ledger(PostgresStore.open(address)) as ledger:
        before = ledger.record(a_run("first"), label={"decision": "x"})
        child = _in_its_turn(short, 0.1)
        os.kill(child.pid, signal.SIGSTOP)
        try:
            receipt = ledger.record(a_run("next"), label={"decision": "x"})
        finally:
            os.kill(child.pid, signal.SIGCONT)
        out, _ = child.communicate(timeout=60)
        assert out.startswith("refused"), out
        assert receipt.seq == before.seq + 1
        assert ledger.store.find_run(LATE) is None
        assert ledger.size() == 2


def test_the_epoch_grows_when_another_writer_takes_over(
    server: PostgresServer, address: str
) -> None:
    one, two = (Ledger(PostgresStore.open(address)) for _ in range(2))
    epochs = []
    for ledger in (one, one, two, one):
        ledger.record(a_run("x"), label={"decision": "x"})
        schema = address.partition("schema=")[2]
        epochs.append(int(server.psql(f"SELECT epoch FROM {schema}.sequencer")))
    assert epochs == [1, 1, 2, 3]
    one.close()
    two.close()


def test_a_writer_waits_no_longer_than_its_time_out(address: str) -> None:
    one, two = PostgresStore.open(address), PostgresStore.open(address + "&timeout=0.5")

    def held(_: object) -> None:
        with pytest.raises(LedgerUnavailable, match="timeout"):
            two.transact(lambda transaction: transaction.head())

    one.transact(held)
    assert two.transact(lambda transaction: transaction.head()).size == 0
    one.close()
    two.close()


def test_rows_that_come_without_a_turn_are_refused(server: PostgresServer, address: str) -> None:
    with Ledger(PostgresStore.open(address)) as ledger:
        ledger.record(a_run("x"), label={"decision": "x"})
        schema = address.partition("schema=")[2]
        with pytest.raises(AssertionError, match="has not taken its turn"):
            server.psql(
                f"INSERT INTO {schema}.entry SELECT seq + 1, 'hook', NULL, hash, hash, body "
                f"FROM {schema}.entry"
            )
        assert ledger.size() == 1
