"""Results of a batch as Parquet: a few columns to filter by, and each result whole as JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from firmground.batch.sources import imported

COLUMNS = ("id", "verdict", "decision", "support", "error", "input", "result")
_ROWS_AT_ONCE = 4_096


def result_row(line: bytes) -> dict[str, Any]:
    """The columns of one result line; ``result`` is the line itself."""
    row = json.loads(line)
    name = row.get("id")
    return {
        "id": name if isinstance(name, str | None) else json.dumps(name),
        "verdict": row.get("verdict"),
        "decision": row.get("decision"),
        "support": row.get("support"),
        "error": row.get("error"),
        "input": row.get("input"),
        "result": line.decode("utf-8").rstrip("\n"),
    }


def write_parquet(path: Path, lines: Iterable[bytes]) -> int:
    """Write result lines into a new file, which is there whole or not at all; return how many."""
    pyarrow = imported("pyarrow", extra="parquet", purpose="Parquet")
    parquet = imported("pyarrow.parquet", extra="parquet", purpose="Parquet")
    kinds = [pyarrow.float64() if name == "support" else pyarrow.string() for name in COLUMNS]
    schema = pyarrow.schema(list(zip(COLUMNS, kinds, strict=True)))
    half, count, left = path.with_name(f".{path.name}.part"), 0, iter(lines)
    with parquet.ParquetWriter(half, schema, compression="zstd") as writer:
        while rows := [result_row(line) for line in islice(left, _ROWS_AT_ONCE)]:
            writer.write_table(pyarrow.Table.from_pylist(rows, schema=schema))
            count += len(rows)
    with half.open("rb") as handle:
        os.fsync(handle.fileno())
    os.replace(half, path)
    return count


def read_results(path: Path) -> Iterator[bytes]:
    """Yield the result lines of a file that ``write_parquet`` wrote, in order."""
    parquet = imported("pyarrow.parquet", extra="parquet", purpose="Parquet")
    for batch in parquet.ParquetFile(path).iter_batches(columns=["result"]):
        for text in batch.column(0).to_pylist():
            yield f"{text}\n".encode()


def newest_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a results file, of each id only the last one."""
    last: dict[str, int] = {}
    with path.open("rb") as handle:
        for number, line in enumerate(handle):
            last[_key(line)] = number
    with path.open("rb") as handle:
        for number, line in enumerate(handle):
            if last[_key(line)] == number:
                yield line


def _key(line: bytes) -> str:
    row = json.loads(line)
    name = row.get("id")
    return f"input {row.get('input')}" if name is None else f"id {json.dumps(name)}"
