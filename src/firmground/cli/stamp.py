"""Time stamps for checkpoints by an authority of RFC 3161."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from firmground.adapters.ledger_address import Location
from firmground.adapters.timestamps import ask_authority, stamp_entry, stamp_request, stamped_at
from firmground.cli._ledger import ledger_option, open_existing, signer_option, spare, write_file
from firmground.cli._listing import Listing
from firmground.cli._output import DOES_NOT_HOLD, json_option, print_json, say
from firmground.errors import InputError, RecordNotFound
from firmground.ledger import checkpoint as checkpoints
from firmground.ledger.checkpoint import Checkpoint
from firmground.ledger.entry import StampEntry
from firmground.ledger.log import Log

FILE = click.Path(path_type=Path)
root_option = click.option(
    "--tsa-root",
    "roots",
    type=FILE,
    multiple=True,
    required=True,
    help="Root certificates (PEM) of the authority that you trust.",
)


@click.group("stamp", cls=Listing, short_help="Have checkpoints stamped with the time.")
def command() -> None:
    """Have the newest checkpoint stamped by a time-stamping authority (RFC 3161).

    A stamp proves that the log had these entries at that time, whatever its own clock says.
    """


@command.command()
@ledger_option
@click.option("--out", type=FILE, required=True, help="File for the request (DER).")
def request(*, ledger_path: Location, out: Path) -> None:
    """Write a request about the newest checkpoint, to send to an authority yourself."""
    spare(out, ledger=ledger_path, signer=None)
    with open_existing(ledger_path) as ledger:
        newest = _newest(ledger)
    write_file(out, stamp_request(newest))
    say(f"{out}: request for {newest.origin}, {newest.size} entries")


@command.command()
@click.argument("reply", type=FILE)
@ledger_option
@signer_option
@root_option
def attach(
    *, reply: Path, ledger_path: Location, signer_path: Path | None, roots: tuple[Path, ...]
) -> None:
    """Check REPLY, an authority's answer about the newest checkpoint, and record it."""
    try:
        data = reply.read_bytes()
    except OSError as error:
        raise InputError(f"{reply}: {error.strerror}") from None
    with open_existing(ledger_path) as ledger:
        newest = _newest(ledger)
    _record(newest, data, ledger_path, signer_path, roots)


@command.command()
@click.argument("url")
@ledger_option
@signer_option
@root_option
def ask(
    *, url: str, ledger_path: Location, signer_path: Path | None, roots: tuple[Path, ...]
) -> None:
    """Have the authority at URL stamp the newest checkpoint, and record the stamp."""
    with open_existing(ledger_path) as ledger:
        newest = _newest(ledger)
    _record(newest, ask_authority(url, stamp_request(newest)), ledger_path, signer_path, roots)


@command.command("list")
@ledger_option
@root_option
@json_option
def list_stamps(*, ledger_path: Location, roots: tuple[Path, ...], as_json: bool) -> None:
    """Check every stamp in the log and print when the authority saw how much of it."""
    rows: list[dict[str, object]] = []
    with open_existing(ledger_path) as ledger:
        origin = ledger.origin() or ""
        for seq in ledger.reader.acts(StampEntry.type):
            body = ledger.entry(seq).body
            assert isinstance(body, StampEntry)
            try:
                told = stamped_at(body, origin, roots).isoformat()
                rows.append({"seq": seq, "size": body.size, "holds": True, "time": told})
            except InputError as error:
                rows.append({"seq": seq, "size": body.size, "holds": False, "reason": str(error)})
    if as_json:
        print_json(rows)
    else:
        for row in rows:
            said = row.get("time") or f"DOES NOT HOLD: {row['reason']}"
            say(f"entry {row['seq']}: the first {row['size']} entries at {said}")
    if not all(row["holds"] for row in rows):
        sys.exit(DOES_NOT_HOLD)


def _newest(log: Log) -> Checkpoint:
    newest = log.newest_checkpoint()
    if newest is None:
        raise RecordNotFound("the log has no checkpoint yet: sign one with  firmground checkpoint")
    return checkpoints.parse(newest.note)[0]


def _record(
    newest: Checkpoint,
    reply: bytes,
    ledger_path: Location,
    signer_path: Path | None,
    roots: tuple[Path, ...],
) -> None:
    entry = stamp_entry(newest, reply, roots)
    with open_existing(ledger_path, signer=signer_path) as ledger:
        placed = ledger.append(entry)
    when = stamped_at(entry, newest.origin, roots).isoformat()
    say(f"entry {placed.seq}: the first {newest.size} entries were stamped at {when}")
