"""Small cases to try things on, bundled with the package."""

from __future__ import annotations

from importlib.resources import files

from firmground.errors import InputError, did_you_mean


def example_names() -> tuple[str, ...]:
    """Name every bundled example, in order."""
    names = (entry.name for entry in files(__package__).iterdir())
    return tuple(sorted(name.removesuffix(".json") for name in names if name.endswith(".json")))


def example_text(name: str) -> str:
    """Return the JSON document of one example; an unknown name is an error that lists all."""
    if name not in example_names():
        known = ", ".join(example_names())
        near = did_you_mean(name, example_names())
        raise InputError(f"there is no example {name!r}{near}; there are {known}")
    return files(__package__).joinpath(f"{name}.json").read_text(encoding="utf-8")
