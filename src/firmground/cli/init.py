"""``firmground init``: write a commented settings file with a first policy."""

from __future__ import annotations

from pathlib import Path

import click

from firmground.cli._output import say
from firmground.config.settings import FILE, Settings
from firmground.errors import InputError

TEMPLATE = """\
# Settings of firmground. Every table and key may be left out.
# Use them with  firmground check --config firmground.toml …
# or with  firmground.Engine("firmground.toml").

[policy]
name = "own"
base = "balanced"                 # strict, balanced, advisory, or none to start from no rules
# waive = ["stale_evidence"]      # shown in every decision; a fault can never be waived
# escalate = ["hooks"]            # a person decides about these, once repair has not helped

# [policy.rules.thin_support]     # any parameter of any rule: firmground policy explain balanced
# proceed = 0.85

[judge]
use = "builtin"                   # lexical is fastest; cascade:lexical,builtin asks the second
                                  # only where the first is unsure

# [engine]
# threads = 2                     # how many checks compute at once

# [ledger]
# file = "runs.sqlite"            # keep every run; or "postgresql://user@host/database"
# signer = "log.key"              # made by  firmground keys new

# [preflight]
# reject_broad = true             # reject questions that are too broad to answer

# [budget]                        # limits for one question
# model_calls = 40
# seconds = 300

# [models]
# generator = "gpt-4o"            # the model that writes the answers
#
# [[models.use]]
# name = "gemini-2.5-flash"
# base_url = "https://example.org/v1"
# api_key_env = "GEMINI_API_KEY"  # the name of a variable, never the key itself
#
# [models.judge]                  # this model may lower what the judge found

# [hooks]
# deadline_seconds = 30
#
# [[hooks.use]]
# type = "file_checksum"          # all kinds: firmground hooks explain
# root = "out"
# expected = { "report.txt" = "sha256:…" }
"""


@click.command(name="init")
@click.argument(
    "folder", type=click.Path(file_okay=False, exists=True, path_type=Path), default="."
)
def command(folder: Path) -> None:
    """Write a commented settings file, with a first policy, into FOLDER."""
    path = folder / FILE
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(TEMPLATE)
    except FileExistsError:
        raise InputError(f"{path}: there is such a file already; it is left as it is") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
    Settings.load(path)
    say(f"wrote {path}; try  firmground check --config {path} -a ANSWER -e EVIDENCE")
