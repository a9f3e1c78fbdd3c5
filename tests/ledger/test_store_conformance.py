"""Every store passes the public suite, and the suite names what a broken one does wrong."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
from tests.ledger.memory_store import MemoryStore, _Held, _Open

from firmground.ledger.store import EntryRow, StoreChange, Transaction, VaultRow
from firmground.testing import check_ledger_store, store_in

T = TypeVar("T")


def test_the_sqlite_store_passes(tmp_path: Path) -> None:
    check_ledger_store(store_in(tmp_path), reopen=lambda: store_in(tmp_path))


def test_a_store_of_somebody_else_passes() -> None:
    store = MemoryStore()
    check_ledger_store(store, reopen=lambda: MemoryStore(store.box))


class _Keeps(MemoryStore):
    def transact(self, work: Callable[[Transaction], T]) -> T:
        return work(_Open(self.t))


class _Shuffles(MemoryStore):
    def entries(self, start: int, stop: int) -> Iterator[EntryRow]:
        return reversed(list(super().entries(start, stop)))


class _Cuts(MemoryStore):
    def vault(self, start: int, stop: int) -> Iterator[VaultRow]:
        return (row._replace(payload=row.payload[:1000]) for row in super().vault(start, stop))


class _Alphabet(MemoryStore):
    def runs_beginning(self, start: str, limit: int) -> tuple[str, ...]:
        found = super().runs_beginning(start, 99)
        return tuple(sorted(found, key=lambda name: name.replace("-", "")[::-1]))[:limit]


class _Forks(MemoryStore):
    def transact(self, work: Callable[[Transaction], T]) -> T:
        class Lax(_Open):
            def apply(self, change: StoreChange) -> None:
                self.t.entries += change.entries
                super().apply(StoreChange(**{**_fields(change), "entries": ()}))

        return super().transact(lambda transaction: work(Lax(transaction.t)))  # type: ignore[attr-defined]


class _GivesTwice(MemoryStore):
    def claim(self, name: bytes, *, wait: bool) -> Any:
        lock = threading.Lock()
        lock.acquire()
        return _Held(lock)


class _Unerasable(MemoryStore):
    def transact(self, work: Callable[[Transaction], T]) -> T:
        kept = list(self.t.vault)
        result = super().transact(work)
        self.t.vault[:] = kept + [row for row in self.t.vault if row not in kept]
        return result


def _fields(change: StoreChange) -> dict[str, Any]:
    return {name: getattr(change, name) for name in change.__dataclass_fields__}


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (_Keeps, "before it ends|leaves"),
        (_Shuffles, "in order"),
        (_Cuts, "byte for byte"),
        (_Alphabet, "by (their )?bytes"),
        (_Forks, "must be refused"),
        (_GivesTwice, "not given again"),
        (_Unerasable, "erased payload"),
    ],
)
def test_the_suite_names_what_a_broken_store_does_wrong(
    broken: type[MemoryStore], said: str
) -> None:
    store = broken()
    with pytest.raises(AssertionError, match=said):
        check_ledger_store(store, reopen=lambda: broken(store.box))
