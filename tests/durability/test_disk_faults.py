"""A disk that fails anywhere never makes a record out of nothing, and is forgiven afterwards."""

from __future__ import annotations

from collections.abc import Callable

import apsw
import pytest
from tests.durability.simulated_disk import SimulatedDisk
from tests.ledger.open_log import LABEL, a_run
from tests.progress import Progress

from firmground.adapters.sqlite import SqliteStore
from firmground.errors import LedgerError, LedgerUnavailable
from firmground.ledger.audit import audit
from firmground.ledger.ledger import Ledger
from firmground.ledger.receipt import Receipt

Fault = Callable[[], Exception]
FULL: Fault = lambda: apsw.FullError("disk full")  # noqa: E731
BROKEN: Fault = lambda: apsw.IOError("input/output error")  # noqa: E731
READ_ONLY: Fault = lambda: apsw.ReadOnlyError("remounted read-only")  # noqa: E731
RECORDS = 6


def _open(disk: SimulatedDisk) -> Ledger:
    store = SqliteStore.open("log", sharing="one", vfs=disk.name)
    store._writing.wal_autocheckpoint(12)  # so that the faults meet checkpoints of the WAL too
    return Ledger(store)


def _live(disk: SimulatedDisk) -> tuple[list[Receipt], int]:
    """Open, record, close; return what was acknowledged and how much was refused."""
    acknowledged: list[Receipt] = []
    refused = 0
    try:
        ledger = _open(disk)
    except LedgerError:
        return acknowledged, 1
    for number in range(RECORDS):
        try:
            acknowledged.append(ledger.record(a_run(f"{number}" * 200), label=LABEL))
        except LedgerUnavailable:
            refused += 1
    disk.fail = lambda call, what: None
    after = ledger.record(a_run("after the fault"), label=LABEL)
    ledger.close()
    return [*acknowledged, after], refused


def _check(disk: SimulatedDisk, acknowledged: list[Receipt], what: str) -> None:
    disk.fail = lambda call, what: None
    ledger = _open(disk)
    ledger.record(a_run("later"), label=LABEL)
    assert audit(ledger.reader).holds, what
    for receipt in acknowledged:
        assert ledger.row(receipt.seq).hash == receipt.entry_hash, what
    ledger.close()


def _calls() -> int:
    disk = SimulatedDisk()
    acknowledged, refused = _live(disk)
    assert (len(acknowledged), refused) == (RECORDS + 1, 0)
    return disk.calls


def _fail_at(k: int, *, fault: Fault, lasting: bool) -> int:
    disk = SimulatedDisk()

    def fail(call: int, what: str) -> None:
        if call == k or (lasting and call > k):
            raise fault()

    disk.fail = fail
    acknowledged, refused = _live(disk)
    _check(disk, acknowledged, f"call {k}, {fault().args[0]}, lasting {lasting}")
    return refused


def _fail_everywhere(fault: Fault, *, lasting: bool, stride: int) -> None:
    calls = _calls()
    assert calls > 50
    places = range(1, calls + 1, stride)
    progress = Progress(f"failing calls, {fault().args[0]}", len(places))
    refused = 0
    for k in places:
        refused += _fail_at(k, fault=fault, lasting=lasting)
        progress.step()
    assert refused > 0


@pytest.mark.parametrize("lasting", [False, True], ids=["once", "lasting"])
@pytest.mark.parametrize("fault", [FULL, BROKEN, READ_ONLY], ids=["full", "broken", "read-only"])
def test_no_failing_call_makes_a_record_out_of_nothing(fault: Fault, lasting: bool) -> None:
    _fail_everywhere(fault, lasting=lasting, stride=3)


@pytest.mark.soak
@pytest.mark.parametrize("lasting", [False, True], ids=["once", "lasting"])
@pytest.mark.parametrize("fault", [FULL, BROKEN, READ_ONLY], ids=["full", "broken", "read-only"])
def test_not_one_of_all_calls_makes_a_record_out_of_nothing(fault: Fault, lasting: bool) -> None:
    _fail_everywhere(fault, lasting=lasting, stride=1)


def test_writing_goes_on_once_there_is_space_again() -> None:
    disk = SimulatedDisk()
    ledger = _open(disk)
    first = ledger.record(a_run("before"), label=LABEL)

    def fail(call: int, what: str) -> None:
        raise apsw.FullError("disk full")

    disk.fail = fail
    for _ in range(3):
        with pytest.raises(LedgerUnavailable, match="full"):
            ledger.record(a_run("during"), label=LABEL)
    disk.fail = lambda call, what: None
    second = ledger.record(a_run("after"), label=LABEL)
    assert (first.seq, second.seq) == (0, 1)
    assert audit(ledger.reader).holds
    ledger.close()
