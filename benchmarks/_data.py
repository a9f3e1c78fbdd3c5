"""Where the public sets lie, and which answers of RAGTruth the figures are taken on."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
Labelled = tuple[dict[str, Any], dict[str, Any]]
"""A labelled answer and the source it was written from."""


def data_dir() -> Path | None:
    """Find the data, or None."""
    named = os.environ.get("FIRMGROUND_DATA")
    for place in [Path(named)] if named else [ROOT.parent / "shared/data"]:
        if (place / "ragtruth_train").is_dir():
            return place
    return None


def read_rows(path: Path) -> Iterator[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def is_dev(source_id: str) -> bool:
    """The rule by which both scorers' training leaves sources out."""
    return int.from_bytes(hashlib.sha256(source_id.encode()).digest()[:4], "big") % 100 < 12


def dev_answers(base: Path, count: int = 0) -> list[Labelled]:
    """About so many answers of the development slice, always the same; all of them for 0.

    Whole sources: each has one answer by each of six models, and no model may be favoured.
    """
    folder = base / "ragtruth_train"
    sources = {row["source_id"]: row for row in read_rows(folder / "sources.jsonl.gz")}
    picked = [r for r in read_rows(folder / "responses.jsonl.gz") if is_dev(str(r["source_id"]))]
    names = sorted({row["source_id"] for row in picked})
    random.Random(3).shuffle(names)
    kept = set(names[: max(3, count // 6)] if count else names)
    return [(row, sources[row["source_id"]]) for row in picked if row["source_id"] in kept]
