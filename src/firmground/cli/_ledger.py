"""What the commands that open a ledger share."""

from __future__ import annotations

import getpass
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from firmground.adapters.ledger_address import Location, is_address
from firmground.adapters.signers import open_signer
from firmground.adapters.stores import open_ledger
from firmground.errors import InputError, RecordNotFound
from firmground.ledger.keys import VerifierKey
from firmground.ledger.ledger import Ledger
from firmground.ledger.log import Log

SHORTEST_PREFIX = 8
F = TypeVar("F", bound=Callable[..., Any])


class LedgerPlace(click.ParamType):  # type: ignore[type-arg]
    """The path of a file, or an address such as ``postgresql://user@host/database``."""

    name = "FILE|URL"

    def convert(self, value: Any, param: Any, ctx: Any) -> Location:
        """Return an address as it is and anything else as a path."""
        return value if is_address(value) else Path(value)


ledger_option = click.option(
    "--ledger",
    "ledger_path",
    type=LedgerPlace(),
    envvar="FIRMGROUND_LEDGER",
    show_envvar=True,
    required=True,
    help="The log: a file, or postgresql://user@host/database.",
)
signer_option = click.option(
    "--signer",
    "signer_path",
    type=click.Path(path_type=Path),
    envvar="FIRMGROUND_SIGNER",
    show_envvar=True,
    help="The log's signing key file.",
)


def actor_options(command: F) -> F:
    """Who does it and why: both go into the log."""
    command = click.option("--reason", required=True, help="Why; goes into the log.")(command)
    return click.option("--actor", help="Who; goes into the log. You, if not given.")(command)


def open_existing(
    path: Location, *, signer: Path | None = None, witnesses: Sequence[VerifierKey] = ()
) -> Ledger:
    """Open a log that exists; nothing is made or migrated."""
    held = None if signer is None else open_signer(signer)
    return open_ledger(path, signer=held, witnesses=witnesses, create=False)


def find_run(log: Log, name: str) -> str:
    """The id of the run that is called this, or whose id is the only one to begin like this."""
    if log.reader.find_run(name) is not None:
        return name
    if len(name) < SHORTEST_PREFIX:
        raise RecordNotFound(
            f"the log has no run {name}; the beginning of an id needs {SHORTEST_PREFIX} characters"
        )
    found = log.reader.runs_beginning(name, 2)
    if not found:
        raise RecordNotFound(f"the log has no run {name}")
    if len(found) > 1:
        raise InputError(f"several runs begin with {name}, such as {found[0]} and {found[1]}")
    return found[0]


def need_signer(path: Path | None) -> Path:
    """The signing key file, or a clear word that it is needed."""
    if path is None:
        raise InputError("this needs the log's signing key: give --signer or FIRMGROUND_SIGNER")
    return path


def who(actor: str | None) -> str:
    """The person who acts: as given, else the logged-in user."""
    if actor:
        return actor
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid {os.getuid()}"


def spare(out: Path | None, *, ledger: Location | None, signer: Path | None) -> None:
    """Refuse to write over the log or its key, whatever name the caller has for them."""
    if out is None:
        return
    file = None if ledger is None or is_address(ledger) else Path(ledger)
    held = [*_with(file, "-wal", "-shm", "-journal", "-claims"), *_with(signer, ".state")]
    for mine in held:
        try:
            same = out.resolve() == mine or (out.exists() and mine.exists() and out.samefile(mine))
        except (OSError, RuntimeError) as error:
            raise InputError(f"{out}: {error}") from None
        if same:
            raise InputError(f"{out} is {mine}, which belongs to the log: write somewhere else")


def _with(path: Path | None, *endings: str) -> list[Path]:
    """A file and those that lie beside it under its name, and under that of what it links to."""
    if path is None:
        return []
    real = path.resolve()
    return [real, *(each.with_name(each.name + end) for each in (path, real) for end in endings)]


def write_file(path: Path, data: bytes) -> None:
    """Write an export where the caller wants it; a new file is the caller's alone to read."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}") from None
