"""Check a whole log: re-derive everything from the stored bytes and compare."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from firmground.cli._keys import read_keys
from firmground.cli._ledger import ledger_option, open_existing
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
from firmground.ledger.audit import AuditReport, Progress
from firmground.ledger.audit import audit as audit_log
from firmground.ledger.keys import KeyKind

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
@json_option
def command(
    *, ledger_path: Path, keys: tuple[str, ...], kept: tuple[Path, ...], as_json: bool
) -> None:
    """Check every entry, stage, tree node, payload and checkpoint of a log.

    Exit codes: 0 everything matches, 1 something does not, 2 could not tell. Read the last lines:
    they say what this audit could not have noticed.
    """
    given = read_keys(keys, KeyKind.NOTE, "--key")
    notes = [_read(path) for path in kept]
    with open_existing(ledger_path) as ledger, _bar(ledger.size(), quiet=as_json) as progress:
        report = audit_log(ledger.reader, keys=given, kept=notes, progress=progress)
    if as_json:
        print_json(audit_document(report))
    else:
        say_lines("\n".join(map(plain, _lines(report))))
    sys.exit(HOLDS if report.holds else DOES_NOT_HOLD)


@contextmanager
def _bar(size: int, *, quiet: bool) -> Iterator[Progress]:
    if quiet or size < LONG or not sys.stderr.isatty():
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
