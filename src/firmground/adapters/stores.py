"""Open a ledger: the one place that decides which store keeps it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from firmground.core import plugins
from firmground.errors import InputError, RecordNotFound

if TYPE_CHECKING:
    from firmground.ledger.keys import VerifierKey
    from firmground.ledger.ledger import Ledger
    from firmground.ledger.signing import CheckpointSigner
    from firmground.ledger.store import LedgerStore

Location: TypeAlias = "str | os.PathLike[str]"
"""Where a ledger is kept: the path of a file."""


def open_store(where: Location, *, create: bool = True, store: str | None = None) -> LedgerStore:
    """Open the store at a location.

    ``create=False`` opens what is there and neither makes nor migrates anything.
    ``store`` is the name of an installed store that is given the location instead of SQLite.
    """
    if store is not None:
        opened: LedgerStore = plugins.load("stores", store)(where)
        return opened
    _require_file_place(Path(where), create=create)
    from firmground.adapters.sqlite import SqliteStore

    return SqliteStore.open(where, create=create)


def open_ledger(
    where: Location,
    *,
    signer: CheckpointSigner | None = None,
    witnesses: Sequence[VerifierKey] = (),
    create: bool = True,
    store: str | None = None,
) -> Ledger:
    """Open the ledger at a location, see ``open_store``."""
    from firmground.ledger.ledger import Ledger

    opened = open_store(where, create=create, store=store)
    return Ledger(opened, signer=signer, witnesses=witnesses)


def _require_file_place(path: Path, *, create: bool) -> None:
    """Say what is wrong with a path where no log is, or can be made."""
    if create:
        if path.is_dir():
            raise InputError(f"{path}: this is a folder; name a file in it for the ledger")
        if not path.parent.is_dir():
            raise InputError(f"{path}: the ledger cannot be made: there is no folder {path.parent}")
    elif not path.is_file():
        raise RecordNotFound(f"{path}: there is no such ledger")
    elif not path.stat().st_size:
        raise RecordNotFound(f"{path} is empty, not a log")
