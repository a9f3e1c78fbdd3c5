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
