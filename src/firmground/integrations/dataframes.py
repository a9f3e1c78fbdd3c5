"""Data frames: check every row of a pandas or polars frame.

Importing this module also registers the accessor ``df.firmground`` where the library allows it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from firmground.adapters.extras import need
from firmground.engine import Engine, Failure, Result, default_engine
from firmground.errors import InputError

if TYPE_CHECKING:
    from firmground.decide import Policy

COLUMNS = ("verdict", "stands", "support", "risk", "problems", "run")


def check_frame(
    frame: Any,
    *,
    answer: str = "answer",
    evidence: str = "evidence",
    question: str | None = None,
    engine: Engine | None = None,
    policy: str | Policy | None = None,
    progress: bool = True,
    prefix: str = "",
) -> Any:
    """Return the frame with the columns verdict, stands, support, risk, problems and run.

    ``answer``, ``evidence`` and ``question`` name columns; evidence is a text or a list of texts.
    ``prefix`` goes before the names of the new columns. A row that cannot be checked, such as
    one without evidence, has the verdict ``could_not_tell`` and the reason in ``problems``.
    ``progress`` shows a bar on a terminal or in a notebook.
    """
    _require_columns(frame, [answer, evidence, *([question] if question else [])])
    asked = frame[question] if question else [None] * len(frame)
    rows = (
        {"answer": a, "evidence": _pieces(e), **({"question": str(q)} if _is_text(q) else {})}
        for a, e, q in zip(frame[answer], frame[evidence], asked, strict=True)
    )
    checked = (engine or default_engine()).check_many(rows, policy=policy)
    found = [_cells(one) for one in _shown(checked, len(frame), progress)]
    columns = {f"{prefix}{name}": [row[name] for row in found] for name in COLUMNS}
    if hasattr(frame, "iloc"):
        return frame.assign(**columns)
    polars = need("polars", package="polars", extra="dataframes", purpose="check_frame")
    return frame.with_columns([polars.Series(name, values) for name, values in columns.items()])


def _require_columns(frame: Any, names: list[str]) -> None:
    missing = [name for name in names if name not in list(frame.columns)]
    if missing:
        known = ", ".join(map(str, frame.columns))
        raise InputError(f"the frame has no column {missing[0]!r}; it has {known}")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _pieces(value: Any) -> Any:
    """Evidence of one cell: a text, or a list of whatever sort the library keeps."""
    if isinstance(value, str):
        return value
    return [str(one) for one in value] if hasattr(value, "__iter__") else []


def _cells(found: Result | Failure) -> dict[str, Any]:
    if isinstance(found, Failure):
        told = {"verdict": "could_not_tell", "stands": False, "support": None, "risk": None}
        return {**told, "problems": str(found), "run": None}
    return {
        "verdict": str(found.verdict),
        "stands": found.stands,
        "support": found.support,
        "risk": found.risk,
        "problems": "\n".join(str(claim) for claim in found.problems),
        "run": found.run_id or found.root,
    }


def _shown(rows: Iterator[Any], total: int, progress: bool) -> Iterator[Any]:
    if not progress:
        return rows
    from rich.progress import track

    return iter(track(rows, description="checking", total=total, transient=True))


class Accessor:
    """``df.firmground``: the same checks as a method of the frame."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    def check(self, **given: Any) -> Any:
        """Check every row; the arguments are those of ``check_frame``."""
        return check_frame(self._frame, **given)


def register() -> None:
    """Register the accessor with the libraries that are installed."""
    try:
        from pandas.api.extensions import register_dataframe_accessor
    except ImportError:
        pass
    else:
        register_dataframe_accessor("firmground")(Accessor)
    try:
        from polars.api import register_dataframe_namespace
    except ImportError:
        pass
    else:
        register_dataframe_namespace("firmground")(Accessor)


register()
