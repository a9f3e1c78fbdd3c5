"""Where the rows of a batch come from: JSON lines, Parquet or CSV, each as one line of JSON."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from firmground.errors import InputError, MissingExtra

LONGEST_LINE = 64 << 20
PARQUET, CSV = ".parquet", ".csv"
_ROWS_AT_ONCE = 1_024


class SourceLine(NamedTuple):
    """One row: its number from 1, its JSON, and how much of the source it is."""

    number: int
    line: bytes
    weight: int


class RowSource:
    """A file, or any address that fsspec opens; read from its beginning each time."""

    def __init__(self, where: Path | str) -> None:
        self.where = str(where)
        self.kind = Path(self.where).suffix.lower()

    def total(self) -> int:
        """The weights of all rows: bytes of JSON lines, rows of anything else."""
        with self._opened() as handle:
            if self.kind == PARQUET:
                return int(_parquet().ParquetFile(handle).metadata.num_rows)
            if self.kind == CSV:
                with _text(handle) as text:
                    return sum(1 for _ in csv.reader(text)) - 1
            return handle.seek(0, io.SEEK_END)

    def lines(self) -> Iterator[SourceLine]:
        """Yield the rows in order."""
        try:
            with self._opened() as handle:
                if self.kind == PARQUET:
                    yield from _parquet_lines(handle)
                elif self.kind == CSV:
                    yield from self._csv_lines(handle)
                else:
                    yield from self._json_lines(handle)
        except OSError as error:
            told = error.strerror or str(error)
            raise InputError(f"{self.where}: cannot be read: {told}") from None
        except csv.Error as error:
            raise InputError(f"{self.where}: not a CSV file: {error}") from None

    @contextmanager
    def _opened(self) -> Iterator[BinaryIO]:
        if "://" not in self.where:
            with Path(self.where).open("rb") as handle:
                yield handle
            return
        fsspec = imported("fsspec", extra="ray", purpose=f"reading {self.where}")
        with fsspec.open(self.where, "rb") as remote:
            yield remote

    def _json_lines(self, handle: BinaryIO) -> Iterator[SourceLine]:
        number = 0
        while line := handle.readline(LONGEST_LINE + 1):
            number += 1
            if len(line) > LONGEST_LINE:
                raise InputError(f"{self.where}: line {number}: longer than {LONGEST_LINE} bytes")
            yield SourceLine(number, line, len(line))

    def _csv_lines(self, handle: BinaryIO) -> Iterator[SourceLine]:
        try:
            with _text(handle) as text:
                for number, row in enumerate(csv.DictReader(text), 1):
                    yield SourceLine(number, row_line(_from_csv(row)), 1)
        except UnicodeDecodeError as error:
            raise InputError(f"{self.where}: byte {error.start} is not UTF-8") from None


def _text(handle: BinaryIO) -> io.TextIOWrapper:
    csv.field_size_limit(LONGEST_LINE)
    return io.TextIOWrapper(handle, encoding="utf-8-sig", newline="")


def _from_csv(row: dict[str | Any, str | Any]) -> dict[str, Any]:
    """A row of text; evidence and metadata may be JSON, plain evidence is one piece."""
    found: dict[str, Any] = {key: value for key, value in row.items() if key and value}
    for name, begins in (("evidence", "["), ("metadata", "{")):
        text = found.get(name)
        if isinstance(text, str) and text.lstrip().startswith(begins):
            try:
                found[name] = json.loads(text)
            except ValueError:
                continue
    if isinstance(found.get("evidence"), str):
        found["evidence"] = [found["evidence"]]
    return found


def _parquet_lines(handle: BinaryIO) -> Iterator[SourceLine]:
    number = 0
    for batch in _parquet().ParquetFile(handle).iter_batches(batch_size=_ROWS_AT_ONCE):
        for row in batch.to_pylist():
            number += 1
            yield SourceLine(number, row_line(row), 1)


def row_line(row: dict[str, Any]) -> bytes:
    """Write a row of columns as the line of JSON that a batch reads; empty columns are left out."""
    kept = {key: value for key, value in row.items() if value is not None}
    if isinstance(kept.get("evidence"), str):
        kept["evidence"] = [kept["evidence"]]
    text = json.dumps(kept, ensure_ascii=False, default=str)
    return text.encode("utf-8", "surrogatepass")


def _parquet() -> Any:
    return imported("pyarrow.parquet", extra="parquet", purpose="Parquet")


def imported(module: str, *, extra: str, purpose: str) -> Any:
    """Import a module of an extra, or say which extra to install and for what."""
    try:
        return import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise MissingExtra(package=package, extra=extra, purpose=purpose) from None
