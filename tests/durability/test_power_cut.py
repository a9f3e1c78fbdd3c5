"""What was acknowledged survives the loss of power; with less than full durability it does not."""

from __future__ import annotations

import random
from dataclasses import dataclass

import apsw
import pytest
from tests.durability.simulated_disk import SimulatedDisk
from tests.ledger.open_log import LABEL, a_run
from tests.progress import Progress

from firmground.adapters.sqlite import SqliteStore
from firmground.ledger.audit import audit
from firmground.ledger.draft import PositionedEntry
from firmground.ledger.ledger import Ledger


@dataclass
class Tally:
    """What many cuts did."""

    cuts: int = 0
    acknowledged: int = 0
    lost: int = 0
    corrupt: int = 0


def _store(disk: SimulatedDisk, durability: str) -> SqliteStore:
    return SqliteStore.open("log", durability=durability, sharing="one", vfs=disk.name)


def _cut_once(seed: int, durability: str, tally: Tally) -> None:
    """Write until the power fails at a random call of the disk; look what is left."""
    chance = random.Random(seed)
    files: dict[str, bytes] = {}
    acknowledged: list[PositionedEntry] = []
    for _ in range(2):  # a log that was cut once is cut again
        disk = SimulatedDisk(files)
        more, files = _write_until_cut(disk, durability, chance)
        acknowledged += more
        tally.cuts += 1
        lost = _missing(files, durability, acknowledged, tally)
        tally.lost += lost
        if lost:
            break
    tally.acknowledged += len(acknowledged)


def _write_until_cut(
    disk: SimulatedDisk, durability: str, chance: random.Random
) -> tuple[list[PositionedEntry], dict[str, bytes]]:
    acknowledged: list[PositionedEntry] = []
    store = _store(disk, durability)
    # Small enough that checkpoints of the WAL fall into the run as well.
    store._writing.wal_autocheckpoint(chance.choice((4, 20, 1000)))
    ledger = Ledger(store)
    last = disk.calls + chance.randrange(1, 400)
    frozen: list[dict[str, bytes]] = []

    def fail(call: int, what: str) -> None:
        if call >= last:
            if not frozen:
                frozen.append(disk.cut(chance))
            raise apsw.IOError("the power is gone")

    disk.fail = fail
    while not frozen:
        batch = [
            ledger.submit(ledger.draft_run(a_run("x" * chance.randrange(300)), label=LABEL)[0])
            for _ in range(chance.randrange(1, 6))
        ]
        for future in batch:
            error = future.exception()
            if error is None:
                placed = future.result()
                acknowledged.append(placed)
    disk.fail = lambda call, what: None  # what happens from here on never happened
    ledger.close()
    return acknowledged, frozen[0]


def _missing(
    files: dict[str, bytes], durability: str, acknowledged: list[PositionedEntry], tally: Tally
) -> int:
    disk = SimulatedDisk(files)
    store = _store(disk, durability)
    if not audit(store).holds:
        tally.corrupt += 1
    kept = {row.seq: row.hash for row in store.entries(0, 1 << 40)}
    store.close()
    files.clear()
    files.update({name: bytes(content.live) for name, content in disk.files.items()})
    return sum(kept.get(placed.seq) != placed.hash for placed in acknowledged)


def _cut(runs: int, durability: str, *, seed: int) -> Tally:
    tally = Tally()
    progress = Progress(f"logs cut twice, durability {durability}", runs)
    for number in range(runs):
        progress.step()
        _cut_once(seed * 1_000_003 + number, durability, tally)
    return tally


def test_three_hundred_cuts_lose_nothing_that_was_acknowledged() -> None:
    tally = _cut(150, "full", seed=1)
    assert (tally.cuts, tally.lost, tally.corrupt) == (300, 0, 0)
    assert tally.acknowledged > 1_000


def test_the_same_cuts_show_loss_when_commits_are_not_synced() -> None:
    """The guard of the test above: a disk that lost nothing would prove nothing."""
    tally = _cut(25, "process", seed=2)
    assert tally.lost > 0
    assert tally.corrupt == 0


@pytest.mark.soak
def test_ten_thousand_cuts_lose_nothing_that_was_acknowledged() -> None:
    tally = _cut(5_000, "full", seed=3)
    assert (tally.cuts, tally.lost, tally.corrupt) == (10_000, 0, 0)
    assert tally.acknowledged > 30_000
