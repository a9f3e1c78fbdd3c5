"""Four writing processes, killed again and again: nothing acknowledged is lost, nothing forks."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest
from tests.durability.writers import Writers
from tests.progress import Progress

from firmground.adapters.sqlite import SqliteStore, open_ledger
from firmground.ledger.audit import audit
from firmground.ledger.signing import CheckpointSigner

ORIGIN = "example.org/log"
FOREVER = 3_600.0


def _check(folder: Path, acknowledged: list[tuple[int, str]]) -> int:
    signer = CheckpointSigner.open(folder / "log.key")
    with open_ledger(folder / "log.sqlite", signer=signer):
        pass  # opening compares with what was signed before, closing signs what is there now
    store = SqliteStore.open(folder / "log.sqlite")
    report = audit(store, keys=[signer.verifier])
    assert report.holds, report.problems[:3]
    kept = {row.seq: row.hash.hex() for row in store.entries(0, report.size)}
    store.close()
    assert len({seq for seq, _ in acknowledged}) == len(acknowledged), "a place was given twice"
    assert [each for each in acknowledged if kept.get(each[0]) != each[1]] == []
    assert report.checkpoints > 0
    return report.runs


def _kill(folder: Path, kills: int, seed: int, *, between: int) -> int:
    """Kill so often, at any moment after ``between`` further acknowledgements."""
    chance = random.Random(seed)
    progress = Progress("kills", kills)
    CheckpointSigner.create(folder / "log.key", ORIGIN)
    with Writers(folder) as writers:

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
    assert _check(folder, acknowledged) >= len(acknowledged)
    return len(acknowledged)


def test_160_killed_writers_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    assert _kill(tmp_path, 160, seed=1, between=2) >= 2 * 160


@pytest.mark.soak
def test_2000_killed_writers_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    assert _kill(tmp_path, 2_000, seed=2, between=100) >= 100 * 2_000


def _together(folder: Path, seconds: float) -> int:
    CheckpointSigner.create(folder / "log.key", ORIGIN)
    with Writers(folder) as writers:
        children = [
            writers.start(tasks=64, seconds=seconds, signs=number < 2) for number in range(4)
        ]
        assert [writers.wait(child) for child in children] == [0, 0, 0, 0]
        acknowledged = writers.acknowledged()
    assert _check(folder, acknowledged) == len(acknowledged)
    return len(acknowledged)


def test_four_processes_of_64_tasks_leave_one_unforked_log(tmp_path: Path) -> None:
    assert _together(tmp_path, 1.5) >= 256


@pytest.mark.soak
def test_four_processes_of_64_tasks_leave_one_unforked_log_after_a_minute(tmp_path: Path) -> None:
    assert _together(tmp_path, 60.0) > 2_560
