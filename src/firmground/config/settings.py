"""``firmground.toml`` (or YAML) as one frozen value, read once and strictly.

::

    [engine]
    threads = 2                           # threads that judge; the event loop stays free

    [policy]
    base = "strict"                       # see config.policies

    [ledger]
    file = "runs.sqlite"
    signer = "log.key"

    [cache]                               # see config.cache
    tenant = "acme"
    key_file = "tenant.key"

    [budget]
    model_calls = 40
    seconds = 300

    [retriever]
    use = "my-retriever"                  # a name that an installed package offers

    [model]
    use = "my-model"                      # likewise: it writes the answers of ask

    [preflight]
    profile = "default"
    reject_broad = true

    [preflight.max_penalty]
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
from typing import Any, Self

from firmground.config.cache import CacheSettings, read_cache
from firmground.config.document import read_document
from firmground.config.models import ModelSettings, read_models
from firmground.config.parent import from_parent
from firmground.config.policies import read_policy
from firmground.config.proxy import ProxySettings, read_proxy
from firmground.config.service import ServiceSettings, read_service
from firmground.core.budget import Budget
from firmground.core.ports import Judge
from firmground.decide import Policy
from firmground.errors import ConfigError, InputError
from firmground.hooks import BreakerPolicy, WorkerLimits
from firmground.hooks.options import Options
from firmground.preflight import PreflightSettings, Tri
from firmground.preflight.settings import PROFILES, SIGNALS

FILE = "firmground.toml"
_ADDRESSES = ("postgresql://", "postgres://")
DEFAULT_POLICY = "balanced"
DEFAULT_JUDGE = "builtin"
DEFAULT_THREADS = 2
_TABLES = (
    "budget", "cache", "engine", "hooks", "judge", "ledger", "model", "models", "policy",
    "proxy", "retriever", "service",
)  # fmt: skip


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
    """Everything an engine is built from, as one frozen value.

    >>> Settings(policy="strict", judge="lexical").judge
    'lexical'
    """

    policy: str | Policy = DEFAULT_POLICY
    """A policy, the name of one, or the path of a policy file."""
    judge: str | Judge = DEFAULT_JUDGE
    """A judge, or the name of one: ``builtin``, ``lexical``, ``cascade:lexical,builtin``…"""
    preflight: PreflightSettings = PreflightSettings()  # noqa: RUF009 - frozen
    """How questions are inspected before they are asked."""
    hooks: HookSettings | None = None
    """External checks; None when there are none."""
    models: ModelSettings | None = None
    """Models, and what is asked of them; None when none is asked."""
    retriever: str | None = None
    """Name of an installed retriever; None when evidence is given with every call."""
    retriever_options: tuple[tuple[str, Any], ...] = ()
    model: str | None = None
    """Name of an installed model that writes answers; None when ``models`` says who does."""
    model_options: tuple[tuple[str, Any], ...] = ()
    store: str | None = None
    """Name of an installed store for the ledger; None for SQLite."""
    ledger: Path | str | None = None
    """File in which every run is kept; None when runs are not kept."""
    signer: Path | str | None = None
    """Key file that signs the ledger's checkpoints."""
    witnesses: tuple[tuple[str, str], ...] = ()
    """(address, public key) of the witnesses that cosign every checkpoint."""
    cache: CacheSettings | None = None
    """Answers that stood are served again; None when every question is asked again."""
    budget: Budget = Budget()  # noqa: RUF009 - frozen
    """Limits for one question, unless the call says otherwise."""
    threads: int = DEFAULT_THREADS
    """How many checks compute at the same time."""
    service: ServiceSettings = ServiceSettings()  # noqa: RUF009 - frozen
    """Where ``firmground serve`` listens, and its limits."""
    proxy: ProxySettings | None = None
    """Models behind ``firmground serve``, and what may leave; None when it is no proxy."""
    file: Path | None = None
    """The file they were read from."""
    tables: frozenset[str] = frozenset()
    """The tables of that file."""

    def __post_init__(self) -> None:
        if isinstance(self.threads, bool) or not isinstance(self.threads, int) or self.threads < 1:
            raise InputError(f"settings.threads must be a whole number from 1 on: {self.threads!r}")

    @classmethod
    def load(cls, path: Path | str = FILE) -> Self:
        """Read a settings file; every error names the file, the line and the key."""
        return cls(**_read(Path(path)))

    @property
    def base(self) -> Path:
        """The folder that relative paths in the file are relative to."""
        return Path.cwd() if self.file is None else self.file.absolute().parent


def load_settings(path: Path | str = FILE) -> Settings:
    """Read a settings file; every error names the file, the line and the key."""
    return Settings.load(path)


def _read(path: Path) -> dict[str, Any]:
    given = read_document(path)
    document = from_parent(given)
    top = Options(document.values, file=str(path), lines=document.lines)
    found: dict[str, Any] = {
        "file": document.file,
        "tables": frozenset(given.values) | frozenset(document.values),
        "preflight": _preflight(top.table("preflight")),
    }
    for name in _TABLES:
        if top.has(name):
            found |= _READERS[name](top.table(name), path)
        top.raw(name, None)
    top.close()
    return found


def _engine(table: Options, file: Path) -> dict[str, Any]:
    threads = _above_zero(table, "threads", DEFAULT_THREADS, whole=True)
    table.close()
    return {"threads": threads}


def _ledger(table: Options, file: Path) -> dict[str, Any]:
    paths = {"ledger": table.text("file"), "signer": table.text("signer", None)}
    store = table.text("store", None)
    witnesses = tuple(_witness(one) for one in table.tables("witness"))
    table.close()
    found: dict[str, Path | str] = {
        key: value if value.startswith(_ADDRESSES) else file.parent / value
        for key, value in paths.items()
        if value is not None
    }
    return {**found, "store": store, "witnesses": witnesses}


def _witness(table: Options) -> tuple[str, str]:
    url, key = table.text("url"), table.text("key")
    table.close()
    return url, key


def _budget(table: Options, file: Path) -> dict[str, Any]:
    plain = Budget()
    names = ("regenerations", "replans", "model_calls", "tokens")
    values: dict[str, Any] = {name: table.whole(name, getattr(plain, name)) for name in names}
    values["seconds"] = table.number("seconds", plain.seconds)
    table.close()
    return {"budget": _made(Budget, table, values)}


def _installed(part: str, table: Options) -> dict[str, Any]:
    """A part that an installed package offers: its name, and options that are its own."""
    name = table.text("use")
    return {part: name, f"{part}_options": tuple(sorted(table.rest().items()))}


_OWN_JUDGES = ("builtin", "lexical")


def _judge(table: Options, file: Path) -> dict[str, Any]:
    name = table.text("use", None)
    if not name:
        table.wrong("use", "must name a judge")
    off = table.texts("without", ())
    if off and str(name) not in _OWN_JUDGES:
        table.wrong("without", f"leaves checks out of {' and '.join(_OWN_JUDGES)} only")
    table.close()
    return {"judge": f"{name}!{','.join(off)}" if off else str(name)}


def _preflight(table: Options) -> PreflightSettings:
    most = table.table(table.renamed("most", "max_penalty"))
    values: dict[str, Any] = {
        "enabled": table.flag("enabled", None),
        "profile": table.choice("profile", PROFILES, "default"),
        "block_below": _tri(table, "block_below"),
        "partial_below": _tri(table, "partial_below"),
        "max_penalty": tuple((name, _tri(most, name)) for name in SIGNALS if most.has(name)),
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


_READERS: dict[str, Any] = {
    "budget": _budget,
    "cache": lambda table, file: {"cache": read_cache(table, file)},
    "engine": _engine,
    "hooks": lambda table, file: {"hooks": _hooks(table)},
    "judge": _judge,
    "ledger": _ledger,
    "model": lambda table, file: _installed("model", table),
    "models": lambda table, file: {"models": read_models(table)},
    "policy": lambda table, file: {"policy": read_policy(table, file)},
    "retriever": lambda table, file: _installed("retriever", table),
    "proxy": lambda table, file: {"proxy": read_proxy(table, file)},
    "service": lambda table, file: {"service": read_service(table, file)},
}
