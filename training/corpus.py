"""The corpora as rows, and the fixed rule that splits sources."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firmground.adapters.document import request_from_value
from firmground.adapters.labelled_rows import labelled_spans
from firmground.core.segment import sentences
from firmground.errors import InputError
from training.paths import data_dir

SUPPORTED, UNGROUNDED, CONTRADICTED = 0, 1, 2
TEST_RATES = {"QA": 160 / 900, "Data2txt": 579 / 900, "Summary": 204 / 900}
_REFUTED = {"refutes", "refute", "contradiction", "c"}
# Sets whose own held-out rows are used for measuring and so never for training.
MEASURED_PAIRS = (
    "vitaminc", "snli", "mnli_sample", "infotabs", "tabfact", "factcg", "cad_nli", "conjnli",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a response, and for each flagged piece of it (start, end, class)."""

    start: int
    end: int
    problems: tuple[tuple[int, int, int], ...]

    @property
    def label(self) -> int:
        sizes = [0, 0, 0]
        for start, end, kind in self.problems:
            sizes[kind] += end - start
        if sizes[1] + sizes[2] == 0:
            return SUPPORTED
        return CONTRADICTED if sizes[2] >= sizes[1] else UNGROUNDED


@dataclass(frozen=True, slots=True)
class Response:
    """One answer with its source, task and sentences."""

    id: str
    source_id: str
    task: str
    model: str
    quality: str
    query: str
    source: str
    text: str
    problems: tuple[tuple[int, int, int], ...]
    sentences: tuple[Sentence, ...]
    evidence: tuple[str, ...] = ()
    """Several pieces of evidence; empty where `source` is the only one."""

    @property
    def hallucinated(self) -> bool:
        return bool(self.problems)


def split_of(source_id: str) -> str:
    """Assign a source to `dev` (12 %), `fuse` (8 %) or `train` by a hash of its name."""
    bucket = int.from_bytes(hashlib.sha256(source_id.encode()).digest()[:4], "big") % 100
    return "dev" if bucket < 12 else "fuse" if bucket < 20 else "train"


def rows(name: str) -> Iterator[dict[str, Any]]:
    """Read one gzipped JSONL file of the data directory."""
    with gzip.open(data_dir() / name, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def responses(split: str | None = None) -> Iterator[Response]:
    """Read RAGTruth responses of one split (all if None), with their sentences cut."""
    sources = {row["source_id"]: row for row in rows("ragtruth_train/sources.jsonl.gz")}
    for row in rows("ragtruth_train/responses.jsonl.gz"):
        if split is None or split_of(row["source_id"]) == split:
            yield _response(row, sources[row["source_id"]])


def sample(found: list[Response], limit: int) -> list[Response]:
    """Take about `limit` responses (0: all) as whole sources, always the same ones."""
    if not limit:
        return found
    names = sorted(
        {r.source_id for r in found}, key=lambda n: hashlib.sha256(n.encode()).digest()[4:]
    )
    kept: set[str] = set()
    count = 0
    for name in names:
        if count >= limit:
            break
        kept.add(name)
        count += sum(r.source_id == name for r in found)
    return [response for response in found if response.source_id in kept]


def _response(row: dict[str, Any], source: dict[str, Any]) -> Response:
    text = row["response"]
    problems = tuple(
        (x["start"], x["end"], CONTRADICTED if "Conflict" in x["label_type"] else UNGROUNDED)
        for x in row["labels"]
    )
    cut = []
    for span in sentences(text):
        inside = problems_within(problems, span.start, span.end)
        placed = tuple((s + span.start, e + span.start, kind) for s, e, kind in inside)
        cut.append(Sentence(span.start, span.end, placed))
    return Response(
        row["id"], row["source_id"], row["task"], row["model"], row["quality"], source["query"],
        source["source_text"], text, problems, tuple(cut),
    )  # fmt: skip


def problems_within(
    problems: tuple[tuple[int, int, int], ...], start: int, end: int
) -> list[tuple[int, int, int]]:
    """Give the flagged pieces of a stretch of an answer, counted from its start."""
    return [
        (max(s, start) - start, min(e, end) - start, kind)
        for s, e, kind in problems
        if min(e, end) - max(s, start) >= 2
    ]


def pairs(name: str) -> Iterator[tuple[str, str, int, str]]:
    """Read a pair set as (source, claim, class, split); two-class sets use `ungrounded` for no."""
    for row in rows(f"pairs/{name}.jsonl.gz"):
        yield row["source"], row["claim"], _pair_class(row), row.get("local_split") or row["split"]


_CLASSES = {"supported": SUPPORTED, "ungrounded": UNGROUNDED, "contradicted": CONTRADICTED}
OwnRow = tuple[str, str, int, list[tuple[int, int, int]] | None]


def own_rows(path: Path) -> Iterator[OwnRow]:
    """Read one's own rows as (source, claim, class, problems); a bad one is named by its line.

    Whole answers {answer, evidence, spans | labels} as `firmground train` reads them, which are
    cut into sentences; or single claims {source, claim, label, problems?}, where `label` is
    supported, ungrounded or contradicted and `problems` are [start, end] or [start, end, label].
    """
    with path.open(encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            where = f"{path}, line {number}"
            try:
                row = json.loads(line)
                yield from _own_answer(row, where) if "answer" in row else _own_claim(row)
            except InputError as wrong:
                raise ValueError(str(wrong)) from None
            except KeyError as wrong:
                known = ", ".join(_CLASSES)
                raise ValueError(
                    f"{where}: no key {wrong}, or a label other than {known}"
                ) from None
            except (ValueError, IndexError, TypeError) as wrong:
                raise ValueError(f"{where}: {wrong!r}") from wrong


def _own_claim(row: dict[str, Any]) -> Iterator[OwnRow]:
    label = _CLASSES[row["label"]]
    pieces = [
        (piece[0], piece[1], _CLASSES[piece[2]] if len(piece) > 2 else label)
        for piece in row.get("problems", [])
    ]
    yield row["source"], row["claim"], label, pieces or None


def _own_answer(row: dict[str, Any], where: str) -> Iterator[OwnRow]:
    request = request_from_value(row, where)
    source = "\n\n".join(piece.text for piece in request.evidence)
    spans = labelled_spans(row, len(request.answer), where)
    given = row["spans"] if "spans" in row else row["labels"]
    marks = [(s, e, _own_class(piece)) for (s, e), piece in zip(spans, given, strict=True)]
    for cut in sentences(request.answer):
        inside = [
            (max(s, cut.start) - cut.start, min(e, cut.end) - cut.start, kind)
            for s, e, kind in marks
            if s < cut.end and cut.start < e
        ]
        label = max((kind for *_, kind in inside), default=SUPPORTED)
        yield source, request.answer[cut.start : cut.end], label, inside or None


def _own_class(piece: Any) -> int:
    words = piece[2:] if isinstance(piece, list) else [piece.get("label", piece.get("label_type"))]
    said = str(words[0]).lower() if words else ""
    return CONTRADICTED if "contradict" in said or "conflict" in said else UNGROUNDED


def _pair_class(row: dict[str, Any]) -> int:
    if row["label"] == 1:
        return SUPPORTED
    raw = str(row["label_raw"]).lower()
    return (
        CONTRADICTED if raw in _REFUTED or (raw == "0" and row["task"] == "table") else UNGROUNDED
    )
