"""Real logs in real files, for tests that write, break and repair them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import apsw

from firmground.adapters.sqlite import SqliteStore
from firmground.core.run import AttemptReason, Node, Run, Shape, stage_plan
from firmground.ledger.checkpointer import CheckpointPolicy
from firmground.ledger.ledger import Ledger
from firmground.ledger.signing import CheckpointSigner

ORIGIN = "example.org/log"
LABEL = {"step": "proceed"}
NEVER = CheckpointPolicy(entries=1_000_000, seconds=86_400.0)
"""No checkpoint unless it is asked for."""


def a_run(
    text: str = "what is it",
    *,
    shape: Shape = Shape.QUOTE,
    preflight: bool = True,
    attempts: Sequence[AttemptReason] = (AttemptReason.FIRST,),
) -> Run:
    attempts = () if shape is Shape.REJECT else tuple(attempts)
    plan = stage_plan(shape=shape, preflight=preflight, attempts=attempts)
    nodes = tuple(
        Node(
            stage=place.stage,
            attempt=place.attempt,
            payload=f"{text}/{place.stage}/{place.attempt}".encode(),
        )
        for place in plan
    )
    return Run(shape=shape, preflight=preflight, attempts=attempts, nodes=nodes)


def a_signer(folder: Path, name: str = "log") -> CheckpointSigner:
    path = folder / f"{name}.key"
    return CheckpointSigner.open(path) if path.exists() else CheckpointSigner.create(path, ORIGIN)


def a_ledger(
    folder: Path,
    *,
    signer: CheckpointSigner | None = None,
    name: str = "log.sqlite",
    policy: CheckpointPolicy = NEVER,
) -> Ledger:
    return Ledger(SqliteStore.open(folder / name), signer=signer, policy=policy)


def behind_its_back(path: Path, *statements: str) -> None:
    """Change a log as somebody with another program would: no guard, no triggers."""
    connection = apsw.Connection(str(path))
    triggers = [
        row[0]
        for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")
    ]
    kept = [
        row[0] for row in connection.execute("SELECT sql FROM sqlite_schema WHERE type = 'trigger'")
    ]
    for name in triggers:
        connection.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        connection.execute(statement)
    for sql in kept:
        connection.execute(sql)
    connection.close()
