"""``firmground examples``: what there is to try."""

from __future__ import annotations

import json

import click

from firmground.cli._output import (
    hand_over,
    json_option,
    print_json,
    say,
    say_lines,
)
from firmground.examples import example_names, example_text


@click.command(name="examples")
@click.argument("name", required=False)
@json_option
def command(name: str | None, as_json: bool) -> None:
    """List the bundled examples, or print the document of one."""
    if name is not None:
        hand_over(example_text(name))
        return
    documents = {one: json.loads(example_text(one)) for one in example_names()}
    if as_json:
        print_json([{"name": n, "title": d["title"]} for n, d in documents.items()])
        return
    for one, document in documents.items():
        say(f"{one:10}  {document['title']}")
    say_lines("\nTry one:  firmground check --example incident")
