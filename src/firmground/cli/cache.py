"""List cached answers, give them another state, or burn them."""

from __future__ import annotations

import secrets
from pathlib import Path

import click

from firmground.adapters.ledger_address import Location
from firmground.cli._ledger import actor_options, ledger_option, open_existing, signer_option, who
from firmground.cli._listing import Listing
from firmground.cli._output import (
    json_option,
    print_json,
    say,
)
from firmground.ledger import cache_acts
from firmground.ledger.entry import CacheState
from firmground.ledger.files import write_durably
from firmground.ledger.text import unhex

tenant_option = click.option("--tenant", required=True, help="Whose answer it is.")


@click.group("cache", cls=Listing)
def command() -> None:
    """List cached answers, give them another state, or burn them."""


@command.command("list")
@ledger_option
@click.option("--tenant", help="Only this tenant's.")
@json_option
def list_answers(*, ledger_path: Location, tenant: str | None, as_json: bool) -> None:
    """List what is cached, and in which state."""
    with open_existing(ledger_path) as ledger:
        rows = ledger.reader.cache_rows(tenant)
    if as_json:
        print_json([{**row._asdict(), "key": row.key.hex()} for row in rows])
        return
    for row in rows:
        say(f"{row.key.hex()}  {row.state:<12}entry {row.seq:<8}{row.tenant}")
    if not rows:
        say("nothing is cached")


@command.command("key")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def make_key(*, file: Path) -> None:
    """Write a new secret key of a tenant to FILE, for  [cache] key_file  in the settings."""
    write_durably(file, secrets.token_hex(32).encode("ascii") + b"\n", new=True)
    say(f"{file}: a new key; with it one can ask what is cached")


@command.command()
@click.argument("key")
@ledger_option
@signer_option
@tenant_option
@click.option(
    "--state",
    type=click.Choice([str(state) for state in CacheState]),
    default=str(CacheState.FAILED),
    show_default=True,
)
@actor_options
@json_option
def falsify(
    *,
    key: str,
    ledger_path: Location,
    signer_path: Path | None,
    tenant: str,
    state: str,
    actor: str | None,
    reason: str,
    as_json: bool,
) -> None:
    """Give the answer under KEY another state; only a live one is served."""
    with open_existing(ledger_path, signer=signer_path) as ledger:
        placed = cache_acts.falsify(
            ledger,
            tenant,
            unhex(key, "KEY"),
            state=CacheState(state),
            actor=who(actor),
            reason=reason,
        )
    if as_json:
        print_json({"key": key, "state": state, "seq": placed.seq})
    else:
        say(f"{key} is {state} from entry {placed.seq} on")


@command.command()
@click.argument("key")
@ledger_option
@signer_option
@tenant_option
@click.option("--force", is_flag=True, help="Although other answers rest on it.")
@actor_options
@json_option
def burn(
    *,
    key: str,
    ledger_path: Location,
    signer_path: Path | None,
    tenant: str,
    force: bool,
    actor: str | None,
    reason: str,
    as_json: bool,
) -> None:
    """Forget the answer under KEY. The run stays in the log; erase it with  runs erase."""
    with open_existing(ledger_path, signer=signer_path) as ledger:
        placed = cache_acts.burn(
            ledger, tenant, unhex(key, "KEY"), actor=who(actor), reason=reason, force=force
        )
    if as_json:
        print_json({"key": key, "burned": True, "seq": placed.seq})
    else:
        say(f"{key} is burnt at entry {placed.seq}")
