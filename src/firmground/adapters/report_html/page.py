"""The page as text: built from escaped pieces, sealed by a policy that names its own script."""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Iterator
from html import escape
from importlib.resources import files
from pathlib import Path

from firmground.adapters.report_html.pieces import (
    HARSHEST_FIRST,
    SIGNS,
    answer_html,
    cards_html,
    evidence_html,
    shown,
    words,
)
from firmground.errors import InputError
from firmground.pipeline.outcome import CheckOutcome


def write_report(outcome: CheckOutcome, path: Path) -> None:
    """Write the page, whole or not at all."""
    write_page(report_html(outcome), path)


def write_page(text: str, path: Path) -> None:
    """Write a page, whole or not at all."""
    if not path.name or path.is_dir():
        raise InputError(f"{path}: cannot be written: it is a folder, and a file is needed")
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None


def report_html(outcome: CheckOutcome) -> str:
    """Return one HTML document that needs nothing but itself."""
    style, script = asset("shared.css") + asset("page.css"), asset("page.js")
    policy = (
        f"default-src 'none'; style-src '{content_hash(style)}'; "
        f"script-src '{content_hash(script)}'; base-uri 'none'; form-action 'none'"
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
            *answer_html(outcome.request.answer, outcome.assessments),
            *cards_html(outcome.assessments, outcome.request.evidence),
            *_why(outcome),
            "</div>",
            *evidence_html(outcome.request.evidence, outcome.assessments),
            "</main>",
            '<aside id="sheet" aria-live="polite" hidden>'
            '<button type="button" id="close" aria-label="Close">×</button><div></div></aside>',
            f'<footer>run <code>{escape(outcome.root)}</code> · policy '
            f"<code>{shown(outcome.decision.policy)}</code></footer>",
            f"<script>{script}</script>",
            "</body>",
            "</html>",
        ]
    ) + "\n"  # fmt: skip


def asset(name: str) -> str:
    """Return a style or script of the package."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def content_hash(text: str) -> str:
    """Name a text as a content security policy does."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode()


def _verdict_words(outcome: CheckOutcome) -> str:
    if outcome.stands and outcome.asserts_nothing:
        return "Nothing to check"
    if outcome.released_with_waiver:
        return "Allowed despite objections"
    return str(outcome.verdict).replace("_", " ").capitalize()


def _header(outcome: CheckOutcome) -> Iterator[str]:
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
        yield f'<p class="question"><bdi>{shown(outcome.request.question.text)}</bdi></p>'
    yield "</header>"


def _filters(outcome: CheckOutcome) -> Iterator[str]:
    yield '<nav class="standings" aria-label="Show claims by standing">'
    total = len(outcome.assessments)
    yield f'<button type="button" data-filter="" aria-pressed="true">all {total}</button>'
    for standing in HARSHEST_FIRST:
        number = outcome.counts()[standing]
        if number:
            yield (
                f'<button type="button" class="{standing}" data-filter="{standing}" '
                f'aria-pressed="false">{SIGNS[standing]} {words(standing)} {number}</button>'
            )
    yield "</nav>"


def _why(outcome: CheckOutcome) -> Iterator[str]:
    yield '<section class="why" aria-labelledby="why"><h2 id="why">Why</h2><ul>'
    for objection in outcome.decision.objections:
        unsure = " (could not be checked)" if objection.could_not_check else ""
        yield (
            f"<li><code>{shown(objection.rule)}</code>{unsure} {shown(objection.reason)} "
            f"<b>{objection.step.label}</b></li>"
        )
    for objection in outcome.decision.waived:
        yield f"<li>waived: <code>{shown(objection.rule)}</code> {shown(objection.reason)}</li>"
    if not outcome.decision.objections:
        yield "<li>No rule of the policy objects.</li>"
    yield "</ul>"
    remarks = [*_remarks(outcome)]
    if remarks:
        yield f"<h2>Remarks</h2><ul>{''.join(f'<li>{r}</li>' for r in remarks)}</ul>"
    yield "</section>"


def _remarks(outcome: CheckOutcome) -> Iterator[str]:
    numbers = {piece.id: f"evidence {n}" for n, piece in enumerate(outcome.request.evidence, 1)}
    for cited in outcome.findings.citations:
        text = shown(outcome.request.answer[cited.start : cited.end][:200])
        yield f"citation <bdi>{text}</bdi>: {cited.status}, {shown(cited.reason)}"
    for found in outcome.findings.suspicious:
        where = numbers.get(found.where, found.where)
        yield f"suspicious text in {shown(where)}: {shown(found.reason)}"
    for unread in outcome.findings.unread:
        yield f"not read: {shown(numbers.get(unread, unread))}"
    for fault in outcome.findings.faults:
        yield f"could not ask {shown(fault.source)}: {fault.kind} {shown(fault.message)}"
