"""Make, show, rotate and revoke the keys of a log."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from firmground.adapters.ledger_address import Location
from firmground.cli._ledger import ledger_option, need_signer, open_existing, signer_option
from firmground.cli._listing import Listing
from firmground.cli._output import (
    counted,
    json_option,
    print_json,
    say,
    say_lines,
)
from firmground.errors import InputError
from firmground.ledger.keyfile import PASSPHRASE_VARIABLE
from firmground.ledger.keyring import KeyTerm
from firmground.ledger.keys import KeyKind, generate, parse_verifier
from firmground.ledger.signing import CheckpointSigner, read_key_file, write_key_file

KEY_FILE = click.Path(path_type=Path)
passphrase_option = click.option(
    "--passphrase",
    is_flag=True,
    help=f"Encrypt the key file under a passphrase (${PASSPHRASE_VARIABLE}, else asked for).",
)


@click.group("keys", cls=Listing)
def command() -> None:
    """Make, show, rotate and revoke keys."""


@command.command()
@click.argument("name")
@click.option("--out", "path", type=KEY_FILE, required=True, help="File for the new secret key.")
@click.option("--witness", is_flag=True, help="A key that cosigns for a witness.")
@passphrase_option
@json_option
def new(*, name: str, path: Path, witness: bool, passphrase: bool, as_json: bool) -> None:
    """Make a key called NAME, such as example.org/log; print its public half.

    The name of a log's key is the name of the log. Beside the file lies a second one, ending in
    .state: what the key has signed. Keep both together, and out of the database's backups.
    """
    if witness:
        key = generate(name, kind=KeyKind.COSIGNATURE)
        write_key_file(path, key, passphrase=_new_passphrase(passphrase))
        public = str(key.verifier)
    else:
        words = _new_passphrase(passphrase)
        public = str(CheckpointSigner.create(path, name, passphrase=words).verifier)
    if as_json:
        print_json({"key": public, "file": str(path), "witness": witness})
    else:
        say(public)


@command.command()
@click.argument("path", type=KEY_FILE)
@json_option
def show(*, path: Path, as_json: bool) -> None:
    """Print the public half of the key in PATH, and what it has signed."""
    key = read_key_file(path)
    document: dict[str, Any] = {"key": str(key.verifier), "witness": False}
    if key.kind is KeyKind.COSIGNATURE:
        document["witness"] = True
    else:
        last = CheckpointSigner.open(path).last_signed()
        document |= {
            "signed_entries": last.size,
            "signed_root": last.root.hex(),
            "retired": last.retired,
        }
    if as_json:
        print_json(document)
        return
    say(document["key"])
    if not document["witness"]:
        state = "retired" if document["retired"] else "in use"
        entries = counted(document["signed_entries"], "entry", "entries")
        say(f"  {state}, has signed {entries}")


@command.command("list")
@ledger_option
@click.option(
    "--terms", is_flag=True, help="Print keys and terms in the form that --key FILE takes."
)
@json_option
def list_keys(*, ledger_path: Location, terms: bool, as_json: bool) -> None:
    """List the keys of a log in the order in which they held office."""
    with open_existing(ledger_path) as ledger:
        held = ledger.keyring(_origin(ledger.origin())).terms
    if as_json:
        print_json([_term(term) for term in held])
        return
    for term in held:
        say(str(term) if terms else f"{term.key}  {_office(term)}")


@command.command()
@click.option("--out", "path", type=KEY_FILE, required=True, help="File for the new secret key.")
@passphrase_option
@ledger_option
@signer_option
@json_option
def rotate(
    *, path: Path, passphrase: bool, ledger_path: Location, signer_path: Path | None, as_json: bool
) -> None:
    """Make a new key and hand the log over to it; the old key signs no checkpoint any more."""
    with open_existing(ledger_path, signer=need_signer(signer_path)) as ledger:
        name, words = ledger.notary.signer.name, _new_passphrase(passphrase)
        successor = CheckpointSigner.create(path, name, passphrase=words)
        placed = ledger.rotate(successor)
    if as_json:
        print_json({"key": str(successor.verifier), "file": str(path), "seq": placed.seq})
    else:
        say_lines(f"{successor.verifier}\n  in office from entry {placed.seq} on")


@command.command()
@click.argument("key")
@ledger_option
@signer_option
@json_option
def revoke(*, key: str, ledger_path: Location, signer_path: Path | None, as_json: bool) -> None:
    """Declare KEY, an earlier public key of the log, untrustworthy from here on.

    Export again what only this key has signed: an export is always signed by the current key.
    """
    target = parse_verifier(key)
    with open_existing(ledger_path, signer=need_signer(signer_path)) as ledger:
        placed = ledger.revoke(target)
    if as_json:
        print_json({"revoked": str(target), "seq": placed.seq})
    else:
        say(f"revoked {target} at entry {placed.seq}")


def _new_passphrase(wanted: bool) -> str | None:
    """The passphrase for a new key: from the environment, else asked for twice."""
    if not wanted:
        return None
    given = os.environ.get(PASSPHRASE_VARIABLE)
    return given or str(click.prompt("Passphrase", hide_input=True, confirmation_prompt=True))


def _origin(origin: str | None) -> str:
    if origin is None:
        raise InputError("the log has no key yet")
    return origin


def _office(term: KeyTerm) -> str:
    until = "now" if term.until is None else f"{term.until - 1}"
    revoked = "" if term.revoked is None else f", revoked at entry {term.revoked}"
    return f"in office from entry {term.since} to {until}{revoked}"


def _term(term: KeyTerm) -> dict[str, Any]:
    return {
        "key": str(term.key),
        "since": term.since,
        "until": term.until,
        "revoked": term.revoked,
    }
