"""The group that finds the commands: every public module beside this one is one command."""

from __future__ import annotations

import os
import pkgutil
import sys
import traceback
from collections.abc import Iterator
from importlib import import_module
from io import StringIO

import click

import firmground.cli as package
from firmground import __version__
from firmground.cli._listing import Listing
from firmground.cli._output import (
    COULD_NOT_TELL,
    complain,
    say_lines,
)
from firmground.errors import ConfigError, FirmgroundError, mask_keys


class Commands(Listing):
    """Loads a command's module only when that command is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Name every command without importing any."""
        names = (module.name for module in pkgutil.iter_modules(package.__path__))
        return sorted(n.replace("_", "-") for n in names if not n.startswith("_") and n != "main")

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command's module."""
        if cmd_name not in self.list_commands(ctx):
            return None
        module = import_module(f"firmground.cli.{cmd_name.replace('-', '_')}")
        command = module.command
        assert isinstance(command, click.Command)
        return command


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="firmground")
def cli() -> None:
    """Decide whether an answer stands on its evidence, and keep the proof.

    Exit codes: 0 holds, 1 does not hold, 2 inconclusive (bad input, a check that could not be made,
    a record that could not be kept), 3 released although a rule objected (waived by the policy, or
    by a person).
    """


def main() -> None:
    """Run the command line; whatever goes wrong is exit code 2, never a verdict."""
    try:
        sys.exit(cli.main(prog_name="firmground", standalone_mode=False))
    except click.ClickException as error:
        said = StringIO()
        error.show(file=said)
        say_lines(mask_keys(said.getvalue()), err=True, nl=False)
    except click.Abort:
        complain("interrupted")
    except ConfigError as error:
        for problem in error.problems:
            complain(problem)
    except FirmgroundError as error:
        complain(str(error))
    except ExceptionGroup as group:
        _complain_of(group)
    except BrokenPipeError:
        # Whoever read our output has gone; keep the interpreter from complaining about it too.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except Exception:  # noqa: BLE001 - a crash would exit with 1, which means "does not hold"
        _confess()
    sys.exit(COULD_NOT_TELL)


def _complain_of(group: ExceptionGroup[Exception]) -> None:
    """Say once what tasks side by side all failed of, if it was foreseen."""
    foreseen, others = group.split(FirmgroundError)
    if others is not None or foreseen is None:
        _confess()
        return
    for message in dict.fromkeys(map(str, _leaves(foreseen))):
        complain(message)


def _leaves(group: ExceptionGroup[Exception]) -> Iterator[Exception]:
    for error in group.exceptions:
        if isinstance(error, ExceptionGroup):
            yield from _leaves(error)
        else:
            yield error


def _confess() -> None:
    say_lines(traceback.format_exc(), err=True, nl=False)
    complain("this is a defect of firmground, not a verdict")
