"""Every ``--json`` output follows its published JSON Schema."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator, ValidationError

from firmground.cli.main import cli
from firmground.schemas import schema, schema_names

ANSWER, EVIDENCE = "The bridge opened in 1952.", "The bridge opened in 1932."


def run(*words: str) -> str:
    found = CliRunner().invoke(cli, [*words], catch_exceptions=False)
    assert found.exit_code in (0, 1, 2, 3), found.output
    return found.stdout


@pytest.fixture
def log(tmp_path: Path) -> list[str]:
    """A signed log with one run, as options."""
    key = str(tmp_path / "log.key")
    run("keys", "new", "example.org/log", "--out", key, "--json")
    options = ["--ledger", str(tmp_path / "log.sqlite"), "--signer", key]
    run("check", "-a", ANSWER, "-e", EVIDENCE, "--judge", "lexical", *options, "--json")
    return options


def test_a_session_of_commands_prints_what_the_schemas_say(tmp_path: Path, log: list[str]) -> None:
    # Each output is validated by the fixture ``json_outputs_follow_their_schemas``.
    reading = log[:2]
    listed = json.loads(run("runs", "list", *reading, "--json"))
    name = listed[0]["run"]
    run("runs", "show", name, *reading, "--json")
    bundle = str(tmp_path / "run.json")
    run("runs", "export", name, *log, "--out", bundle, "--disclose", "answer", "--json")
    public = json.loads(run("keys", "show", log[3], "--json"))["key"]
    run("verify", bundle, "--key", public, "--json")
    run("checkpoint", *log, "--json")
    run("keys", "list", *reading, "--json")
    run("tiles", str(tmp_path / "tiles"), *reading, "--json")
    run("audit", *reading, "--json")
    run("decide", name, *reading, "--policy", "advisory", "--json")
    run("policy", "explain", "balanced", "--json")
    run("policy", "diff", "balanced", "strict", *reading, "--json")
    run("witness", "request", *reading, "--json")
    run("ledger", "copy", reading[1], str(tmp_path / "copy.sqlite"), "--json")
    run("runs", "erase", name, *log, "--reason", "test", "--yes", "--json")
    run("keys", "rotate", *log, "--out", str(tmp_path / "next.key"), "--json")
    run("doctor", "--json")
    run("examples", "--json")
    run("preflight", "You are an SRE. Write the incident report.", "--json")


def test_every_command_with_json_output_has_a_schema() -> None:
    commands = {path for path, command in _commands(cli, ()) if _has_json(command)}
    missing = commands - set(schema_names())
    assert missing == set()
    assert {name for name in schema_names() if name != "check-row"} <= commands


@pytest.mark.parametrize("name", schema_names())
def test_a_schema_is_valid_and_described(name: str) -> None:
    document = schema(name)
    Draft202012Validator.check_schema(document)
    assert document["title"]
    assert document["description"]


def test_a_wrong_document_is_refused() -> None:
    with pytest.raises(ValidationError, match="'decision' is a required property"):
        Draft202012Validator(schema("check")).validate({"id": None})


def test_a_row_of_a_batch_follows_its_schema(tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps({"id": "1", "answer": ANSWER, "evidence": [EVIDENCE]}) + "\n{}\n")
    out = tmp_path / "out.jsonl"
    run("check", "--batch", str(rows), "--output", str(out), "--judge", "lexical")
    checker = Draft202012Validator(schema("check-row"))
    lines = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(lines) == 2
    for line in lines:
        checker.validate(line)


def test_the_schemas_are_printed_by_a_command() -> None:
    assert json.loads(run("schema", "check")) == schema("check")
    assert "check" in run("schema").split()


def test_help_shows_a_row_of_a_batch() -> None:
    assert '"answer"' in run("check", "--help")


def _commands(command: click.Command, path: tuple[str, ...]) -> list[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        return [("-".join(path), command)]
    with click.Context(command) as context:
        inner = [
            (name, command.get_command(context, name)) for name in command.list_commands(context)
        ]
    return [one for name, sub in inner if sub for one in _commands(sub, (*path, name))]


def _has_json(command: click.Command) -> bool:
    options: list[Any] = [name for p in command.params for name in p.opts]
    return "--json" in options
