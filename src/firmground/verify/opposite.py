"""A yes or no and its opposite, judged together: at most one of the two stands."""

from __future__ import annotations

from dataclasses import replace

from firmground.core.claim import Assessment, Problem, Standing
from firmground.verify.polarity import denials


def weighed(own: Assessment, other: Assessment, instead: Assessment | None = None) -> Assessment:
    """Correct the assessment of a claim by that of its opposite.

    :param own: the assessment of a yes or no
    :param other: that of the statement of the other reply
    :param instead: for "No, in Lodz" that of the statement with the other value

    A denial stands when a check finds another value in the source than the one it denies; a low
    score of its opposite is not enough. It also stands where the source supports the value that
    the reply gives instead, and supports it better. Nothing stands whose opposite the source
    supports better.
    """
    if own.standing is Standing.GROUNDED:
        beaten = other.standing is Standing.GROUNDED and other.support > own.support
        return _beaten(own, other) if beaten else own
    if not denials(own.claim.statement):
        return own
    if instead is not None and instead.standing is Standing.GROUNDED:
        return _borne_out(own, instead) if instead.support > other.support else own
    compared = other.standing is Standing.CONTRADICTED and other.code != "scored_contradicted"
    if not compared or not other.evidence:
        return own
    if any(note.veto for note in own.notes if note.standing is Standing.CONTRADICTED):
        return own
    return _borne_out(own, other)


def _beaten(own: Assessment, other: Assessment) -> Assessment:
    claim = own.claim
    return replace(
        own,
        standing=Standing.CONTRADICTED,
        support=round(1.0 - other.support, 6),
        confidence=other.support,
        reason=f"the source says rather the opposite: “{_short(other.claim.statement)}”",
        code="opposite_supported",
        evidence=other.evidence,
        problems=(Problem(start=claim.start, end=claim.end, standing=Standing.CONTRADICTED),),
    )


def _borne_out(own: Assessment, other: Assessment) -> Assessment:
    support = max(own.support, other.confidence)
    given = other.standing is Standing.GROUNDED
    said = f"“{_short(other.claim.statement)}”" if given else other.reason
    return replace(
        own,
        standing=Standing.GROUNDED,
        support=support,
        confidence=support,
        reason=f"the source {'says instead' if given else 'contradicts the opposite'}: {said}",
        code="instead_supported" if given else "opposite_contradicted",
        evidence_type=other.evidence_type,
        evidence=other.evidence,
        problems=(),
    )


def _short(text: str) -> str:
    return text if len(text) <= 120 else text[:119] + "…"
