"""The ledger in one SQLite file, through apsw."""

from __future__ import annotations

import os
from collections.abc import Sequence

from firmground.adapters.sqlite.connection import Sharing
from firmground.adapters.sqlite.store import SqliteStore
from firmground.ledger.checkpointer import CheckpointPolicy
from firmground.ledger.entry import Durability
from firmground.ledger.keys import VerifierKey
from firmground.ledger.ledger import Ledger
from firmground.ledger.signing import CheckpointSigner
from firmground.ledger.witness import Cosigner
from firmground.ledger.writer import QUEUE

__all__ = ["Sharing", "SqliteStore", "open_ledger"]


def open_ledger(
    path: str | os.PathLike[str],
    *,
    signer: CheckpointSigner | None = None,
    durability: Durability | str = Durability.FULL,
    sharing: Sharing | str = Sharing.MANY,
    policy: CheckpointPolicy | None = None,
    witnesses: Sequence[VerifierKey] = (),
    cosigners: Sequence[Cosigner] = (),
    queue: int = QUEUE,
    create: bool = True,
) -> Ledger:
    """Open or make a ledger in one file; ``durability="process"`` has to be asked for.

    ``create=False`` opens what is there and neither makes nor migrates anything.
    """
    store = SqliteStore.open(path, durability=durability, sharing=sharing, create=create)
    return Ledger(
        store,
        signer=signer,
        policy=policy,
        witnesses=witnesses,
        cosigners=cosigners,
        queue=queue,
    )
