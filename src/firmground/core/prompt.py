"""Versioned prompt files, whose digests are recorded."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from firmground.errors import InputError

_SLOT = re.compile(r"\{\{([a-z_]+)\}\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """One versioned prompt; ``{{slots}}`` are the only part that changes between calls."""

    name: str
    """File name without its ending: what it is for, a dot, the version."""
    text: str
    digest: str
    """SHA-256 of the file's bytes, in hexadecimal."""

    @property
    def mark(self) -> tuple[str, str]:
        """Name and digest, as they stand in findings."""
        return (self.name, self.digest)

    def fill(self, **values: str) -> str:
        """Put the values into their slots; a missing or unknown slot is an error."""
        slots = set(_SLOT.findall(self.text))
        if slots != set(values):
            raise InputError(
                f"prompt {self.name} has the slots {sorted(slots)}, got {sorted(values)}"
            )
        return _SLOT.sub(lambda found: values[found.group(1)], self.text)


def marks_of(package: str) -> tuple[tuple[str, str], ...]:
    """Name and digest of every prompt file a package has, by name."""
    places = (files(package) / "prompts").iterdir()
    names = sorted(p.name.removesuffix(".txt") for p in places if p.name.endswith(".txt"))
    return tuple(load_prompt(package, name).mark for name in names)


@cache
def load_prompt(package: str, name: str) -> Prompt:
    """Read ``prompts/<name>.txt`` of a package."""
    try:
        data = (files(package) / "prompts" / f"{name}.txt").read_bytes()
    except FileNotFoundError:
        raise InputError(f"{package} has no prompt named {name!r}") from None
    text = data.decode("utf-8").strip()
    return Prompt(name=name, text=text, digest=hashlib.sha256(data).hexdigest())
