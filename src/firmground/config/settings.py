"""``firmground.toml`` (or YAML): preflight, judge, hooks and models, read once and strictly.

The table ``policy`` of the same file is read by ``config.policies``.

::

    [preflight]
    profile = "default"
    reject_broad = true

    [preflight.most]
    temporal_urgency = "off"              # not looked at; 0 looks and takes nothing off

    [judge]
    use = "cascade:lexical,builtin"       # any name that check --judge takes

    [hooks]
    deadline_seconds = 30

    [[hooks.use]]
    type = "file_checksum"
    root = "out"
    expected = { "report.txt" = "sha256:…" }
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firmground.config.document import read_document
from firmground.config.models import ModelSettings, read_models
from firmground.config.parent import from_parent
from firmground.errors import ConfigError, InputError
from firmground.hooks import BreakerPolicy, WorkerLimits
from firmground.hooks.options import Options
from firmground.preflight import PreflightSettings, Tri
from firmground.preflight.settings import PROFILES, SIGNALS

FILE = "firmground.toml"
_ELSEWHERE = ("policy",)
"""Tables of the same file that other readers read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HookSettings:
    """Which hooks are asked, and under which deadlines."""

    use: tuple[Options, ...]
    """One table for each hook, still to be built by the adapters."""
    deadline_seconds: float = 30.0
    most_workers: int = 8
    breaker: BreakerPolicy = BreakerPolicy()  # noqa: RUF009 - frozen
    limits: WorkerLimits = WorkerLimits()  # noqa: RUF009 - frozen


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything the file says about preflight, judge, hooks and models."""

    file: Path
    preflight: PreflightSettings
    hooks: HookSettings | None
    """None when the file does not speak of hooks."""
    models: ModelSettings | None = None
    """None when the file does not speak of models."""
    judge: str | None = None
    """Name of the judge; None when the file does not speak of one."""
    tables: frozenset[str] = frozenset()
    """What the file speaks of at all."""

    @property
    def base(self) -> Path:
        """The folder that relative paths in the file are relative to."""
        return self.file.absolute().parent


def load_settings(path: Path | str = FILE) -> Settings:
    """Read a settings file; every error names the file, the line and the key."""
    document = from_parent(read_document(Path(path)))
    top = Options(document.values, file=str(path), lines=document.lines)
    for name in _ELSEWHERE:
        top.raw(name, None)
    preflight = _preflight(top.table("preflight"))
    hooks = _hooks(top.table("hooks")) if top.has("hooks") else None
    models = read_models(top.table("models")) if top.has("models") else None
    judge = _judge(top.table("judge")) if top.has("judge") else None
    for name in ("hooks", "judge", "models"):
        top.raw(name, None)
    top.close()
    return Settings(
        file=document.file,
        preflight=preflight,
        hooks=hooks,
        judge=judge,
        models=models,
        tables=frozenset(document.values),
    )


def _judge(table: Options) -> str:
    name = table.text("use", None)
    if not name:
        table.wrong("use", "must name a judge")
    table.close()
    return str(name)


def _preflight(table: Options) -> PreflightSettings:
    most = table.table("most")
    values: dict[str, Any] = {
        "profile": table.choice("profile", PROFILES, "default"),
        "block_below": _tri(table, "block_below"),
        "partial_below": _tri(table, "partial_below"),
        "most": tuple((name, _tri(most, name)) for name in SIGNALS if most.has(name)),
        "question_state": table.choice("question_state", ("on", "off"), None),
        "reject_broad": table.flag("reject_broad", None),
        "block_on_contradiction": table.flag("block_on_contradiction", None),
        "model_profile": table.text("model_profile", "default"),
        "apply_caps": table.flag("apply_caps", None),
    }
    for name in SIGNALS:
        most.raw(name, None)
    most.close()
    table.close()
    made: PreflightSettings = _made(PreflightSettings, table, values)
    return made


def _tri(table: Options, key: str) -> Tri:
    """Left out, ``"off"``, or a number; zero is a number."""
    value = table.raw(key, None)
    if value is None or value == "off":
        return value  # type: ignore[no-any-return]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        table.wrong(key, f'must be a number in [0, 1] or "off", got {value!r}')
    return float(value)


def _hooks(table: Options) -> HookSettings:
    use = table.tables("use")
    if table.flag("required", True) and not use:
        table.wrong("use", "is empty: hooks are required, so at least one must be named")
    breaker, worker = table.table("breaker"), table.table("worker")
    settings = {
        "use": use,
        "deadline_seconds": _above_zero(table, "deadline_seconds", 30.0),
        "most_workers": _above_zero(table, "most_workers", 8, whole=True),
        "breaker": _made(
            BreakerPolicy,
            breaker,
            {
                "threshold": breaker.whole("threshold", 3),
                "cool_down_seconds": breaker.number("cool_down_seconds", 30.0),
            },
        ),
        "limits": _made(
            WorkerLimits,
            worker,
            {
                "memory_bytes": worker.whole("memory_bytes", 2 << 30),
                "reply_bytes": worker.whole("reply_bytes", 1 << 18),
                "processes": worker.whole("processes", 64),
                "environment": worker.texts("environment", ()),
            },
        ),
    }
    for part in (breaker, worker, table):
        part.close()
    return HookSettings(**settings)


def _above_zero(table: Options, key: str, default: float, *, whole: bool = False) -> Any:
    value = table.whole(key, default) if whole else table.number(key, default)
    if not value > 0:
        table.wrong(key, f"must be above 0, got {value!r}")
    return value


def _made(kind: Any, table: Options, values: dict[str, Any]) -> Any:
    try:
        return kind(**values)
    except ConfigError:
        raise
    except InputError as error:
        raise ConfigError(f"{table.where(_key_in(str(error), table))}: {error}") from None


def _key_in(message: str, table: Options) -> str:
    """The key a complaint is about: the first of the table's keys that it names."""
    return next((word for word in re.findall(r"\w+", message) if table.has(word)), "")
