"""Run the HTTP service, and manage the keys of its API."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from firmground.adapters.extras import need
from firmground.adapters.ledger_address import Location
from firmground.cli._ledger import LedgerPlace, signer_option
from firmground.cli._listing import Listing
from firmground.cli._output import json_option, print_json, say
from firmground.config.service import ServiceSettings
from firmground.config.settings import FILE, Settings

_config = click.option("--config", "config_path", type=click.Path(path_type=Path),
                       help="Settings file; firmground.toml if it is there.")  # fmt: skip
_data = click.option("--data", type=click.Path(path_type=Path), help="Folder of the service.")


@click.group("serve", cls=Listing, invoke_without_command=True)
@_config
@_data
@click.option("--host", help="Address to listen on.")
@click.option("--port", type=click.IntRange(0, 65_535), help="Port to listen on.")
@click.option(
    "--ledger",
    "ledger",
    type=LedgerPlace(),
    envvar="FIRMGROUND_LEDGER",
    help="Keep runs here: a file or postgresql://… ($FIRMGROUND_LEDGER).",
)
@signer_option
@click.pass_context
def command(
    ctx: click.Context, *, config_path: Path | None, data: Path | None, host: str | None,
    port: int | None, ledger: Location | None, signer_path: Path | None,
) -> None:  # fmt: skip
    """Run the HTTP service; with no settings on loopback, with a ledger and keys of its own."""
    settings = _settings(config_path)
    kept: dict[str, Any] = {"ledger": ledger, "signer": signer_path}
    settings = replace(settings, **{k: v for k, v in kept.items() if v is not None})
    given: dict[str, Any] = {"data": data, "host": host, "port": port}
    service = replace(settings.service, **{k: v for k, v in given.items() if v is not None})
    ctx.obj = service
    if ctx.invoked_subcommand is None:
        _require_extra()
        from firmground.service.server import serve

        serve(settings, service, say=lambda line: say(line, err=True))


def _require_extra() -> None:
    for module in ("uvicorn", "starlette", "pydantic", "prometheus_client", "jinja2"):
        need(module, package=module, extra="service", purpose="firmground serve")


def _settings(path: Path | None) -> Settings:
    if path is None and not Path(FILE).is_file():
        return Settings()
    return Settings.load(path or FILE)


@command.group("keys", cls=Listing)
def keys() -> None:
    """Make, list and revoke the keys of the API."""
    _require_extra()


@keys.command("new")
@click.argument("name")
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    required=True,
    help="check, read, rule, admin, or a role: application, viewer, reviewer.",
)
@click.option("--per-minute", type=click.FloatRange(min=0, min_open=True))
@click.option("--concurrent", type=click.IntRange(min=1), help="Requests at the same time.")
@click.option("--budget", type=click.IntRange(min=0), help="Requests in all.")
@click.option("--expires", help="Time such as 2027-01-31T00:00:00Z.")
@json_option
@click.pass_obj
def new_key(
    service: ServiceSettings, *, name: str, scopes: tuple[str, ...], per_minute: float | None,
    concurrent: int | None, budget: int | None, expires: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Make a key called NAME and print it; it is kept hashed and cannot be shown again."""
    from firmground.service.api_keys import key_document
    from firmground.service.auth import KeyLimits, scopes_from
    from firmground.service.state import ServiceState

    limits = KeyLimits(per_minute=per_minute, concurrent=concurrent, budget=budget)
    state = ServiceState(service.data)
    text, kept = state.create_key(name, scopes_from(scopes), limits=limits, expires=expires)
    state.close()
    if as_json:
        print_json({"key": text, **key_document(kept)})
    else:
        say(text)


@keys.command("list")
@json_option
@click.pass_obj
def list_keys(service: ServiceSettings, *, as_json: bool) -> None:
    """List the keys without their secrets."""
    from firmground.service.api_keys import key_document
    from firmground.service.state import ServiceState

    state = ServiceState(service.data)
    found = state.keys()
    state.close()
    if as_json:
        print_json([key_document(key) for key in found])
        return
    for key in found:
        gone = f"  revoked {key.revoked}" if key.revoked else ""
        say(f"{key.id}  {key.name}  {' '.join(sorted(key.scopes))}  {key.created}{gone}")


@keys.command("revoke")
@click.argument("key")
@click.pass_obj
def revoke_key(service: ServiceSettings, *, key: str) -> None:
    """Make the key with the id KEY invalid from now on."""
    from firmground.service.state import ServiceState

    state = ServiceState(service.data)
    kept = state.revoke_key(key)
    state.close()
    say(f"revoked {kept.id} ({kept.name})")
