"""The reliability of stated probabilities, drawn as one self-contained picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SIZE, PAD = 320, 56
_TEXT = 'font-family="sans-serif" font-size="12" fill="#222"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """One judge's stated probabilities and what came of them."""

    name: str
    colour: str
    pairs: Sequence[tuple[float, bool]]

    def points(self, bins: int = 10) -> list[tuple[float, float]]:
        """Give (stated, observed) of bins of equal size."""
        ordered = sorted(self.pairs)
        size = max(1, -(-len(ordered) // bins))
        parts = [ordered[at : at + size] for at in range(0, len(ordered), size)]
        return [
            (sum(p for p, _ in part) / len(part), sum(y for _, y in part) / len(part))
            for part in parts
        ]

    def error(self) -> float:
        """Give the expected calibration error over the same bins."""
        points = self.points()
        return sum(abs(x - y) for x, y in points) / len(points)


def reliability_svg(panels: Sequence[tuple[str, Sequence[Curve]]]) -> str:
    """Draw one panel for each title, its curves against the diagonal."""
    width, height = len(panels) * (SIZE + PAD) + PAD, SIZE + 2 * PAD + 16
    body = "".join(_panel(at, title, curves) for at, (title, curves) in enumerate(panels))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" aria-label="stated against observed probability">'
        f'<rect width="{width}" height="{height}" fill="#fff"/>{body}</svg>\n'
    )


def _panel(at: int, title: str, curves: Sequence[Curve]) -> str:
    left = PAD + at * (SIZE + PAD)

    def place(x: float, y: float) -> str:
        return f"{left + x * SIZE:.1f},{PAD + (1 - y) * SIZE:.1f}"

    drawn = [
        f'<text x="{left}" y="{PAD - 30}" {_TEXT} font-weight="bold">{title}</text>',
        f'<rect x="{left}" y="{PAD}" width="{SIZE}" height="{SIZE}" fill="none" stroke="#888"/>',
        f'<path d="M {place(0, 0)} L {place(1, 1)}" stroke="#bbb" stroke-dasharray="4 4"/>',
        f'<text x="{left}" y="{PAD - 12}" {_TEXT}>share that did not stand</text>',
        f'<text x="{left + SIZE}" y="{PAD + SIZE + 34}" text-anchor="end" {_TEXT}>'
        f"stated probability of not standing</text>",
    ]
    for share in (0, 0.25, 0.5, 0.75, 1):
        wide, high = place(share, share).split(",")
        drawn.append(
            f'<text x="{wide}" y="{PAD + SIZE + 16}" text-anchor="middle" {_TEXT}>{share:g}</text>'
            f'<text x="{left - 6}" y="{float(high) + 4:.1f}" text-anchor="end" {_TEXT}>'
            f"{share:g}</text>"
        )
    for number, curve in enumerate(curves):
        points = curve.points()
        path = " L ".join(place(x, y) for x, y in points)
        drawn.append(f'<path d="M {path}" stroke="{curve.colour}" stroke-width="2" fill="none"/>')
        for x, y in points:
            cx, cy = place(x, y).split(",")
            drawn.append(f'<circle cx="{cx}" cy="{cy}" r="3.5" fill="{curve.colour}"/>')
        label = f"{curve.name}: ECE {curve.error():.3f}, n = {len(curve.pairs)}"
        drawn.append(
            f'<text x="{left + 10}" y="{PAD + 20 + 18 * number}" font-family="sans-serif" '
            f'font-size="12" fill="{curve.colour}">{label}</text>'
        )
    return "".join(drawn)
