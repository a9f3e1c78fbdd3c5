"""Long evidence in windows that fit a model: every passage is in one, and none is cut off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from firmground.core.evidence import EvidenceSpan
from firmground.verify.reading import Passage

_OVERLAP_SHARE = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowPiece:
    """A passage, or a part of one that is too long for any window, with its size in tokens."""

    text: str
    size: int
    passage: int
    """Position of the passage it is from."""
    span: EvidenceSpan


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidenceWindow:
    """Neighbouring pieces of evidence that a model reads at once."""

    pieces: tuple[WindowPiece, ...]

    @property
    def text(self) -> str:
        """What the model reads."""
        return "\n".join(piece.text for piece in self.pieces)

    @property
    def spans(self) -> tuple[EvidenceSpan, ...]:
        """The exact evidence, neighbours of one text joined."""
        joined: list[EvidenceSpan] = []
        for piece in self.pieces:
            span = piece.span
            if joined and joined[-1].evidence_id == span.evidence_id:
                last = joined.pop()
                start, end = min(last.start, span.start), max(last.end, span.end)
                span = EvidenceSpan(evidence_id=span.evidence_id, start=start, end=end)
            joined.append(span)
        return tuple(joined)


Offsets = Sequence[tuple[int, int]]


def cut_pieces(
    passages: Sequence[Passage], offsets: Callable[[str], Offsets], longest: int
) -> tuple[WindowPiece, ...]:
    """Measure passages by their tokens; one longer than ``longest`` becomes several pieces."""
    found: list[WindowPiece] = []
    for passage in passages:
        places = offsets(passage.text)
        if len(places) <= longest:
            parts = [(0, len(passage.text), len(places))]
        else:
            groups = [places[at : at + longest] for at in range(0, len(places), longest)]
            edges = [0, *(group[0][0] for group in groups[1:]), len(passage.text)]
            parts = [(edges[n], edges[n + 1], len(group)) for n, group in enumerate(groups)]
        found += [
            WindowPiece(
                text=passage.text[start:end],
                size=size,
                passage=passage.order,
                span=passage.span(start, end),
            )
            for start, end, size in parts
            if end > start
        ]
    return tuple(found)


def make_windows(pieces: Sequence[WindowPiece], room: int) -> tuple[EvidenceWindow, ...]:
    """Pack pieces in order into windows of at most ``room`` tokens, one separator for each piece.

    A window begins with the last piece of the one before when that is short, so that a fact stated
    in two neighbouring sentences is not split.
    """
    found: list[EvidenceWindow] = []
    held: list[WindowPiece] = []
    used = 0
    for piece in pieces:
        if held and used + piece.size + 1 > room:
            found.append(EvidenceWindow(pieces=tuple(held)))
            last = held[-1]
            fits = last.size * _OVERLAP_SHARE <= room and last.size + piece.size + 2 <= room
            held = [last] if fits else []
            used = last.size + 1 if fits else 0
        held.append(piece)
        used += piece.size + 1
    if held:
        found.append(EvidenceWindow(pieces=tuple(held)))
    return tuple(found)


def choose_windows(
    windows: Sequence[EvidenceWindow], ranked: Sequence[int], most: int
) -> tuple[EvidenceWindow, ...]:
    """Keep at most ``most`` windows, those with the best ranked passages first, in their order."""
    if len(windows) <= most:
        return tuple(windows)
    rank = {passage: at for at, passage in enumerate(ranked)}
    worst = len(ranked)
    order = sorted(
        range(len(windows)),
        key=lambda n: (min(rank.get(p.passage, worst) for p in windows[n].pieces), n),
    )
    return tuple(windows[n] for n in sorted(order[:most]))
