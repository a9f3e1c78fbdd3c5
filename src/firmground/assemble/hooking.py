"""From settings to the hooks that stand around every answer, and to its judge."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from firmground.adapters.hooks.build import build_hook
from firmground.assemble.judges import DEFAULT_JUDGE
from firmground.config.settings import HookSettings, Settings, load_settings
from firmground.errors import ConfigError, InputError
from firmground.hooks import Breakers, HookEngine, Registered
from firmground.preflight import PreflightSettings


def engine_from(path: Path | str | None) -> HookEngine | None:
    """The hooks a settings file asks for; None without a file, or when it requires none.

    A file may speak of other things only; one that says nothing at all is an error.
    """
    if path is None:
        return None
    settings = load_settings(path)
    if settings.hooks is None and settings.tables:
        return None
    # Only ``required = false`` gets an empty list this far.
    empty = settings.hooks is not None and not settings.hooks.use
    return None if empty else engine_of(settings)


def preflight_from(path: Path | str | None) -> PreflightSettings:
    """How strictly a settings file wants questions looked at."""
    return PreflightSettings() if path is None else load_settings(path).preflight


def judge_from(path: Path | str | None) -> str:
    """The judge a settings file names; the default when it names none."""
    named = load_settings(path).judge if path is not None else None
    return named or DEFAULT_JUDGE


def require_use(path: Path | str | None, tables: tuple[str, ...]) -> None:
    """Refuse a settings file that says nothing of what a command can use."""
    if path is None:
        return
    settings = load_settings(path)
    if not settings.tables & {*tables}:
        raise ConfigError(
            f"{settings.file}: says nothing that could be used here; "
            f"the tables that can be are {', '.join(tables)}"
        )


def built(settings: Settings) -> tuple[Registered, ...]:
    """Build every hook of the settings; the first mistake is an error that names its key."""
    if settings.hooks is None:
        raise ConfigError(f"{settings.file}: hooks: this table is missing")
    hooks: dict[str, Registered] = {}
    kinds: Counter[str] = Counter()
    for table in settings.hooks.use:
        kind = table.text("type")
        hook = build_hook(
            table, base=settings.base, position=kinds[kind], limits=settings.hooks.limits
        )
        kinds[kind] += not table.has("name")
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
