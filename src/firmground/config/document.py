"""A settings file as plain values, with the line each key stands on."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from firmground.errors import ConfigError, MissingExtra

_HEADER = re.compile(r"\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"\s*((?:[A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*')(?:\s*\.\s*[A-Za-z0-9_-]+)*)\s*=")
_MOST_BYTES = 1 << 20
_MOST_YAML_BYTES = 1 << 18
"""Its reader takes seconds for a megabyte."""
_MOST_KEYS = 10_000
_MOST_DEPTH = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingsDocument:
    """What a settings file says, and where."""

    file: Path
    values: dict[str, Any]
    lines: dict[str, int]
    """Line of each key by its dotted path, ``hooks.use[0].root``."""


def read_document(path: Path) -> SettingsDocument:
    """Read TOML, or YAML where the name says so."""
    try:
        with path.open("rb") as file:
            raw = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from None
    if len(raw) > _MOST_BYTES:
        raise ConfigError(f"{path}: longer than {_MOST_BYTES} bytes")
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 at byte {error.start}") from None
    if path.suffix in (".yaml", ".yml"):
        if len(raw) > _MOST_YAML_BYTES:
            raise ConfigError(f"{path}: longer than {_MOST_YAML_BYTES} bytes")
        return _yaml(path, text)
    try:
        values = tomllib.loads(text)
    except ValueError as error:
        # A number of more digits than Python reads is a plain ValueError.
        raise ConfigError(f"{path}: is not TOML: {error}") from None
    except RecursionError:
        raise ConfigError(f"{path}: is nested too deep") from None
    return SettingsDocument(file=path, values=values, lines=dict(_toml_lines(text)))


def _toml_lines(text: str) -> Iterator[tuple[str, int]]:
    """Where each table and key begins. Only for messages: the parser decides what they say."""
    table = ""
    counts: dict[str, int] = {}
    inside = _OpenValue()
    for number, line in enumerate(text.splitlines(), 1):
        if inside.value:
            inside.read(line)
            continue
        if header := _HEADER.match(line):
            name = re.sub(r"[\s\"']", "", header.group(2))
            table = _numbered(name, counts, many=header.group(1) == "[[")
            yield table, number
        elif key := _KEY.match(line):
            name = re.sub(r"[\s\"']", "", key.group(1))
            yield (f"{table}.{name}" if table else name), number
            inside.read(line[key.end() :])


def _numbered(name: str, counts: dict[str, int], *, many: bool) -> str:
    """``hooks.use`` as ``hooks.use[1]`` when it is the second of its kind."""
    if many:
        counts[name] = counts.get(name, -1) + 1
    parts = name.split(".")
    made = ""
    for end in range(1, len(parts) + 1):
        prefix = ".".join(parts[:end])
        made = f"{made}.{parts[end - 1]}" if made else parts[0]
        if prefix in counts:
            made += f"[{counts[prefix]}]"
    return made


class _OpenValue:
    """Whether a value goes on over the next line: long texts, lists and tables."""

    def __init__(self) -> None:
        self._quote = ""
        self._depth = 0

    @property
    def value(self) -> bool:
        return bool(self._quote) or self._depth > 0

    def read(self, text: str) -> None:
        position = 0
        while position < len(text):
            if self._quote:
                end = text.find(self._quote, position)
                if end < 0:
                    position = len(text)
                    if len(self._quote) == 1:
                        self._quote = ""
                else:
                    position, self._quote = end + len(self._quote), ""
                continue
            position = self._step(text, position)

    def _step(self, text: str, position: int) -> int:
        for quote in ('"""', "'''", '"', "'"):
            if text.startswith(quote, position):
                self._quote = quote
                return position + len(quote)
        sign = text[position]
        if sign == "#":
            return len(text)
        self._depth += (sign in "[{") - (sign in "]}")
        return position + 1


def _yaml(path: Path, text: str) -> SettingsDocument:
    try:
        import yaml
    except ImportError:
        raise MissingExtra(package="PyYAML", extra="yaml", purpose=f"reading {path}") from None
    try:
        _shallow(path, text)
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
        lines = dict(islice(_yaml_lines(path, node, ""), _MOST_KEYS + 1))
        if len(lines) > _MOST_KEYS:
            # Aliases of aliases: a few lines that stand for millions.
            raise ConfigError(f"{path}: stands for more than {_MOST_KEYS} keys")
        values = None if node is None else loader.construct_document(node)
    except ConfigError:
        raise
    except (yaml.YAMLError, ValueError) as error:
        # An invalid date and a number of too many digits are plain ValueErrors.
        raise ConfigError(_not_yaml(path, error)) from None
    except RecursionError:
        raise ConfigError(f"{path}: is nested too deep") from None
    if values is None:
        values = {}
    if not isinstance(values, dict):
        raise ConfigError(f"{path}: must be a table at the top")
    return SettingsDocument(file=path, values=values, lines=lines)


def _not_yaml(path: Path, error: Exception) -> str:
    """One line; the reader itself takes several, and knows no file name."""
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    line = f", line {mark.line + 1}" if mark is not None else ""
    why = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
    return f"{path}{line}: is not YAML: {' '.join(str(why).split())}"


def _shallow(path: Path, text: str) -> None:
    """Refuse nesting that the reader would take seconds to give up on."""
    depth = 0
    for match in re.finditer(r"[\[{\]}]", text):
        depth = max(0, depth + (1 if match.group() in "[{" else -1))
        if depth > _MOST_DEPTH:
            raise ConfigError(f"{path}: is nested too deep")


def _yaml_lines(path: Path, node: Any, prefix: str) -> Iterator[tuple[str, int]]:
    if node is None:
        return
    if node.id == "mapping":
        seen = set()
        for key, value in node.value:
            line = key.start_mark.line + 1
            if key.id != "scalar" or not key.tag.endswith((":str", ":merge")):
                raise ConfigError(f"{path}, line {line}: a key must be a plain text")
            if key.value in seen:
                raise ConfigError(f"{path}, line {line}: {key.value} stands twice")
            seen.add(key.value)
            name = f"{prefix}.{key.value}" if prefix else str(key.value)
            yield name, line
            yield from _yaml_lines(path, value, name)
    elif node.id == "sequence":
        for number, value in enumerate(node.value):
            name = f"{prefix}[{number}]"
            yield name, value.start_mark.line + 1
            yield from _yaml_lines(path, value, name)
