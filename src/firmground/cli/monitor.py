"""Watch a log: every look must continue the one before."""

from __future__ import annotations

import sys
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from firmground.adapters.stores import open_store
from firmground.cli._keys import duration, max_age_option, read_keys, read_log_keys
from firmground.cli._output import DOES_NOT_HOLD, counted, json_option, print_json, say
from firmground.errors import LedgerUnavailable
from firmground.ledger.keys import KeyKind
from firmground.ledger.monitor import (
    Fetch,
    LogContradictionError,
    Monitor,
    Sighting,
    fetch_address,
    fetch_folder,
    fetch_store,
)


@click.command("monitor", short_help="Watch a log for rewrites and forks.")
@click.argument("where")
@click.option("--key", "keys", multiple=True, required=True, help="The log's key, or a file.")
@click.option(
    "--state",
    type=click.Path(path_type=Path),
    required=True,
    help="File for the last checkpoint seen; keep it where the log's owner cannot write.",
)
@click.option("--witness", "witnesses", multiple=True, help="A witness's key, or a file of keys.")
@click.option("--quorum", type=click.IntRange(min=0), help="Witnesses needed; all, if not given.")
@max_age_option
@click.option("--every", callback=duration, metavar="DURATION", help="Look again after this long.")
@json_option
def command(
    *,
    where: str,
    keys: tuple[str, ...],
    state: Path,
    witnesses: tuple[str, ...],
    quorum: int | None,
    max_age: float | None,
    every: float | None,
    as_json: bool,
) -> None:
    """Look at the log at WHERE and compare it with the last look; with --every, go on watching.

    WHERE is the address below which a log serves tlog-tiles, a folder that  firmground tiles
    wrote, or a ledger. Exit codes: 0 it continues what was seen, 1 it does not, 2 inconclusive.
    """
    given, terms = read_log_keys(keys, "--key")
    watching = read_keys(witnesses, KeyKind.COSIGNATURE, "--witness")
    with ExitStack() as held:
        monitor = Monitor(
            fetch=_fetch(where, held),
            state=state,
            keys=given,
            terms=terms,
            witnesses=watching,
            quorum=len(watching) if quorum is None else quorum,
            max_age_seconds=max_age,
        )
        while True:
            _look(monitor, as_json=as_json, go_on=every is not None)
            if every is None:
                return
            time.sleep(every)


def _fetch(where: str, held: ExitStack) -> Fetch:
    if where.startswith(("http://", "https://")):
        return fetch_address(where)
    if Path(where).is_dir():
        return fetch_folder(Path(where))
    store = open_store(where, create=False)
    held.callback(store.close)
    return fetch_store(store)


def _look(monitor: Monitor, *, as_json: bool, go_on: bool) -> None:
    try:
        seen = monitor.look()
    except LogContradictionError as error:
        if as_json:
            print_json({"holds": False, "reason": str(error)})
        else:
            say(f"DOES NOT HOLD: {error}")
        sys.exit(DOES_NOT_HOLD)
    except LedgerUnavailable as error:
        if not go_on:
            raise
        say(f"firmground: {error}; trying again", err=True)
        return
    if as_json:
        print_json(_document(seen))
        return
    new = seen.checkpoint.size - seen.before
    said = ", ".join(f"{number} {kind}" for kind, number in seen.types)
    say(
        f"HOLDS: {seen.checkpoint.origin}, {counted(seen.checkpoint.size, 'entry', 'entries')}, "
        f"{new} new{': ' if said else ''}{said}"
    )
    for seq, action, key in seen.key_events:
        say(f"  entry {seq}: {action} {key}")
    if seen.witnessed:
        say(f"  cosigned by {', '.join(seen.witnessed)}")
    sys.stdout.flush()


def _document(seen: Sighting) -> dict[str, Any]:
    return {
        "holds": True,
        "origin": seen.checkpoint.origin,
        "size": seen.checkpoint.size,
        "root": seen.checkpoint.root.hex(),
        "new": seen.checkpoint.size - seen.before,
        "types": dict(seen.types),
        "keys": [{"seq": s, "action": a, "key": k} for s, a, k in seen.key_events],
        "witnesses": list(seen.witnessed),
    }
