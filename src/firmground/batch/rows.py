"""A file of rows, checked into another file of rows.

Rows are read, worked on and written in order, a bounded number at a time; what comes out does
not depend on how many workers there are. A row that cannot be worked on becomes a row that says
so. A batch that was interrupted goes on where it stopped.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from io import RawIOBase
from pathlib import Path
from typing import Any, TypeAlias

from firmground.batch.parquet import newest_lines, read_results, write_parquet
from firmground.batch.sources import PARQUET, RowSource
from firmground.batch.worker_pool import cores, side_by_side
from firmground.errors import FirmgroundError, InputError

Work: TypeAlias = Callable[[str, int], dict[str, Any]]
"""From a line and its number to a row; must be importable by name, so that workers find it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRow:
    """One line of the input on its way to the output."""

    number: int
    line: bytes
    digest: str
    first: int
    """The first line with the same id; its own number unless an id is used twice."""
    weight: int = 1
    """How much of the source it is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchSummary:
    """How many rows of a batch were checked, skipped or failed."""

    done: int = 0
    """Rows that were looked at this time, the failed ones among them."""
    unreadable: int = 0
    """How many of these failed."""
    skipped: int = 0
    """Rows whose result was there already."""
    failed: tuple[tuple[int, str], ...] = ()
    """Line number and message of each row that could not be worked on."""
    results: tuple[tuple[str, int], ...] = ()
    """How often each verdict came out, this time and before; ``waived`` where a policy waived."""


def run_batch(
    source: Path | str,
    target: Path,
    work: Work,
    *,
    settings: str = "",
    workers: int | None = None,
    finish: Callable[[dict[str, Any]], dict[str, Any]] = lambda row: row,
    on_row: Callable[[int], None] = lambda size: None,
) -> BatchSummary:
    """Work on every row of ``source`` whose result is not yet in ``target``.

    ``settings`` names everything but the row that the result depends on: a row that was worked on
    under other settings is worked on again. ``finish`` has the last word on each row, here and in
    order; ``on_row`` hears its weight (see ``RowSource``). A target that ends in ``.parquet`` is
    written at the end; until then, and after an interruption, results are in a file beside it.
    """
    if target.suffix.lower() == PARQUET:
        return _to_parquet(
            source, target, work, settings=settings, workers=workers, finish=finish, on_row=on_row
        )
    if workers is not None and workers < 1:
        raise InputError(f"workers must be at least 1, got {workers}")
    count = BatchCounter()
    with _open_output(target) as output:
        _claim(output, target)
        earlier = read_earlier(target)
        rows = new_rows(source, settings, earlier, count, on_row)
        for row, result in _worked(rows, work, workers or cores()):
            count.note(result, row.number)
            _write(output, target, encode_row({**finish(result), "input": row.digest}))
            on_row(row.weight)
    return count.tally()


def _to_parquet(source: Path | str, target: Path, work: Work, **options: Any) -> BatchSummary:
    """Work into a file of lines, from which the Parquet file is made at the end."""
    lines = target.with_name(f"{target.name}.rows")
    if target.exists() and not lines.exists():
        half = lines.with_name(f"{lines.name}.part")
        with half.open("wb") as handle:
            handle.writelines(read_results(target))
        half.replace(lines)
    tally = run_batch(source, lines, work, **options)
    write_parquet(target, newest_lines(lines))
    lines.unlink()
    return tally


class BatchCounter:
    """Counts while the batch runs."""

    def __init__(self) -> None:
        self.done = self.skipped = self.unreadable = 0
        self.failed: list[tuple[int, str]] = []
        self.results: dict[str, int] = {}

    def note(self, result: dict[str, Any], number: int, *, earlier: bool = False) -> None:
        """Count one result."""
        self.skipped += earlier
        self.done += not earlier
        self.unreadable += not earlier and "error" in result
        if "error" in result:
            self.failed.append((number, str(result["error"])))
        else:
            waived = result.get("decision") == "proceed" and result.get("waived")
            verdict = "waived" if waived else str(result.get("verdict"))
            self.results[verdict] = self.results.get(verdict, 0) + 1

    def note_line(self, line: bytes, number: int) -> None:
        """Count a row that was written already as a line."""
        self.note(json.loads(line), number)

    def tally(self) -> BatchSummary:
        """Return the counts so far."""
        return BatchSummary(
            done=self.done,
            unreadable=self.unreadable,
            skipped=self.skipped,
            failed=tuple(self.failed),
            results=tuple(sorted(self.results.items())),
        )


def encode_row(row: dict[str, Any]) -> bytes:
    """Write a result as one line of JSON."""
    text = json.dumps(row, ensure_ascii=False)
    try:
        return text.encode("utf-8") + b"\n"
    except UnicodeEncodeError:  # a lone surrogate has no UTF-8; as an escape it survives
        return json.dumps(row).encode("ascii") + b"\n"


def _write(output: RawIOBase, target: Path, row: bytes) -> None:
    """Write a row to its end; a disk that is full is said to be full, and the batch can go on."""
    left = memoryview(row)
    try:
        while left:
            left = left[output.write(left) or 0 :]
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror}") from None


def _open_output(target: Path) -> RawIOBase:
    try:
        return target.open("ab", buffering=0)  # nothing is left over to fail at the close
    except OSError as error:
        raise InputError(f"{target}: cannot be written: {error.strerror}") from None


def _claim(output: RawIOBase, target: Path) -> None:
    """Keep a second batch from writing the same rows into the same file."""
    try:
        fcntl.flock(output.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise InputError(f"{target}: another batch is writing there now") from None
    except OSError:
        return  # a file system without locks


def read_earlier(target: Path) -> dict[str, dict[str, Any]]:
    """Read what is there already, by input digest or else by id; cut a torn last line off.

    Only the last row of an id counts, so a row that a later one replaced is not there any more.
    """
    earlier: dict[str, dict[str, Any]] = {}
    newest: dict[str, str] = {}
    if not target.is_file():  # a device has nothing to go on from, and may have no end
        return earlier
    whole = 0
    with target.open("r+b") as handle:
        for number, line in enumerate(handle, 1):
            if not line.endswith(b"\n"):
                break
            row = _earlier_row(line, number, target)
            key, named = _key(row), _as_id(row.get("id"))
            if named is not None:
                earlier.pop(newest.get(named, ""), None)
                newest[named] = key
            earlier[key] = {k: v for k, v in row.items() if k in ("error", "verdict")}
            whole += len(line)
        handle.truncate(whole)
    return earlier


def _earlier_row(line: bytes, number: int, target: Path) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict) or _key(row) is None:
        raise InputError(
            f"{target}: line {number}: not a result of an earlier batch; "
            "name another output or remove the file"
        )
    return row


def _key(row: dict[str, Any]) -> Any:
    """The key of an earlier row: its input, or its id when another program wrote it."""
    by_input = row.get("input")
    return by_input if isinstance(by_input, str) else _as_id(row.get("id"))


def _as_id(value: object) -> str | None:
    """An id in a form that no digest has."""
    good = isinstance(value, str | int) and not isinstance(value, bool)
    return f"id {json.dumps(value)}" if good else None


def new_rows(
    source: Path | str,
    settings: str,
    earlier: dict[str, dict[str, Any]],
    count: BatchCounter,
    on_row: Callable[[int], None],
) -> Iterator[BatchRow]:
    """Yield the rows whose results are not among the earlier ones; count the others."""
    seen: dict[str, int] = {}
    for number, line, weight in RowSource(source).lines():
        if not line.strip():
            continue
        named = _as_id(_id_of(line))
        first = seen.setdefault(named, number) if named else number
        digest = hashlib.sha256(f"{settings}\0{first - number}\0".encode() + line.strip())
        done = earlier.get(digest.hexdigest()) or earlier.get(named or "")
        if done is not None:
            count.note(done, number, earlier=True)
            on_row(weight)
        else:
            yield BatchRow(
                number=number, line=line, digest=digest.hexdigest(), first=first, weight=weight
            )


def _worked(
    rows: Iterator[BatchRow], work: Work, workers: int
) -> Iterator[tuple[BatchRow, dict[str, Any]]]:
    return side_by_side(rows, partial(work_row, work), workers=workers, weigh=_weight, died=_died)


def _weight(row: BatchRow) -> int:
    return len(row.line)


def _died(row: BatchRow) -> dict[str, Any]:
    return _failed(row, "the worker process died of it")


def work_row(work: Work, row: BatchRow) -> dict[str, Any]:
    """Work on one row; whatever is wrong with it is said in its place."""
    if row.first != row.number:
        told = f"line {row.number}: the id was already used on line {row.first}"
        return {**_failed(row, told), "id": None}  # under its id it would replace the good row
    try:
        return work(row.line.decode("utf-8"), row.number)
    except UnicodeDecodeError as error:
        return _failed(row, f"line {row.number}: byte {error.start} is not UTF-8")
    except FirmgroundError as error:
        return _failed(row, str(error))
    except (RecursionError, MemoryError) as error:
        return _failed(row, f"line {row.number}: {type(error).__name__}")


def _failed(row: BatchRow, message: str) -> dict[str, Any]:
    named = message if "line " in message else f"line {row.number}: {message}"
    return {"id": _id_of(row.line), "line": row.number, "error": named}


def _id_of(line: bytes) -> str | int | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    name = value.get("id") if isinstance(value, dict) else None
    return name if isinstance(name, str | int) else None
