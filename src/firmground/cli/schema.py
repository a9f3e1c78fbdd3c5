"""``firmground schema``: print the JSON Schema of a command's ``--json`` output."""

from __future__ import annotations

import click

from firmground.cli._output import print_json, say
from firmground.schemas import schema, schema_names


@click.command(name="schema")
@click.argument("name", required=False)
def command(name: str | None) -> None:
    """Print the JSON Schema of a command's --json output; without NAME list them.

    NAME is the command's words joined by hyphens, such as check or runs-show.
    """
    if name is not None:
        print_json(schema(name))
        return
    for known in schema_names():
        say(known)
