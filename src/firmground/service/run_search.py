"""Queries over the index of runs: one page of a filtered list, facet values, figures by hour."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from firmground.service.problems import HttpProblem
from firmground.service.run_index import RunIndex, percentile

FACETS = ("verdict", "decision", "policy", "model", "code", "rule", "label", "shape")
MOST_ROWS = 200
MOST_WORDS = 16
_RUN_ID = re.compile(r"[0-9a-f]{6,8}(?:-[0-9a-f-]{0,28})?\Z")
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}(?:T\d{2}(?::\d{2}(?::\d{2}(?:\.\d{1,6})?)?)?Z?)?\Z")
_COLUMNS = (
    "seq", "run", "time", "question", "answer", "claims", "failing", "support", "attempts",
    "milliseconds", "calls", "tokens", "erased",
)  # fmt: skip
_SELECT = "SELECT " + ", ".join(f"run.{name}" for name in _COLUMNS)
_END = 1 << 53


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """Which runs a list shows; the same names stand in the address of a page and of the API."""

    text: str = ""
    """Words of question or answer, or the beginning of a run id."""
    since: str = ""
    until: str = ""
    facets: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, query: Mapping[str, str]) -> Filters:
        """Read filters from the parameters of an address; other parameters are left alone."""
        for name in ("since", "until"):
            if query.get(name) and not _TIME.match(query[name]):
                detail = f"{name}: must be a time such as 2026-11-18 or 2026-11-18T09:30:00Z"
                raise HttpProblem("invalid", detail, field=name)
        facets = {name: query[name] for name in FACETS if query.get(name)}
        if query.get("outcome"):
            facets["label"] = f"outcome={query['outcome']}"
        return cls(
            text=query.get("q", "").strip()[:500],
            since=query.get("since", ""),
            until=query.get("until", ""),
            facets=facets,
        )

    def parameters(self) -> dict[str, str]:
        """The filters as parameters of an address."""
        made = {"q": self.text, "since": self.since, "until": self.until, **self.facets}
        return {name: value for name, value in made.items() if value}

    def __bool__(self) -> bool:
        return bool(self.parameters())


def page_query(
    index: RunIndex, filters: Filters, *, before: int, limit: int, after: int = -1
) -> tuple[str, list[Any]]:
    """The statement and values for one page, newest first.

    It walks one ordered source downwards from ``before`` and stops at ``limit`` rows: the words'
    index if a text is searched, else the rarest facet, else the runs themselves. Further facets
    are looked up by their whole key.
    """
    upper, lower = _bounds(index, filters, before, after)
    values: list[Any] = []
    rarest_first = _by_count(index, filters.facets)
    if filters.text and not _RUN_ID.match(filters.text):
        source, key = "words JOIN run ON run.seq = words.rowid", "words.rowid"
        where, order = ["words MATCH ?"], "words.rowid"
        values.append(_match(filters.text))
    elif rarest_first and not filters.text:
        source, key = "facet AS f JOIN run ON run.seq = f.seq", "f.seq"
        where, order = ["f.name = ? AND f.value = ?"], "f.seq"
        values += rarest_first.pop(0)
    else:
        source, key, where, order = _by_id(filters.text), "run.seq", [], "run.seq"
    where.append(f"{key} < ? AND {key} >= ?")
    values += [upper, lower]
    if _RUN_ID.match(filters.text):
        where.append("run.run >= ? AND run.run < ?")
        values += [filters.text, filters.text + "~"]
    for name, value in rarest_first:
        where.append("EXISTS (SELECT 1 FROM facet_of AS o WHERE o.seq = run.seq AND o.name = ?"
                     " AND o.value = ?)")  # fmt: skip
        values += [name, value]
    sql = f"{_SELECT} FROM {source} WHERE {' AND '.join(where)} ORDER BY {order} DESC LIMIT ?"
    return sql, [*values, limit]


def _by_id(text: str) -> str:
    """The runs in the order of the log, or by their ids when the beginning of one is given."""
    return "run INDEXED BY sqlite_autoindex_run_1" if text else "run"


def _bounds(index: RunIndex, filters: Filters, before: int, after: int) -> tuple[int, int]:
    """The places in the log between which runs are looked for; times never go back in the index."""
    upper, lower = before, after + 1
    if filters.since:
        found = index.query(
            "SELECT seq FROM run WHERE at >= ? ORDER BY at, seq LIMIT 1", (filters.since,)
        )
        lower = max(lower, found[0][0] if found else _END)
    if filters.until:
        found = index.query(
            "SELECT seq FROM run WHERE at > ? ORDER BY at, seq LIMIT 1", (_last(filters.until),)
        )
        upper = min(upper, found[0][0] if found else _END)
    return upper, lower


def _last(until: str) -> str:
    """The last moment that a time such as 2026-11-18 includes."""
    return until.removesuffix("Z") + "~"


def _by_count(index: RunIndex, facets: Mapping[str, str]) -> list[tuple[str, str]]:
    counted = []
    for name, value in facets.items():
        found = index.query("SELECT n FROM facet_count WHERE name = ? AND value = ?", (name, value))
        counted.append((found[0][0] if found else 0, name, value))
    return [(name, value) for _, name, value in sorted(counted)]


def _match(text: str) -> str:
    """Words as a query of FTS5: all of them; a last word that ends in ``*`` by its beginning.

    Beginnings cost time in proportion to the runs that have one, whole words do not.
    """
    beginning = "*" if text.endswith("*") else ""
    words = [word.replace('"', '""') for word in text.replace("\0", " ").rstrip("*").split()]
    return " ".join(f'"{word}"' for word in words[:MOST_WORDS] or [""]) + beginning


def find_runs(
    index: RunIndex, filters: Filters, *, before: int = _END, limit: int = 50, after: int = -1
) -> dict[str, Any]:
    """One page of runs, newest first; ``next`` is ``before`` of the next page."""
    sql, values = page_query(index, filters, before=before, limit=limit + 1, after=after)
    rows = [dict(zip(_COLUMNS, row, strict=True)) for row in index.query(sql, values)]
    shown = rows[:limit]
    for row in shown:
        row["erased"] = bool(row["erased"])
        row["facets"] = {}
        for name, value in index.query(
            "SELECT name, value FROM facet_of WHERE seq = ?", (row["seq"],)
        ):
            row["facets"].setdefault(name, []).append(value)
    return {"runs": shown, "next": shown[-1]["seq"] if len(rows) > limit else None}


def facet_values(index: RunIndex, *, most: int = 40) -> dict[str, list[dict[str, Any]]]:
    """The commonest values of each facet with their numbers."""
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in FACETS}
    for name in FACETS:
        rows = index.query(
            "SELECT value, n FROM facet_count WHERE name = ? ORDER BY n DESC, value LIMIT ?",
            (name, most),
        )
        found[name] = [{"value": value, "runs": n} for value, n in rows]
    return found


def figures(index: RunIndex, *, since: str, until: str, step: int) -> dict[str, Any]:
    """Figures between two hours (``2026-11-18T09``), in buckets of ``step`` characters of time."""
    rows = index.query(
        f"SELECT substr(hour, 1, {step:d}), name, value, sum(n) FROM hour"  # noqa: S608
        " WHERE hour >= ? AND hour <= ? GROUP BY 1, 2, 3",
        (since, until),
    )
    buckets: dict[str, dict[str, dict[str, int]]] = {}
    totals: dict[str, dict[str, int]] = {}
    for bucket, name, value, n in rows:
        buckets.setdefault(bucket, {}).setdefault(name, {})[value] = n
        totals.setdefault(name, {}).setdefault(value, 0)
        totals[name][value] += n
    series = [
        {
            "from": bucket,
            "runs": found.get("total", {}).get("runs", 0),
            "verdicts": found.get("verdict", {}),
            "latency": _latency(found.get("milliseconds", {})),
            "calls": found.get("total", {}).get("calls", 0),
            "tokens": found.get("total", {}).get("tokens", 0),
        }
        for bucket, found in sorted(buckets.items())
    ]
    return {
        "since": since,
        "until": until,
        "runs": totals.get("total", {}).get("runs", 0),
        "verdicts": totals.get("verdict", {}),
        "codes": _ranked(totals.get("code", {})),
        "rules": _ranked(totals.get("rule", {})),
        "latency": _latency(totals.get("milliseconds", {})),
        "calls": totals.get("total", {}).get("calls", 0),
        "tokens": totals.get("total", {}).get("tokens", 0),
        "series": series,
    }


def _ranked(counted: Mapping[str, int], most: int = 12) -> list[dict[str, Any]]:
    order = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
    return [{"value": value, "runs": n} for value, n in order[:most]]


def _latency(counted: Mapping[str, int]) -> dict[str, float | None]:
    buckets = [(int(bucket), n) for bucket, n in counted.items()]
    return {f"p{share}": percentile(buckets, share / 100) for share in (50, 95, 99)}
