"""The page as text: built from escaped pieces, sealed by a policy that names its own script."""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Iterator
from html import escape
from importlib.resources import files
from pathlib import Path

from firmground.adapters.report_html.segments import Segment, Span, segments, windows
from firmground.core.claim import Assessment, Standing
from firmground.core.evidence import Evidence
from firmground.core.visible import surroundings, visible
from firmground.errors import InputError
from firmground.pipeline.outcome import Outcome

_WHOLE_UP_TO = 60_000
_AROUND = 1_500
_EDGE = -1
"""Owner of the parts of a long text that are shown."""
_SIGNS = {
    Standing.GROUNDED: "✓",
    Standing.COMPLEMENTARY: "≈",
    Standing.UNGROUNDED: "?",
    Standing.CONTRADICTED: "✗",
    Standing.UNVERIFIABLE: "!",
    Standing.NOT_CHECKABLE: "·",
}
_HARSHEST_FIRST = (
    Standing.CONTRADICTED,
    Standing.UNGROUNDED,
    Standing.UNVERIFIABLE,
    Standing.COMPLEMENTARY,
    Standing.GROUNDED,
    Standing.NOT_CHECKABLE,
)
_SHOWN_CODE = re.compile(r"&lt;U\+[0-9A-F]{4,6}&gt;|[\u2400-\u241f]")


def write_report(outcome: Outcome, path: Path) -> None:
    """Write the page, whole or not at all."""
    if not path.name or path.is_dir():
        raise InputError(f"{path}: cannot be written: it is a folder, and a file is needed")
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        temporary.write_text(report_html(outcome), encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None


def report_html(outcome: Outcome) -> str:
    """Return one HTML document that needs nothing but itself."""
    style, script = _asset("page.css"), _asset("page.js")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
        "base-uri 'none'; form-action 'none'"
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
            f"<title>{escape(_verdict_words(outcome))} · firmground</title>",
            f"<style>{style}</style>",
            "</head>",
            "<body>",
            *_header(outcome),
            *_filters(outcome),
            '<main>',
            '<div class="left">',
            *_answer(outcome),
            *_cards(outcome),
            *_why(outcome),
            "</div>",
            *_evidence(outcome),
            "</main>",
            '<aside id="sheet" aria-live="polite" hidden>'
            '<button type="button" id="close" aria-label="Close">×</button><div></div></aside>',
            f'<footer>run <code>{escape(outcome.root)}</code> · policy '
            f"<code>{_shown(outcome.decision.policy)}</code></footer>",
            f"<script>{script}</script>",
            "</body>",
            "</html>",
        ]
    ) + "\n"  # fmt: skip


def _asset(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode()


def _shown(text: str) -> str:
    """Escaped text in which nothing hides: unseen characters are written out and framed."""
    return _SHOWN_CODE.sub(lambda m: f'<b class="code">{m.group()}</b>', escape(visible(text)))


def _verdict_words(outcome: Outcome) -> str:
    if outcome.stands and outcome.asserts_nothing:
        return "Nothing to check"
    if outcome.lets_pass:
        return "Allowed despite objections"
    return str(outcome.verdict).replace("_", " ").capitalize()


def _header(outcome: Outcome) -> Iterator[str]:
    yield f'<header class="{outcome.verdict}">'
    yield (
        f'<h1>{escape(_verdict_words(outcome))} <span class="step">'
        f"{outcome.decision.step.label}</span></h1>"
    )
    yield (
        f'<p class="figures"><span>support <b>{outcome.support:.2f}</b></span> '
        f"<span>risk <b>{outcome.risk:.2f}</b></span> "
        f"<span>claims <b>{len(outcome.assessments)}</b></span></p>"
    )
    if outcome.request.question:
        yield f'<p class="question"><bdi>{_shown(outcome.request.question.text)}</bdi></p>'
    yield "</header>"


def _filters(outcome: Outcome) -> Iterator[str]:
    yield '<nav aria-label="Show claims by standing">'
    total = len(outcome.assessments)
    yield f'<button type="button" data-filter="" aria-pressed="true">all {total}</button>'
    for standing in _HARSHEST_FIRST:
        number = outcome.counts()[standing]
        if number:
            yield (
                f'<button type="button" class="{standing}" data-filter="{standing}" '
                f'aria-pressed="false">{_SIGNS[standing]} {_words(standing)} {number}</button>'
            )
    yield "</nav>"


def _words(standing: Standing) -> str:
    return str(standing).replace("_", " ")


def _answer(outcome: Outcome) -> Iterator[str]:
    yield '<section aria-labelledby="answer"><h2 id="answer">Answer</h2>'
    answer, assessments = outcome.request.answer, outcome.assessments
    claims = [
        Span(start=a.claim.start, end=a.claim.end, owner=n) for n, a in enumerate(assessments)
    ]
    problems = [
        Span(start=p.start, end=p.end, owner=-1 - n)
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
    shown = _shown(text)
    if not owners:
        return shown
    if any(owner < 0 for owner in segment.owners):
        shown = f'<em class="problem">{shown}</em>'
    main = min(owners, key=lambda n: _HARSHEST_FIRST.index(assessments[n].standing))
    standing = assessments[main].standing
    begun = [n for n in segment.begins if n >= 0]
    heads = "".join(_handle(n, assessments[n]) for n in begun)
    return f'{heads}<span class="claim {standing}" data-claim="{main}">{shown}</span>'


def _handle(number: int, assessment: Assessment) -> str:
    """The small numbered button that stands before a claim."""
    standing = assessment.standing
    label = f"Claim {number + 1}, {_words(standing)}: {visible(assessment.claim.text)[:120]}"
    return (
        f'<button type="button" class="handle {standing}" data-claim="{number}" '
        f'aria-pressed="false" aria-label="{escape(label)}">{_SIGNS[standing]}{number + 1}</button>'
    )


def _cards(outcome: Outcome) -> Iterator[str]:
    yield '<section aria-labelledby="claims"><h2 id="claims">Claims</h2>'
    places = {piece.id: (n, piece) for n, piece in enumerate(outcome.request.evidence)}
    order = sorted(
        range(len(outcome.assessments)),
        key=lambda n: (outcome.assessments[n].standing.stands, n),
    )
    for number in order:
        yield _card(number, outcome.assessments[number], places)
    if not order:
        yield "<p>No claim was found in the answer.</p>"
    yield "</section>"


def _card(number: int, assessment: Assessment, places: dict[str, tuple[int, Evidence]]) -> str:
    standing = assessment.standing
    quotes = []
    for span in assessment.evidence:
        at, piece = places[span.evidence_id]
        before, after = (_shown(t) for t in surroundings(piece.text, span.start, span.end))
        quoted = f"{before}<b>{_shown(piece.text[span.start : span.end][:1000])}</b>{after}"
        quotes.append(
            f'<blockquote><bdi>{quoted}</bdi><cite><a href="#e{at}">evidence {at + 1}</a>, '
            f"{_page(piece)}characters {span.start}–{span.end}</cite></blockquote>"
        )
    notes = "".join(
        f"<li><code>{_shown(n.check)} {_shown(n.code)}</code> {_shown(n.reason)}</li>"
        for n in assessment.notes
    )
    checks = f"<details><summary>checks</summary><ul>{notes}</ul></details>" if notes else ""
    return (
        f'<article class="card {standing}" data-claim="{number}" data-standing="{standing}">'
        f"<h3>{_SIGNS[standing]}{number + 1} {_words(standing)}"
        f" <small>sure {assessment.confidence:.2f}</small></h3>"
        f'<p class="said"><bdi>{_shown(assessment.claim.text)}</bdi></p>'
        f"{_judged_as(assessment)}"
        f'<p class="reason"><bdi>{_shown(assessment.reason)}</bdi></p>'
        f"{''.join(quotes)}{checks}</article>"
    )


def _judged_as(assessment: Assessment) -> str:
    """The self-contained statement, where it differs from the words of the answer."""
    claim = assessment.claim
    if claim.statement == claim.text:
        return ""
    return f'<p class="judged">judged as: <bdi>{_shown(claim.statement)}</bdi></p>'


def _page(piece: Evidence) -> str:
    return f"page {piece.page}, " if piece.page else ""


def _why(outcome: Outcome) -> Iterator[str]:
    yield '<section class="why" aria-labelledby="why"><h2 id="why">Why</h2><ul>'
    for objection in outcome.decision.objections:
        unsure = " (could not be checked)" if objection.could_not_check else ""
        yield (
            f"<li><code>{_shown(objection.rule)}</code>{unsure} {_shown(objection.reason)} "
            f"<b>{objection.step.label}</b></li>"
        )
    for objection in outcome.decision.waived:
        yield f"<li>waived: <code>{_shown(objection.rule)}</code> {_shown(objection.reason)}</li>"
    if not outcome.decision.objections:
        yield "<li>No rule of the policy objects.</li>"
    yield "</ul>"
    remarks = [*_remarks(outcome)]
    if remarks:
        yield f"<h2>Remarks</h2><ul>{''.join(f'<li>{r}</li>' for r in remarks)}</ul>"
    yield "</section>"


def _remarks(outcome: Outcome) -> Iterator[str]:
    numbers = {piece.id: f"evidence {n}" for n, piece in enumerate(outcome.request.evidence, 1)}
    for cited in outcome.findings.citations:
        text = _shown(outcome.request.answer[cited.start : cited.end][:200])
        yield f"citation <bdi>{text}</bdi>: {cited.status}, {_shown(cited.reason)}"
    for found in outcome.findings.suspicious:
        where = numbers.get(found.where, found.where)
        yield f"suspicious text in {_shown(where)}: {_shown(found.reason)}"
    for unread in outcome.findings.unread:
        yield f"not read: {_shown(numbers.get(unread, unread))}"
    for fault in outcome.findings.faults:
        yield f"could not ask {_shown(fault.source)}: {fault.kind} {_shown(fault.message)}"


def _evidence(outcome: Outcome) -> Iterator[str]:
    yield '<section class="right" aria-labelledby="evidence"><h2 id="evidence">Evidence</h2>'
    for at, piece in enumerate(outcome.request.evidence):
        spans = [
            Span(start=span.start, end=span.end, owner=number)
            for number, assessment in enumerate(outcome.assessments)
            for span in assessment.evidence
            if span.evidence_id == piece.id
        ]
        yield _piece(at, piece, spans)
    yield "</section>"


def _piece(at: int, piece: Evidence, spans: list[Span]) -> str:
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
        f'<article class="piece" id="e{at}"><h3><bdi>{_shown(head)}</bdi></h3>'
        f'<p class="facts">{_shown(" · ".join(dict.fromkeys(facts)))}</p>'
        f'<p class="text" dir="auto">{"".join(parts)}</p></article>'
    )


def _edges(around: list[tuple[int, int]]) -> list[Span]:
    return [Span(start=start, end=end, owner=_EDGE) for start, end in around]


def _gap(length: int) -> str:
    return f'<i class="gap">… {length:,} characters not shown …</i>' if length > 0 else ""


def _evidence_piece(piece: Evidence, segment: Segment) -> str:
    shown = _shown(piece.text[segment.start : segment.end])
    owners = " ".join(str(owner) for owner in segment.owners if owner >= 0)
    return f'<mark data-claims="{owners}">{shown}</mark>' if owners else shown
