"""The batch side of ``firmground check``: progress for a person, a summary, one exit code."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from firmground.batch import BatchSummary, RowSource, run_batch
from firmground.batch.parquet import newest_lines, read_results
from firmground.batch.sources import PARQUET
from firmground.cli._batch_page import Advance, progress_bar, write_summary
from firmground.cli._ledger import spare
from firmground.cli._output import (
    COULD_NOT_TELL,
    DOES_NOT_HOLD,
    HOLDS,
    WAIVED,
    complain,
    counted,
    say,
)
from firmground.config.settings import load_settings
from firmground.core.decision import Verdict
from firmground.decide import Policy
from firmground.engine.hook_settings import hooks_from
from firmground.engine.ledgers import opened_ledger
from firmground.engine.many import BatchWork, recorded, recorded_lines
from firmground.engine.plans import plan_for
from firmground.errors import InputError

if TYPE_CHECKING:
    from firmground.ledger.ledger import Ledger

_WAIVED = "waived"


@dataclass(frozen=True, slots=True, kw_only=True)
class BatchOptions:
    """How a batch is run and what else it writes."""

    policy: Policy
    judge: str
    config: str | None = None
    workers: int | None = None
    ledger: str | None = None
    signer: str | None = None
    html: str | None = None
    on: str | None = None
    """``ray`` or the address of a Ray cluster; None for processes of this machine."""


def batch_command(source: str, target: str | None, options: BatchOptions) -> int:
    """Check every row of a file; return the exit code."""
    if not target:
        raise click.UsageError("--batch needs --output")
    _require_places(source, target, options)
    config = options.config
    hooks = hooks_from(load_settings(config)) if config else None
    settings = plan_for(policy=options.policy, judge=options.judge, hooks=hooks).settings
    # A hook is identified by its name; its settings must count as well.
    version = sha256(Path(config).read_bytes()).hexdigest() if config else ""
    settings = f"{settings}\n{version}" if version else settings
    began = time.monotonic()
    with (
        opened_ledger(options.ledger, options.signer) as log,
        progress_bar(RowSource(source).total) as advance,
    ):
        work = BatchWork(
            policy=options.policy, judge=options.judge, config=config, version=version,
            keep=log is not None,
        )  # fmt: skip
        if options.on is None:
            tally = run_batch(
                source,
                Path(target),
                work,
                settings=settings,
                workers=options.workers,
                finish=partial(recorded, ledger=log) if log else _as_it_is,
                on_row=advance,
            )
        else:
            tally = _on_ray(
                source, target, work, settings=settings, options=options, log=log, advance=advance
            )
    _summary(tally, source)
    if options.html:
        seconds = time.monotonic() - began
        write_summary(_lines(target), Path(options.html), source=source, seconds=seconds)
    return _exit_code(tally)


def _require_places(source: str, target: str, options: BatchOptions) -> None:
    if source == "-":
        raise InputError("--batch reads a file, not standard input: it may have to go on later")
    if options.on is not None and not re.fullmatch(r"ray(://.+)?", options.on):
        raise click.UsageError(f"--on {options.on}: say ray, or ray://HOST:PORT")
    if options.on is None and "://" in target:
        raise InputError(f"{target}: a local batch writes a file of this machine; see --on ray")
    if "://" in source or "://" in target:
        return
    path = Path(source)
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    if path.resolve() == Path(target).resolve():
        raise InputError(f"{path}: the output would overwrite the input")
    signer = Path(options.signer) if options.signer else None
    for out in (target, options.html):
        spare(Path(out) if out else None, ledger=options.ledger or None, signer=signer)
    if options.html and Path(options.html).resolve() in (path.resolve(), Path(target).resolve()):
        raise InputError(f"{options.html}: the page would overwrite the rows")


def _on_ray(
    source: str, target: str, work: BatchWork, *, settings: str, options: BatchOptions,
    log: Ledger | None, advance: Advance,
) -> BatchSummary:  # fmt: skip
    from firmground.integrations.ray import FinishedRow, run_on_ray

    def finish(rows: list[FinishedRow]) -> list[bytes]:
        if log is None:
            return [row.line for row in rows]
        return recorded_lines([(row.line, row.outcome) for row in rows], log, target)

    return run_on_ray(
        source,
        target,
        work,
        settings=settings,
        address=None if options.on == "ray" else options.on,
        concurrency=options.workers,
        finish=finish,
        on_row=advance,
    )


def _lines(target: str) -> Iterator[bytes]:
    """The result lines of a batch that has ended, wherever it wrote them."""
    path = Path(target)
    if path.suffix.lower() == PARQUET:
        return read_results(path)
    if "://" in target or path.is_dir():
        from firmground.integrations._ray_folder import ResultFolder

        return iter(ResultFolder(target).lines())
    return newest_lines(path)


def _as_it_is(row: dict[str, Any]) -> dict[str, Any]:
    return row


def _summary(tally: BatchSummary, source: str) -> None:
    for _, message in tally.failed[:20]:
        complain(f"{source}: {message}")
    if len(tally.failed) > 20:
        complain(f"{source}: and {len(tally.failed) - 20} more rows failed")
    results = dict(tally.results)
    say(
        f"{counted(tally.done - tally.unreadable, 'row')} checked, "
        f"{tally.skipped} were there already: "
        f"{results.get(Verdict.STANDS, 0)} stand, "
        f"{results.get(Verdict.DOES_NOT_STAND, 0)} do not, "
        f"{results.get(Verdict.COULD_NOT_TELL, 0)} inconclusive, "
        f"{f'{waived} waived, ' if (waived := results.get(_WAIVED, 0)) else ''}"
        f"{len(tally.failed)} failed",
        err=True,
    )


def _exit_code(tally: BatchSummary) -> int:
    verdicts = {verdict for verdict, _ in tally.results}
    if tally.failed or not tally.results or verdicts - {*Verdict, _WAIVED}:
        return COULD_NOT_TELL
    if verdicts <= {Verdict.STANDS, _WAIVED}:
        return WAIVED if _WAIVED in verdicts else HOLDS
    return DOES_NOT_HOLD if Verdict.DOES_NOT_STAND in verdicts else COULD_NOT_TELL
