"""Run the MCP server."""

from __future__ import annotations

from ipaddress import ip_address
from pathlib import Path

import click

from firmground.adapters.extras import need
from firmground.config.settings import FILE, Settings
from firmground.errors import InputError


@click.command("mcp")
@click.option("--config", "config_path", type=click.Path(path_type=Path),
              help="Settings file; firmground.toml if it is there.")  # fmt: skip
@click.option("--ledger", type=click.Path(path_type=Path), help="Keep every check in this ledger.")
@click.option("--reviewer", help="Offer the tool that rules on escalations, in this name.")
@click.option("--http", is_flag=True, help="Serve streamable HTTP instead of standard input.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Loopback address for --http.")
@click.option("--port", type=click.IntRange(0, 65_535), default=8322, show_default=True)
def command(
    *, config_path: Path | None, ledger: Path | None, reviewer: str | None, http: bool, host: str,
    port: int,
) -> None:  # fmt: skip
    """Offer checks, proofs and runs to clients of the Model Context Protocol (extra mcp)."""
    need("mcp.server.mcpserver", package="mcp", extra="mcp", purpose="firmground mcp")
    if http and not _loopback(host):
        raise InputError(
            f"--host {host}: the server has no keys of its own and listens on loopback only; "
            "use firmground serve, or a reverse proxy that authenticates"
        )
    from firmground.engine import Engine
    from firmground.integrations.mcp_server import create_server

    known = config_path is not None or Path(FILE).is_file()
    settings = Settings.load(config_path or FILE) if known else Settings()
    with Engine(settings, ledger=ledger) as engine:
        server = create_server(engine, reviewer=reviewer)
        if http:
            server.run("streamable-http", host=host, port=port)
        else:
            server.run("stdio")


def _loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
