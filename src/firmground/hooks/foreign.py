"""Third-party hooks: referenced by name and imported only in a worker process.

Our own process knows the reference and the settings. A worker reports name and version, so an
import that spins, exits, prints or patches modules affects only that worker.
"""

from __future__ import annotations

import asyncio
import json
import pickle
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from firmground.core.finding import Fault, HookReply
from firmground.core.ports import Hook, HookCase
from firmground.errors import ConfigError
from firmground.hooks.workers import WorkerFailure, WorkerLimits, exchanged, packed

MAKING_SECONDS = 60.0
"""How long importing and making a hook may take when the settings are read."""
_MOST_LETTERS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class HookRecipe:
    """How a worker gets at a hook."""

    factory: str
    """``module:name``."""
    options: Mapping[str, Any]
    folder: str = ""
    """Where else modules may lie; they shadow nothing."""

    def made(self) -> Hook:
        """Import and make it, here and now; whatever is wrong with that is a ``ConfigError``."""
        factory = self._imported()
        try:
            hook = factory(**self.options)
        except BaseException as error:  # noqa: BLE001 - the wall around other people's code
            raise ConfigError(f"cannot be made: {type(error).__name__}: {error}") from None
        if not isinstance(hook, Hook):
            raise ConfigError(f"is a {type(hook).__name__}, which has no name and ask")
        return hook

    def _imported(self) -> Any:
        if self.folder and self.folder not in sys.path:
            sys.path.append(self.folder)
        module, _, path = self.factory.partition(":")
        try:
            found: Any = import_module(module)
            for name in filter(None, path.split(".")):
                found = getattr(found, name)
        except BaseException as error:  # noqa: BLE001 - the wall around other people's code
            why = f"{type(error).__name__}: {error}"
            raise ConfigError(f"cannot be imported: {why}") from None
        return found


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignHook:
    """Stands for a hook that only a worker process ever sees; ``ask`` belongs there."""

    recipe: HookRecipe
    name: str
    version: str = ""
    kind: str = ""
    """The name of its class."""

    async def ask(self, case: HookCase) -> HookReply | Fault:
        """Make the hook and ask it."""
        return await self.recipe.made().ask(case)


def described(recipe: HookRecipe, *, limits: WorkerLimits, seconds: float) -> ForeignHook:
    """Have a worker create and describe the hook; a ``ConfigError`` says why it cannot."""
    try:
        parcels = packed(recipe), packed(None)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ConfigError(f"cannot be sent to a worker process ({error})") from None
    reply = _apart(parcels, limits, seconds)
    if isinstance(reply, WorkerFailure):
        raise ConfigError(f"cannot be made: {reply.message}")
    told = _told(reply)
    if "refused" in told:
        raise ConfigError(limits.secrets(told["refused"], cut=True))
    return ForeignHook(recipe=recipe, name=told["name"], version=told["version"], kind=told["kind"])


def _told(reply: bytes) -> dict[str, str]:
    try:
        told = json.loads(reply)
        if "refused" in told:
            return {"refused": str(told["refused"])[: 2 * _MOST_LETTERS]}
        return {key: _text(told[key]) for key in ("name", "version", "kind")}
    except (ValueError, RecursionError, TypeError, KeyError) as error:
        raise ConfigError(f"cannot be made: what it says of itself is unusable: {error}") from None


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value) > _MOST_LETTERS or not value.isprintable():
        raise ValueError("name, version or class is not plain text")
    return value


def _apart(
    parcels: tuple[bytearray, ...], limits: WorkerLimits, seconds: float
) -> bytes | WorkerFailure:
    """Run the exchange on an event loop of its own, whether or not we stand in one."""
    replies: list[bytes | WorkerFailure] = []

    def talk() -> None:
        replies.append(asyncio.run(exchanged(parcels, limits=limits, seconds=seconds)))

    thread = threading.Thread(target=talk)
    thread.start()
    thread.join()
    return replies[0]
