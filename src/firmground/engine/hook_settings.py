"""The hooks that settings describe."""

from __future__ import annotations

from collections import Counter

from firmground.adapters.hooks.build import build_hook
from firmground.config.settings import HookSettings, Settings
from firmground.errors import ConfigError, InputError
from firmground.hooks import Breakers, HookEngine, Registered


def hooks_from(settings: Settings) -> HookEngine | None:
    """The hooks that settings ask for; None when they require none.

    A file may speak of other things only; one that says nothing at all is an error.
    """
    if settings.hooks is None and (settings.tables or settings.file is None):
        return None
    # Only ``required = false`` gets an empty list this far.
    empty = settings.hooks is not None and not settings.hooks.use
    return None if empty else engine_of(settings)


def require_use(settings: Settings, tables: tuple[str, ...]) -> None:
    """Refuse a settings file that says nothing of what a command can use."""
    if settings.file is not None and not settings.tables & {*tables}:
        raise ConfigError(
            f"{settings.file}: says nothing that could be used here; "
            f"the tables that can be are {', '.join(tables)}"
        )


def built(settings: Settings) -> tuple[Registered, ...]:
    """Build every hook of the settings; all mistakes together are an error that names each key."""
    if settings.hooks is None:
        raise ConfigError(f"{settings.file}: {_why_none(settings)}")
    hooks: dict[str, Registered] = {}
    kinds: Counter[str] = Counter()
    problems: list[str] = []
    for table in settings.hooks.use:
        kind = str(table.raw("type", ""))
        try:
            hook = build_hook(
                table, base=settings.base, position=kinds[kind], limits=settings.hooks.limits
            )
        except ConfigError as error:
            problems += error.problems
            continue
        kinds[kind] += not table.has("name")
        if hook.name in hooks:
            told = f"two hooks are called {hook.name!r}; names must differ"
            problems.append(f"{table.where('name')}: {told}")
        hooks[hook.name] = hook
    if problems:
        raise ConfigError(*problems)
    return tuple(hooks.values())


def _why_none(settings: Settings) -> str:
    if "grounding" in settings.tables:
        return "grounding.enabled is not true, so there are no hooks"
    return "hooks: this table is missing"


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
