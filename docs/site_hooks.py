"""Generated parts of the reference: commands, settings and JSON Schemas.

Called by properdocs for each page; a comment such as ``<!-- commands -->`` is replaced.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from typing import Any

import click


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Fill the placeholders of a page."""
    for name, make in (("commands", _commands), ("settings", _settings), ("schemas", _schemas)):
        mark = f"<!-- {name} -->"
        if mark in markdown:
            markdown = markdown.replace(mark, make())
    return markdown


def _commands() -> str:
    from firmground.cli.main import cli

    return "\n".join(_command(cli, "firmground", 1))


def _command(command: click.Command, path: str, level: int) -> Iterator[str]:
    with click.Context(command, info_name=path) as context:
        if level > 1:
            yield f"\n{'#' * min(level, 4)} {path}\n"
            yield inspect.cleandoc(command.help or "").replace("\b\n", "") + "\n"
            options = [p for p in command.params if isinstance(p, click.Option) and not p.hidden]
            if options:
                yield "| option | |\n|---|---|"
            for option in options:
                names = ", ".join(f"`{name}`" for name in option.opts)
                kind = "" if option.is_flag else f" *{option.make_metavar(context)}*"
                text = (option.help or "").replace("|", "\\|")
                yield f"| {names}{kind.replace('|', ' or ')} | {text} |"
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                inner = command.get_command(context, name)
                if inner is not None and not inner.hidden:
                    yield from _command(inner, f"{path} {name}", level + 1)


def _settings() -> str:
    from firmground.config import cache, models, policies, proxy, service, settings

    parts = []
    for module, title in (
        (settings, "The file"), (policies, "`[policy]`"), (models, "`[models]`"),
        (cache, "`[cache]`"), (service, "`[service]`"), (proxy, "`[proxy]`"),
    ):  # fmt: skip
        first, _, rest = inspect.cleandoc(module.__doc__ or "").partition("\n")
        code = inspect.cleandoc(rest.replace("::\n", "", 1))
        parts.append(f"## {title}\n\n{first}\n\n```toml\n{code}\n```\n")
    return "\n".join(parts)


def _schemas() -> str:
    from firmground.schemas import schema, schema_names

    rows = [f"| [`{n}`](#{n}) | {schema(n)['description']} |" for n in schema_names()]
    full = "\n".join(
        f"## {n}\n\n```json\n{json.dumps(schema(n), indent=1)}\n```\n" for n in schema_names()
    )
    return "| schema | |\n|---|---|\n" + "\n".join(rows) + "\n\n" + full
