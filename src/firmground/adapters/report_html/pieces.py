"""The answer, its claims and its evidence as escaped HTML, for the report and the console."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

from firmground.adapters.report_html.segments import MarkedSpan, Segment, segments, windows
from firmground.core.claim import Assessment, Standing
from firmground.core.evidence import Evidence
from firmground.core.visible import surroundings, visible

_WHOLE_UP_TO = 60_000
_AROUND = 1_500
_EDGE = -1
"""Owner of the parts of a long text that are shown."""
SIGNS = {
    Standing.GROUNDED: "✓",
    Standing.COMPLEMENTARY: "≈",
    Standing.UNGROUNDED: "?",
    Standing.CONTRADICTED: "✗",
    Standing.UNVERIFIABLE: "!",
    Standing.NOT_CHECKABLE: "·",
}
HARSHEST_FIRST = (
    Standing.CONTRADICTED,
    Standing.UNGROUNDED,
    Standing.UNVERIFIABLE,
    Standing.COMPLEMENTARY,
    Standing.GROUNDED,
    Standing.NOT_CHECKABLE,
)
_SHOWN_CODE = re.compile(r"&lt;U\+[0-9A-F]{4,6}&gt;|[\u2400-\u241f]")


def shown(text: str) -> str:
    """Escaped text in which unseen characters are written out and framed."""
    return _SHOWN_CODE.sub(lambda m: f'<b class="code">{m.group()}</b>', escape(visible(text)))


def words(standing: Standing) -> str:
    """The name of a standing as words."""
    return str(standing).replace("_", " ")


def answer_html(answer: str, assessments: tuple[Assessment, ...]) -> Iterator[str]:
    """The answer with its claims marked and numbered."""
    yield '<section aria-labelledby="answer"><h2 id="answer">Answer</h2>'
    claims = [
        MarkedSpan(start=a.claim.start, end=a.claim.end, owner=n) for n, a in enumerate(assessments)
    ]
    problems = [
        MarkedSpan(start=p.start, end=p.end, owner=-1 - n)
        for n, a in enumerate(assessments)
        for p in a.problems
    ]
    pieces = [
        _answer_piece(answer[s.start : s.end], s, assessments)
        for s in segments(len(answer), claims + problems)
    ]
    yield f'<p class="text" dir="auto">{"".join(pieces)}</p></section>'


def _answer_piece(text: str, segment: Segment, assessments: tuple[Assessment, ...]) -> str:
    owners = [owner for owner in segment.owners if owner >= 0]
    marked = shown(text)
    if not owners:
        return marked
    if any(owner < 0 for owner in segment.owners):
        marked = f'<em class="problem">{marked}</em>'
    main = min(owners, key=lambda n: HARSHEST_FIRST.index(assessments[n].standing))
    standing = assessments[main].standing
    begun = [n for n in segment.begins if n >= 0]
    heads = "".join(_handle(n, assessments[n]) for n in begun)
    return f'{heads}<span class="claim {standing}" data-claim="{main}">{marked}</span>'


def _handle(number: int, assessment: Assessment) -> str:
    """The small numbered button that stands before a claim."""
    standing = assessment.standing
    label = f"Claim {number + 1}, {words(standing)}: {visible(assessment.claim.text)[:120]}"
    return (
        f'<button type="button" class="handle {standing}" data-claim="{number}" '
        f'aria-pressed="false" aria-label="{escape(label)}">{SIGNS[standing]}{number + 1}</button>'
    )


def cards_html(
    assessments: tuple[Assessment, ...], evidence: tuple[Evidence, ...]
) -> Iterator[str]:
    """One card for each claim, those that do not stand first."""
    yield '<section aria-labelledby="claims"><h2 id="claims">Claims</h2>'
    places = {piece.id: (n, piece) for n, piece in enumerate(evidence)}
    order = sorted(
        range(len(assessments)),
        key=lambda n: (assessments[n].standing.stands, n),
    )
    for number in order:
        yield _card(number, assessments[number], places)
    if not order:
        yield "<p>No claim was found in the answer.</p>"
    yield "</section>"


def _card(number: int, assessment: Assessment, places: dict[str, tuple[int, Evidence]]) -> str:
    standing = assessment.standing
    quotes = []
    for span in assessment.evidence:
        at, piece = places[span.evidence_id]
        before, after = (shown(t) for t in surroundings(piece.text, span.start, span.end))
        quoted = f"{before}<b>{shown(piece.text[span.start : span.end][:1000])}</b>{after}"
        quotes.append(
            f'<blockquote><bdi>{quoted}</bdi><cite><a href="#e{at}">evidence {at + 1}</a>, '
            f"{_page(piece)}characters {span.start}–{span.end}</cite></blockquote>"
        )
    notes = "".join(
        f"<li><code>{shown(n.check)} {shown(n.code)}</code> {shown(n.reason)}</li>"
        for n in assessment.notes
    )
    working = "".join(
        f'<p class="working">working: <bdi>{shown(n.reason)}</bdi></p>'
        for n in assessment.notes
        if n.check == "derivation" and " = " in n.reason
    )
    checks = f"<details><summary>checks</summary><ul>{notes}</ul></details>" if notes else ""
    return (
        f'<article class="card {standing}" data-claim="{number}" data-standing="{standing}">'
        f"<h3>{SIGNS[standing]}{number + 1} {words(standing)}"
        f" <small>confidence {assessment.confidence:.2f}</small></h3>"
        f'<p class="said"><bdi>{shown(assessment.claim.text)}</bdi></p>'
        f"{_judged_as(assessment)}"
        f'<p class="reason"><bdi>{shown(assessment.reason)}</bdi></p>'
        f"{working}{''.join(quotes)}{checks}</article>"
    )


def _judged_as(assessment: Assessment) -> str:
    """The self-contained statement, where it differs from the words of the answer."""
    claim = assessment.claim
    if claim.statement == claim.text:
        return ""
    return f'<p class="judged">judged as: <bdi>{shown(claim.statement)}</bdi></p>'


def _page(piece: Evidence) -> str:
    return f"page {piece.page}, " if piece.page else ""


def evidence_html(
    evidence: tuple[Evidence, ...], assessments: tuple[Assessment, ...]
) -> Iterator[str]:
    """Every piece of evidence, with what claims rest on marked."""
    yield '<section class="right" tabindex="0" aria-labelledby="evidence">'
    yield '<h2 id="evidence">Evidence</h2>'
    for at, piece in enumerate(evidence):
        spans = [
            MarkedSpan(start=span.start, end=span.end, owner=number)
            for number, assessment in enumerate(assessments)
            for span in assessment.evidence
            if span.evidence_id == piece.id
        ]
        yield _piece(at, piece, spans)
    yield "</section>"


def _piece(at: int, piece: Evidence, spans: list[MarkedSpan]) -> str:
    facts = [str(piece.kind), piece.role, f"{piece.trust.label}"]
    facts += [f"page {piece.page}"] if piece.page else []
    named = piece.title or piece.origin or (piece.id if len(piece.id) < 40 else "")
    head = f"Evidence {at + 1}" + (f": {named}" if named else "")
    around = windows(len(piece.text), spans, whole_up_to=_WHOLE_UP_TO, around=_AROUND)
    parts = []
    shown_to = 0
    for segment in segments(len(piece.text), [*spans, *_edges(around)]):
        if _EDGE in segment.owners:
            parts += [_gap(segment.start - shown_to), _evidence_piece(piece, segment)]
            shown_to = segment.end
    parts.append(_gap(len(piece.text) - shown_to))
    return (
        f'<article class="piece" id="e{at}"><h3><bdi>{shown(head)}</bdi></h3>'
        f'<p class="facts">{shown(" · ".join(dict.fromkeys(facts)))}</p>'
        f'<p class="text" dir="auto">{"".join(parts)}</p></article>'
    )


def _edges(around: list[tuple[int, int]]) -> list[MarkedSpan]:
    return [MarkedSpan(start=start, end=end, owner=_EDGE) for start, end in around]


def _gap(length: int) -> str:
    return f'<i class="gap">… {length:,} characters not shown …</i>' if length > 0 else ""


def _evidence_piece(piece: Evidence, segment: Segment) -> str:
    text = shown(piece.text[segment.start : segment.end])
    owners = " ".join(str(owner) for owner in segment.owners if owner >= 0)
    return f'<mark data-claims="{owners}">{text}</mark>' if owners else text
