"""A group whose help says of every command what it does, to the end of the sentence."""

from __future__ import annotations

import click

_NO_LIMIT = 10_000


class Listing(click.Group):
    """Wraps what is long instead of cutting it off."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, each with its whole first sentence."""
        found = ((name, self.get_command(ctx, name)) for name in self.list_commands(ctx))
        rows = [
            (name, command.get_short_help_str(_NO_LIMIT))
            for name, command in found
            if command is not None and not command.hidden
        ]
        if rows:
            with formatter.section("Commands"):
                formatter.write_dl(rows)
