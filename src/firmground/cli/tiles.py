"""Write a log as static tlog-tiles files."""

from __future__ import annotations

from pathlib import Path

import click

from firmground.adapters.ledger_address import Location
from firmground.cli._ledger import ledger_option, open_existing
from firmground.cli._output import counted, json_option, print_json, say
from firmground.ledger.tiles_export import export_tiles


@click.command("tiles", short_help="Write the log as static files for tlog clients.")
@click.argument("folder", type=click.Path(path_type=Path))
@ledger_option
@json_option
def command(*, folder: Path, ledger_path: Location, as_json: bool) -> None:
    """Write the signed part of a log into FOLDER in the format c2sp.org/tlog-tiles.

    Any web server can serve the folder. Running it again adds what is new. The files hold entries
    and hashes; payloads are never among them.
    """
    with open_existing(ledger_path) as ledger:
        made = export_tiles(ledger.reader, folder)
    if as_json:
        print_json(
            {"folder": str(folder), "origin": made.origin, "size": made.size, "files": made.files}
        )
    else:
        entries = counted(made.size, "entry", "entries")
        say(f"{folder}: {made.origin}, {entries}, {counted(made.files, 'new file')}")
