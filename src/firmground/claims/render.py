"""A lattice answer with the evidence's own words beside each claim."""

from __future__ import annotations

from bisect import bisect_right

from firmground.claims.evidence_map import EvidenceObject
from firmground.claims.lattice_verdict import LatticeVerdict
from firmground.claims.norm import content_tokens
from firmground.core.segment import Span, sentences, words

_WINDOW = 240
_LONGEST = 600


def spotlight(claim: str, text: str, *, window: int = _WINDOW) -> Span:
    """Find the stretch of a text that speaks most densely of a claim, in whole sentences.

    The middle is the word around which most distinct words of the claim stand within half a
    window to either side; the first one wins a tie. A text that shares no word gives its first
    sentence.
    """
    bounds = sentences(text)
    if not bounds:
        return Span(start=0, end=0)
    wanted = frozenset(content_tokens(claim))
    hits = [(one.start, one.text.lower()) for one in words(text) if one.text.lower() in wanted]
    middle = _densest(hits, window // 2)
    starts = [span.start for span in bounds]
    first = bounds[max(0, bisect_right(starts, max(middle - window // 2, 0)) - 1)]
    last = bounds[max(0, bisect_right(starts, middle + window // 2) - 1)]
    if middle < 0 or last.end - first.start > _LONGEST:
        here = bounds[max(0, bisect_right(starts, max(middle, 0)) - 1)]
        return Span(start=here.start, end=min(here.end, max(here.start, middle) + _LONGEST))
    return Span(start=first.start, end=last.end)


def _densest(hits: list[tuple[int, str]], half: int) -> int:
    """Slide over the hits and count distinct words; -1 when there is none."""
    best, best_at, left, right = 0, -1, 0, 0
    inside: dict[str, int] = {}
    for at, _ in hits:
        while right < len(hits) and hits[right][0] <= at + half:
            inside[hits[right][1]] = inside.get(hits[right][1], 0) + 1
            right += 1
        while hits[left][0] < at - half:
            word = hits[left][1]
            inside[word] -= 1
            if not inside[word]:
                del inside[word]
            left += 1
        if len(inside) > best:
            best, best_at = len(inside), at
    return best_at


def render_pointer(claim: str, evidence: EvidenceObject) -> str:
    """Show one piece of evidence beside a claim: `[E5 | title | 1a2b3c4d: "excerpt"]`."""
    span = spotlight(claim, evidence.span)
    excerpt = " ".join(evidence.span[span.start : span.end].split())
    title = " ".join(evidence.title.split()) or "untitled"
    return f'[{evidence.pointer_id} | {title} | {evidence.chunk_root[:8]}: "{excerpt}"]'


def render_lattice(verdict: LatticeVerdict) -> str:
    """Show every claim on a line of its own, with its evidence or with the reason it has none."""
    shown = []
    for one in verdict.claims:
        text = one.claim.text or "(no words)"
        if one.status.linked:
            beside = " ".join(render_pointer(one.claim.text, cited) for cited in one.cited)
        else:
            beside = f"[{one.status}]"
        shown.append(f"{text} {beside}")
    return "\n".join([*shown, f"{verdict.display} ({verdict.n_verified}/{verdict.n_units})"])
