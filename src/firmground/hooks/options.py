"""Settings of one table, read strictly: every mistake names the file, the line and the key."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Final, NoReturn

from firmground.errors import ConfigError, did_you_mean


class _Required:
    pass


REQUIRED: Final = _Required()


class Options:
    """One table of a settings file. Each key is read once; what nobody read is an error."""

    def __init__(
        self,
        values: Mapping[str, Any],
        *,
        file: str = "settings",
        path: str = "",
        lines: Mapping[str, int] | None = None,
    ) -> None:
        self._values = dict(values)
        self._file = file
        self._path = path
        self._lines = lines or {}
        self._read: set[str] = set()

    def where(self, key: str = "") -> str:
        """``file, line 12: table.key``, as far as it is known."""
        path = ".".join(part for part in (self._path, key) if part)
        line = self._line(path)
        return f"{self._file}{f', line {line}' if line else ''}: {path or 'top level'}"

    def _line(self, path: str) -> int | None:
        """The line of the key, or of the nearest thing around it, or else of one inside it."""
        inside = [line for key, line in self._lines.items() if key.startswith(f"{path}.")]
        while path and path not in self._lines:
            path = re.sub(r"(?:\.[^.\[\]]*|\[\d+\]|[^.\[\]]+)\Z", "", path)
        return self._lines.get(path, min(inside, default=None))

    def wrong(self, key: str, problem: str) -> NoReturn:
        """Refuse a key."""
        raise ConfigError(f"{self.where(key)}: {problem}")

    def has(self, key: str) -> bool:
        """True when the key is there, whatever its value."""
        return key in self._values

    def raw(self, key: str, default: Any = REQUIRED) -> Any:
        """The value as it stands in the file."""
        self._read.add(key)
        if key in self._values:
            return self._values[key]
        if isinstance(default, _Required):
            self.wrong(key, "is missing")
        return default

    def text(self, key: str, default: Any = REQUIRED) -> Any:
        """A text."""
        return self._of(key, default, str, "a text")

    def flag(self, key: str, default: Any = REQUIRED) -> Any:
        """True or false, and nothing that merely looks like it."""
        return self._of(key, default, bool, "true or false")

    def whole(self, key: str, default: Any = REQUIRED) -> Any:
        """A whole number."""
        return self._of(key, default, int, "a whole number")

    def number(self, key: str, default: Any = REQUIRED) -> Any:
        """A number; whole ones will do."""
        value = self._of(key, default, (int, float), "a number")
        try:
            value = float(value) if isinstance(value, int) else value
        except OverflowError:
            value = math.inf
        if key in self._values and not math.isfinite(value):
            self.wrong(key, f"must be a finite number, got {value!r}")
        return value

    def _of(self, key: str, default: Any, kind: Any, words: str) -> Any:
        value = self.raw(key, default)
        if key not in self._values:
            return value
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            self.wrong(key, f"must be {words}, got {value!r}")
        return value

    def texts(self, key: str, default: Any = REQUIRED) -> Any:
        """A list of texts."""
        value = self.raw(key, default)
        if key not in self._values:
            return value
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            self.wrong(key, f"must be a list of texts, got {value!r}")
        return tuple(value)

    def pairs(self, key: str, default: Any = REQUIRED) -> Any:
        """A table of texts, in its order."""
        value = self.raw(key, default)
        if key not in self._values:
            return value
        if not isinstance(value, dict) or not all(
            isinstance(k, str) and isinstance(v, str) for k, v in value.items()
        ):
            self.wrong(key, "must be a table of texts")
        return tuple(value.items())

    def choice(self, key: str, known: tuple[str, ...], default: Any = REQUIRED) -> Any:
        """One of several words."""
        value = self.text(key, default)
        if key in self._values and value not in known:
            near = did_you_mean(value, known)
            self.wrong(key, f"{value!r} is unknown{near}; use one of {', '.join(known)}")
        return value

    def table(self, key: str) -> Options:
        """A table inside this one, empty when it is not there."""
        value = self.raw(key, {})
        if not isinstance(value, dict):
            self.wrong(key, "must be a table")
        return Options(value, file=self._file, path=self._join(key), lines=self._lines)

    def tables(self, key: str) -> tuple[Options, ...]:
        """A list of tables inside this one."""
        value = self.raw(key, [])
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self.wrong(key, "must be a list of tables")
        return tuple(
            Options(item, file=self._file, path=f"{self._join(key)}[{number}]", lines=self._lines)
            for number, item in enumerate(value)
        )

    def rest(self) -> dict[str, Any]:
        """Every key nobody has read yet; they count as read afterwards."""
        left = {key: value for key, value in self._values.items() if key not in self._read}
        self._read.update(left)
        return left

    def close(self) -> None:
        """Refuse the first key that nobody asked for."""
        for key in map(str, self._values):
            if key not in self._read:
                known = ", ".join(sorted(self._read))
                self.wrong(key, f"unknown key{did_you_mean(key, self._read)} (known: {known})")

    def _join(self, key: str) -> str:
        return f"{self._path}.{key}" if self._path else key
