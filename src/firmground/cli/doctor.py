"""``firmground doctor``: what is installed, what is missing, where settings come from."""

from __future__ import annotations

import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from firmground.cli._output import COULD_NOT_TELL, HOLDS, json_option, print_json, say
from firmground.config.settings import FILE, Settings
from firmground.core.plugins import GROUPS, offered
from firmground.errors import FirmgroundError

_EXTRAS = {
    "http": ("aiohttp",),
    "llm": ("openai",),
    "models": ("openai", "xllamacpp"),
    "nli": ("torch", "transformers"),
    "pdf": ("pypdf",),
    "parquet": ("pyarrow",),
    "postgres": ("asyncpg",),
    "ray": ("fsspec", "pyarrow", "ray"),
    "re2": ("re2",),
    "schema": ("jsonschema",),
    "yaml": ("yaml",),
}
"""What each extra of the package brings, as modules."""
_REQUIRED = (
    "apsw", "click", "cryptography", "numpy", "onnxruntime", "orjson", "rich",
)  # fmt: skip
_VARIABLES = (
    "FIRMGROUND_LEDGER", "FIRMGROUND_SIGNER", "FIRMGROUND_VAULT_KEYS", "OPENAI_API_KEY",
    "OPENAI_BASE_URL", "AZURE_OPENAI_ENDPOINT", "AZURE_OPENAI_API_KEY",
)  # fmt: skip


@click.command(name="doctor")
@click.option("--config", metavar="FILE", help=f"Settings file; otherwise {FILE}, if it is here.")
@json_option
@click.pass_context
def command(ctx: click.Context, config: str | None, as_json: bool) -> None:
    """Say what is installed, which extras are missing and where settings come from.

    Exit code 0 when everything a check needs works, 2 when something does not.
    """
    found: dict[str, Any] = {
        "firmground": _version("firmground"),
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.machine()}",
        "where": str(Path(__file__).resolve().parents[1]),
        "required": {name: _version(name) for name in _REQUIRED},
        "extras": {name: [m for m in parts if not _there(m)] for name, parts in _EXTRAS.items()},
        "settings": _settings(config),
        "environment": [name for name in _VARIABLES if os.environ.get(name)],
        "judge": _judge(),
        "plugins": {group: sorted(offered(group)) for group in GROUPS if offered(group)},
    }
    if as_json:
        print_json(found)
    else:
        _print(found)
    broken = None in found["required"].values() or _failed(found)
    ctx.exit(COULD_NOT_TELL if broken else HOLDS)


def _failed(found: dict[str, Any]) -> bool:
    return bool(found["settings"]["error"] or found["judge"]["error"])


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _there(module: str) -> bool:
    return find_spec(module) is not None


def _settings(config: str | None) -> dict[str, Any]:
    path = Path(config or FILE)
    if config is None and not path.is_file():
        return {"file": None, "tables": [], "error": None}
    try:
        settings = Settings.load(path)
    except FirmgroundError as error:
        return {"file": str(path), "tables": [], "error": str(error)}
    return {"file": str(path), "tables": sorted(settings.tables), "error": None}


def _judge() -> dict[str, Any]:
    """Check one sentence with the built-in judge, weights and all."""
    from firmground.engine import Engine

    try:
        with Engine() as engine:
            result = engine.check("The bridge opened in 1932.", "The bridge opened in 1932.")
            name = engine.plan().judge
    except FirmgroundError as error:
        return {"name": None, "error": str(error)}
    told = None if result else "it does not pass a sentence that is its own evidence"
    return {"name": name, "error": told}


def _print(found: dict[str, Any]) -> None:
    say(f"firmground {found['firmground'] or '(not installed: run from a folder)'}")
    say(f"  in {found['where']}")
    say(f"  Python {found['python']} ({sys.executable}), {found['platform']}")
    say("packages")
    for name, number in found["required"].items():
        say(f"  {name} {number or 'MISSING: type  pip install ' + name}")
    say("extras")
    for name, missing in found["extras"].items():
        told = f"missing {', '.join(missing)}: type  pip install 'firmground[{name}]'"
        say(f"  {name}: {told if missing else 'installed'}")
    say("settings")
    stated = found["settings"]
    where = stated["file"] or f"none: there is no {FILE} here (firmground init writes one)"
    say(f"  {where}" + (f" with {', '.join(stated['tables'])}" if stated["tables"] else ""))
    if stated["error"]:
        say(f"  ERROR {stated['error']}")
    for name in found["environment"]:
        say(f"  {name} is set")
    say("judge")
    judge = found["judge"]
    say(f"  {judge['name']} works" if not judge["error"] else f"  ERROR {judge['error']}")
    for group, names in found["plugins"].items():
        say(f"{group} of other packages: {', '.join(names)}")
