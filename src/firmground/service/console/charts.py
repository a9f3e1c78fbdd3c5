"""Charts as SVG, drawn from figures; colours come from the style sheet by class."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

WIDTH, HEIGHT = 640, 220
_LEFT, _RIGHT, _TOP, _BOTTOM = 62, 8, 10, 26
_VERDICTS = ("does_not_stand", "could_not_tell", "stands")


def _frame(title: str, inside: list[Markup], marks: Sequence[tuple[float, str]]) -> Markup:
    """A chart with horizontal lines at ``marks`` (share of the height, text)."""
    lines = [
        Markup(
            '<line class="axis" x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>'
            '<text x="{}" y="{:.1f}" text-anchor="end">{}</text>'
        ).format(_LEFT, WIDTH - _RIGHT, _y(at), _y(at), _LEFT - 6, _y(at) + 4, text)
        for at, text in marks
    ]
    return Markup(
        '<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>'
    ).format(WIDTH, HEIGHT, title, Markup("").join([*lines, *inside]))


def _y(share: float) -> float:
    return _TOP + (1 - share) * (HEIGHT - _TOP - _BOTTOM)


def _x(share: float) -> float:
    return _LEFT + share * (WIDTH - _LEFT - _RIGHT)


def _times(labels: Sequence[str]) -> list[Markup]:
    """A few moments under the chart."""
    step = max(1, -(-len(labels) // 6))
    return [
        Markup('<text x="{:.1f}" y="{}" text-anchor="middle">{}</text>').format(
            _x((n + 0.5) / len(labels)), HEIGHT - 8, label
        )
        for n, label in enumerate(labels)
        if n % step == 0
    ]


def moment(text: str) -> str:
    """An hour or a day as a short label."""
    return f"{text[11:13]}:00" if len(text) > 10 else text[5:10]


def verdict_chart(series: Sequence[dict[str, Any]]) -> Markup:
    """The share of each verdict over time, as stacked bars."""
    drawn: list[Markup] = _times([moment(one["from"]) for one in series])
    gap = 0.14
    for number, one in enumerate(series):
        total, base = sum(one["verdicts"].values()) or 1, 0.0
        left = _x((number + gap) / len(series))
        width = max(1.0, (_x(1) - _x(0)) / len(series) * (1 - 2 * gap))
        for verdict in reversed(_VERDICTS):
            share = one["verdicts"].get(verdict, 0) / total
            drawn.append(
                Markup(
                    '<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}">'
                    "<title>{}: {} of {} {}</title></rect>"
                ).format(
                    verdict, left, _y(base + share), width, _y(base) - _y(base + share),
                    one["from"], one["verdicts"].get(verdict, 0), total, verdict.replace("_", " "),
                )
            )  # fmt: skip
            base += share
    marks = [(0.0, "0 %"), (0.5, "50 %"), (1.0, "100 %")]
    return _frame("Share of verdicts over time", drawn, marks)


def latency_chart(series: Sequence[dict[str, Any]]) -> Markup:
    """Percentiles of the time from admission to record, over time."""
    most = max((one["latency"]["p99"] or 0 for one in series), default=0) or 1
    drawn: list[Markup] = _times([moment(one["from"]) for one in series])
    for name in ("p50", "p95", "p99"):
        points = [
            f"{_x((n + 0.5) / len(series)):.1f},{_y(one['latency'][name] / most):.1f}"
            for n, one in enumerate(series)
            if one["latency"][name] is not None
        ]
        drawn.append(Markup('<polyline class="{}" points="{}"/>').format(name, " ".join(points)))
    marks = [(0.0, "0"), (0.5, f"{most / 2:.0f} ms"), (1.0, f"{most:.0f} ms")]
    return _frame("Latency percentiles over time", drawn, marks)


def line_chart(title: str, points: Sequence[tuple[float, float]], *, ideal: bool) -> Markup:
    """One line in the unit square; ``ideal`` adds the diagonal."""
    drawn = []
    if ideal:
        corners = f"{_x(0):.1f},{_y(0):.1f} {_x(1):.1f},{_y(1):.1f}"
        drawn.append(Markup('<polyline class="ideal" points="{}"/>').format(corners))
    line = " ".join(f"{_x(x):.1f},{_y(y):.1f}" for x, y in points)
    drawn.append(Markup('<polyline class="p50" points="{}"/>').format(line))
    drawn += [
        Markup('<text x="{:.1f}" y="{}" text-anchor="middle">{}</text>').format(
            _x(share), HEIGHT - 8, f"{share:.0%}"
        )
        for share in (0.0, 0.25, 0.5, 0.75, 1.0)
    ]
    marks = [(share, f"{share:.0%}") for share in (0.0, 0.5, 1.0)]
    return _frame(title, drawn, marks)
