"""A group whose help says of every command what it does, to the end of the sentence."""

from __future__ import annotations

from difflib import get_close_matches

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

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command; for an unknown one suggest the closest name."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            if meant := self._meant(ctx, args[0]):
                raise click.UsageError(f"No such command {args[0]!r}. {meant}", ctx) from error
            raise

    def _meant(self, ctx: click.Context, name: str) -> str:
        """A command of that name one floor up, or one here whose name comes close."""
        above = ctx.parent
        group = above.command if above else None
        if above and isinstance(group, click.Group) and group.get_command(above, name):
            return f"Did you mean '{above.command_path} {name}'?"
        near = get_close_matches(name, self.list_commands(ctx), n=1)
        return f"Did you mean '{ctx.command_path} {near[0]}'?" if near else ""
