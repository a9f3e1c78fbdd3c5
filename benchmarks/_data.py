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


Checked = tuple[str, str, str, list[str], list[tuple[int, int]]]
"""Name of the set, question, answer, evidence, wrong spans."""


def corpus_rows(split: str) -> Iterator[Checked]:
    """Statements and answers of the everyday corpus."""
    folder = ROOT / "corpus" / "everyday"
    for batch, belongs in json.loads((folder / "splits.json").read_text("utf-8")).items():
        if belongs != split:
            continue
        for line in (folder / f"{batch}.jsonl").read_text("utf-8").splitlines():
            one = json.loads(line)
            if one["lang"] != "en":
                continue
            texts = [f"{piece['title']}\n{piece['text']}" for piece in one["evidence"]]
            for row in (*one["statements"], *one["answers"]):
                whole = [] if row["label"] == "supported" else [(0, len(row["text"]))]
                spans = [(start, end) for start, end in row["spans"]] or whole
                yield "everyday", "", row["text"], texts, spans


def ragtruth_rows(count: int) -> Iterator[Checked]:
    """Answers of the development slice."""
    base = data_dir()
    if base is None:
        return
    for row, source in dev_answers(base, count):
        spans = [(mark["start"], mark["end"]) for mark in row["labels"]]
        yield "ragtruth", source["query"], row["response"], [source["source_text"]], spans


def pair_rows(each: int) -> Iterator[Checked]:
    """The last rows of each set of inference pairs."""
    base = data_dir()
    if base is None:
        return
    for path in sorted((base / "pairs").glob("*.jsonl.gz")):
        if path.name.startswith("xnli"):
            continue
        found = list(read_rows(path))
        random.Random(4).shuffle(found)
        for row in found[-each:]:
            spans = [] if row["label"] == 1 else [(0, len(row["claim"]))]
            yield "pairs", "", row["claim"], [row["source"]], spans
