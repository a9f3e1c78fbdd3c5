"""However many processes ask at once, one computes; and a dead one holds up nobody."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tests.ledger.askers import marks, start, until
from tests.ledger.open_log import LABEL, a_ledger, a_run
from tests.ledger.test_cache import ACME, anything, dimensions, given

from firmground.adapters.sqlite import SqliteStore, claims
from firmground.adapters.sqlite.claims import ENDING
from firmground.core.run import Run
from firmground.errors import LedgerUnavailable
from firmground.ledger.audit import audit
from firmground.ledger.cache import AnswerCache, AnswerSource


def test_four_processes_ask_upstream_once(tmp_path: Path) -> None:
    askers = [start(tmp_path, str(number), crowd=4) for number in range(4)]
    said = [asker.communicate(timeout=300)[0].strip() for asker in askers]
    assert [asker.returncode for asker in askers] == [0] * 4
    assert len(marks(tmp_path, "computing")) == 1
    assert sorted(said) == ["cache", "cache", "cache", "computed"]
    with a_ledger(tmp_path) as ledger:
        report = audit(ledger.reader)
        assert report.holds
        assert report.runs == 1


def test_a_leader_that_is_killed_midway_is_replaced_by_one_who_waits(tmp_path: Path) -> None:
    leader = start(tmp_path, "leader", crowd=1, hang=True)
    until(lambda: marks(tmp_path, "computing") == ["leader"])
    waiter = start(tmp_path, "waiter", crowd=1)
    until(lambda: "waiter" in marks(tmp_path, "asking"))
    with pytest.raises(subprocess.TimeoutExpired):
        waiter.wait(timeout=0.5)
    assert marks(tmp_path, "computing") == ["leader"]
    leader.kill()
    leader.communicate()
    assert waiter.communicate(timeout=300)[0].strip() == "computed"
    assert marks(tmp_path, "computing") == ["leader", "waiter"]
    with a_ledger(tmp_path) as ledger:
        assert audit(ledger.reader).runs == 1


def test_a_name_is_held_alone_until_it_is_released_and_leaves_nothing_written(
    tmp_path: Path,
) -> None:
    one, two = (SqliteStore.open(tmp_path / "log.sqlite") for _ in range(2))
    held = one.claim(b"name", wait=True)
    assert held is not None
    assert two.claim(b"name", wait=False) is None
    other = two.claim(b"another", wait=False)
    assert other is not None
    held.release()
    held.release()
    again = two.claim(b"name", wait=True)
    assert again is not None
    locks = tmp_path / ("log.sqlite" + ENDING)
    assert locks.read_bytes() == b""
    assert locks.stat().st_mode & 0o077 == 0
    one.close()
    two.close()


def test_a_fork_does_not_hold_what_its_parent_held(tmp_path: Path) -> None:
    """The child outlives the parent's claim and must not keep it from the next one."""
    code = (
        "import os, sys, signal\n"
        "from firmground.adapters.sqlite import SqliteStore\n"
        f"store = SqliteStore.open({str(tmp_path / 'log.sqlite')!r})\n"
        "claim = store.claim(b'name', wait=True)\n"
        "reading, writing = os.pipe()\n"
        "child = os.fork()\n"
        "if child == 0:\n"
        "    os.close(1)\n"
        "    os.write(writing, b'x')\n"
        "    signal.pause()\n"
        "os.read(reading, 1)\n"
        "print(child, flush=True)\n"
        "os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    made = subprocess.run(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, check=False
    )
    child = int(made.stdout)
    try:
        store = SqliteStore.open(tmp_path / "log.sqlite")
        held = store.claim(b"name", wait=False)
        assert held is not None
        store.close()
    finally:
        os.kill(child, 9)


def test_a_place_for_locks_that_cannot_be_made_is_said(tmp_path: Path) -> None:
    with a_ledger(tmp_path) as ledger:
        (tmp_path / ("log.sqlite" + ENDING)).symlink_to(tmp_path / "elsewhere")
        cache = AnswerCache(ledger, ACME, unvouched=True)
        with pytest.raises(LedgerUnavailable, match="claims"):
            cache.get_or_compute(dimensions(), lambda: (a_run(), LABEL), allows=anything)


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_a_place_for_locks_that_is_no_file_is_refused(
    make: Callable[[Path], None], tmp_path: Path
) -> None:
    store = SqliteStore.open(tmp_path / "log.sqlite")
    make(tmp_path / ("log.sqlite" + ENDING))
    for wait in (False, True):
        with pytest.raises(LedgerUnavailable, match="claims"):
            store.claim(b"name", wait=wait)
    store.close()


def test_a_lock_on_a_file_that_was_replaced_meanwhile_is_no_claim(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = SqliteStore.open(tmp_path / "log.sqlite")
    place = tmp_path / ("log.sqlite" + ENDING)
    honest = claims._lock
    replaced = 0

    def lock(handle: int, byte: int, wait: bool) -> None:
        nonlocal replaced
        honest(handle, byte, wait)
        if replaced < 2:
            place.unlink()
            replaced += 1

    monkeypatch.setattr(claims, "_lock", lock)
    held = store.claim(b"name", wait=True)
    assert replaced == 2
    other = SqliteStore.open(tmp_path / "log.sqlite")
    assert held is not None
    assert other.claim(b"name", wait=False) is None
    held.release()
    replaced = -(1 << 30)
    with pytest.raises(LedgerUnavailable, match="replacing"):
        store.claim(b"name", wait=True)
    other.close()
    store.close()


def test_tasks_of_two_ledgers_on_one_file_ask_upstream_once(tmp_path: Path) -> None:
    calls = 0

    async def compute() -> tuple[Run, Mapping[str, str]]:
        nonlocal calls
        calls += 1
        await asyncio.sleep(0.2)
        return a_run("computed"), LABEL

    async def main(caches: list[AnswerCache]) -> list[AnswerSource]:
        crowd = (
            cache.aget_or_compute(dimensions(), compute, allows=anything)
            for cache in caches
            for _ in range(8)
        )
        return [given(each).source for each in await asyncio.gather(*crowd)]

    with a_ledger(tmp_path) as one, a_ledger(tmp_path) as two:
        caches = [AnswerCache(each, ACME, unvouched=True) for each in (one, two)]
        sources = asyncio.run(main(caches))
    assert calls == 1
    assert sources.count(AnswerSource.COMPUTED) == 1
