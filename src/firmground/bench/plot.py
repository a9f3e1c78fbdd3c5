"""A risk-coverage plot as a plain SVG file, readable in light and in dark."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from firmground.bench.dependence import SignalReport
from firmground.bench.stats import risks

_WIDE, _HIGH, _LEFT, _TOP, _RIGHT, _BOTTOM = 640, 400, 56, 24, 190, 48
_COLOURS = ("#888888", "#b8860b", "#2e8b57", "#c0392b", "#2563eb")
_DASHES = ("", "6 3", "2 3", "8 3 2 3", "")


def risk_coverage_svg(signals: Sequence[SignalReport], *, title: str) -> str:
    """Coverage to the right, share of wrong answers among the kept ones upwards."""
    most = max((max(risks(s.pairs), default=0.0) for s in signals), default=0.0) or 1.0
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDE} {_HIGH}" role="img" '
        f'font-family="sans-serif" font-size="12" fill="currentColor">',
        f"<title>{escape(title)}</title>",
        f'<text x="{_LEFT}" y="14">{escape(title)}</text>',
        *_axes(most),
        *(_curve(place, signal, most) for place, signal in enumerate(signals)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _x(coverage: float) -> float:
    return _LEFT + coverage * (_WIDE - _LEFT - _RIGHT)


def _y(risk: float, most: float) -> float:
    return _HIGH - _BOTTOM - risk / most * (_HIGH - _TOP - _BOTTOM)


def _axes(most: float) -> list[str]:
    made = []
    for step in range(5):
        share = step / 4
        x, y = _x(share), _y(share * most, most)
        made += [
            f'<line x1="{_LEFT}" x2="{_x(1):.0f}" y1="{y:.1f}" y2="{y:.1f}" stroke="#9996"/>',
            f'<text x="{_LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{share * most:.2f}</text>',
            f'<text x="{x:.1f}" y="{_HIGH - 30}" text-anchor="middle">{share:.2f}</text>',
        ]
    made.append(
        f'<text x="{_x(0.5):.0f}" y="{_HIGH - 10}" text-anchor="middle">'
        "coverage: share of answers kept; upwards: share of those that are wrong</text>"
    )
    return made


def _curve(place: int, signal: SignalReport, most: float) -> str:
    found = risks(signal.pairs)
    points = " ".join(
        f"{_x(kept / len(found)):.1f},{_y(risk, most):.1f}"
        for kept, risk in enumerate(found, start=1)
    )
    colour, dash = _COLOURS[place % len(_COLOURS)], _DASHES[place % len(_DASHES)]
    style = f'stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"'
    y = _TOP + 16 + 18 * place
    left = _x(1) + 12
    return (
        f'<polyline fill="none" {style} points="{points}"/>'
        f'<line x1="{left:.0f}" x2="{left + 24:.0f}" y1="{y}" y2="{y}" {style}/>'
        f'<text x="{left + 30:.0f}" y="{y + 4}">{escape(signal.name)}</text>'
    )
