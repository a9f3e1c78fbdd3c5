"""Watch a log as a second party: cosign what continues the last thing seen, and nothing else."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import click

from firmground.adapters.ledger_address import Location
from firmground.cli._keys import read_keys
from firmground.cli._ledger import ledger_option, need_signer, open_existing, signer_option
from firmground.cli._listing import Listing
from firmground.cli._output import (
    DOES_NOT_HOLD,
    hand_over,
    json_option,
    print_json,
    say,
    say_lines,
)
from firmground.errors import InputError, RecordNotFound
from firmground.ledger.keys import KeyKind
from firmground.ledger.signing import read_key_file
from firmground.ledger.witness import OK, Witness, parse_lines, write_request
from firmground.ledger.witness_http import RemoteCosigner, WitnessServer

FILE = click.Path(path_type=Path)
key_option = click.option("--key", "key_path", type=FILE, required=True, help="Witness key file.")
log_option = click.option(
    "--log", "logs", multiple=True, required=True, help="A log's public key, or a file of keys."
)
state_option = click.option(
    "--state", type=FILE, required=True, help="Folder for the last checkpoint of each log."
)


@click.group("witness", cls=Listing, short_help="Watch a log as a second party.")
def command() -> None:
    """Watch a log as a second party: run this where the log's owner has no say."""


@command.command()
@key_option
@log_option
@state_option
@click.option(
    "--listen",
    default="127.0.0.1:8471",
    show_default=True,
    help="host:port (on loopback, unless there is TLS), or unix:/path.",
)
@click.option("--prefix", default="", help="Path below which /add-checkpoint is served.")
@click.option("--tls-cert", type=FILE, help="Certificate chain (PEM): serve HTTPS.")
@click.option("--tls-key", type=FILE, help="Its private key (PEM).")
def serve(
    *,
    key_path: Path,
    logs: tuple[str, ...],
    state: Path,
    listen: str,
    prefix: str,
    tls_cert: Path | None,
    tls_key: Path | None,
) -> None:
    """Answer requests for cosignatures over HTTP (POST /add-checkpoint) until it is stopped."""
    if (tls_cert is None) != (tls_key is None):
        raise click.UsageError("--tls-cert and --tls-key belong together")
    tls = None if tls_cert is None or tls_key is None else (tls_cert, tls_key)
    witness = _witness(key_path, logs, state)
    with WitnessServer(listen, witness, prefix=prefix, tls=tls) as server:
        say_lines(f"{server.witness.verifier}\n  listening on {server.address}")
        sys.stdout.flush()
        # Set again: a shell that starts this in the background has interrupts ignored.
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.default_int_handler)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            say("stopped", err=True)


@command.command()
@click.argument("request", type=FILE)
@key_option
@log_option
@state_option
@json_option
def cosign(
    *, request: Path, key_path: Path, logs: tuple[str, ...], state: Path, as_json: bool
) -> None:
    """Decide about REQUEST, a file made by  witness request; print the cosignature line.

    Exit code 1 when the witness refuses.
    """
    reply = _witness(key_path, logs, state).answer(_read(request))
    if as_json:
        print_json({"status": reply.status, "cosigned": reply.status == OK, "body": reply.body})
    else:
        say_lines(reply.body, nl=False, err=reply.status != OK)
    if reply.status != OK:
        sys.exit(DOES_NOT_HOLD)


@command.command()
@ledger_option
@click.option("--old", type=click.IntRange(min=0), default=0, help="Entries it has seen already.")
@json_option
def request(*, ledger_path: Location, old: int, as_json: bool) -> None:
    """Print a request for the newest checkpoint, to carry to a witness as a file."""
    with open_existing(ledger_path) as ledger:
        newest = ledger.newest_checkpoint()
        if newest is None:
            raise RecordNotFound(f"{ledger_path} has no checkpoint yet")
        path = ledger.consistency(old, newest.size)
    text = write_request(old=old, path=path, note=newest.note.decode("utf-8"))
    if as_json:
        print_json({"old": old, "size": newest.size, "request": text})
    else:
        hand_over(text)


@command.command("ask")
@click.argument("url")
@ledger_option
@signer_option
@click.option(
    "--witness", "witnesses", multiple=True, required=True, help="The witness's key, or several."
)
@json_option
def ask_witness(
    *,
    url: str,
    ledger_path: Location,
    signer_path: Path | None,
    witnesses: tuple[str, ...],
    as_json: bool,
) -> None:
    """Sign the log, have the witness at URL cosign it, and keep the cosignatures.

    URL is the witness's submission prefix, such as https://witness.example/log.
    """
    known = read_keys(witnesses, KeyKind.COSIGNATURE, "--witness")
    with open_existing(ledger_path, signer=need_signer(signer_path), witnesses=known) as ledger:
        note = ledger.checkpoint()
        text = ledger.add_cosignature(*RemoteCosigner(url, known[0]).cosign(ledger, note))
    if as_json:
        print_json({"note": text})
    else:
        hand_over(text)


@command.command()
@click.argument("line", type=FILE)
@ledger_option
@signer_option
@click.option("--witness", "witnesses", multiple=True, required=True, help="The witness's key.")
@json_option
def attach(
    *,
    line: Path,
    ledger_path: Location,
    signer_path: Path | None,
    witnesses: tuple[str, ...],
    as_json: bool,
) -> None:
    """Add the cosignature lines in the file LINE to the newest checkpoint."""
    known = read_keys(witnesses, KeyKind.COSIGNATURE, "--witness")
    with open_existing(ledger_path, signer=need_signer(signer_path), witnesses=known) as ledger:
        newest = ledger.newest_checkpoint()
        if newest is None:
            raise RecordNotFound(f"{ledger_path} has no checkpoint yet")
        made = parse_lines(_read(line).decode("utf-8", "replace"), newest.note.decode("utf-8"))
        text = ledger.add_cosignature(*made)
    if as_json:
        print_json({"size": newest.size, "note": text})
    else:
        hand_over(text)


def _witness(key_path: Path, logs: tuple[str, ...], state: Path) -> Witness:
    return Witness(
        key=read_key_file(key_path), folder=state, logs=read_keys(logs, KeyKind.NOTE, "--log")
    )


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
