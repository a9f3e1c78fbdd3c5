"""Settings of one table, read strictly: every mistake names the file, the line and the key."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Mapping
from typing import Any, Final, NoReturn

from firmground.errors import ConfigError, did_you_mean


class _Required:
    pass


REQUIRED: Final = _Required()


class Options:
    """One table of a settings file. Each key is read once; a key that was not read is an error."""

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
        self._collected: list[str] | None = None

    def collect(self) -> None:
        """From here on collect errors in values, so that all of them can be reported."""
        self._collected = []

    @property
    def problems(self) -> tuple[str, ...]:
        """What was kept."""
        return tuple(self._collected or ())

    def refuse(self, key: str, problem: str, instead: Any) -> Any:
        """Refuse a value, or keep the refusal and hand out a stand-in."""
        self._keep(key, problem)
        return instead

    def _keep(self, key: str, problem: str) -> None:
        where = self.where(key)
        if self._collected is None:
            raise ConfigError(f"{where}: {problem}")
        # An error caused by a placeholder is not reported beside the error it stands for.
        if not any(kept.startswith(f"{where}: ") for kept in self._collected):
            self._collected.append(f"{where}: {problem}")

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
        """Refuse a key, after everything that was kept."""
        self._keep(key, problem)
        raise ConfigError(*self.problems)

    def has(self, key: str) -> bool:
        """True when the key is there, whatever its value."""
        return key in self._values

    def renamed(self, old: str, new: str) -> str:
        """Return the key to read: ``new``, or ``old`` with a warning when only that is there."""
        if old not in self._values or new in self._values:
            return new
        warnings.warn(f"{self.where(old)}: the key is now {new!r}", FutureWarning, stacklevel=2)
        return old

    def raw(self, key: str, default: Any = REQUIRED, *, instead: Any = None) -> Any:
        """The value as it stands in the file."""
        self._read.add(key)
        if key in self._values:
            return self._values[key]
        if isinstance(default, _Required):
            return self.refuse(key, "is missing", instead)
        return default

    def text(self, key: str, default: Any = REQUIRED) -> Any:
        """A text."""
        return self._of(key, default, str, "a text", "")

    def plain(self, key: str, default: Any = REQUIRED) -> Any:
        """A text, a number, or true or false."""
        value = self.raw(key, default, instead="")
        if key in self._values and not isinstance(value, str | int | float):
            return self.refuse(key, f"must be a text, a number or true/false, got {value!r}", "")
        return value

    def flag(self, key: str, default: Any = REQUIRED) -> Any:
        """True or false, and nothing that merely looks like it."""
        return self._of(key, default, bool, "true or false", False)

    def whole(self, key: str, default: Any = REQUIRED) -> Any:
        """A whole number."""
        return self._of(key, default, int, "a whole number", 1)

    def number(self, key: str, default: Any = REQUIRED) -> Any:
        """A number; whole ones will do."""
        value = self._of(key, default, (int, float), "a number", 1.0)
        try:
            value = float(value) if isinstance(value, int) else value
        except OverflowError:
            value = math.inf
        if key in self._values and not math.isfinite(value):
            return self.refuse(key, f"must be a finite number, got {value!r}", 1.0)
        return value

    def _of(self, key: str, default: Any, kind: Any, words: str, instead: Any) -> Any:
        value = self.raw(key, default, instead=instead)
        if key not in self._values:
            return value
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            return self.refuse(key, f"must be {words}, got {value!r}", instead)
        return value

    def texts(self, key: str, default: Any = REQUIRED) -> Any:
        """A list of texts."""
        value = self.raw(key, default, instead=())
        if key not in self._values:
            return value
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            return self.refuse(key, f"must be a list of texts, got {value!r}", ())
        return tuple(value)

    def pairs(self, key: str, default: Any = REQUIRED) -> Any:
        """A table of texts, in its order."""
        value = self.raw(key, default, instead=())
        if key not in self._values:
            return value
        if not isinstance(value, dict) or not all(
            isinstance(k, str) and isinstance(v, str) for k, v in value.items()
        ):
            return self.refuse(key, "must be a table of texts", ())
        return tuple(value.items())

    def choice(self, key: str, known: tuple[str, ...], default: Any = REQUIRED) -> Any:
        """One of several words."""
        value = self.text(key, default)
        if key in self._values and value not in known:
            near = did_you_mean(value, known)
            told = f"{value!r} is unknown{near}; use one of {', '.join(known)}"
            return self.refuse(key, told, known[0])
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
        """Every key that was not read yet; they count as read afterwards."""
        left = {key: value for key, value in self._values.items() if key not in self._read}
        self._read.update(left)
        return left

    def close(self) -> None:
        """Refuse all keys that were not read, in one error."""
        if unknown := self.unknown():
            raise ConfigError(*unknown)

    def unknown(self, known: tuple[str, ...] = ()) -> tuple[str, ...]:
        """The message for each key that is unknown or was not read."""
        names = set(known) or self._read
        told = []
        for key in map(str, self._values):
            if key not in names:
                listed = ", ".join(sorted(names))
                told.append(
                    f"{self.where(key)}: unknown key{did_you_mean(key, names)} (known: {listed})"
                )
        return tuple(told)

    def _join(self, key: str) -> str:
        return f"{self._path}.{key}" if self._path else key
