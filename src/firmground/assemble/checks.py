"""One answer, one outcome."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from firmground.adapters.document import (
    answer_from_value,
    evidence_list,
    mode_from_value,
    question_from_value,
)
from firmground.assemble.keeping import Kept, akeep, keep, opened_ledger
from firmground.assemble.model_checks import ModelChecks
from firmground.assemble.parts import DEFAULT_JUDGE, DEFAULT_POLICY, parts_for
from firmground.core.evidence import Evidence
from firmground.core.ports import Judge
from firmground.core.question import Question
from firmground.decide import Policy
from firmground.pipeline import Mode, Outcome, Parts, Request
from firmground.pipeline import check as run_check

if TYPE_CHECKING:
    from firmground.hooks import HookEngine

Piece: TypeAlias = "str | Evidence | Mapping[str, Any]"
"""Evidence as a string, an ``Evidence``, or a description with text, kind, role, trust…"""
_T = TypeVar("_T")


def check(
    answer: str,
    evidence: Piece | Iterable[Piece],
    *,
    question: str | Question | None = None,
    policy: str | Policy = DEFAULT_POLICY,
    judge: Judge | str = DEFAULT_JUDGE,
    hooks: HookEngine | None = None,
    models: ModelChecks | None = None,
    ledger: Kept = None,
    mode: Mode | str = Mode.PROSE,
    id: str | int = "",
) -> Outcome:
    """Say where every claim of an answer stands on the evidence, and whether it may go out.

    ``judge`` replaces the built-in one; ``hooks`` ask the world and ``models`` other models beside
    it; ``ledger``, an open one or a path, keeps the run. Works inside a running event loop as
    well, where it blocks; use ``acheck`` there.
    """
    request = make_request(answer, evidence, question=question, mode=mode, id=id)
    parts = parts_for(policy=policy, judge=judge, hooks=hooks, models=models)
    with opened_ledger(ledger) as log:
        return keep(check_request(request, parts), log)


async def acheck(
    answer: str,
    evidence: Piece | Iterable[Piece],
    *,
    question: str | Question | None = None,
    policy: str | Policy = DEFAULT_POLICY,
    judge: Judge | str = DEFAULT_JUDGE,
    hooks: HookEngine | None = None,
    models: ModelChecks | None = None,
    ledger: Kept = None,
    mode: Mode | str = Mode.PROSE,
    id: str | int = "",
) -> Outcome:
    """The same for those who are in an event loop already."""
    request = make_request(answer, evidence, question=question, mode=mode, id=id)
    parts = parts_for(policy=policy, judge=judge, hooks=hooks, models=models)
    with opened_ledger(ledger) as log:
        return await akeep(await run_check(request, parts), log)


def check_request(request: Request, parts: Parts) -> Outcome:
    """Run one request through the given parts."""
    return run_to_end(run_check(request, parts))


def make_request(
    answer: str,
    evidence: Piece | Iterable[Piece],
    *,
    question: str | Question | None = None,
    mode: Mode | str = Mode.PROSE,
    id: str | int = "",
) -> Request:
    """Read what a caller handed in; errors name what is wrong."""
    pieces = evidence if isinstance(evidence, str | Evidence | Mapping) else _listed(evidence)
    return Request(
        answer=answer_from_value(answer),
        evidence=evidence_list(pieces),
        question=question_from_value(question),
        mode=mode_from_value(mode),
        id=id,
    )


def _listed(evidence: Iterable[Piece]) -> Any:
    return list(evidence) if isinstance(evidence, Iterable) else evidence


def run_to_end(work: Coroutine[Any, Any, _T]) -> _T:
    """Run a coroutine from plain code, in a loop of its own."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(asyncio.run, work).result()
