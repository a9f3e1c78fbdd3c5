"""Check a whole log: re-derive everything from the stored bytes and compare."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from firmground.adapters.ledger_address import Location, is_address
from firmground.adapters.sqlite import SqliteStore
from firmground.adapters.stores import open_store
from firmground.cli._keys import max_age_option, read_keys, read_log_keys
from firmground.cli._ledger import ledger_option
from firmground.cli._output import (
    DOES_NOT_HOLD,
    HOLDS,
    counted,
    json_option,
    plain,
    print_json,
    say_lines,
)
from firmground.engine.documents import audit_document
from firmground.errors import InputError
from firmground.ledger.audit import Progress
from firmground.ledger.audit import audit as audit_log
from firmground.ledger.audit_report import AuditReport
from firmground.ledger.keys import KeyKind
from firmground.ledger.store import LedgerStore, StoreReader

LONG = 2_000


@click.command("audit", short_help="Check a whole log and name what is wrong.")
@ledger_option
@click.option("--key", "keys", multiple=True, help="The log's public key, or a file of keys.")
@click.option(
    "--kept",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A checkpoint that you kept outside the log; may be repeated.",
)
@click.option(
    "--receipt",
    "receipts",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A signed receipt for an entry, as  runs receipt  prints it; may be repeated.",
)
@click.option("--witness", "witnesses", multiple=True, help="A witness's key, or a file of keys.")
@click.option("--quorum", type=click.IntRange(min=0), help="Witnesses needed; all, if not given.")
@max_age_option
@click.option(
    "--since",
    type=click.Path(path_type=Path),
    help="A checkpoint up to which the log was audited before: read only what follows.",
)
@click.option("--read-only", is_flag=True, help="Touch nothing beside the log, as on a CD.")
@json_option
def command(
    *,
    ledger_path: Location,
    keys: tuple[str, ...],
    kept: tuple[Path, ...],
    receipts: tuple[Path, ...],
    witnesses: tuple[str, ...],
    quorum: int | None,
    max_age: float | None,
    since: Path | None,
    read_only: bool,
    as_json: bool,
) -> None:
    """Check every entry, stage, tree node, payload and checkpoint of a log.

    Exit codes: 0 everything matches, 1 something does not, 2 inconclusive. Read the last lines:
    they say what this audit could not have noticed.
    """
    given, terms = read_log_keys(keys, "--key")
    watching = read_keys(witnesses, KeyKind.COSIGNATURE, "--witness")
    notes = [_read(path) for path in kept]
    with _reading(ledger_path, read_only) as reader, _bar(reader, quiet=as_json) as progress:
        report = audit_log(
            reader,
            keys=given,
            terms=terms,
            kept=notes,
            receipts=[_read(path) for path in receipts],
            witnesses=watching,
            quorum=len(watching) if quorum is None else quorum,
            max_age_seconds=max_age,
            since=None if since is None else _read(since),
            progress=progress,
        )
    if as_json:
        print_json(audit_document(report))
    else:
        say_lines("\n".join(map(plain, _lines(report))))
    sys.exit(HOLDS if report.holds else DOES_NOT_HOLD)


@contextmanager
def _reading(where: Location, read_only: bool) -> Iterator[StoreReader]:
    """Open a log for an audit; one on a medium that cannot be written is opened as such."""
    if not is_address(where) and (read_only or not _writable(Path(where))):
        store: LedgerStore = SqliteStore.open_immutable(where)
    else:
        store = open_store(where, create=False)
    try:
        yield store
    finally:
        store.close()


def _writable(path: Path) -> bool:
    if not path.is_file():
        raise InputError(f"{path}: there is no such ledger")
    return os.access(path, os.W_OK) and os.access(path.resolve().parent, os.W_OK)


@contextmanager
def _bar(reader: StoreReader, *, quiet: bool) -> Iterator[Progress]:
    if quiet or not sys.stderr.isatty() or (size := reader.head().size) < LONG:
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("audit", total=size)

        def progress(done: int, total: int) -> None:
            if done % 100 == 0 or done == total:
                bar.update(task, completed=done)

        yield progress


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None


def _lines(report: AuditReport) -> list[str]:
    verdict = "HOLDS" if report.holds else "DOES NOT HOLD"
    more = [f"  and {report.omitted} more"] if report.omitted else []
    return [
        f"{verdict}: {counted(report.size, 'entry', 'entries')}, {counted(report.runs, 'run')}, "
        f"{counted(report.stages, 'stage')}, {counted(report.payloads, 'payload')}, "
        f"{report.erased} erased, {counted(report.checkpoints, 'checkpoint')}",
        f"  root {report.root.hex()}",
        *(f"  {problem}" for problem in report.problems),
        *more,
        "What this audit could not have noticed",
        *(f"  {line}" for line in report.unseen),
    ]
