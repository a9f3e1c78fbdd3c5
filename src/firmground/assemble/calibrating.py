"""From labelled answers to a threshold: rows are read, scored where they have no score, counted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from firmground.adapters.document import request_from_value
from firmground.assemble.checks import check_request
from firmground.assemble.parts import DEFAULT_POLICY, parts_for
from firmground.calibrate import Labelled
from firmground.errors import InputError
from firmground.pipeline import Parts


def read_labelled(
    path: Path, *, policy: str = DEFAULT_POLICY, by_group: bool = False
) -> dict[str, list[Labelled]]:
    """Read rows ``{stands: bool, risk}`` or ``{stands: bool, answer, evidence, …}`` by group.

    Rows without a ``risk`` are checked by the built-in judge. A row that cannot be used is an
    error that names its line: leaving it out would bend the bound.
    """
    parts = parts_for(policy=policy)
    groups: dict[str, list[Labelled]] = {}
    for where, row in _rows(path):
        group = str(row.get("group", "")) if by_group else ""
        groups.setdefault(group, []).append(_labelled(row, parts, where))
    if not groups:
        raise InputError(f"{path}: there are no labelled answers")
    return groups


def read_scores(path: Path, *, policy: str = DEFAULT_POLICY) -> list[float]:
    """Read the risk scores of live answers, labels or not."""
    parts = parts_for(policy=policy)
    return [_risk(row, parts, where) for where, row in _rows(path)]


def _rows(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: cannot be read: {error}") from None
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            row = json.loads(line)
        except (json.JSONDecodeError, RecursionError):
            raise InputError(f"{where}: is not JSON") from None
        if not isinstance(row, dict):
            raise InputError(f"{where}: is not an object")
        yield where, row


def _labelled(row: dict[str, Any], parts: Parts, where: str) -> Labelled:
    stands = row.get("stands")
    if not isinstance(stands, bool):
        raise InputError(f"{where}: stands: must be true or false")
    try:
        return Labelled(risk=_risk(row, parts, where), wrong=not stands)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None


def _risk(row: dict[str, Any], parts: Parts, where: str) -> float:
    risk = row.get("risk")
    if risk is None:
        kept = {k: v for k, v in row.items() if k in ("id", "question", "answer", "evidence")}
        return check_request(request_from_value(kept, where), parts).risk
    if isinstance(risk, bool) or not isinstance(risk, int | float):
        raise InputError(f"{where}: risk: must be a number in [0, 1]")
    return float(risk)
