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

from firmground.batch.crew import cores, side_by_side
from firmground.errors import FirmgroundError, InputError

Work: TypeAlias = Callable[[str, int], dict[str, Any]]
"""From a line and its number to a row; must be importable by name, so that workers find it."""

LONGEST_LINE = 64 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the input on its way to the output."""

    number: int
    line: bytes
    digest: str
    first: int
    """The first line with the same id; its own number unless an id is used twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """What became of the rows of a batch."""

    done: int = 0
    """Rows that were looked at this time, the failed ones among them."""
    unreadable: int = 0
    """How many of these failed."""
    skipped: int = 0
    """Rows whose result was there already."""
    failed: tuple[tuple[int, str], ...] = ()
    """Line number and message of each row that could not be worked on."""
    results: tuple[tuple[str, int], ...] = ()
    """How often each verdict came out, this time and before; ``let_pass`` where a policy waived."""


def run_batch(
    source: Path,
    target: Path,
    work: Work,
    *,
    settings: str = "",
    workers: int | None = None,
    finish: Callable[[dict[str, Any]], dict[str, Any]] = lambda row: row,
    on_row: Callable[[int], None] = lambda size: None,
) -> Tally:
    """Work on every row of ``source`` whose result is not yet in ``target``.

    ``settings`` names everything but the row that the result depends on: a row that was worked on
    under other settings is worked on again. ``finish`` has the last word on each row, here and in
    order; ``on_row`` hears its size in bytes.
    """
    if workers is not None and workers < 1:
        raise InputError(f"workers must be at least 1, got {workers}")
    count = _Count()
    with _open_output(target) as output:
        _claim(output, target)
        earlier = _resume(target)
        rows = _new_rows(source, settings, earlier, count, on_row)
        for row, result in _worked(rows, work, workers or cores()):
            count.note(result, row.number)
            _write(output, target, _encode({**finish(result), "input": row.digest}))
            on_row(len(row.line))
    return count.tally()


class _Count:
    """Counts while the batch runs."""

    def __init__(self) -> None:
        self.done = self.skipped = self.unreadable = 0
        self.failed: list[tuple[int, str]] = []
        self.results: dict[str, int] = {}

    def note(self, result: dict[str, Any], number: int, *, earlier: bool = False) -> None:
        self.skipped += earlier
        self.done += not earlier
        self.unreadable += not earlier and "error" in result
        if "error" in result:
            self.failed.append((number, str(result["error"])))
        else:
            let_pass = result.get("decision") == "proceed" and result.get("waived")
            verdict = "let_pass" if let_pass else str(result.get("verdict"))
            self.results[verdict] = self.results.get(verdict, 0) + 1

    def tally(self) -> Tally:
        return Tally(
            done=self.done,
            unreadable=self.unreadable,
            skipped=self.skipped,
            failed=tuple(self.failed),
            results=tuple(sorted(self.results.items())),
        )


def _encode(row: dict[str, Any]) -> bytes:
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


def _resume(target: Path) -> dict[str, dict[str, Any]]:
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
    """What an earlier row is known by: its input, or its id when somebody else wrote it."""
    by_input = row.get("input")
    return by_input if isinstance(by_input, str) else _as_id(row.get("id"))


def _as_id(value: object) -> str | None:
    """An id in a form that no digest has."""
    good = isinstance(value, str | int) and not isinstance(value, bool)
    return f"id {json.dumps(value)}" if good else None


def _new_rows(
    source: Path,
    settings: str,
    earlier: dict[str, dict[str, Any]],
    count: _Count,
    on_row: Callable[[int], None],
) -> Iterator[Row]:
    seen: dict[str, int] = {}
    for number, line in _lines(source):
        if not line.strip():
            continue
        named = _as_id(_id_of(line))
        first = seen.setdefault(named, number) if named else number
        digest = hashlib.sha256(f"{settings}\0{first - number}\0".encode() + line.strip())
        done = earlier.get(digest.hexdigest()) or earlier.get(named or "")
        if done is not None:
            count.note(done, number, earlier=True)
            on_row(len(line))
        else:
            yield Row(number=number, line=line, digest=digest.hexdigest(), first=first)


def _lines(source: Path) -> Iterator[tuple[int, bytes]]:
    try:
        with source.open("rb") as handle:
            number = 0
            while line := handle.readline(LONGEST_LINE + 1):
                number += 1
                if len(line) > LONGEST_LINE:
                    raise InputError(f"{source}: line {number}: longer than {LONGEST_LINE} bytes")
                yield number, line
    except OSError as error:
        raise InputError(f"{source}: cannot be read: {error.strerror}") from None


def _worked(rows: Iterator[Row], work: Work, workers: int) -> Iterator[tuple[Row, dict[str, Any]]]:
    return side_by_side(rows, partial(work_row, work), workers=workers, weigh=_weight, died=_died)


def _weight(row: Row) -> int:
    return len(row.line)


def _died(row: Row) -> dict[str, Any]:
    return _failed(row, "the worker process died of it")


def work_row(work: Work, row: Row) -> dict[str, Any]:
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


def _failed(row: Row, message: str) -> dict[str, Any]:
    named = message if "line " in message else f"line {row.number}: {message}"
    return {"id": _id_of(row.line), "line": row.number, "error": named}


def _id_of(line: bytes) -> str | int | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    name = value.get("id") if isinstance(value, dict) else None
    return name if isinstance(name, str | int) else None
