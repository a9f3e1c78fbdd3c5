"""The batch side of ``firmground check``: progress for a person, a summary, one exit code."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import click

from firmground.batch import Tally, run_batch
from firmground.cli._ledger import spare
from firmground.cli._output import (
    COULD_NOT_TELL,
    DOES_NOT_HOLD,
    HOLDS,
    LET_PASS,
    complain,
    counted,
    say,
)
from firmground.config.settings import load_settings
from firmground.core.decision import Verdict
from firmground.decide import Policy
from firmground.engine.hook_settings import hooks_from
from firmground.engine.ledgers import opened_ledger
from firmground.engine.many import BatchWork, recorded
from firmground.engine.plans import plan_for
from firmground.errors import InputError

_LET_PASS = "let_pass"  # noqa: S105 - a verdict, no password


def batch_command(
    source: str,
    target: str | None,
    *,
    policy: Policy,
    judge: str,
    config: str | None = None,
    workers: int | None,
    ledger: str | None,
    signer: str | None = None,
) -> int:
    """Check every row of a file; return the exit code."""
    if not target:
        raise click.UsageError("--batch needs --output")
    path = Path(source)
    if source == "-":
        raise InputError("--batch reads a file, not standard input: it may have to go on later")
    if not path.is_file():
        raise InputError(f"{path}: no such file")
    if path.resolve() == Path(target).resolve():
        raise InputError(f"{path}: the output would overwrite the input")
    spare(
        Path(target),
        ledger=Path(ledger) if ledger else None,
        signer=Path(signer) if signer else None,
    )
    hooks = hooks_from(load_settings(config)) if config else None
    settings = plan_for(policy=policy, judge=judge, hooks=hooks).settings
    # A hook goes by its name; what the file tells it to do must count as well.
    version = sha256(Path(config).read_bytes()).hexdigest() if config else ""
    with opened_ledger(ledger, signer) as log, _progress(path.stat().st_size) as advance:
        tally = run_batch(
            path,
            Path(target),
            BatchWork(
                policy=policy, judge=judge, config=config, version=version, keep=log is not None
            ),
            settings=f"{settings}\n{version}" if version else settings,
            workers=workers,
            finish=partial(recorded, ledger=log) if log else _as_it_is,
            on_row=advance,
        )
    _summary(tally, path)
    return _exit_code(tally)


def _as_it_is(row: dict[str, Any]) -> dict[str, Any]:
    return row


@contextmanager
def _progress(size: int) -> Iterator[Callable[[int], None]]:
    if not sys.stderr.isatty():
        yield lambda count: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (BarColumn(), TextColumn("{task.percentage:>3.0f}%"), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("", total=size)
        yield lambda count: bar.advance(task, count)


def _summary(tally: Tally, source: Path) -> None:
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
        f"{results.get(Verdict.COULD_NOT_TELL, 0)} could not be told, "
        f"{f'{passed} let pass, ' if (passed := results.get(_LET_PASS, 0)) else ''}"
        f"{len(tally.failed)} failed",
        err=True,
    )


def _exit_code(tally: Tally) -> int:
    verdicts = {verdict for verdict, _ in tally.results}
    if tally.failed or not tally.results or verdicts - {*Verdict, _LET_PASS}:
        return COULD_NOT_TELL
    if verdicts <= {Verdict.STANDS, _LET_PASS}:
        return LET_PASS if _LET_PASS in verdicts else HOLDS
    return DOES_NOT_HOLD if Verdict.DOES_NOT_STAND in verdicts else COULD_NOT_TELL
