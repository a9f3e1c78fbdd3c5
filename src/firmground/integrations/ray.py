"""Check rows on Ray: a Ray Data dataset in, a dataset of results out; or a file into a folder.

::

    import ray
    from firmground.integrations.ray import check_dataset

    rows = ray.data.read_parquet("s3://bucket/answers/")     # id, answer, evidence, question
    check_dataset(rows, judge="builtin", concurrency=8).write_parquet("s3://bucket/checked/")

Each actor of the pool loads the judge once. Results are the bytes that ``firmground check --batch``
writes for the same rows.
"""

from __future__ import annotations

import logging
import pickle
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from firmground.batch.parquet import COLUMNS, result_row
from firmground.batch.rows import (
    BatchCounter,
    BatchRow,
    BatchSummary,
    encode_row,
    new_rows,
    work_row,
)
from firmground.batch.sources import imported, row_line
from firmground.config.settings import DEFAULT_JUDGE, DEFAULT_POLICY
from firmground.decide import Policy
from firmground.engine.many import BatchWork
from firmground.errors import InputError, LedgerError
from firmground.integrations._ray_folder import ResultFolder

ROWS_A_BLOCK = 256
ROWS_A_CALL = 32
ROWS_A_PART = 5_000
_OUTCOME = "outcome"


class CheckRows:
    """What an actor does: holds the judge, and turns a table of rows into one of results."""

    def __init__(self, work: BatchWork) -> None:
        self._work = work

    def __call__(self, table: Any) -> Any:
        """Check every row of a table; one row out for each row in, in order."""
        pyarrow = imported("pyarrow", extra="ray", purpose="batches on Ray")
        numbered = {"number", "first", "digest", "line"} <= set(table.column_names)
        rows = [self._checked(row, numbered=numbered) for row in table.to_pylist()]
        fields = [(name, pyarrow.string()) for name in COLUMNS if name != "support"]
        fields.insert(COLUMNS.index("support"), ("support", pyarrow.float64()))
        if numbered:
            fields += [("number", pyarrow.int64()), (_OUTCOME, pyarrow.binary())]
        return pyarrow.Table.from_pylist(rows, schema=pyarrow.schema(fields))

    def _checked(self, row: dict[str, Any], *, numbered: bool) -> dict[str, Any]:
        if not numbered:
            given = BatchRow(number=0, line=row_line(row), digest="", first=0)
            result = work_row(self._work, given)
            if "error" in result:
                told = str(result["error"]).removeprefix("line 0: ")
                result = {"id": result["id"], "error": told}
            return result_row(encode_row(result))
        given = BatchRow(
            number=row["number"], line=row["line"], digest=row["digest"], first=row["first"]
        )
        result = work_row(self._work, given)
        outcome = result.pop(_OUTCOME, None)
        made = result_row(encode_row({**result, "input": given.digest}))
        kept = None if outcome is None else pickle.dumps(outcome)
        return {**made, "number": given.number, _OUTCOME: kept}


def check_dataset(
    dataset: Any,
    *,
    policy: str | Policy = DEFAULT_POLICY,
    judge: str = DEFAULT_JUDGE,
    config: str | None = None,
    concurrency: int | tuple[int, int] = 2,
    batch_size: int = ROWS_A_CALL,
    num_cpus: float = 1,
) -> Any:
    """Return a dataset with one result for each row: id, verdict, decision, support, error, result.

    ``dataset`` has the columns of a batch row: ``id``, ``answer``, ``evidence`` (text or a list)
    and optionally ``question``, ``mode`` and ``metadata``. ``result`` is the whole result as JSON.
    A row that cannot be checked has an ``error``. ``concurrency`` is the number of actors, or the
    least and the most; each takes ``num_cpus`` and loads the judge once.
    """
    work = BatchWork(policy=policy, judge=judge, config=config)
    return _mapped(dataset, work, concurrency=concurrency, batch_size=batch_size, cpus=num_cpus)


def _mapped(
    dataset: Any, work: BatchWork, *, concurrency: int | tuple[int, int], batch_size: int,
    cpus: float,
) -> Any:  # fmt: skip
    data = imported("ray.data", extra="ray", purpose="batches on Ray")
    sizes = (concurrency, concurrency) if isinstance(concurrency, int) else concurrency
    return dataset.map_batches(
        CheckRows,
        fn_constructor_args=(work,),
        compute=data.ActorPoolStrategy(min_size=sizes[0], max_size=sizes[1]),
        batch_size=batch_size,
        batch_format="pyarrow",
        num_cpus=cpus,
    )


class FinishedRow(NamedTuple):
    """A result on its way into the folder: its number, its line, and what is recorded of it."""

    number: int
    line: bytes
    outcome: Any


Finish = Callable[[list[FinishedRow]], list[bytes]]
"""Has the last word on a part's lines, such as to record their runs."""


def _lines_of(rows: list[FinishedRow]) -> list[bytes]:
    return [row.line for row in rows]


def run_on_ray(
    source: str,
    target: str,
    work: BatchWork,
    *,
    settings: str,
    address: str | None = None,
    concurrency: int | None = None,
    rows_a_part: int = ROWS_A_PART,
    finish: Finish = _lines_of,
    on_row: Callable[[int], None] = lambda weight: None,
) -> BatchSummary:
    """Check every row of ``source`` whose result is not yet in the folder ``target``.

    Both may be anything that fsspec opens. Results are written in parts, each whole or not at all,
    in the order of the source; a run that was interrupted goes on. ``address`` is that of a Ray
    cluster; None starts one here.
    """
    folder = ResultFolder(target)
    folder.require_settings(settings)
    count, weights = BatchCounter(), dict[int, int]()
    rows = list(_scanned(source, settings, folder, count=count, on_row=on_row, weights=weights))
    if not weights:
        return count.tally()
    ray = _connected(address)
    actors = concurrency or max(1, int(ray.available_resources().get("CPU", 1)))
    dataset = ray.data.from_arrow_refs([ray.put(table) for table in rows])
    del rows
    checked = _mapped(dataset, work, concurrency=actors, batch_size=ROWS_A_CALL, cpus=1)
    expected, part = iter(sorted(weights)), list[FinishedRow]()

    def flush() -> None:
        lines = finish(part)
        for row, line in zip(part, lines, strict=True):
            count.note_line(line, row.number)
        folder.write(lines)
        for row in part:
            on_row(weights[row.number])
        part.clear()

    for table in checked.iter_batches(batch_size=None, batch_format="pyarrow"):
        for row in _finished(table):
            if row.number != next(expected, None):
                raise LedgerError(f"Ray gave row {row.number} twice or out of order; go on later")
            part.append(row)
            if len(part) >= rows_a_part:
                flush()
    if part:
        flush()
    if (left := next(expected, None)) is not None:
        raise LedgerError(f"Ray gave no result for row {left}; run the batch again to go on")
    return count.tally()


def _scanned(
    source: str, settings: str, folder: ResultFolder, *, count: BatchCounter,
    on_row: Callable[[int], None], weights: dict[int, int],
) -> Iterator[Any]:  # fmt: skip
    """Yield tables of the rows that have no result yet, after a look at what is in the folder."""
    pyarrow = imported("pyarrow", extra="ray", purpose="batches on Ray")
    earlier = folder.earlier()
    block: list[dict[str, Any]] = []
    make = partial(pyarrow.Table.from_pylist, schema=pyarrow.schema([
        ("number", pyarrow.int64()), ("first", pyarrow.int64()), ("digest", pyarrow.string()),
        ("line", pyarrow.binary()),
    ]))  # fmt: skip
    for row in new_rows(source, settings, earlier, count, on_row):
        weights[row.number] = row.weight
        block.append(
            {"number": row.number, "first": row.first, "digest": row.digest, "line": row.line}
        )
        if len(block) == ROWS_A_BLOCK:
            yield make(block)
            block = []
    if block:
        yield make(block)
    if count.skipped < len(earlier):
        raise InputError(
            f"{folder.where}: holds {len(earlier) - count.skipped} results of rows that are not in "
            f"{source}: name another output or remove the folder"
        )


def _connected(address: str | None) -> Any:
    ray = imported("ray", extra="ray", purpose="batches on Ray")
    imported("ray.data", extra="ray", purpose="batches on Ray")
    if not ray.is_initialized():
        logging.getLogger("ray.data").setLevel(logging.ERROR)
        ray.init(address=address, log_to_driver=False, logging_level="error")
    context = ray.data.DataContext.get_current()
    context.execution_options.preserve_order = True
    context.enable_progress_bars = False
    context.max_errored_blocks = 0
    return ray


def _finished(table: Any) -> Iterator[FinishedRow]:
    for row in table.to_pylist():
        kept = row[_OUTCOME]
        # These bytes come from workers of our own cluster, over Ray's own pickles.
        outcome = None if kept is None else pickle.loads(kept)  # noqa: S301
        yield FinishedRow(row["number"], f"{row['result']}\n".encode(), outcome)
