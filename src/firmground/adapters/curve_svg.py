"""Risk against coverage and scores against outcomes, as one self-contained picture."""

from __future__ import annotations

from collections.abc import Sequence

from firmground.calibrate import Bin, Point

_SIZE, _PAD = 300, 48
_STYLE = "font: 12px sans-serif; fill: #222"


def curve_svg(points: Sequence[Point], bins: Sequence[Bin], *, accepted: float | None) -> str:
    """Two panels side by side; ``accepted`` marks the coverage of the chosen threshold."""
    top = max((p.error for p in points), default=1.0) or 1.0
    left = [(p.coverage, p.error / top) for p in points]
    right = [(b.predicted, b.observed) for b in bins]
    mark = "" if accepted is None else _line(0, (accepted, 0), (accepted, 1), "#2a7")
    width, height = 2 * _SIZE + 3 * _PAD, _SIZE + 2 * _PAD
    body = [
        _panel(0, "coverage", f"error among accepted (top {top:.3f})"),
        _panel(1, "risk score", "share that was wrong"),
        _line(1, (0, 0), (1, 1), "#bbb"),
        mark,
        _path(0, left, "#c33"),
        _path(1, right, "#36c"),
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'role="img" aria-label="risk against coverage, and reliability">'
        f'<rect width="{width}" height="{height}" fill="#fff"/>{"".join(body)}</svg>\n'
    )


def _at(panel: int, x: float, y: float) -> str:
    return f"{_PAD + panel * (_SIZE + _PAD) + x * _SIZE:.1f},{_PAD + (1 - y) * _SIZE:.1f}"


def _panel(panel: int, across: str, up: str) -> str:
    left = _PAD + panel * (_SIZE + _PAD)
    frame = (
        f'<rect x="{left}" y="{_PAD}" width="{_SIZE}" height="{_SIZE}" fill="none" stroke="#888"/>'
    )
    below = f'<text x="{left}" y="{_SIZE + 2 * _PAD - 16}" style="{_STYLE}">0 to 1: {across}</text>'
    above = f'<text x="{left}" y="{_PAD - 12}" style="{_STYLE}">{up}</text>'
    return frame + below + above


def _line(panel: int, start: tuple[float, float], end: tuple[float, float], colour: str) -> str:
    path = f"M {_at(panel, *start)} L {_at(panel, *end)}"
    return f'<path d="{path}" stroke="{colour}" fill="none" stroke-dasharray="4 4"/>'


def _path(panel: int, points: Sequence[tuple[float, float]], colour: str) -> str:
    if not points:
        return ""
    places = " L ".join(_at(panel, x, y) for x, y in points)
    return f'<path d="M {places}" stroke="{colour}" stroke-width="2" fill="none"/>'
