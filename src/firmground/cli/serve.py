"""Run the HTTP service, and manage the keys of its API."""

from __future__ import annotations

import click

from firmground.cli._listing import Listing


@click.group("serve", cls=Listing)
def command() -> None:
    """Run the HTTP service, and manage the keys of its API."""
