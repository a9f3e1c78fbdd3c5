"""Make, copy, back up and restore a log."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from firmground.adapters.ledger_address import Location, is_address, shown
from firmground.adapters.stores import open_store
from firmground.cli._keys import read_keys
from firmground.cli._ledger import LedgerPlace, write_file
from firmground.cli._listing import Listing
from firmground.cli._output import (
    DOES_NOT_HOLD,
    HOLDS,
    counted,
    json_option,
    plain,
    print_json,
    say,
    say_lines,
)
from firmground.engine.documents import audit_document
from firmground.errors import InputError
from firmground.ledger.audit import audit
from firmground.ledger.audit_report import AuditReport
from firmground.ledger.copying import CopyReport, copy_log
from firmground.ledger.keys import KeyKind, VerifierKey
from firmground.ledger.store import LedgerStore

CHECKPOINT = ".checkpoint"
"""Ending of the file beside a backup that holds the newest checkpoint."""
_keys = click.option(
    "--key", "keys", multiple=True, help="The log's public key, or a file of keys."
)
_kept = click.option(
    "--kept",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A checkpoint that you kept outside the log; may be repeated.",
)


@click.group("ledger", cls=Listing, short_help="Make, copy, back up and restore a log.")
def command() -> None:
    """Make a log, move it between stores, back it up and restore it.

    A log is a file or an address such as postgresql://user@host/database?schema=name.
    """


@command.command("init")
@click.argument("where", type=LedgerPlace())
@click.option("--writer", "writers", multiple=True, help="Role that may append (PostgreSQL).")
@click.option("--reader", "readers", multiple=True, help="Role that may read (PostgreSQL).")
def init(*, where: Location, writers: tuple[str, ...], readers: tuple[str, ...]) -> None:
    """Make the log WHERE, or bring its tables to this version, and grant rights on it."""
    if (writers or readers) and not is_address(where):
        raise InputError("--writer and --reader are roles of a database; a file has none")
    store = open_store(where, vault_keys="")
    try:
        for role, writes in [(r, True) for r in writers] + [(r, False) for r in readers]:
            from firmground.adapters.postgres import PostgresStore

            assert isinstance(store, PostgresStore)
            store.grant(role, writes=writes)
    finally:
        store.close()
    rights = [f"{role} may append" for role in writers] + [f"{role} may read" for role in readers]
    say(f"{plain(shown(where))}: ready{''.join(f'; {plain(each)}' for each in rights)}")


@command.command("copy")
@click.argument("source", type=LedgerPlace())
@click.argument("target", type=LedgerPlace())
@_keys
@_kept
@json_option
def copy(
    *, source: Location, target: Location, keys: tuple[str, ...], kept: tuple[Path, ...],
    as_json: bool,
) -> None:  # fmt: skip
    """Copy the log SOURCE to TARGET byte for byte, then audit the copy.

    TARGET is made if it is not there. A copy that was interrupted goes on where it stopped.
    Exit codes: 0 the copy holds, 1 the audit found something, 2 could not copy.
    """
    _require_two(source, target)
    with _opened(source) as reader, _opened(target, create=True) as store:
        done = _copied(reader, store, quiet=as_json)
        report = audit(store, keys=_read_keys(keys), kept=_notes(kept))
    _finish(target, done, report, as_json=as_json)


@command.command("backup")
@click.argument("source", type=LedgerPlace())
@click.argument("file", type=click.Path(path_type=Path))
@_keys
@json_option
def backup(*, source: Location, file: Path, keys: tuple[str, ...], as_json: bool) -> None:
    """Back the log SOURCE up into a new FILE, and audit it against the newest checkpoint.

    The checkpoint goes into FILE.checkpoint as well: keep that one somewhere else. FILE is a log in
    itself, for `audit`, `runs` and `ledger restore`. Others may go on writing meanwhile.
    """
    if file.exists():
        raise InputError(f"{file}: there is a file already; a backup is never written over one")
    half = file.with_name(file.name + ".part")
    with _opened(source) as reader, _opened(half, create=True) as store:
        done = _copied(reader, store, quiet=as_json)
        notes = [row.note for row in store.checkpoints(newest=1)]
        report = audit(store, keys=_read_keys(keys), kept=notes)
    for ending in ("-wal", "-shm", "-claims"):
        half.with_name(half.name + ending).unlink(missing_ok=True)
    os.replace(half, file)
    for note in notes:
        write_file(file.with_name(file.name + CHECKPOINT), note)
    _finish(file, done, report, as_json=as_json)


@command.command("restore")
@click.argument("file", type=click.Path(path_type=Path))
@click.argument("target", type=LedgerPlace())
@_keys
@_kept
@click.option("--incomplete", is_flag=True, help="Restore although the audit found something.")
@json_option
def restore(
    *, file: Path, target: Location, keys: tuple[str, ...], kept: tuple[Path, ...],
    incomplete: bool, as_json: bool,
) -> None:  # fmt: skip
    """Restore the backup FILE into TARGET, after an audit against the checkpoints you kept.

    Without --kept nothing can tell how much is missing, so the newest checkpoint you have is
    needed. A backup that is older than it is refused, and the missing entries are named.
    """
    _require_two(file, target)
    if not kept and not incomplete:
        raise InputError("restore needs the newest checkpoint that you have: --kept FILE")
    given, notes = _read_keys(keys), _notes(kept)
    with _opened(file) as reader:
        report = audit(reader, keys=given, kept=notes)
        if not report.holds and not incomplete:
            _finish(file, None, report, as_json=as_json)
        with _opened(target, create=True) as store:
            done = _copied(reader, store, quiet=as_json)
            report = audit(store, keys=given, kept=notes)
    _finish(target, done, report, as_json=as_json)


@contextmanager
def _opened(where: Location, *, create: bool = False) -> Iterator[LedgerStore]:
    store = open_store(where, create=create, vault_keys="")  # sealed payloads stay sealed
    try:
        yield store
    finally:
        store.close()


def _require_two(source: Location, target: Location) -> None:
    same = str(source) == str(target)
    if not (is_address(source) or is_address(target)):
        same = Path(source).resolve() == Path(target).resolve()
    if same:
        raise InputError(f"{shown(source)}: source and target are the same log")


def _read_keys(keys: Sequence[str]) -> list[VerifierKey]:
    return list(read_keys(tuple(keys), KeyKind.NOTE, "--key"))


def _notes(kept: Sequence[Path]) -> list[bytes]:
    try:
        return [path.read_bytes() for path in kept]
    except OSError as error:
        raise InputError(f"{error.filename}: {error.strerror}") from None


def _copied(reader: LedgerStore, store: LedgerStore, *, quiet: bool) -> CopyReport:
    if quiet or not sys.stderr.isatty():
        return copy_log(reader, store)
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("copy", total=None)
        return copy_log(
            reader,
            store,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )


def _finish(
    where: Location, done: CopyReport | None, report: AuditReport, *, as_json: bool
) -> None:
    """Say what was copied and what the audit found, and end with its exit code."""
    if as_json:
        copied: dict[str, Any] | None = None
        if done is not None:
            copied = {"size": done.size, "root": done.root.hex(), "found": done.found,
                      "checkpoints": done.checkpoints}  # fmt: skip
        print_json({"where": shown(where), "copied": copied, "audit": audit_document(report)})
    else:
        verdict = "HOLDS" if report.holds else "DOES NOT HOLD"
        told = "nothing was restored" if done is None else (
            f"{counted(done.size, 'entry', 'entries')} ({done.found} were there already), "
            f"{counted(done.checkpoints, 'checkpoint')}"
        )  # fmt: skip
        lines = [f"{shown(where)}: {told}", f"{verdict}: root {report.root.hex()}"]
        lines += [f"  {problem}" for problem in report.problems[:20]]
        say_lines("\n".join(map(plain, lines)))
    sys.exit(HOLDS if report.holds else DOES_NOT_HOLD)
