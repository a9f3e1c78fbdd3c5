"""Parts that other installed packages offer, by entry point.

::

    [project.entry-points."firmground.judges"]
    mine = "my_package:MyJudge"

Groups: ``firmground.judges``, ``firmground.retrievers``, ``firmground.rules``,
``firmground.stores``, ``firmground.models``, ``firmground.signers``,
``firmground.evidence_readers`` and ``firmground.hooks``.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from firmground.errors import ConfigError, did_you_mean

GROUPS = (
    "evidence_readers", "hooks", "judges", "models", "retrievers", "rules", "signers", "stores",
)  # fmt: skip


@cache
def offered(group: str) -> dict[str, Any]:
    """Return the entry points of a group by name; none of them is loaded."""
    from importlib.metadata import entry_points  # only a name that is not ours pays for it

    return {point.name: point for point in entry_points(group=f"firmground.{group}")}


def load(group: str, name: str) -> Any:
    """Load what an installed package offers under a name; an unknown name is an error."""
    points = offered(group)
    if name not in points:
        near = did_you_mean(name, points)
        known = ", ".join(sorted(points)) or "none is installed"
        raise ConfigError(f"firmground.{group}: there is no {name!r}{near}; known: {known}")
    try:
        return points[name].load()
    except Exception as error:
        raise ConfigError(f"firmground.{group}: {name} cannot be loaded: {error}") from error


@cache
def installed(group: str) -> dict[str, Any]:
    """Load everything that installed packages offer in a group, by name."""
    return {name: load(group, name) for name in offered(group)}
