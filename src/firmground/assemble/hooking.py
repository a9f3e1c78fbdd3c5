"""From settings to the hooks that stand around every answer."""

from __future__ import annotations

from pathlib import Path

from firmground.adapters.hooks.build import build_hook
from firmground.config.settings import HookSettings, Settings, load_settings
from firmground.errors import ConfigError, InputError
from firmground.hooks import Breakers, HookEngine, Registered


def engine_from(path: Path | str | None) -> HookEngine | None:
    """The hooks a settings file asks for; None when no file is named."""
    return None if path is None else engine_of(load_settings(path))


def built(settings: Settings) -> tuple[Registered, ...]:
    """Build every hook of the settings; the first mistake is an error that names its key."""
    if settings.hooks is None:
        raise ConfigError(f"{settings.file}: hooks: this table is missing")
    hooks: dict[str, Registered] = {}
    for position, table in enumerate(settings.hooks.use):
        hook = build_hook(table, base=settings.base, position=position)
        if hook.name in hooks:
            table.wrong("name", f"two hooks are called {hook.name!r}; names must differ")
        hooks[hook.name] = hook
    return tuple(hooks.values())


def engine_of(settings: Settings, *, only: tuple[str, ...] = ()) -> HookEngine:
    """The engine the settings describe, or a part of it by name."""
    hooks = built(settings)
    unknown = sorted(set(only) - {hook.name for hook in hooks})
    if unknown:
        raise InputError(f"--only {', '.join(unknown)}: no hook of that name")
    described: HookSettings = settings.hooks  # type: ignore[assignment]
    return HookEngine(
        [hook for hook in hooks if not only or hook.name in only],
        deadline_seconds=described.deadline_seconds,
        breakers=Breakers(described.breaker),
        limits=described.limits,
        most_workers=described.most_workers,
    )
