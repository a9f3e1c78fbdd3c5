"""The module-level functions of the public API; all of them use one shared engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from firmground.config.settings import DEFAULT_JUDGE, DEFAULT_POLICY
from firmground.core.ports import Judge
from firmground.core.question import Question
from firmground.decide import Policy
from firmground.engine.engine import Engine
from firmground.engine.evidence import EvidenceLike
from firmground.engine.ledgers import Kept
from firmground.engine.many import Failure
from firmground.engine.model_checks import ModelChecks
from firmground.engine.parts import Overrides
from firmground.engine.result import Result
from firmground.hooks import HookEngine
from firmground.pipeline.request import Mode, Request

_LOCK = Lock()
_SHARED: list[Engine] = []


def default_engine() -> Engine:
    """Return the engine that the module-level functions share."""
    with _LOCK:
        if not _SHARED or _SHARED[0].closed:
            _SHARED[:] = [Engine()]
        return _SHARED[0]


def check(
    answer: str,
    evidence: EvidenceLike,
    *,
    question: str | Question | None = None,
    policy: str | Policy = DEFAULT_POLICY,
    judge: Judge | str = DEFAULT_JUDGE,
    hooks: HookEngine | None = None,
    models: ModelChecks | None = None,
    ledger: Kept = None,
    mode: Mode | str = Mode.PROSE,
    id: str | int = "",
    metadata: Mapping[str, Any] | None = None,
    output_files: Iterable[Path | str] = (),
    deadline_seconds: float | None = None,
) -> Result:
    """Check whether an answer stands on its evidence.

    ``answer`` is the text to check and ``evidence`` what it may stand on: a string, a path, a
    mapping, a document object, a dataframe, or many of these. ``question`` is what was asked,
    ``policy`` and ``judge`` are names or objects, ``hooks`` are external checks, ``models`` are
    asked after the judge, ``ledger`` (a path or an open one) keeps the run, ``mode`` is the form
    of the answer, ``id`` your own name for it. ``metadata`` and ``output_files`` are shown to
    hooks. After ``deadline_seconds`` the checks that are not finished become faults. Inside an
    event loop it blocks: use ``acheck`` there.

    >>> bool(check("It opened in 1932.", "It opened in 1932.", judge="lexical"))
    True
    """
    overrides = Overrides(policy=policy, judge=judge, hooks=hooks, models=models, ledger=ledger)
    return default_engine().check_with(
        overrides,
        answer,
        evidence,
        question=question,
        mode=mode,
        id=id,
        metadata=metadata,
        output_files=output_files,
        deadline_seconds=deadline_seconds,
    )


async def acheck(
    answer: str,
    evidence: EvidenceLike,
    *,
    question: str | Question | None = None,
    policy: str | Policy = DEFAULT_POLICY,
    judge: Judge | str = DEFAULT_JUDGE,
    hooks: HookEngine | None = None,
    models: ModelChecks | None = None,
    ledger: Kept = None,
    mode: Mode | str = Mode.PROSE,
    id: str | int = "",
    metadata: Mapping[str, Any] | None = None,
    output_files: Iterable[Path | str] = (),
    deadline_seconds: float | None = None,
) -> Result:
    """Check an answer without holding up the event loop; the arguments are those of ``check``.

    >>> import asyncio
    >>> bool(asyncio.run(acheck("It opened in 1932.", "It opened in 1932.", judge="lexical")))
    True
    """
    overrides = Overrides(policy=policy, judge=judge, hooks=hooks, models=models, ledger=ledger)
    return await default_engine().acheck_with(
        overrides,
        answer,
        evidence,
        question=question,
        mode=mode,
        id=id,
        metadata=metadata,
        output_files=output_files,
        deadline_seconds=deadline_seconds,
    )


def check_many(
    rows: Iterable[Request | Mapping[str, Any]],
    *,
    policy: str | Policy = DEFAULT_POLICY,
    judge: str = DEFAULT_JUDGE,
    workers: int = 1,
    ledger: Kept = None,
) -> Iterator[Result | Failure]:
    """Yield one result or failure for each row, in order, reading no further ahead than needed.

    A row is a mapping with ``answer``, ``evidence`` and, if you like, ``question``, ``mode`` and
    ``id``; one that cannot be checked is a ``Failure`` in its place. ``ledger`` keeps every run.
    With several ``workers`` the calling program must be importable (the usual
    ``if __name__ == "__main__":``), since each is a process of its own.

    >>> rows = [{"answer": "It opened in 1952.", "evidence": "It opened in 1932."}]
    >>> [bool(found) for found in check_many(rows, judge="lexical")]
    [False]
    """
    overrides = Overrides(policy=policy, judge=judge, ledger=ledger)
    return default_engine().check_many_with(overrides, rows, workers=workers)
