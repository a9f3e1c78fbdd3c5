"""Sign the log as it is now, or print the newest checkpoint."""

from __future__ import annotations

from pathlib import Path

import click

from firmground.adapters.ledger_address import Location
from firmground.cli._ledger import ledger_option, open_existing, signer_option, spare, write_file
from firmground.cli._output import (
    counted,
    hand_over,
    json_option,
    print_json,
    say,
)
from firmground.errors import RecordNotFound
from firmground.ledger import checkpoint as checkpoints


@click.command("checkpoint", short_help="Sign the log, or print what was signed.")
@ledger_option
@signer_option
@click.option("--out", type=click.Path(path_type=Path), help="File; else standard output.")
@json_option
def command(
    *, ledger_path: Location, signer_path: Path | None, out: Path | None, as_json: bool
) -> None:
    """With --signer, sign the log as it is now; without, print the newest checkpoint.

    Keep checkpoints somewhere else: with one of them, every later rewrite of what it covers is
    detected (firmground audit --kept FILE).
    """
    spare(out, ledger=ledger_path, signer=signer_path)
    with open_existing(ledger_path, signer=signer_path) as ledger:
        if signer_path is not None:
            ledger.checkpoint()
        newest = ledger.newest_checkpoint()
    if newest is None:
        raise RecordNotFound(f"{ledger_path} has no checkpoint yet: sign one with --signer")
    stated, signed = checkpoints.parse(newest.note)
    if out is not None:
        write_file(out, newest.note)
    if as_json:
        print_json(
            {
                "origin": stated.origin,
                "size": stated.size,
                "root": stated.root.hex(),
                "signatures": [line.name for line in signed.signatures],
                "note": newest.note.decode("utf-8"),
            }
        )
    elif out is None:
        hand_over(newest.note.decode("utf-8"))
    else:
        say(f"{out}: {stated.origin}, {counted(stated.size, 'entry', 'entries')}")
