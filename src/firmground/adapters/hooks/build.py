"""Builds hooks from settings: one builder for each kind, and loaders for third-party hooks."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, is_dataclass
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from firmground.adapters.hooks._rows import EXPECTATIONS, Expectation
from firmground.adapters.hooks.arithmetic import ArithmeticHook
from firmground.adapters.hooks.citation import CitationHook
from firmground.adapters.hooks.command import CommandHook
from firmground.adapters.hooks.file_checksum import FileChecksumHook
from firmground.adapters.hooks.http_api import HttpApiHook
from firmground.adapters.hooks.json_schema import JsonSchemaHook
from firmground.adapters.hooks.keys import COMMON_KEYS, KEYS, OptionKey
from firmground.adapters.hooks.ledger_record import LedgerRecordHook
from firmground.adapters.hooks.postgres import PostgresHook
from firmground.adapters.hooks.regex import RegexHook
from firmground.adapters.hooks.sqlite import SqliteHook
from firmground.core.ports import Hook
from firmground.errors import ConfigError, InputError, did_you_mean
from firmground.hooks import Phase, Registered, WorkerLimits
from firmground.hooks.foreign import MAKING_SECONDS, HookRecipe, described
from firmground.hooks.options import REQUIRED, Options
from firmground.hooks.registered import DEFAULT_TIMEOUT_SECONDS

COMMON = tuple(key.name for key in COMMON_KEYS)
"""The keys every hook has."""
GROUP = "firmground.hooks"
"""Entry-point group under which other packages offer hooks."""

Builder = Callable[[Options, str, Path], Hook | HookRecipe]


@dataclass(frozen=True, slots=True, kw_only=True)
class HookKind:
    """A kind of hook that settings can name."""

    name: str
    build: Builder
    hook: type

    @property
    def about(self) -> str:
        """What it does, for people."""
        return self.hook.__doc__ or ""

    @property
    def keys(self) -> tuple[OptionKey, ...]:
        """The keys it knows, besides those that all hooks have."""
        return KEYS[self.name]

    @property
    def options(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(key.name for key in self.keys)

    def default(self, key: str) -> str:
        """What holds when the key is left out, in words."""
        if not is_dataclass(self.hook):
            return "required" if key == "factory" else ""
        value = next((field.default for field in fields(self.hook) if field.name == key), None)
        if value is MISSING:
            return "required"
        return f"default {_worded(value)}" if _worded(value) else ""


def _worded(value: object) -> str:
    """A default as the settings would write it; empty where leaving the key out is the default."""
    if value is None or value == ():
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Expectation):
        value = value.kind
    if isinstance(value, str):
        return f'"{value}"'
    return f"{value:g}" if isinstance(value, float) else str(value)


def _file_checksum(options: Options, name: str, base: Path) -> Hook:
    return FileChecksumHook(
        name=name,
        root=_folder(options, "root", base),
        expected=options.pairs("expected"),
        algorithm=options.text("algorithm", "sha256"),
        allow_weak=options.flag("allow_weak", False),
        most_bytes=options.whole("most_bytes", 1 << 30),
    )


def _json_schema(options: Options, name: str, base: Path) -> Hook:
    return JsonSchemaHook(
        name=name,
        schema=_text_or_file(options, "schema", base),
        source=options.text("source", "answer"),
        pointer=options.text("pointer", ""),
    )


def _http_api(options: Options, name: str, base: Path) -> Hook:
    return HttpApiHook(
        name=name,
        url=options.text("url"),
        allow=options.texts("allow"),
        query=options.pairs("query", ()),
        headers=_from_environment(options, "headers_from_environment"),
        query_secrets=_from_environment(options, "query_from_environment"),
        pointer=options.text("pointer", None),
        equals=options.plain("equals", None),
        fresh_pointer=options.text("fresh_pointer", None),
        fresh_seconds=options.number("fresh_seconds", None),
        private=options.flag("private", False),
        most_bytes=options.whole("most_bytes", 1 << 20),
    )


def _from_environment(options: Options, key: str) -> tuple[tuple[str, str], ...]:
    """Secrets come from the environment, so that settings hold none."""
    found = []
    for name, variable in options.pairs(key, ()):
        value = os.environ.get(variable)
        if value is None:
            value = options.refuse(f"{key}.{name}", f"${variable} is not set", "")
        found.append((name, value))
    return tuple(found)


def _sqlite(options: Options, name: str, base: Path) -> Hook:
    path = base / options.text("path")
    if not path.is_file():
        options.refuse("path", f"there is no file {path}", None)
    return SqliteHook(
        name=name,
        path=str(path),
        query=options.text("query"),
        parameters=options.pairs("parameters", ()),
        expect=_expectation(options),
        query_seconds=options.number("query_seconds", 5.0),
        most_rows=options.whole("most_rows", 1000),
    )


def _postgres(options: Options, name: str, base: Path) -> Hook:
    return PostgresHook(
        name=name,
        dsn_variable=options.text("dsn_variable"),
        query=options.text("query"),
        parameters=options.pairs("parameters", ()),
        expect=_expectation(options),
        query_seconds=options.number("query_seconds", 5.0),
        most_rows=options.whole("most_rows", 1000),
    )


def _command(options: Options, name: str, base: Path) -> Hook:
    return CommandHook(
        name=name,
        argv=_argv(options, base),
        environment=options.pairs("environment", ()),
        folder=_folder(options, "folder", base, "/"),
        network=options.flag("network", False),
        cpu_seconds=options.whole("cpu_seconds", 10),
        memory_bytes=options.whole("memory_bytes", 1 << 30),
        processes=options.whole("processes", 64),
        most_output=options.whole("most_output", 1 << 16),
    )


def _argv(options: Options, base: Path) -> tuple[str, ...]:
    """A program beside the settings is written with ``./``; nothing is looked for on a path."""
    argv: tuple[str, ...] = options.texts("argv")
    if argv and argv[0].startswith(("./", "../")):
        return (str(base / argv[0]), *argv[1:])
    return argv


def _regex(options: Options, name: str, base: Path) -> Hook:
    return RegexHook(
        name=name,
        must=options.texts("must", ()),
        must_not=options.texts("must_not", ()),
        source=options.text("source", "answer"),
    )


def _arithmetic(options: Options, name: str, base: Path) -> Hook:
    return ArithmeticHook(name=name, source=options.text("source", "answer"))


def _citation(options: Options, name: str, base: Path) -> Hook:
    return CitationHook(name=name, required=options.flag("required", True))


def _ledger_record(options: Options, name: str, base: Path) -> Hook:
    return LedgerRecordHook(
        name=name,
        root=_folder(options, "root", base),
        keys=options.texts("keys"),
        run=options.text("run", "metadata:run"),
        file=options.text("file", "{run}.bundle.json"),
        step=options.text("step", ""),
    )


class OwnHook:
    """A hook of your own, made by ``factory`` (``module:name``); runs in a worker process."""


def _python(options: Options, name: str, base: Path) -> HookRecipe:
    reference = options.text("factory")
    module, colon, attribute = reference.partition(":")
    if not module or not colon or not attribute:
        options.wrong("factory", f"{reference!r} must be module:name")
    given = options.raw("options", {})
    if not isinstance(given, dict):
        options.wrong("options", f"must be a table, got {given!r}")
    return HookRecipe(factory=reference, options=given, folder=str(base))


def _folder(options: Options, key: str, base: Path, default: Any = REQUIRED) -> str:
    path = base / options.text(key, default)
    if not path.is_dir():
        options.refuse(key, f"there is no folder {path}", None)
    return str(path)


def _text_or_file(options: Options, key: str, base: Path) -> str:
    """A schema as a table or written out, or the path of a file that holds it."""
    if isinstance(options.raw(key), dict):
        return _as_json(options, key)
    value: str = options.text(key)
    if value.lstrip().startswith(("{", "[")):
        return value
    try:
        return (base / value).read_text("utf-8")
    except OSError as error:
        options.wrong(key, f"{base / value} cannot be read: {error.strerror}")
    except UnicodeDecodeError as error:
        options.wrong(key, f"{base / value} is not UTF-8 at byte {error.start}")


def _as_json(options: Options, key: str) -> str:
    try:
        return json.dumps(options.raw(key))
    except (TypeError, ValueError) as error:
        options.wrong(key, f"cannot be JSON: {error}")


def _expectation(options: Options) -> Expectation:
    kind = options.choice("expect", EXPECTATIONS, "rows")
    value = options.plain("equals", "")
    if kind == "equals" and not options.has("equals"):
        options.wrong("equals", 'is missing: expect = "equals" compares with it')
    if kind != "equals" and options.has("equals"):
        options.wrong("equals", f'goes with expect = "equals", and expect is "{kind}"')
    return Expectation(kind=kind, value=value)


KINDS: dict[str, HookKind] = {
    name: HookKind(name=name, build=build, hook=hook)
    for name, build, hook in (
        ("file_checksum", _file_checksum, FileChecksumHook),
        ("json_schema", _json_schema, JsonSchemaHook),
        ("http_api", _http_api, HttpApiHook),
        ("sqlite", _sqlite, SqliteHook),
        ("postgres", _postgres, PostgresHook),
        ("command", _command, CommandHook),
        ("regex", _regex, RegexHook),
        ("arithmetic", _arithmetic, ArithmeticHook),
        ("citation", _citation, CitationHook),
        ("ledger_record", _ledger_record, LedgerRecordHook),
        ("python", _python, OwnHook),
    )
}
_INLINE = frozenset(KINDS) - {"python"}
"""Ours, and written not to block: they run in the event loop."""


def plugins() -> dict[str, EntryPoint]:
    """Hooks that other installed packages offer, by name; none of them is imported for it."""
    return {point.name: point for point in entry_points(group=GROUP)}


def build_hook(
    options: Options, *, base: Path, position: int = 0, limits: WorkerLimits | None = None
) -> Registered:
    """Build one hook from its table; every mistake is an error that names the key.

    ``position`` counts the nameless hooks of this kind before it: the second is ``kind_2``.
    A hook of others is imported and made in a worker process under ``limits``, never here.
    """
    options.collect()
    problems: list[str] = []
    try:
        hook = _registered(options, base, position, limits)
    except ConfigError as error:
        problems = list(error.problems)
    except InputError as error:
        problems = [f"{options.where(_key_in(str(error), options))}: {error}"]
    except (TypeError, ValueError, AttributeError):
        # A stand-in for a value that was refused already does not go further.
        if not options.problems:
            raise
    # Report what was refused first; errors caused by its placeholder are left out.
    unknown = options.unknown(_known_keys(options))
    told = [*(options.problems or problems), *unknown]
    if told:
        raise ConfigError(*told)
    return hook


def _registered(
    options: Options, base: Path, position: int, limits: WorkerLimits | None
) -> Registered:
    kind = options.text("type")
    given = options.text("name", "")
    name = given or (kind if position == 0 else f"{kind}_{position + 1}")
    ours = kind in _INLINE
    common = {
        "phase": Phase(options.choice("phase", tuple(Phase), "after")),
        "timeout_seconds": options.number("timeout_seconds", DEFAULT_TIMEOUT_SECONDS),
        "target": options.text("target", ""),
        "escalate": options.flag("escalate", None),
    }
    made = _hook(kind, options, name, base)
    sound = not options.problems and not options.unknown(_known_keys(options))
    hook = _described(made, options, limits) if isinstance(made, HookRecipe) and sound else made
    if isinstance(hook, HookRecipe):
        raise ConfigError(*options.problems)
    # A hook of others goes by its own name unless the settings give it one.
    return Registered(hook=hook, name=name if ours else given, inline=ours, **common)


def _known_keys(options: Options) -> tuple[str, ...]:
    """The keys a table of this kind may have; of a hook of others, those that were read."""
    kind = options.raw("type", "")
    return (*COMMON, *KINDS[kind].options) if kind in KINDS else ()


def _key_in(message: str, options: Options) -> str:
    """The key a hook's own complaint is about: the first of the table's keys that it names."""
    said = message.partition(": ")[2] or message
    return next((word for word in re.findall(r"\w+", said) if options.has(word)), "")


def _hook(kind: str, options: Options, name: str, base: Path) -> Hook | HookRecipe:
    if kind in KINDS:
        return KINDS[kind].build(options, name, base)
    offers = {point.value: point for point in entry_points(group=GROUP, name=kind)}
    if not offers:
        known = [*KINDS, *plugins()]
        near = did_you_mean(kind, known)
        options.wrong("type", f"{kind!r} is unknown{near}; use one of {', '.join(known)}")
    if len(offers) > 1:
        both = " and ".join(sorted(offers))
        options.wrong("type", f'{kind!r} is offered by {both}; use type = "python" and name one')
    (point,) = offers.values()
    return HookRecipe(factory=f"{point.module}:{point.attr or ''}", options=options.rest())


def _described(recipe: HookRecipe, options: Options, limits: WorkerLimits | None) -> Hook:
    """Have a worker describe a third-party hook; errors name the settings key."""
    seconds = max(MAKING_SECONDS, options.number("timeout_seconds", 0.0))
    try:
        return described(recipe, limits=limits or WorkerLimits(), seconds=seconds)
    except ConfigError as error:
        own = options.has("factory")
        arguments = own and "argument" in str(error) and "TypeError" in str(error)
        key = "options" if arguments else "factory" if own else "type"
        options.wrong(key, f"{recipe.factory} {error}")
