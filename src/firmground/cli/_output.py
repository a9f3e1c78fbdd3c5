"""What all commands share about talking to a person or a program."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

HOLDS = 0
DOES_NOT_HOLD = 1
COULD_NOT_TELL = 2
LET_PASS = 3
"""It goes out though a rule objected: the policy waived the objection, or a person overruled it."""

json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON document instead."
)


def print_json(document: Any) -> None:
    """Print one JSON document, readable and stable; escaped where the output knows no Unicode."""
    text = json.dumps(document, indent=2, sort_keys=False, ensure_ascii=False)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(document, indent=2, sort_keys=False)
    click.echo(_inert(text) if sys.stdout.isatty() else text)


def _inert(text: str) -> str:
    """The same JSON with what a terminal could act on, or hide, spelled as escapes."""
    return "".join(
        character if character.isprintable() or character == "\n" else json.dumps(character)[1:-1]
        for character in text
    )


def plain(text: str) -> str:
    """The text with everything a terminal could act on, or hide, made visible."""
    return "".join(character if character.isprintable() else "\u00b7" for character in text)


def plain_lines(text: str) -> str:
    """The same for a text of several lines, which stay lines."""
    return "\n".join(map(plain, text.split("\n")))


def complain(message: str) -> None:
    """Say on standard error what went wrong; whoever wrote the message, no terminal acts on it."""
    click.echo(plain(f"firmground: {message}"), err=True)


def counted(number: int, word: str, many: str | None = None) -> str:
    """A number with its noun: ``1 run``, ``2 runs``."""
    return f"{number} {word if number == 1 else many or word + 's'}"
