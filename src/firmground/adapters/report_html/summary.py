"""A page over a whole batch: how many stand, how scores are spread, which answers are worst."""

from __future__ import annotations

import heapq
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from firmground.adapters.report_html.page import asset, content_hash
from firmground.adapters.report_html.pieces import shown
from firmground.core.decision import Verdict

WORST = 25
_FAILURES = 25
_BINS = 20
_LONGEST = 400
_VERDICTS = (*(str(verdict) for verdict in Verdict), "error")


@dataclass(slots=True)
class BatchFigures:
    """What is gathered from the rows of a batch, a bounded amount however many there are."""

    rows: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)
    codes: Counter[str] = field(default_factory=Counter)
    """Reason codes of claims that do not stand."""
    rules: Counter[str] = field(default_factory=Counter)
    support: list[int] = field(default_factory=lambda: [0] * _BINS)
    """How many answers have a support in each twentieth."""
    failures: list[str] = field(default_factory=list)
    _worst: list[tuple[float, int, dict[str, Any]]] = field(default_factory=list)

    def add(self, row: dict[str, Any]) -> None:
        """Count one result row."""
        self.rows += 1
        if "error" in row:
            self.verdicts["error"] += 1
            if len(self.failures) < _FAILURES:
                self.failures.append(str(row["error"]))
            return
        self.verdicts[str(row.get("verdict"))] += 1
        support = row.get("support")
        if isinstance(support, int | float):
            self.support[min(_BINS - 1, max(0, int(support * _BINS)))] += 1
        self.rules.update({str(one.get("rule")) for one in row.get("objections") or ()})
        fallen = [one for one in row.get("claims") or () if one.get("problems")]
        self.codes.update(str(one.get("code")) for one in fallen)
        if row.get("verdict") != "stands":
            self._note_worst(row, fallen, support)

    def _note_worst(self, row: dict[str, Any], fallen: list[Any], support: Any) -> None:
        score = float(support) if isinstance(support, int | float) else -1.0
        kept = {
            "id": row.get("id"),
            "verdict": str(row.get("verdict")),
            "support": support,
            "claims": len(row.get("claims") or ()),
            "fallen": len(fallen),
            "text": str(fallen[0].get("text", "")) if fallen else "",
            "reason": str(fallen[0].get("reason", "")) if fallen else _objection(row),
        }
        item = (-score, -self.rows, kept)
        if len(self._worst) < WORST:
            heapq.heappush(self._worst, item)
        else:
            heapq.heappushpop(self._worst, item)

    @property
    def worst(self) -> list[dict[str, Any]]:
        """The answers with the lowest support that do not stand, lowest first."""
        return [kept for _, _, kept in sorted(self._worst, key=lambda item: item[:2], reverse=True)]


def _objection(row: dict[str, Any]) -> str:
    found = row.get("objections") or ()
    return str(found[0].get("reason", "")) if found else ""


def figures_of(lines: Iterable[bytes]) -> BatchFigures:
    """Read the figures from result lines."""
    figures = BatchFigures()
    for line in lines:
        figures.add(json.loads(line))
    return figures


def summary_html(figures: BatchFigures, *, source: str, notes: Iterable[str] = ()) -> str:
    """Return one HTML document that needs nothing but itself."""
    style = asset("shared.css") + asset("summary.css")
    policy = (
        f"default-src 'none'; style-src '{content_hash(style)}'; base-uri 'none'; "
        "form-action 'none'"
    )
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="referrer" content="no-referrer">',
            "<title>Batch · firmground</title>",
            f"<style>{style}</style>",
            "</head>",
            "<body>",
            f"<h1>{figures.rows:,} rows of {shown(source)}</h1>",
            *(f'<p class="note">{shown(note)}</p>' for note in notes),
            *_tiles(figures),
            "<h2>Support</h2>",
            _histogram(figures.support),
            *_worst(figures),
            *_counts("Why claims do not stand", "code", figures.codes),
            *_counts("Rules that objected", "rule", figures.rules),
            *_failures(figures),
            "</body>",
            "</html>",
        ]
    ) + "\n"  # fmt: skip


def _tiles(figures: BatchFigures) -> Iterator[str]:
    yield '<div class="tiles">'
    for verdict, number in figures.verdicts.most_common():
        share = 100 * number / max(1, figures.rows)
        words = shown(verdict.replace("_", " "))
        kind = verdict if verdict in _VERDICTS else "other"
        yield f'<div class="tile {kind}"><b>{number:,}</b>{words} · {share:.1f} %</div>'
    yield "</div>"


def _histogram(bins: list[int]) -> str:
    most, width, height = max([*bins, 1]), 30, 160
    parts = [f'<svg viewBox="0 0 {_BINS * width + 20} {height + 40}" role="img" '
             'aria-label="How many answers have which support">']  # fmt: skip
    for place, number in enumerate(bins):
        tall = round(height * number / most)
        x = 10 + place * width
        parts.append(
            f'<rect x="{x}" y="{20 + height - tall}" width="{width - 4}" height="{tall}">'
            f"<title>{place / _BINS:.2f} to {(place + 1) / _BINS:.2f}: {number}</title></rect>"
        )
        if number:
            parts.append(f'<text x="{x}" y="{16 + height - tall}">{number}</text>')
        if place % 4 == 0:
            parts.append(f'<text x="{x}" y="{height + 36}">{place / _BINS:.1f}</text>')
    return "".join([*parts, "</svg>"])


def _worst(figures: BatchFigures) -> Iterator[str]:
    if not figures.worst:
        return
    yield "<h2>Worst answers</h2>"
    yield "<table><tr><th>id</th><th>verdict</th><th>support</th><th>claims that fall</th>"
    yield "<th>first of them</th><th>why</th></tr>"
    for one in figures.worst:
        support = "" if one["support"] is None else f"{one['support']:.3f}"
        yield (
            f"<tr><td>{_cut(str(one['id']))}</td><td>{_cut(one['verdict'].replace('_', ' '))}</td>"
            f'<td class="number">{support}</td>'
            f'<td class="number">{one["fallen"]} of {one["claims"]}</td>'
            f"<td>{_cut(one['text'])}</td><td>{_cut(one['reason'])}</td></tr>"
        )
    yield "</table>"


def _counts(title: str, name: str, counts: Counter[str]) -> Iterator[str]:
    if not counts:
        return
    yield f"<h2>{title}</h2><table><tr><th>{name}</th><th>times</th></tr>"
    for word, number in counts.most_common(15):
        yield f'<tr><td>{_cut(word)}</td><td class="number">{number:,}</td></tr>'
    yield "</table>"


def _failures(figures: BatchFigures) -> Iterator[str]:
    if not figures.failures:
        return
    yield "<h2>Rows that could not be checked</h2><table>"
    for message in figures.failures:
        yield f"<tr><td>{_cut(message)}</td></tr>"
    left = figures.verdicts["error"] - len(figures.failures)
    if left > 0:
        yield f"<tr><td>and {left:,} more</td></tr>"
    yield "</table>"


def _cut(text: str) -> str:
    return shown(text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…")
