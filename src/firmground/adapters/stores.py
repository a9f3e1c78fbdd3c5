"""Open a ledger: the one place that decides which store keeps it."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from firmground.adapters.ledger_address import Location, is_address
from firmground.core import plugins
from firmground.errors import InputError, RecordNotFound

if TYPE_CHECKING:
    from firmground.ledger.keys import VerifierKey
    from firmground.ledger.ledger import Ledger
    from firmground.ledger.signing import CheckpointSigner
    from firmground.ledger.store import LedgerStore


VARIABLE = "FIRMGROUND_VAULT_KEYS"
"""Names the key store under which payloads are sealed, for every command and engine."""


def open_store(
    where: Location,
    *,
    create: bool = True,
    store: str | None = None,
    vault_keys: Location | None = None,
) -> LedgerStore:
    """Open the store at a location: a file, or ``postgresql://user@host/database``.

    ``create=False`` opens what is there and neither makes nor migrates anything.
    ``store`` is the name of an installed store that is given the location instead of SQLite.
    ``vault_keys`` is the file of keys under which payloads are sealed; by default the one that the
    environment variable FIRMGROUND_VAULT_KEYS names, and "" for payloads as they are stored.
    """
    opened = _open_raw(where, create=create, store=store)
    file = os.environ.get(VARIABLE, "") if vault_keys is None else os.fspath(vault_keys)
    if not file:
        return opened
    from firmground.adapters.sqlite.vault_keys import SqliteVaultKeys
    from firmground.ledger.sealing import SealedStore

    try:
        return cast("LedgerStore", SealedStore(opened, SqliteVaultKeys(file)))
    except BaseException:
        opened.close()
        raise


def _open_raw(where: Location, *, create: bool, store: str | None) -> LedgerStore:
    if store is not None:
        opened: LedgerStore = plugins.load("stores", store)(where)
        return opened
    if is_address(where):
        from firmground.adapters.postgres import PostgresStore

        return PostgresStore.open(where, create=create)
    _require_file_place(Path(where), create=create)
    from firmground.adapters.sqlite import SqliteStore

    return SqliteStore.open(where, create=create)


def open_ledger(
    where: Location,
    *,
    signer: CheckpointSigner | None = None,
    witnesses: Sequence[VerifierKey] = (),
    cosigners: Sequence[tuple[str, str]] = (),
    create: bool = True,
    store: str | None = None,
    vault_keys: Location | None = None,
) -> Ledger:
    """Open the ledger at a location, see ``open_store``.

    ``cosigners`` are witnesses that are asked to cosign every checkpoint: (address, public key).
    """
    from firmground.ledger.keys import parse_verifier
    from firmground.ledger.ledger import Ledger
    from firmground.ledger.witness_http import RemoteCosigner

    asked = [RemoteCosigner(url, parse_verifier(key)) for url, key in cosigners]
    opened = open_store(where, create=create, store=store, vault_keys=vault_keys)
    return Ledger(opened, signer=signer, witnesses=witnesses, cosigners=asked)


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
