"""Files that several replicas of a service open at the same moment."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

import pytest

from firmground.adapters.sqlite.vault_keys import SqliteVaultKeys
from firmground.errors import FirmgroundError
from firmground.service.run_index import RunIndex
from firmground.service.state import ServiceState


class Closes(Protocol):
    def close(self) -> None: ...


OPENERS: dict[str, Callable[[Path], Closes]] = {
    "state": ServiceState,
    "index": RunIndex,
    "keys": lambda folder: SqliteVaultKeys(folder / "keys.sqlite"),
}


@pytest.mark.parametrize("kind", OPENERS)
def test_many_may_open_a_new_file_at_the_same_moment(tmp_path: Path, kind: str) -> None:
    failures: list[FirmgroundError] = []
    for attempt in range(25):
        folder = tmp_path / str(attempt)
        folder.mkdir()
        start = threading.Barrier(6)
        threads = [
            threading.Thread(target=_open, args=(kind, folder, start, failures)) for _ in range(6)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert failures == []


def _open(
    kind: str, folder: Path, start: threading.Barrier, failures: list[FirmgroundError]
) -> None:
    start.wait()
    try:
        OPENERS[kind](folder).close()
    except FirmgroundError as error:
        failures.append(error)
